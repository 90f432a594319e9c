import '../rows/as-bundled.ts';
import Table from 'cli-table3';
import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { ColourName } from '../../src/rows/columns.ts';
import { loadColours, NO_COLOURS } from '../../src/terminal/colour.ts';
import { type Cell, createGrid } from '../../src/terminal/grid.ts';
import { runs } from '../support/property-runs.ts';

const unit = fc.constantFrom('a', 'Z', '0', ' ', '~', '!', '…', 'é', 'Я', '東', '🫠', '👨‍👩‍👧', '🇩🇪', 'e\u0301', '─');
const text = fc.oneof(
  fc.constantFrom('', ' ', 'active', 'paused'),
  fc.string({ maxLength: 12 }).map((ascii) => ascii.replace(/[^ -~]/g, '')),
  fc.array(unit, { maxLength: 8 }).map((units) => units.join('')),
);
const colour = fc.constantFrom<(ColourName | undefined)[]>(undefined, 'red', 'green', 'yellow', 'cyan', 'dim', 'bold');
const column = fc.record({
  width: fc.integer({ min: 1, max: 14 }),
  align: fc.constantFrom('left' as const, 'right' as const, undefined),
});

const tables = fc.array(column, { minLength: 1, maxLength: 8 }).chain((columns) =>
  fc.record({
    columns: fc.constant(columns),
    lines: fc.array(fc.tuple(...columns.map(() => fc.record({ text, colour }))) as fc.Arbitrary<Cell[]>, {
      minLength: 1,
      maxLength: 12,
    }),
  }),
);

test('what is drawn behind the first screen has the bytes that cli-table3 gives it', async () => {
  const colours = await loadColours(true);
  fc.assert(
    fc.property(tables, fc.boolean(), ({ columns, lines }, isColoured) => {
      const used = isColoured ? colours : NO_COLOURS;
      const behind = createGrid(columns, used, 0);
      expect(behind(lines)).toBe(createGrid(columns, used, lines.length)(lines));
    }),
    runs(60),
  );
});

test('behind the first screen cli-table3 draws only the cells that are not plain, also where the lines come in parts', () => {
  const drawn = vi.spyOn(Table.prototype, 'toString');
  onTestFinished(() => drawn.mockRestore());
  const draw = createGrid([{ width: 6 }, { width: 6, align: 'right' }], NO_COLOURS);
  const plain: Cell[] = [{ text: 'plain' }, { text: 'cell', colour: 'red' }];
  for (let part = 0; part < 5; part++) draw(Array.from({ length: 100 }, () => plain));
  expect(drawn).toHaveBeenCalledTimes(100);
  expect(draw([[{ text: 'plain' }, { text: '東京' }]])).toBe('plain     東京\n');
  expect(drawn).toHaveBeenCalledTimes(101);
});
