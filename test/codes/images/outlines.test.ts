import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { traceOutlines } from '#codes/images/drawing';
import { createRaster, fillPolygons } from '#codes/images/raster';

/** Any pattern of modules as `#` and `.`. */
function fromRows(rows: readonly string[]) {
  return { size: rows.length, isDark: (x: number, y: number) => rows[y]?.[x] === '#' };
}

describe('outlines', () => {
  it('have each corner once, clockwise around dark areas and counterclockwise around light holes', () => {
    expect(traceOutlines(fromRows(['###', '#.#', '###']))).toEqual([
      [0, 0, 3, 0, 3, 3, 0, 3],
      [1, 1, 1, 2, 2, 2, 2, 1],
    ]);
  });

  it('stay separate where two areas touch at a corner', () => {
    expect(traceOutlines(fromRows(['#.', '.#']))).toEqual([
      [0, 0, 1, 0, 1, 1, 0, 1],
      [1, 1, 2, 1, 2, 2, 1, 2],
    ]);
  });

  it('fill exactly the dark modules', () => {
    const pattern = fc.integer({ min: 1, max: 9 }).chain((size) => {
      const row = fc
        .array(fc.constantFrom('#', '.'), { minLength: size, maxLength: size })
        .map((cells) => cells.join(''));
      return fc.array(row, { minLength: size, maxLength: size });
    });
    fc.assert(
      fc.property(pattern, (rows) => {
        const code = fromRows(rows);
        const raster = createRaster(code.size * 2, code.size * 2, 255);
        fillPolygons(
          raster,
          traceOutlines(code).map((outline) => outline.map((value) => value * 2)),
          0,
        );
        const filled = rows.map((_, y) =>
          [...rows].map((_, x) => (raster.gray[y * 4 * code.size + x * 2] === 0 ? '#' : '.')).join(''),
        );
        expect(filled).toEqual(rows);
      }),
      { numRuns: 300, seed: 7 },
    );
  });
});
