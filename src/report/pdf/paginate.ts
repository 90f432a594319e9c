/** Puts bands on pages: none of them ends with a heading or is, except the last, a third empty. Pure. */
import { type Band, bandHeight, type PlacedBlock, placeBlocks, splitStack } from './blocks.ts';

export interface PageSize {
  /** Of the first block, from the top of the page, in points. */
  top: number;
  bottom: number;
}

/** Empty space that is better than a split of a band that would fit on a page, as a share of the page: of one stack, and of several. */
const TOLERABLE = [0.15, 0.3] as const;

/** Places every block. Bands keep their order, unless a later one fills what would be empty; `last` is below everything else. */
export function paginate(bands: readonly Band[], last: Band, { top, bottom }: PageSize): PlacedBlock[][] {
  const pages: PlacedBlock[][] = [[]];
  const left = [...bands];
  const lastHeight = last.above + bandHeight(last);
  let y = top;

  const isEmpty = () => y === top;
  const place = (band: Band) => {
    const start = isEmpty() ? top : y + band.above;
    pages.at(-1)?.push(...placeBlocks(band.stacks, start));
    y = start + bandHeight(band);
  };
  const turn = () => {
    pages.push([]);
    y = top;
  };
  /** Room for a band, and what is below it if it is the last. */
  const roomFor = (band: Band) => bottom - y - (isEmpty() ? 0 : band.above) - (left.length === 1 ? lastHeight : 0);

  while (left.length > 0) {
    const [band] = left;
    if (!band) break;
    if (bandHeight(band) <= roomFor(band)) {
      place(band);
      left.shift();
      continue;
    }
    const tolerable = TOLERABLE[band.stacks.length > 1 ? 1 : 0];
    const filler = isEmpty() ? -1 : left.findIndex((other, at) => at > 0 && bandHeight(other) <= bottom - y - other.above);
    const isShort = bandHeight(band) <= (bottom - top) / 2;
    const empty = (bottom - y) / (bottom - top);
    const [first, rest] = splitBand(band, roomFor(band));
    if ((isShort || !first) && filler > 0) {
      for (const other of left.splice(filler, 1)) place(other);
      continue;
    }
    if (first && !(isShort && empty <= tolerable)) {
      place(first);
      left[0] = rest;
      turn();
      continue;
    }
    const fitsAlone = bandHeight(band) <= bottom - y - (isEmpty() ? 0 : band.above);
    if (!isEmpty() && !(fitsAlone && empty > tolerable)) {
      turn();
      continue;
    }
    // Either the end of the report has a page for itself, or the band fits on no page and is drawn over the margin.
    place(band);
    left.shift();
  }
  if (!isEmpty() && last.above + bandHeight(last) > bottom - y) turn();
  place(last);
  return pages;
}

/** Returns the part that fits, undefined if it would lack one of the stacks, and the rest. */
function splitBand(band: Band, room: number): [Band | undefined, Band] {
  const parts = band.stacks.map((stack) => splitStack(stack, room));
  const first = { ...band, stacks: parts.map(([part]) => part) };
  const rest = { ...band, stacks: parts.map(([, part]) => part) };
  const isWhole = first.stacks.every(({ blocks }, at) => blocks.length > 0 || band.stacks[at]?.blocks.length === 0);
  const hasRest = rest.stacks.some(({ blocks }) => blocks.length > 0);
  return [isWhole && hasRest ? first : undefined, rest];
}
