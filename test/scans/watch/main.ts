/**
 * `npm run test:watch [-- CODES]`: what a nightly `scans watch` says over made-up years, beside a plain threshold (yesterday below half
 * of the average day). Prints tables of Markdown; the figures of src/scans/watch/PROTOCOL.md are from here.
 */
import {
  daysUntilTold,
  episodes,
  makeYear,
  thresholdYear,
  watchYear,
  type Year,
  type YearOptions,
} from './made-up-years.ts';

const CODES = Number(process.argv[2] ?? 60);
const SIZES = [1, 5, 20, 100, 500];
const KINDS = ['daily', 'weekends', 'workdays'] as const;

const YEARS: Record<string, Partial<YearOptions>> = {
  'rhythm, weather, seasons': {},
  'and holidays': { holidays: true },
  'and growth of 2 % per week': { growth: 0.02 },
  'and a decline of 2 % per week': { growth: -0.02 },
};

async function alarmsOf(
  year: Year,
): Promise<{ quiet: boolean[]; drop: boolean[]; jump: boolean[]; plain: boolean[] }> {
  const outcomes = (await watchYear(year)).map(({ outcome }) => outcome);
  const of = (wanted: string) => outcomes.map((outcome) => outcome === wanted);
  return { quiet: of('quiet'), drop: of('drop'), jump: of('jump'), plain: thresholdYear(year) };
}

function* years(scansPerDay: number, options: Partial<YearOptions>): Generator<Year> {
  for (let code = 0; code < CODES; code++) {
    const kind = KINDS[code % KINDS.length] ?? 'daily';
    const diesOnDay = options.diesOnDay === undefined ? {} : { diesOnDay: options.diesOnDay + (code % 7) };
    yield makeYear({ scansPerDay, kind, ...options, ...diesOnDay, seed: code * 1009 + scansPerDay });
  }
}

const rate = (count: number) => (count / CODES).toFixed(2);
const median = (numbers: readonly number[]) =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

console.log(`False alarms per code and year (${CODES} codes of three kinds per row)\n`);
console.log('| year | scans per day | quiet | drop | jump | plain threshold |\n|---|--:|--:|--:|--:|--:|');
for (const [name, options] of Object.entries(YEARS)) {
  for (const size of SIZES) {
    const sum = { quiet: 0, drop: 0, jump: 0, plain: 0 };
    for (const year of years(size, options)) {
      const alarms = await alarmsOf(year);
      for (const key of ['quiet', 'drop', 'jump', 'plain'] as const) sum[key] += episodes(alarms[key]);
    }
    console.log(
      `| ${name} | ${size} | ${rate(sum.quiet)} | ${rate(sum.drop)} | ${rate(sum.jump)} | ${rate(sum.plain)} |`,
    );
  }
}

for (const left of [0, 0.3, 0.5]) {
  console.log(
    `\nDays until it is reported that ${left === 0 ? 'a code died' : `only ${100 * left} % of the scans of a code are left`}\n`,
  );
  await printDelays(left);
}

async function printDelays(left: number): Promise<void> {
  console.log(
    '| scans per day | median | longest | reported | plain threshold: median |\n|--:|--:|--:|--:|--:|',
  );
  for (const size of SIZES) {
    const told: number[] = [];
    const plain: number[] = [];
    for (const year of years(size, { diesOnDay: 150, left })) {
      const { quiet, drop, plain: threshold } = await alarmsOf(year);
      const days = daysUntilTold(
        year,
        quiet.map((isOn, night) => isOn || drop[night] === true),
      );
      if (days !== undefined) told.push(days);
      const byPlain = daysUntilTold(year, threshold);
      if (byPlain !== undefined) plain.push(byPlain);
    }
    const days = (number: number | undefined) => (number === undefined ? '–' : number.toFixed(1));
    console.log(
      `| ${size} | ${days(median(told))} | ${days(told.length === 0 ? undefined : Math.max(...told))} | ${told.length} of ${CODES} | ${days(median(plain))} |`,
    );
  }
}

console.log('\nCampaigns (threefold for ten days, three per year): jumps per code and year\n');
for (const size of SIZES) {
  let jumps = 0;
  let drops = 0;
  for (const year of years(size, { campaigns: true })) {
    const { jump, drop } = await alarmsOf(year);
    jumps += episodes(jump);
    drops += episodes(drop);
  }
  console.log(`- ${size} scans per day: ${rate(jumps)} jumps, ${rate(drops)} drops`);
}
