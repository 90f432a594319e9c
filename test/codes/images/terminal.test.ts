import { describe, expect, it } from 'vitest';
import { encodeText } from '#codes/images/encode';
import { modulesAcross } from '#codes/images/image-style';
import { formatTerminal, readTerminal } from '#codes/images/terminal';

const MODULES = encodeText('terminal', 'L') ?? expect.fail();
const COLORS = '\u001b[38;5;16;48;5;231m';
const RESET = '\u001b[0m';

/** Any pattern of modules as `#` and `.`. */
const fromRows = (...rows: string[]) => ({
  ...MODULES,
  size: rows.length,
  isDark: (x: number, y: number) => rows[y]?.[x] === '#',
});

describe('a code on a terminal', () => {
  it('has two modules per character, dark on light, with a light margin', () => {
    const code = fromRows('##.', '#.#', '.#.');
    expect(formatTerminal(code, 0, { plain: true })).toBe('█▀▄\n ▀ \n');
    expect(formatTerminal(code, 1, { plain: true })).toBe(' ▄▄  \n ▀▄▀ \n     \n');
    expect([modulesAcross(code, { quietZone: 0 }), modulesAcross(code, { quietZone: 1 })]).toEqual([3, 5]);
  });

  it('sets and resets its colors on each line', () => {
    expect(formatTerminal(fromRows('#.', '##'), 0)).toBe(`${COLORS}█▄${RESET}\n`);
    expect(formatTerminal(fromRows('#.', '##'), 2)).toBe(
      [0, 1, 2].map((n) => `${COLORS}  ${n === 1 ? '█▄' : '  '}  ${RESET}\n`).join(''),
    );
  });

  it('is read back from its text as a raster with four pixels per module in each direction', () => {
    for (const quietZone of [0, 1, 4]) {
      const { width, height, gray } = readTerminal(formatTerminal(MODULES, quietZone));
      const side = modulesAcross(MODULES, { quietZone });
      // Lines have two rows of modules each.
      expect([width, height]).toEqual([side * 4, (side + 1) * 4]);
      const moduleOf = (at: number) => Math.floor(at / 4) - quietZone;
      expect([...gray]).toEqual(
        Array.from({ length: width * height }, (_, at) =>
          MODULES.isDark(moduleOf(at % width), moduleOf(Math.floor(at / width))) ? 0 : 255,
        ),
      );
    }
    expect(readTerminal('')).toMatchObject({ width: 0, height: 0 });
  });

  it('is refused when read back if a line does not set and reset its colors', () => {
    const line = `${COLORS}█▄${RESET}`;
    for (const other of ['█▄', `${COLORS}█▄`, `█▄${RESET}`]) {
      expect(() => readTerminal(`${line}\n${other}\n`)).toThrow('a line has no colors of its own');
    }
  });
});
