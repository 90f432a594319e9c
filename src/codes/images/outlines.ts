import type { Modules } from './encode.ts';

/** Corners of a closed line, x and y alternating; its sides alternate between horizontal and vertical. */
export type Outline = readonly number[];

/** To the right, straight on, to the left, back: at a corner where two areas touch, the line stays with its own. */
const TURNS = [1, 0, 3, 2];

/**
 * Traces the dark areas of a code as outlines in modules, each edge once, so that no renderer leaves a gap between two modules: clockwise
 * around dark areas, counterclockwise around light ones within them, so that both fill rules work. Areas that touch at a corner get
 * separate outlines.
 */
export function traceOutlines({ size, isDark }: Pick<Modules, 'size' | 'isDark'>): Outline[] {
  const width = size + 1;
  // By corner, the directions in which an edge leaves it that has its dark module at the right hand.
  const leaving = new Uint8Array(width * width);
  const add = (x: number, y: number, direction: number) => {
    const at = y * width + x;
    leaving[at] = (leaving[at] ?? 0) | (1 << direction);
  };
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      if (!isDark(x, y)) continue;
      if (!isDark(x, y - 1)) add(x, y, 0);
      if (!isDark(x + 1, y)) add(x + 1, y, 1);
      if (!isDark(x, y + 1)) add(x + 1, y + 1, 2);
      if (!isDark(x - 1, y)) add(x, y + 1, 3);
    }
  }
  const outlines: Outline[] = [];
  for (const start of leaving.keys()) {
    while (leaving[start]) outlines.push(follow(leaving, start, width));
  }
  return outlines;
}

/** Follows one outline from its uppermost, leftmost corner back to it, and removes its edges. */
function follow(leaving: Uint8Array, start: number, width: number): Outline {
  const corners: number[] = [];
  // Right, down, left, up: clockwise, with y downwards.
  const steps = [1, width, -1, -width];
  let at = start;
  // As if it came from below: its first side leads to the right or, around light modules, down.
  let direction = 3;
  do {
    const before = direction;
    const directions = TURNS.map((turn) => (before + turn) % 4);
    direction = firstOf(leaving[at] ?? 0, directions);
    if (direction !== before) corners.push(at % width, Math.floor(at / width));
    leaving[at] = (leaving[at] ?? 0) & ~(1 << direction);
    at += steps[direction] ?? 0;
  } while (at !== start);
  return corners;
}

function firstOf(set: number, directions: readonly number[]): number {
  return directions.find((direction) => set & (1 << direction)) ?? 0;
}
