import { describe, expect, test } from 'vitest';
import { AuthError, UnavailableError, UsageError } from '#base/errors';
import { askUntil } from '#commands/ask-until';
import type { Context } from '#context';

/** Asks, and gives these answers one after the other. */
function asking(answers: string[], read: (answer: string) => string) {
  const said: string[] = [];
  const console = { warn: (line: string) => said.push(line) } as unknown as Context['console'];
  const asked = askUntil({ console }, async () => answers.shift() ?? '', read);
  return { asked, said };
}

function only(right: string, error: Error) {
  return (answer: string) => {
    if (answer !== right) throw error;
    return answer;
  };
}

describe('a prompt', () => {
  const typo = new UsageError('that is none', { hint: 'type b' });

  test('is repeated after an invalid reply, and the error and the hint are printed', async () => {
    const { asked, said } = asking(['a', 'b'], only('b', typo));
    expect(await asked).toBe('b');
    expect(said).toEqual(['that is none; type b']);
  });

  test('is repeated if the service rejects the key that was typed', async () => {
    expect(await asking(['a', 'b'], only('b', new AuthError('401'))).asked).toBe('b');
  });

  test('is shown at most three times, and is not repeated after another failure, such as a network error', async () => {
    await expect(asking(['a', 'a', 'a', 'b'], only('b', typo)).asked).rejects.toBe(typo);
    const away = new UnavailableError('no network');
    await expect(asking(['a', 'b'], only('b', away)).asked).rejects.toBe(away);
  });
});
