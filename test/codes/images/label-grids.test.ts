import { describe, expect, it } from 'vitest';
import {
  findGrid,
  fitsPage,
  GRIDS,
  type LabelGrid,
  PAPERS,
  placesOf,
  SHEET_NUMBERS,
} from '#codes/images/label-grids';
import { layOutLabel } from '#codes/images/label-sheet';
import { breakLines } from '#files/paper/break-lines';

const grid: LabelGrid = {
  paper: PAPERS.A4,
  columns: 2,
  rows: 3,
  label: { widthMm: 50, heightMm: 40 },
  gap: { widthMm: 10, heightMm: 5 },
  margin: { widthMm: 7, heightMm: 9 },
};

describe('a grid', () => {
  it.each([
    'L7160',
    'Avery L7160',
    'avery-l7160',
    'Zweckform L7160',
    'Avery Zweckform L7160',
    ' avery  zweckform-L7160 ',
    'j8160',
  ])('is found by the name %j', (name) => {
    expect(findGrid(name)).toMatchObject({
      paper: PAPERS.A4,
      columns: 3,
      rows: 7,
      gap: { widthMm: 2.54, heightMm: 0 },
    });
  });

  it('with dimensions in inches is converted to millimeters', () => {
    expect(findGrid('8160')).toEqual({
      paper: PAPERS.Letter,
      columns: 3,
      rows: 10,
      label: { widthMm: 66.675, heightMm: 25.4 },
      gap: { widthMm: 3.175, heightMm: 0 },
      margin: undefined,
    });
  });

  /** Numbers of the same sheet, its left and top margins, and its labels. Margins follow from the other sizes. */
  it.each([
    ['3474', 0, 0, 24],
    ['3475', 0, 4.5, 24],
    ['3425', 0, 6, 10],
    ['L7159 J8159', 6.95, 12.9, 24],
    ['L7160 J8160', 7.21, 15.15, 21],
    ['L7161 J8161', 7.21, 8.7, 18],
    ['L7162 J8162', 4.65, 12.9, 16],
    ['L7163 J8163', 4.65, 15.15, 14],
    ['L7164', 7.21, 4.5, 12],
    ['L7165 J8165', 4.65, 13.1, 8],
    ['L7169 J8169', 4.65, 9.5, 4],
    ['L7173 J8173', 4.65, 6, 10],
    ['L7651 J8651 L7551', 4.75, 10.7, 65],
    ['L7654 L6140 L4770 J8654', 9.7, 21.5, 40],
    ['L4732', 11, 13.3, 80],
    ['5160 5260 5960 8160', 4.76, 12.7, 30],
    ['5161 5261 5961 8161', 3.97, 12.7, 20],
    ['5162 5262 5962 8162', 3.97, 21.17, 14],
    ['5163 5263 5963 8163', 3.97, 12.7, 10],
    ['5164 5264 8164', 3.97, 12.7, 6],
    ['5167 5267 8167', 7.14, 12.7, 80],
    ['5371 8371', 19.05, 12.7, 10],
  ])('for the sheets %s has margins of %d and %d mm, and %i labels', (numbers, xMm, yMm, labels) => {
    for (const number of numbers.split(' ')) {
      expect(SHEET_NUMBERS).toContain(number);
      const places = [...placesOf(findGrid(number) ?? grid)];
      expect(places).toHaveLength(labels);
      expect(places[0]).toEqual({ xMm: expect.closeTo(xMm, 2), yMm: expect.closeTo(yMm, 2) });
    }
    expect(GRIDS).toHaveLength(22);
  });

  it.each(['averyL7160', 'L7160 Avery', 'my avery L7160', 'L71avery-60'])(
    'is not found by the name %j',
    (name) => {
      expect(findGrid(name)).toBeUndefined();
    },
  );

  it('with margins has its labels row by row, starting at the margins', () => {
    expect([...placesOf(grid)]).toEqual([
      { xMm: 7, yMm: 9 },
      { xMm: 67, yMm: 9 },
      { xMm: 7, yMm: 54 },
      { xMm: 67, yMm: 54 },
      { xMm: 7, yMm: 99 },
      { xMm: 67, yMm: 99 },
    ]);
  });

  it('without margins is centered on the page', () => {
    const [first] = placesOf({ ...grid, margin: undefined });
    expect(first).toEqual({ xMm: (210 - 110) / 2, yMm: (297 - 130) / 2 });
  });

  it('fits the page unless it has no labels, or exceeds an edge by 0.1 mm or more', () => {
    const at = (widthMm: number, heightMm: number) => fitsPage({ ...grid, margin: { widthMm, heightMm } });
    expect([at(7, 9), at(-0.09, 9), at(7, -0.09), at(100.09, 9), at(7, 167.09)]).toEqual(Array(5).fill(true));
    expect([at(-0.11, 9), at(7, -0.11), at(100.11, 9), at(7, 167.11)]).toEqual(Array(4).fill(false));
    expect(fitsPage({ ...grid, rows: 0 })).toBe(false);
  });
});

