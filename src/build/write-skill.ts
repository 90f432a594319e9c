import { writeFile } from 'node:fs/promises';
import { createReference } from '#cli/help/reference';
import { loadManual } from '#cli/manual';
import { version } from '../../package.json';
import { formatSkill } from './skill.ts';

await writeFile('.github/SKILL.md', formatSkill(createReference(await loadManual(version))));
