import { defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';
import { TESTS } from './places.mjs';

/**
 * Files whose tests try many histories or faults: last, since the first test that fails is the last one that runs. MUTANTS_QUICK=1
 * leaves them out, for a first look: some of what survives then is noticed by them.
 */
const LONGEST = ['.property.', '/model.', 'faults.'];
const QUICK = process.env.MUTANTS_QUICK === '1';

class LongestLast extends BaseSequencer {
  async sort(files) {
    const rank = ({ moduleId }) => LONGEST.filter((name) => moduleId.includes(name)).length;
    // Vitest's own order has the longest first.
    return (await super.sort(files)).reverse().sort((a, b) => rank(a) - rank(b));
  }
}

/** Only the tests of the places that are changed, which need neither a process nor a server, and of dist/ only its workers. */
export default defineConfig({
  test: {
    // Modules are loaded once per mutant, not once per test file: loading took longer than most tests. Stryker's hooks are loaded per
    // file all the same, which takes that Vite loads them: from a sandbox in node_modules it would leave them to Node.
    isolate: false,
    server: { deps: { inline: [/stryker-setup/] } },
    include: TESTS,
    exclude: QUICK ? LONGEST.map((name) => `**/*${name.replace('/', '')}*`) : [],
    testTimeout: 30_000,
    bail: 1,
    sequence: { sequencer: LongestLast },
  },
});
