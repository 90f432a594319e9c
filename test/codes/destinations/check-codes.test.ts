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
    ['a new one that is well', row(), undefined, false],
    ['a new one that is not', row({ failing: true }), undefined, true],
    ['well as before', row(), row(), false],
    ['broken as before', row({ failing: true }), row({ failing: true }), false],
    ['turned broken', row({ failing: true }), row(), true],
    ['whole again', row(), row({ failing: true }), true],
    [
      'broken, and leads elsewhere by now',
      row({ failing: true, destination: 'https://y.test/' }),
      row({ failing: true }),
      true,
    ],
    ['a certificate that now ends soon', row({ ending: true }), row(), true],
    ['a certificate that ended soon already', row({ ending: true }), row({ ending: true }), false],
    ['a certificate that was renewed', row(), row({ ending: true }), false],
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
