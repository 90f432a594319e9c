import { writeFile } from 'node:fs/promises';
import { version } from '../../package.json';
import { createReference } from '../cli/help/reference.ts';
import { loadManual } from '../cli/manual.ts';
import { formatSkill } from './skill.ts';

await writeFile('.github/SKILL.md', formatSkill(createReference(await loadManual(version))));
