/**
 * `npm run mutants [-- PLACE…]`: changes each line of the promises' rooms in small ways and sees whether a test notices. What no test
 * notices must be explained at the end of the room's PROTOCOL.md, under "Mutants that live", one a line:
 *
 *     - window.ts: `a < b` → `a <= b`: why that may live
 *
 * Prints the score of each file and every survivor without an explanation, in that form; exit 1 where there is one. A PLACE is a room
 * (src/limit) or a file. What was found before is kept in node_modules/.cache/mutants, so that a second run is quick.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const REPORT = 'node_modules/.cache/mutants/report.json';
const NOTICED = new Set(['Killed', 'Timeout', 'RuntimeError', 'CompileError']);
const UNNOTICED = new Set(['Survived', 'NoCoverage']);

mkdirSync(dirname(REPORT), { recursive: true });
const places = process.argv
  .slice(2)
  .flatMap((argument) => argument.split(','))
  .map((place) => place.replace(/\/$/, ''));
const env = { ...process.env, MUTANTS_OF: places.join() };
const { status } = spawnSync('npx', ['stryker', 'run', 'test/mutants/stryker.config.mjs'], { stdio: ['ignore', 2, 2], env });
if (status !== 0) process.exit(status ?? 1);

const { files } = JSON.parse(readFileSync(REPORT, 'utf8'));
const total = { noticed: 0, explained: 0, unexplained: 0 };
for (const [file, { source, mutants }] of Object.entries(files).sort()) {
  if (places.length > 0 && !places.some((place) => file === place || file.startsWith(`${place}/`))) continue;
  const explained = explanations(dirname(file));
  const survivors = mutants.filter((mutant) => UNNOTICED.has(mutant.status)).map((mutant) => lineOf(file, source, mutant));
  const open = survivors.filter(({ text }) => !explained.some((line) => line.startsWith(`${text}: `)));
  const noticed = mutants.filter((mutant) => NOTICED.has(mutant.status)).length;
  total.noticed += noticed;
  total.explained += survivors.length - open.length;
  total.unexplained += open.length;
  console.log(`${file}: ${noticed} noticed, ${survivors.length - open.length} explained, ${open.length} unexplained`);
  for (const { text, at } of open) console.log(`  ${text}: (line ${at})`);
}
const mutants = total.noticed + total.explained + total.unexplained;
console.log(
  `score ${((100 * total.noticed) / mutants).toFixed(1)} % of ${mutants}; ${total.explained} explained, ${total.unexplained} unexplained`,
);
process.exitCode = total.unexplained === 0 ? 0 : 1;

/** A survivor as it is written down, and its line. */
function lineOf(file, source, { location: { start, end }, replacement, mutatorName }) {
  const lines = source.split('\n').slice(start.line - 1, end.line);
  lines[lines.length - 1] = lines.at(-1).slice(0, end.column - 1);
  lines[0] = lines[0].slice(start.column - 1);
  const text = `- ${basename(file)}: \`${shorten(lines.join(' '))}\` → \`${shorten(replacement ?? mutatorName)}\``;
  return { text, at: start.line };
}

function shorten(code) {
  const line = code.replace(/\s+/g, ' ').trim();
  return line.length > 70 ? `${line.slice(0, 70)}…` : line;
}

/** The lines under "Mutants that live" of the protocol beside a file. */
function explanations(directory) {
  const path = join(directory, 'PROTOCOL.md');
  if (!existsSync(path)) return [];
  const [, section = ''] = readFileSync(path, 'utf8').split(/^## Mutants that live$/m);
  return section.split('\n').filter((line) => line.startsWith('- '));
}
