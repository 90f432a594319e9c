/** Pages of a report: which bands they have, and where. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Band, type Block, bandHeight } from '#scans/report/pdf/blocks';
import { paginate } from '#scans/report/pdf/paginate';
import { runs } from '../../../support/property-runs.ts';

const PAGE = { top: 50, bottom: 750 };
const draw = () => undefined;

/** A band of one stack of blocks of 20 points; `isWhole`: it can't be split. */
function bandOf(blocks: number, isWhole = false): Band {
  const all = Array.from(
    { length: blocks },
    (_, at): Block => ({ height: 20, draw, keepsNext: isWhole && at < blocks - 1 }),
  );
  return { stacks: [{ x: 0, width: 100, blocks: all }], above: 10 };
}

const blocksOf = ({ stacks }: Band) => stacks.flatMap(({ blocks }) => blocks);

/** Numbers of the bands of each page, in order. */
function pagesOf(bands: readonly Band[], last = bandOf(1)): number[][] {
  const owners = new Map(
    [...bands, last].flatMap((band, at) => blocksOf(band).map((block) => [block, at] as const)),
  );
  return paginate(bands, last, PAGE).map((page) => [
    ...new Set(page.map(({ block }) => owners.get(block) ?? -1)),
  ]);
}

it('pagination keeps the order of bands that all fit on one page, with the closing band last', () => {
  expect(pagesOf([bandOf(5), bandOf(9, true), bandOf(5)])).toEqual([[0, 1, 2, 3]]);
});

it('pagination fills the rest of a page with the band that fits best, instead of leaving it empty', () => {
  expect(pagesOf([bandOf(12, true), bandOf(25, true), bandOf(5, true), bandOf(18, true)])).toEqual([
    [0, 3],
    [1, 2, 4],
  ]);
});

it('pagination splits a band taller than half a page, and a shorter one only if over 12% of the page would otherwise be empty', () => {
  expect(pagesOf([bandOf(20, true), bandOf(40)])[0]).toEqual([0, 1]);
  expect(pagesOf([bandOf(32, true), bandOf(10)])).toEqual([[0], [1, 2]]);
  expect(pagesOf([bandOf(28, true), bandOf(10)])[0]).toEqual([0, 1]);
});

it('pagination splits a band of several stacks only if each part has blocks of every stack that has some', () => {
  const pagesWith = (others: readonly Block[]) => {
    const band = { above: 10, stacks: [...bandOf(40).stacks, { x: 100, width: 100, blocks: others }] };
    return pagesOf([bandOf(20, true), band])[0];
  };
  expect(pagesWith([])).toEqual([0, 1]);
  expect(pagesWith([{ height: 20, draw, keepsNext: false }])).toEqual([0, 1]);
  expect(pagesWith([{ height: 600, draw, keepsNext: false }])).not.toContain(1);
});

it("pagination puts a band that can't be split and is taller than a page on a separate page", () => {
  expect(pagesOf([bandOf(2), bandOf(50, true), bandOf(2)])).toEqual([[0, 2], [1], [3]]);
});

it('pagination fills a page to its last point, and keeps a band with the closing band', () => {
  const bands = (blocks: number) => [bandOf(blocks, true), bandOf(1)];
  expect(pagesOf([bandOf(33, true)])).toEqual([[0, 1]]);
  expect(pagesOf(bands(32))).toEqual([[0, 1, 2]]);
  expect(pagesOf(bands(33))).toEqual([[0], [1, 2]]);
  expect(pagesOf([])).toEqual([[0]]);
});

it('pagination places every block once, within the page and without overlap', () => {
  const bands = fc.array(
    fc
      .tuple(fc.integer({ min: 1, max: 60 }), fc.boolean())
      .map(([blocks, isWhole]) => bandOf(blocks, isWhole && blocks < 30)),
    { minLength: 1, maxLength: 14 },
  );
  fc.assert(
    fc.property(bands, (all) => {
      const last = bandOf(3, true);
      const pages = paginate(all, last, PAGE);
      const placed = pages.flat().map(({ block }) => block);
      expect(new Set(placed).size).toBe(placed.length);
      expect(new Set(placed)).toEqual(new Set([...all, last].flatMap(blocksOf)));
      expect(pages.at(-1)?.at(-1)?.block).toBe(blocksOf(last).at(-1));
      for (const page of pages) {
        expect(page[0]?.y).toBe(PAGE.top);
        for (const [at, { block, y }] of page.entries()) {
          expect(y + block.height).toBeLessThanOrEqual(page[at + 1]?.y ?? PAGE.bottom);
        }
      }
      // A page is not less than half full if all bands are shorter than that.
      const isShort = all.every((band) => bandHeight(band) <= 300);
      if (isShort) for (const page of pages.slice(0, -2)) expect(page.at(-1)?.y).toBeGreaterThan(350);
    }),
    runs(30, 15_000),
  );
});
