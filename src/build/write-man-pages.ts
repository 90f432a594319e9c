/** The second half of `npm run build`: writes the manual pages to dist/man, where package.json's `man` finds them. */
import { mkdir, writeFile } from 'node:fs/promises';
import { version } from '../../package.json';
import { loadManual } from '../commands/manual.ts';
import { manPages } from '../help/man.ts';

await mkdir('dist/man', { recursive: true });
for (const [name, text] of Object.entries(manPages(await loadManual(version)))) await writeFile(`dist/man/${name}`, text);
