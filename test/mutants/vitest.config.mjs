import { defineConfig } from 'vitest/config';
import { TESTS } from './places.mjs';

/** Only the tests of the places that are changed, which need neither a process nor a server nor a build. */
export default defineConfig({ test: { include: TESTS, testTimeout: 30_000, bail: 1 } });
