import { readFile, writeFile } from 'node:fs/promises';
import { createReference } from '#cli/help/reference';
import { loadManual } from '#cli/manual';
import { version } from '../../package.json';
import { withReference } from './skill.ts';

const PAGE = '.github/SKILL.md';

const reference = createReference(await loadManual(version));
await writeFile(PAGE, withReference(await readFile(PAGE, 'utf8'), reference));
