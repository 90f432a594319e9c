/** `npm run completions`: writes anew what is checked in and made from the commands, after one of them or a flag has changed. */
import { readFile, writeFile } from 'node:fs/promises';
import { version } from '../../package.json';
import { manPages } from '../cli/help/man.ts';
import { completionScripts } from '../cli/help/scripts.ts';
import { loadManual } from '../cli/manual.ts';

const manual = await loadManual(version);
for (const [name, text] of Object.entries(completionScripts(manual))) await writeFile(`completions/${name}`, text);

// npm installs the manual pages that package.json names; the pages themselves are made by the build.
const description = JSON.parse(await readFile('package.json', 'utf8'));
description.man = Object.keys(manPages(manual))
  .map((name) => `dist/man/${name}`)
  .sort();
await writeFile('package.json', `${JSON.stringify(description, null, 2)}\n`);
