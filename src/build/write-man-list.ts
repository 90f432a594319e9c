import { readFile, writeFile } from 'node:fs/promises';
import { version } from '../../package.json';
import { manPages } from '../cli/help/man.ts';
import { loadManual } from '../cli/manual.ts';

const manual = await loadManual(version);
const description = JSON.parse(await readFile('package.json', 'utf8'));
description.man = Object.keys(manPages(manual))
  .map((name) => `dist/man/${name}`)
  .sort();
await writeFile('package.json', `${JSON.stringify(description, null, 2)}\n`);
