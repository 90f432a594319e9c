/** Beginning and end of a log by what its state records. */
import { describe, expect, it } from 'vitest';
import {
  beginningOf,
  type RotatedFile,
  rangeOfCode,
  rotatedBefore,
  rotatedOf,
  withRotated,
} from '#scans/append/log-range';
import { type CodeOverlap, emptyOverlap } from '#scans/append/overlap';

const fileOf = (bytes: number, newestMs: Record<string, number>): RotatedFile => ({
  bytes,
  sha256: `${bytes}`,
  newestMs,
});
const FILES = [fileOf(1, { a: 10, b: 5 }), fileOf(2, { a: 20 }), fileOf(3, { a: 30, b: 7 })];
const overlap = (changes: Partial<CodeOverlap>): CodeOverlap => ({ ...emptyOverlap(), ...changes });

describe('a log', () => {
  it('begins, for each code, after the newest rotated file that is missing (A41)', () => {
    const begin = (code: string, ...gone: number[]) =>
      beginningOf({ sinceMs: 2, rotated: FILES }, code, ({ bytes }) => !gone.includes(bytes));
    expect([begin('a'), begin('a', 1), begin('a', 2), begin('a', 1, 3)]).toEqual([2, 11, 21, 31]);
    expect([begin('b', 1), begin('b', 2), begin('b', 3), begin('new', 1, 2, 3)]).toEqual([6, 6, 8, 2]);
    expect(beginningOf({ sinceMs: undefined, rotated: FILES }, 'new', () => false)).toBeUndefined();
    expect(beginningOf({ sinceMs: 100, rotated: FILES }, 'a', () => false)).toBe(100);
    // A file without rows takes no row of an earlier file with it.
    const rotated = [...FILES, fileOf(4, {})];
    expect(beginningOf({ sinceMs: 2, rotated }, 'a', ({ bytes }) => bytes !== 4)).toBe(2);
  });

  it('ends, for each code, at its last verified time, else after its newest row, else at the end of the other codes (A42)', () => {
    const overlaps = new Map([
      ['c', overlap({})],
      ['b', overlap({ watermarkMs: 7 })],
      ['a', overlap({ readUntilMs: 50, watermarkMs: 30 })],
      ['d', overlap({ readUntilMs: 40 })],
    ]);
    const range = (code: string) =>
      rangeOfCode({ sinceMs: undefined, rotated: FILES, overlaps }, code, () => true);
    expect(['a', 'b', 'c', 'new'].map((code) => range(code)?.untilMs)).toEqual([50, 8, 50, 50]);
    const since = (sinceMs: number) => rangeOfCode({ sinceMs, rotated: [], overlaps }, 'a', () => true);
    expect([since(60), since(50), since(49)]).toEqual([undefined, undefined, { sinceMs: 49, untilMs: 50 }]);
    expect(rangeOfCode({ sinceMs: 60, rotated: [], overlaps: new Map() }, 'a', () => true)).toBeUndefined();
  });
});

describe('the rotated files in a state', () => {
  it('are recorded with the time of the newest row of each code that has rows', () => {
    const overlaps = new Map([
      ['a', overlap({ rows: 3, watermarkMs: 9 })],
      ['b', overlap({ rows: 0, watermarkMs: 4 })],
    ]);
    const expected = { bytes: 7, sha256: 'x', newestMs: { a: 9 } };
    expect(rotatedOf({ bytes: 7, sha256: 'x', overlaps })).toEqual(expected);
  });

  it('are each listed once, and only if they are not empty', () => {
    expect(withRotated(FILES.slice(0, 2), FILES[2] as RotatedFile)).toEqual(FILES);
    expect(withRotated(FILES, FILES[1] as RotatedFile)).toEqual(FILES);
    expect(withRotated(FILES, fileOf(0, {}))).toEqual(FILES);
    for (const other of [
      fileOf(9, {}),
      { ...fileOf(2, {}), sha256: 'other' },
      { ...fileOf(9, {}), sha256: '2' },
    ])
      expect(withRotated(FILES, other)).toEqual([...FILES, other]);
  });

  it('are merged from the oldest on if they list more than 20,000 times, and the log then begins after the merged files', () => {
    const times = (from: number) =>
      Object.fromEntries(Array.from({ length: 8000 }, (_, i) => [`c${i + (from % 2)}`, from]));
    let files: RotatedFile[] = [];
    for (let at = 1; at <= 5; at++) files = withRotated(files, fileOf(at, times(at)));
    expect(files.map(({ bytes }) => bytes)).toEqual([0, 5]);
    const begin = (code: string) =>
      beginningOf({ sinceMs: undefined, rotated: files }, code, ({ bytes }) => bytes > 0);
    expect([begin('c0'), begin('c1'), begin('c8000')]).toEqual([5, 5, 4]);
  });

  it('are merged only until they list at most 20,000 times or only two of them are left', () => {
    const file = (bytes: number, codes: number, prefix = '') =>
      fileOf(bytes, Object.fromEntries(Array.from({ length: codes }, (_, i) => [`${prefix}${i}`, bytes])));
    const sizes = (...files: RotatedFile[]) =>
      files.reduce<RotatedFile[]>(withRotated, []).map(({ bytes }) => bytes);
    expect(sizes(...[1, 2, 3, 4].map((bytes) => file(bytes, 5000)))).toEqual([1, 2, 3, 4]);
    expect(sizes(...[1, 2, 3, 4].map((bytes) => file(bytes, 6000)))).toEqual([0, 3, 4]);
    expect(sizes(...[1, 2, 3].map((bytes) => file(bytes, 9000, `${bytes}-`)))).toEqual([0, 3]);
    expect(sizes(file(1, 15_000, 'a'), file(2, 15_000, 'b'))).toEqual([1, 2]);
  });

  it('are read as one file of unknown size from a state that an earlier version wrote', () => {
    const overlaps = new Map([
      ['a', overlap({ movedUntilMs: 9 })],
      ['b', overlap({})],
    ]);
    expect(rotatedBefore(overlaps)).toEqual([{ bytes: 0, sha256: '', newestMs: { a: 9 } }]);
    expect(rotatedBefore(new Map())).toEqual([]);
  });
});
