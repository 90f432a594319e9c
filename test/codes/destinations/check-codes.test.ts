import { describe, expect, it } from 'vitest';
import { type ComparedRow, findUtmProblem, isNews } from '#codes/destinations/check-codes';

const row = (given: Partial<ComparedRow> = {}): ComparedRow => ({
  destination: 'https://x.test/',
  failing: false,
  ending: false,
  ...given,
});

describe('isNews', () => {
  it.each([
    ['new and without a problem', row(), undefined, false],
    ['new and with a problem', row({ failing: true }), undefined, true],
    ['still without a problem', row(), row(), false],
    ['the same problem as before', row({ failing: true }), row({ failing: true }), false],
    ['a new problem', row({ failing: true }), row(), true],
    ['the problem is resolved', row(), row({ failing: true }), true],
    [
      'still a problem, but another destination',
      row({ failing: true, destination: 'https://y.test/' }),
      row({ failing: true }),
      true,
    ],
    ['the certificate now expires soon', row({ ending: true }), row(), true],
    ['the certificate already expired soon', row({ ending: true }), row({ ending: true }), false],
    ['the certificate was renewed', row(), row({ ending: true }), false],
  ])(
    'returns whether --since-last reports a result, given the previous result (%s)',
    (_, now, before, news) => {
      expect(isNews(now, before)).toBe(news);
    },
  );
});

describe('findUtmProblem', () => {
  const tagged = new URL('https://x.test/?utm_source=poster&utm_medium=+');
  it.each([
    [['source'], undefined, undefined],
    [['source', 'medium', 'term'], undefined, 'missing utm_medium, utm_term'],
    [['source'], new URL('https://x.test/home'), 'lost in redirects: utm_source'],
    [['source'], new URL('https://x.test/home?utm_source=poster'), undefined],
  ])(
    'reports which of the required tags %j are missing or lost in redirects',
    (required, finalUrl, problem) => {
      expect(findUtmProblem(tagged, finalUrl, required)).toBe(problem);
    },
  );
});
