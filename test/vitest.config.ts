import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { compiledSources } from './support/compile-sources.ts';
import { SOAK } from './support/property-runs.ts';

/** Files that take or wait the longest, begun first: at the end they would wait alone. */
const LONGEST = [
  'e2e/bombs',
  'e2e/surroundings',
  'e2e/bulk-kill',
  'e2e/hostile',
  'commands/qr-image',
  'append/faults',
  'e2e/rotated',
  'e2e/export.',
  'e2e/readme-recipes',
  'e2e/append.',
  'e2e/append-kept',
  'e2e/hardening',
  'e2e/bulk-lost',
  'e2e/privileged',
  'append/restart',
  'images/logo',
  'input/xlsx-input',
  'sandbox/demo',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) =>
      LONGEST.filter((name) => moduleId.includes(name)).length;
    return (await super.sort(files)).sort((a, b) => rank(b) - rank(a));
  }
}

export default defineConfig({
  plugins: [compiledSources],
  test: {
    include: ['test/**/*.test.ts'],
    // Node's line editor reads the variable of this process: under TERM=dumb it does not redraw.
    env: { TERM: 'xterm-256color' },
    globalSetup: ['test/global-setup.ts'],
    setupFiles: ['test/support/equality.ts', 'test/support/fewer-runs.ts'],
    reporters: ['default', './test/support/skipped-reporter.ts'],
    root: fileURLToPath(new URL('..', import.meta.url)),
    // For what hangs. No test decides by time: on a busy machine any of them may take long.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // Twice the two cores of a small machine, since a worker waits a third of its time: for a process, a disk or a rate limit. Each loads
    // and compiles the whole program again, some seconds of processor time.
    maxWorkers: 4,
    // Most functions here run too briefly to repay V8 for optimizing them, and collecting 16 MB of short-lived objects at a time copies
    // more of them: the threads of V8 took a third of the processor time of a worker.
    execArgv: ['--interrupt-budget=1000000', '--max-semi-space-size=32'],
    // Files of one worker share the modules they load, which were half of the time of the small ones. That no test leans on what
    // another left behind is seen by the soak, which draws their order anew each time.
    isolate: false,
    sequence: SOAK ? { shuffle: { files: true, tests: false } } : { sequencer: LongestFirst },
  },
});
