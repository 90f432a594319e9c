/**
 * `npm run mutants [-- PLACE…]`: changes each line of the places in places.mjs in small ways and checks that a test fails. Each surviving
 * mutant must be explained in explained/NAME.txt, one per line:
 *
 *     - window.ts: `a < b` → `a <= b`: why no test needs to fail
 *
 * Prints the score of each file, every survivor without an explanation, in that form, and every explanation without a survivor; exit 1 if
 * there is either. A PLACE is a directory (src/service/rate-limit) or a file. node_modules/.cache/mutants keeps the results, so that a second run is
 * quick. MUTANTS_QUICK=1 runs only the quick tests (vitest.config.mjs), for a first look.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';

const REPORT = 'node_modules/.cache/mutants/report.json';
/** Directories, with their subdirectories, whose survivors are explained in the file of this name. */
const FILE_OF = {
  'src/base/text': 'formats',
  'src/files/paper': 'images',
  'src/codes/dated': 'engine',
  'src/codes/engine': 'engine',
};
const NOTICED = new Set(['Killed', 'Timeout', 'RuntimeError', 'CompileError']);
const UNNOTICED = new Set(['Survived', 'NoCoverage']);

mkdirSync(dirname(REPORT), { recursive: true });
const places = process.argv
  .slice(2)
  .flatMap((argument) => argument.split(','))
  .map((place) => place.replace(/\/$/, ''));
const env = { ...process.env, MUTANTS_OF: places.join() };
const { status } = spawnSync('npx', ['stryker', 'run', 'test/mutants/stryker.config.mjs'], {
  stdio: ['ignore', 2, 2],
  env,
});
if (status !== 0) process.exit(status ?? 1);

const { files } = JSON.parse(readFileSync(REPORT, 'utf8'));
const total = { noticed: 0, explained: 0, unexplained: 0, stale: 0 };
for (const [file, { source, mutants }] of Object.entries(files).sort()) {
  if (places.length > 0 && !places.some((place) => file === place || file.startsWith(`${place}/`))) continue;
  const explained = explanations(dirname(file));
  const survivors = mutants
    .filter((mutant) => UNNOTICED.has(mutant.status))
    .map((mutant) => lineOf(file, source, mutant));
  const open = survivors.filter(({ text }) => !explained.some((line) => line.startsWith(`${text}: `)));
  const stale = explained.filter(
    (line) =>
      line.startsWith(`- ${basename(file)}: `) && !survivors.some(({ text }) => line.startsWith(`${text}: `)),
  );
  const noticed = mutants.filter((mutant) => NOTICED.has(mutant.status)).length;
  total.noticed += noticed;
  total.explained += survivors.length - open.length;
  total.unexplained += open.length;
  total.stale += stale.length;
  console.log(
    `${file}: ${noticed} killed, ${survivors.length - open.length} survivors explained, ${open.length} unexplained`,
  );
  for (const { text, at } of open) console.log(`  ${text}: (line ${at})`);
  for (const line of stale) console.log(`  stale explanation: ${line}`);
}
const mutants = total.noticed + total.explained + total.unexplained;
console.log(
  `score ${((100 * total.noticed) / mutants).toFixed(1)}% of ${mutants} mutants; ${total.explained} survivors explained, ${total.unexplained} unexplained`,
);
process.exitCode = total.unexplained + total.stale === 0 ? 0 : 1;

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

/** The explanations of a directory. */
function explanations(directory) {
  const place = Object.keys(FILE_OF).find((one) => `${directory}/`.startsWith(`${one}/`));
  const path = `test/mutants/explained/${FILE_OF[place] ?? basename(directory)}.txt`;
  return existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line.startsWith('- '))
    : [];
}
