import { expect, test } from 'vitest';
import { columnScale, placeLabels, valueScale } from '#scans/report/chart-scales';

const columnsOf = (...values: number[]) =>
  values.map((value) => ({ label: '', value, previous: null as number | null, isPart: false }));

test('an axis of scans has whole numbers, and an axis of averages may have fractions', () => {
  expect(valueScale(columnsOf(1, 2), [0, 100]).ticks).toEqual([0, 1, 2]);
  expect(valueScale(columnsOf(1, 1.5), [0, 100]).ticks).toEqual([0, 0.5, 1, 1.5]);
  expect(valueScale(columnsOf(0), [0, 100]).ticks).toEqual([0, 1]);
});

test('an axis reaches the highest value of both periods', () => {
  const columns = columnsOf(2, 4).map((column) => ({ ...column, previous: 40 }));
  expect(valueScale(columns, [0, 100]).place(40)).toBe(100);
  expect(valueScale(columnsOf(2, 4), [0, 100]).place(4)).toBe(100);
});

test('the center of a column is half its width from its left edge', () => {
  const { left, center, width } = columnScale(columnsOf(1, 2, 3), [0, 300]);
  expect(center(1)).toBeCloseTo(150);
  expect(center(1) - left(1)).toBeCloseTo(width / 2);
});

test('the gaps of a chart are narrower if it has more than 60 columns', () => {
  const partOf = (count: number) => {
    const { left, width } = columnScale(columnsOf(...new Array<number>(count).fill(1)), [0, 1000]);
    return width / (left(1) - left(0));
  };
  expect([partOf(60), partOf(61)]).toEqual([expect.closeTo(0.72), expect.closeTo(0.9)]);
});

test('a chart has at most the specified number of labels, but at least two, and outer labels align with its edges if some are omitted', () => {
  expect(placeLabels(3, 10).map(({ at, align }) => [at, align])).toEqual([
    [0, 'center'],
    [1, 'center'],
    [2, 'center'],
  ]);
  expect(placeLabels(31, 4).map(({ at, align }) => [at, align])).toEqual([
    [0, 'start'],
    [10, 'center'],
    [20, 'center'],
    [30, 'end'],
  ]);
  expect(placeLabels(30, 4).map(({ at }) => at)).toEqual([0, 10, 20]);
  expect(placeLabels(2, 1).map(({ at }) => at)).toEqual([0, 1]);
});
