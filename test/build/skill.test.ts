import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { formatSkill } from '../../src/build/skill.ts';
import { createReference } from '../../src/cli/help/reference.ts';
import { loadManual } from '../../src/cli/manual.ts';
import { ROOT } from '../support/documents.ts';

const page = readFileSync(new URL('.github/SKILL.md', ROOT), 'utf8');

test('the page for assistants is up to date (npm run skill updates it)', async () => {
  const { version } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8'));
  expect(page).toBe(formatSkill(createReference(await loadManual(version))));
});
