import { type Band, bandHeight, type PlacedBlock, placeBlocks, splitStack } from './blocks.ts';

interface PageSize {
  top: number;
  bottom: number;
}

interface Filled {
  bands: readonly Band[];
  left: readonly Band[];
}

const TOLERABLE = [0.12, 0.3] as const;
/** Maximum share of a page to leave empty rather than move one band ahead of another. */
const TOLERABLE_JUMP = 0.05;
const MOST_AHEAD = 8;

export function paginate(bands: readonly Band[], last: Band, { top, bottom }: PageSize): PlacedBlock[][] {
  const pages: PlacedBlock[][] = [];
  const room = bottom - top;
  let left = bands;
  do {
    const filled =
      [...left, last].reduce(heightWith, 0) <= room
        ? { bands: [...left, last], left: [] }
        : fillPage(left, room);
    pages.push(placeBands(filled.bands, top));
    if (filled.left.length === 0 && filled.bands.at(-1) !== last) pages.push(placeBands([last], top));
    left = filled.left;
  } while (left.length > 0);
  return pages;
}

function fillPage(bands: readonly Band[], room: number): Filled {
  const [first, ...others] = bands;
  if (!first) return { bands: [], left: [] };
  if (bandHeight(first) > room) {
    const [part, rest] = splitBand(first, room);
    // A band that can't be split to fit a page is drawn over the margin.
    return part ? { bands: [part], left: [rest, ...others] } : { bands: [first], left: others };
  }
  let best: Filled & { score: number } = { bands: [first], left: others, score: -1 };
  const choose = (chosen: readonly Band[], skipped: readonly Band[], at: number, jumps: number): void => {
    const height = chosen.reduce(heightWith, 0);
    const consider = (filled: Filled, penalty: number) => {
      const score = filled.bands.reduce(heightWith, 0) / room - penalty - jumps * TOLERABLE_JUMP;
      if (score > best.score) best = { ...filled, score };
    };
    const left = [...skipped, ...others.slice(at)];
    // Avoids a last page that has only the closing text.
    consider({ bands: chosen, left }, left.length === 0 ? TOLERABLE[1] : 0);
    const [next, ...later] = left;
    const [part, rest] = next ? splitBand(next, room - height - next.above) : [];
    if (next && part && rest) {
      const penalty = bandHeight(next) > room / 2 ? 0 : TOLERABLE[next.stacks.length > 1 ? 1 : 0];
      consider({ bands: [...chosen, part], left: [rest, ...later] }, penalty);
    }
    for (let index = at; index < Math.min(others.length, MOST_AHEAD); index++) {
      const band = others[index];
      if (!band || heightWith(height, band) > room) continue;
      const passed = others.slice(at, index);
      choose([...chosen, band], [...skipped, ...passed], index + 1, jumps + skipped.length + passed.length);
    }
  };
  choose([first], [], 0, 0);
  return best;
}

function heightWith(height: number, band: Band): number {
  return height + (height > 0 ? band.above : 0) + bandHeight(band);
}

function placeBands(bands: readonly Band[], top: number): PlacedBlock[] {
  let height = 0;
  return bands.flatMap((band) => {
    const start = top + height + (height > 0 ? band.above : 0);
    height = heightWith(height, band);
    return placeBlocks(band.stacks, start);
  });
}

function splitBand(band: Band, room: number): [Band | undefined, Band] {
  const parts = band.stacks.map((stack) => splitStack(stack, room));
  const first = { ...band, stacks: parts.map(([part]) => part) };
  const rest = { ...band, stacks: parts.map(([, part]) => part) };
  const isWhole = first.stacks.every(
    ({ blocks }, at) => blocks.length > 0 || band.stacks[at]?.blocks.length === 0,
  );
  const hasRest = rest.stacks.some(({ blocks }) => blocks.length > 0);
  return [isWhole && hasRest ? first : undefined, rest];
}
