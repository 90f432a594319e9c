/**
 * The second half of `npm run build`: writes the manual pages to dist/man, where package.json's `man` finds them, and what
 * `qrctl --help` prints, because loading commander to lay it out takes longer than all the rest.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { version } from '../../package.json';
import { loadManual } from '../commands/manual.ts';
import { interpret } from '../commands/program.ts';
import { manPages } from '../help/man.ts';

await mkdir('dist/man', { recursive: true });
for (const [name, text] of Object.entries(manPages(await loadManual(version)))) await writeFile(`dist/man/${name}`, text);

const help = await interpret(['--help'], { version, terminal: () => ({ columns: 80, colour: true }) });
if (help.kind !== 'print') throw new Error('qrctl --help prints no help');
await writeFile('dist/help.txt', help.text);
