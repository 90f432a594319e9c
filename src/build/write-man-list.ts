import { readFile, writeFile } from 'node:fs/promises';
import { manPages } from '#cli/help/man';
import { loadManual } from '#cli/manual';
import { version } from '../../package.json';

const manual = await loadManual(version);
const description = JSON.parse(await readFile('package.json', 'utf8'));
description.man = Object.keys(manPages(manual))
  .map((name) => `dist/man/${name}`)
  .sort();
await writeFile('package.json', `${JSON.stringify(description, null, 2)}\n`);
