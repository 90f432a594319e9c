/** Writes man pages and help in `npm run build`, because formatting them later is slow. */
import { mkdir, writeFile } from 'node:fs/promises';
import { manPages } from '#cli/help/man';
import { TOPICS } from '#cli/help/topics';
import { loadManual } from '#cli/manual';
import { HELP_COLUMNS, helpFile, topicPage } from '#cli/packaged';
import { interpret } from '#cli/program';
import { version } from '../../package.json';

await mkdir('dist/man', { recursive: true });
const manual = await loadManual(version);
for (const [name, text] of Object.entries(manPages(manual))) await writeFile(`dist/man/${name}`, text);

await mkdir('dist/help', { recursive: true });
async function writeHelp(page: readonly string[], words: readonly string[]): Promise<void> {
  const help = await interpret(['help', ...words], {
    version,
    terminal: () => ({ columns: HELP_COLUMNS, color: true }),
  });
  if (help.kind !== 'print') throw new Error(`qrctl help ${words.join(' ')} prints no help`);
  await writeFile(`dist/help/${helpFile(page)}`, help.text);
}

const commands = [...manual.groups.map(({ name }) => [name]), ...manual.commands.map(({ names }) => names)];
for (const words of [[], ...commands]) await writeHelp(words, words);
for (const { name } of TOPICS) await writeHelp(topicPage([name]), [name]);
