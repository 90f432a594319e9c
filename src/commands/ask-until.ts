/** Repeats a prompt if the input is invalid. */
import type { Context } from '../context.ts';
import { AuthError, UsageError } from '../errors.ts';

/** After this many invalid inputs, the command fails with the hint. */
const MOST_TRIES = 3;

/**
 * What `read` makes of the answer. Where it refuses it (UsageError; AuthError, of a key that the service does not know), its reason is
 * said and the question asked again; the last refusal is thrown. So is whatever else happens: Ctrl-C, Ctrl-D, no network.
 */
export async function askUntil<T>(
  { console }: Pick<Context, 'console'>,
  ask: () => Promise<string>,
  read: (answer: string) => T | Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    const answer = await ask();
    try {
      return await read(answer);
    } catch (error) {
      const isTypo = error instanceof UsageError || error instanceof AuthError;
      if (!isTypo || tries === MOST_TRIES) throw error;
      console.warn([error.message, error.hint].filter(Boolean).join('; '), true);
    }
  }
}
