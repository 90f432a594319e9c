/**
 * What `npm run mutants` changes, and which tests must notice: the rooms of the promises, the floor they stand on, and what makes
 * other people's text harmless in CSV and on a terminal. Run it by run.mjs, which narrows it and explains what it finds.
 */
import { PLACES } from './places.mjs';

export default {
  mutate: PLACES,
  // Vitest reads none; Stryker would rewrite ours by an interface that TypeScript has no more.
  tsconfigFile: 'none',
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'test/mutants/vitest.config.mjs', related: false },
  coverageAnalysis: 'perTest',
  // The words of a message are for the tests of refusals; here they would be a third of all mutants.
  mutator: { excludedMutations: ['StringLiteral'] },
  // Tables and constants made once, when a file is loaded: no single test can be asked about them.
  ignoreStatic: true,
  incremental: true,
  incrementalFile: 'node_modules/.cache/mutants/incremental.json',
  reporters: ['json', 'progress-append-only'],
  jsonReporter: { fileName: 'node_modules/.cache/mutants/report.json' },
  tempDirName: 'node_modules/.cache/mutants/sandbox',
  timeoutMS: 15_000,
  timeoutFactor: 8,
  concurrency: 2,
  allowConsoleColors: false,
};
