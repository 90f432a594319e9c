/** Identity of the code of a scan in a file. */
import { describe, expect, it } from 'vitest';
import { createCodes } from '#scans/stats/code-of-scans';

describe('the code of a row', () => {
  it('is identified by its slug, else its ID, else the name of the file', () => {
    const codeOf = createCodes({ owner: '', stem: 'scans' });
    const expected = { value: 'menu', id: 'abc', slug: 'menu', name: 'Menu' };
    expect(codeOf({ qr_id: 'ABC', qr_slug: 'menu', qr_name: 'Menu' })).toEqual(expected);
    expect(codeOf({ qr_id: 'ABC', qr_slug: null, qr_name: '' })).toEqual({
      value: 'abc',
      id: 'abc',
      slug: undefined,
      name: undefined,
    });
    expect(codeOf({ qr_slug: 'menu' })).toEqual({
      value: 'menu',
      id: undefined,
      slug: 'menu',
      name: undefined,
    });
    expect(codeOf({})).toEqual({ value: 'scans', slug: 'scans', name: undefined, isGuess: true });
    expect(codeOf({ qr_id: 7, qr_slug: '', qr_name: 8 })).toEqual({
      value: 'scans',
      slug: 'scans',
      name: undefined,
      isGuess: true,
    });
  });

  it('gets its ID from the file name, unless the row has an ID', () => {
    const ofFile = createCodes({ owner: 'abc', stem: 'abc' });
    expect(ofFile({})).toMatchObject({ value: 'abc', id: 'abc', slug: undefined });
    expect(ofFile({ qr_slug: 'menu' })).toMatchObject({ value: 'menu', id: 'abc', slug: 'menu' });
    expect(ofFile({ qr_id: 'DEF' })).toMatchObject({ value: 'def', id: 'def' });
  });

  it('is the same object for equal cells, whatever the order of the rows', () => {
    const codeOf = createCodes({ owner: '', stem: 'scans' });
    const [a, b] = [
      codeOf({ qr_id: '1', qr_slug: 'a', qr_name: 'A' }),
      codeOf({ qr_id: '2', qr_slug: 'b', qr_name: 'B' }),
    ];
    expect(codeOf({ qr_id: '2', qr_slug: 'b', qr_name: 'B' })).toBe(b);
    expect(codeOf({ qr_id: '1', qr_slug: 'a', qr_name: 'A' })).toBe(a);
    expect(codeOf({ qr_id: '1', qr_slug: 'a', qr_name: 'New' })).toMatchObject({ name: 'New', slug: 'a' });
    expect(codeOf({ qr_id: '1', qr_slug: 'c', qr_name: 'New' })).toMatchObject({ slug: 'c', id: '1' });
    expect(codeOf({ qr_id: '3', qr_slug: 'c', qr_name: 'New' })).toMatchObject({ slug: 'c', id: '3' });
  });

  it('is cached while there are at most 10,000 codes', () => {
    const many = createCodes({ owner: '', stem: 'scans' });
    const first = many({ qr_slug: 'first' });
    for (let i = 1; i < 10_000; i++) many({ qr_slug: `code-${i}` });
    expect(many({ qr_slug: 'first' })).toBe(first);
    many({ qr_slug: 'one more' });
    expect(many({ qr_slug: 'first' })).not.toBe(first);
  });
});
