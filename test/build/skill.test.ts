import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createReference } from '#cli/help/reference';
import { loadManual } from '#cli/manual';
import { ROOT } from '../support/documents.ts';
import { withReference } from './skill.ts';

const page = readFileSync(new URL('.github/SKILL.md', ROOT), 'utf8');

const { version } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8'));
const reference = createReference(await loadManual(version));

test('.github/SKILL.md is up to date (`npm test -- test/build -u` updates it)', async () => {
  await expect(withReference(page, reference)).toMatchFileSnapshot('../../.github/SKILL.md');
  expect(page).toContain(`${reference.summary}.`);
});

test('.github/SKILL.md shows flag values in the case that qrctl accepts, such as `tab` and `none`', () => {
  const lists = page.split('\n').filter((line) => line.startsWith('- Flags: '));
  const forms = lists.flatMap((line) => [...line.matchAll(/`(--[^`]+)`/g)].map(([, form]) => form));
  expect(forms).toEqual(
    expect.arrayContaining(['--delimiter <,|;|tab>', '--background <#rgb|none>', '--sort <field[:desc]>']),
  );
  expect(page).toContain('`--profile <name>`');
});

test('.github/SKILL.md marks short_url in the results as optional, because only a setting adds it', () => {
  expect(page).toContain(
    '- Columns (--from): columns of the input, id, slug, outcome, error, base, decision; optional: short_url\n',
  );
});

test('each command for which .github/SKILL.md recommends --dry-run has --from and --dry-run', () => {
  const [rule = ''] = /^- Before .*--dry-run.*$/m.exec(page) ?? [];
  const names = [...rule.matchAll(/`(qr \w+)`/g)].map(([, name]) => name);
  expect(names).toEqual(['qr create', 'qr update', 'qr apply', 'qr delete']);
  for (const { name, flags } of reference.commands.filter((command) => names.includes(command.name)))
    expect([name, ...flags.map((flag) => flag.name)]).toEqual(
      expect.arrayContaining(['--from', '--dry-run']),
    );
});
