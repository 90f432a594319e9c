/** Long values are shortened so that their difference stays visible. */
import { describe, expect, it } from 'vitest';
import { shortenPair } from '#base/text/differing-parts';
import { SOAK } from '../../support/property-runs.ts';

describe('two values', () => {
  it('are shown completely if their common parts are not longer than the limit', () => {
    expect(shortenPair('https://a.example/x', 'https://a.example/y', 18)).toEqual([
      'https://a.example/x',
      'https://a.example/y',
    ]);
  });

  it('are shown with 40 characters on each side of the difference if their common parts are longer than the limit', () => {
    const context = 'abcdefghij'.repeat(4);
    const common = context.repeat(5);
    expect(shortenPair(`${common}1${common}`, `${common}22${common}`, 100)).toEqual([
      `…${context}1${context}…`,
      `…${context}22${context}…`,
    ]);
  });

  it('are not split within a character that has several code points', () => {
    const common = 'c'.repeat(41);
    expect(shortenPair(`${common}👩‍👧`, `${common}👩‍👦`, 40)[0]).toBe(`…${'c'.repeat(40)}👩‍👧`);
  });

  it('are compared without counting a character as part of both the common start and the common end', () => {
    const common = 'c'.repeat(41);
    expect(shortenPair(common, `${common}c`, 40)).toEqual([`…${'c'.repeat(40)}`, `…${'c'.repeat(40)}c`]);
  });

  it('are truncated to 20,001 characters if they are longer', () => {
    const [one] = shortenPair('x'.repeat(SOAK ? 1_000_000 : 100_000), '', 100);
    expect(one).toHaveLength(20_001);
  });
});