describe('a label', () => {
  const wide = { widthMm: 63.5, heightMm: 38.1 };
  const square = { widthMm: 40, heightMm: 50 };

  it('that is at least 1.4 times as wide as high has its caption next to the code, over the full height', () => {
    expect(layOutLabel(wide, { caption: true, sizeMm: 20 })).toEqual({
      code: { xMm: 1.5, yMm: (38.1 - 20) / 2, sizeMm: 20 },
      caption: { xMm: 21.5, yMm: 1.5, widthMm: 40.5, heightMm: 35.1, lines: 10, align: 'left' },
    });
    // From a ratio of 1.4 on, and never without a line.
    expect(
      layOutLabel({ widthMm: 28, heightMm: 20 }, { caption: true, sizeMm: undefined })?.caption?.align,
    ).toBe('left');
    expect(
      layOutLabel({ widthMm: 27.9, heightMm: 20 }, { caption: true, sizeMm: undefined })?.caption?.align,
    ).toBe('center');
    expect(
      layOutLabel({ widthMm: 20, heightMm: 6 }, { caption: true, sizeMm: undefined })?.caption?.lines,
    ).toBe(1);
  });

  it('that is less than 1.4 times as wide as high has its caption below the code, both centered', () => {
    expect(layOutLabel(square, { caption: true, sizeMm: 30 })).toEqual({
      code: { xMm: 5, yMm: expect.closeTo(1.5 + (47 - 30 - 5 * 3.4) / 2, 9), sizeMm: 30 },
      caption: {
        xMm: 1.5,
        widthMm: 37,
        lines: 5,
        align: 'center',
        yMm: expect.closeTo(31.5, 9),
        heightMm: expect.closeTo(17, 9),
      },
    });
    // The line is below the largest code, too.
    expect(layOutLabel(square, { caption: true, sizeMm: undefined })).toMatchObject({
      code: { sizeMm: 37 },
      caption: { lines: 2 },
    });
    expect(
      layOutLabel({ widthMm: 40, heightMm: 40 }, { caption: true, sizeMm: undefined })?.code.sizeMm,
    ).toBe(33.6);
  });

  it('without a caption has the code in its center', () => {
    expect(layOutLabel(wide, { caption: false, sizeMm: undefined })).toEqual({
      code: { xMm: expect.closeTo(14.2, 9), yMm: expect.closeTo(1.5, 9), sizeMm: 35.1 },
      caption: undefined,
    });
  });

  it('has no layout if the requested code does not fit, or if no code larger than zero fits', () => {
    expect(layOutLabel(square, { caption: false, sizeMm: 37 })).toBeDefined();
    expect(layOutLabel(square, { caption: false, sizeMm: 37.001 })).toBeUndefined();
    for (const caption of [true, false])
      expect(layOutLabel({ widthMm: 3, heightMm: 3 }, { caption, sizeMm: undefined })).toBeUndefined();
    expect(layOutLabel({ widthMm: 40, heightMm: 4 }, { caption: true, sizeMm: undefined })?.code.sizeMm).toBe(
      1,
    );
  });
});

describe('the text of a caption', () => {
  const measured: number[] = [];
  const widthOf = (part: string) => {
    measured.push([...part].length);
    return [...part].length;
  };
  const lines = (text: string, most: number, room = 8) => breakLines(text, most, widthOf, room);

  it('breaks between ideographs, but not between an ideograph and its punctuation', () => {
    expect(lines('東京都東京都東京都東京都', 3, 5)).toEqual(['東京都東京', '都東京都東', '京都']);
    expect(lines('東京都東京、東京', 3, 5)).toEqual(['東京都東', '京、東京']);
    expect(lines('東京都東（東京）', 3, 5)).toEqual(['東京都東', '（東京）']);
    expect(lines('東京abcdef', 3, 5)).toEqual(['東京', 'abcde', 'f']);
    expect(lines('abc東京都', 3, 5)).toEqual(['abc東京', '都']);
    expect(lines('東、、、、、', 3, 3)).toEqual(['東、、', '、、、']);
  });

  it('breaks at spaces, and no line begins or ends with a space', () => {
    expect(lines('one  two  three', 3, 5)).toEqual(['one', 'two', 'three']);
    expect(lines('one two', 2, 3)).toEqual(['one', 'two']);
    expect(lines('one two t', 2, 3)).toEqual(['one', 'tw…']);
    expect(lines('one t wo', 1, 6)).toEqual(['one t…']);
    expect(lines('one two', 1, 5)).toEqual(['one…']);
    expect(lines('a bc def', 3, 4)).toEqual(['a bc', 'def']);
    expect(lines('abc defg', 2, 6)).toEqual(['abc', 'defg']);
  });

  it('has at least one character per line even at a width of zero, and no lines if it is empty or none are allowed', () => {
    expect(lines('abc', 2, 0)).toEqual(['a', 'b…']);
    expect([lines('abc', 0), lines('', 2)]).toEqual([[], []]);
    expect(lines('𝒳𝒳𝒳', 2, 2)).toEqual(['𝒳𝒳', '𝒳']);
  });

  it('is complete if it fits, is truncated otherwise, and is measured in parts of fewer than 100 characters for a line of 40', () => {
    expect(lines('x'.repeat(100), 1, 100)).toEqual(['x'.repeat(100)]);
    expect(lines('x'.repeat(101), 1, 100)).toEqual([`${'x'.repeat(99)}…`]);
    measured.length = 0;
    expect(lines('x'.repeat(100_000), 1, 40)).toEqual([`${'x'.repeat(39)}…`]);
    expect(Math.max(...measured)).toBeLessThan(100);
  });
});
