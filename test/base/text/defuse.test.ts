import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defuse, restore } from '#base/text/defuse';
import { anyCharacter } from '../../support/any-character.ts';
import { runs, SOAK } from '../../support/property-runs.ts';

/** Mostly what defusing is about: apostrophes, signs, and what some programs trim. */
const text = fc.oneof(
  fc.string({ unit: fc.constantFrom(...`''''=+-@＝ \t\r\n\0\u200b\u3000a東;,"`) }),
  fc.string({ unit: anyCharacter }),
);

describe('escaping formulas', () => {
  it.each([
    ['-20% Sale', "'-20% Sale"],
    ["'-20% Sale", "''-20% Sale"],
    ["'''=1", "''''=1"],
    ["' =1", "'' =1"],
    ["'\tx", "''\tx"],
    ["it's", "it's"],
    ["'til dawn", "'til dawn"],
    ["''", "''"],
    [' ', ' '],
    ['＝1', "'＝1"],
    ['東\tx', '東\tx'],
    ['a;=1|-2\t+3', "a;'=1|'-2\t'+3"],
    ['a\n=1\r@2\r\n＝3', "a\n'=1\r'@2\r\n'＝3"],
    ['a;" =1', `a;'" =1`],
    ['a;b=1;2', 'a;b=1;2'],
    ['a; \n', 'a; \n'],
    ['a,=1', 'a,=1'],
    ["a,'=1", "a,''=1"],
  ])('changes %j to %j, and restore() reverts the change (T1, T10)', (value, cell) => {
    expect(defuse(value)).toBe(cell);
    expect(restore(cell)).toBe(value);
  });

  it('does not escape a formula after the separator of the file, because the cell is in quotes there (T13)', () => {
    expect(defuse('a,=1;=2', ';')).toBe("a,'=1;=2");
    expect(restore("a,'=1;=2")).toBe('a,=1;=2');
  });

  it('is reverted exactly, for any text (T10)', () => {
    fc.assert(
      fc.property(text, (value) => restore(defuse(value)) === value),
      runs(150, 40_000),
    );
  });

  it('is reverted even if a spreadsheet wrote other line ends (T10)', () => {
    const saved = (cell: string) => cell.replace(/\r\n?/g, '\n');
    fc.assert(
      fc.property(text, (value) => saved(restore(saved(defuse(value)))) === saved(value)),
      runs(500, 200_000),
    );
  });

  it('keeps typed apostrophes: a restored text is the same after it is escaped and restored again (T10)', () => {
    fc.assert(
      fc.property(text, (typed) => restore(defuse(restore(typed))) === restore(typed)),
      runs(150, 40_000),
    );
    expect(restore('-20% Sale')).toBe('-20% Sale');
  });

  it('handles a million apostrophes within the time limit of a test', () => {
    const many = "'".repeat(SOAK ? 10_000_000 : 1_000_000);
    expect(restore(defuse(`${many}=`))).toBe(`${many}=`);
    expect(defuse(`${many}x`)).toBe(`${many}x`);
  });
});
