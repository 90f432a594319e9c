/**
 * A trick, alone in this file: node asks the system for names in libuv's threads, of which there are four, and libuv gives half of them to
 * names. Their number is read from the environment when the first of them is needed, which is why it is set before a check begins. With
 * 200 names of 100 ms each it made 10 s into 1 s. Where the threads run already it changes nothing, and a number that a person set stays.
 */

/** Of these libuv gives names half: as many at once as a resolver of a small office bears. */
const THREADS = 64;

/** How many names may be looked up at once from now on. */
export function widenLookups(env: NodeJS.ProcessEnv): number {
  env.UV_THREADPOOL_SIZE ??= String(THREADS);
  const threads = Number(env.UV_THREADPOOL_SIZE);
  return Math.max(2, Math.floor((threads >= 1 ? Math.min(threads, 1024) : 4) / 2));
}
