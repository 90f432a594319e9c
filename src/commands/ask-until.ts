import { AuthError, UsageError } from '#base/errors';
import type { Context } from '#context';

const MOST_TRIES = 3;

/** Prompts until `read` accepts the reply. Throws the third UsageError or AuthError, and any other error. */
export async function askUntil<T>(
  { console }: Pick<Context, 'console'>,
  ask: () => Promise<string>,
  read: (reply: string) => T | Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    const reply = await ask();
    try {
      return await read(reply);
    } catch (error) {
      const isRefused = error instanceof UsageError || error instanceof AuthError;
      if (!isRefused || tries === MOST_TRIES) throw error;
      console.warn([error.message, error.hint].filter(Boolean).join('; '), true);
    }
  }
}
