/**
 * What `npm run mutants` changes, and which tests must notice: the rooms of the promises, the floor they stand on, and what makes
 * other people's text harmless in CSV and on a terminal. QRCTL_MUTATE narrows it (`src/limit`, or `src/limit/window.ts:20-40`).
 */
const ROOMS = ['limit', 'complete', 'append', 'once', 'durable'];
const CLEANING = ['src/output/csv.ts', 'src/output/clean.ts'];

const named = process.env.QRCTL_MUTATE?.split(',').map((place) => (place.includes('.ts') ? place : `${place}/**/*.ts`));

export default {
  mutate: named ?? [...ROOMS.map((room) => `src/${room}/**/*.ts`), ...CLEANING],
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'test/mutants/vitest.config.ts', related: false },
  coverageAnalysis: 'perTest',
  // What a message says is for the tests of refusals; here it would be a third of all mutants.
  mutator: { excludedMutations: ['StringLiteral'] },
  ignoreStatic: true,
  incremental: true,
  incrementalFile: 'node_modules/.cache/mutants/incremental.json',
  reporters: ['json', 'clear-text', 'progress'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  jsonReporter: { fileName: 'node_modules/.cache/mutants/report.json' },
  tempDirName: 'node_modules/.cache/mutants/sandbox',
  timeoutMS: 10_000,
  timeoutFactor: 3,
  concurrency: Number(process.env.QRCTL_MUTANTS_AT_ONCE ?? 2),
  allowConsoleColors: false,
};
