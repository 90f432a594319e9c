import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/global-setup.ts'],
    root: new URL('..', import.meta.url).pathname,
    // For what hangs. No test decides by time: on a busy machine any of them may take long.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // Most tests wait for processes and servers, not for a core.
    maxWorkers: 8,
    // Files of one worker share the modules they load, which were half of the time of the small ones. That no test leans on what
    // another left behind is seen by the soak, which draws their order anew each time.
    isolate: false,
    sequence: { shuffle: { files: process.env.QRCTL_SOAK === '1', tests: false } },
  },
});
