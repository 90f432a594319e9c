import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/global-setup.ts'],
    root: new URL('..', import.meta.url).pathname,
    testTimeout: 30_000,
    // Most tests wait for processes and servers, not for a core.
    maxWorkers: 4,
    // A shared machine can be slow enough for a signal to come late; a test that fails twice has failed.
    retry: process.env.CI ? 1 : 0,
  },
});
