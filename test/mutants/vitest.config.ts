import { defineConfig } from 'vitest/config';

/** The tests that `npm run mutants` runs against each mutant: those of the rooms, without a process or a server. */
export default defineConfig({
  test: {
    include: ['test/{limit,complete,append,once,durable}/**/*.test.ts', 'test/output/{csv,clean}.test.ts'],
    testTimeout: 30_000,
    bail: 1,
  },
});
