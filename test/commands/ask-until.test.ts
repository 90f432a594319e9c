import { describe, expect, test } from 'vitest';
import { AuthError, UnavailableError, UsageError } from '../../src/base/errors.ts';
import { askUntil } from '../../src/commands/ask-until.ts';
import type { Context } from '../../src/context.ts';

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

describe('a question', () => {
  const typo = new UsageError('that is none', { hint: 'type b' });

  test('is asked again after a typo, which is told with what is taken', async () => {
    const { asked, said } = asking(['a', 'b'], only('b', typo));
    expect(await asked).toBe('b');
    expect(said).toEqual(['that is none; type b']);
  });

  test('is asked again for a key that the service refuses', async () => {
    expect(await asking(['a', 'b'], only('b', new AuthError('401'))).asked).toBe('b');
  });

  test('is asked three times, and not again where no answer would help', async () => {
    await expect(asking(['a', 'a', 'a', 'b'], only('b', typo)).asked).rejects.toBe(typo);
    const away = new UnavailableError('no network');
    await expect(asking(['a', 'b'], only('b', away)).asked).rejects.toBe(away);
  });
});
