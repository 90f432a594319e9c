import type { Modules } from './encode.ts';
import type { Raster } from './raster.ts';

/** Black on white in the 256-color palette (ECMA-48 with 38;5 and 48;5). Themes don't change it. */
const BLACK_ON_WHITE = '\u001b[38;5;16;48;5;231m';
const RESET = '\u001b[0m';

const BLOCKS: readonly string[] = [' ', '▄', '▀', '█'];

export function formatTerminal(modules: Modules, quietZone: number, { plain = false } = {}): string {
  const { size, isDark } = modules;
  let text = '';
  for (let y = -quietZone; y < size + quietZone; y += 2) {
    text += plain ? '' : BLACK_ON_WHITE;
    for (let x = -quietZone; x < size + quietZone; x++) {
      text += BLOCKS[(isDark(x, y) ? 2 : 0) + (isDark(x, y + 1) ? 1 : 0)];
    }
    text += plain ? '\n' : `${RESET}\n`;
  }
  return text;
}

const SCALE = 4;

export function readTerminal(text: string): Raster {
  const lines = text.split('\n').slice(0, -1);
  const blocks = lines.map((line) => {
    if (!line.startsWith(BLACK_ON_WHITE) || !line.endsWith(RESET))
      throw new Error('a line has no colors of its own');
    return [...line.slice(BLACK_ON_WHITE.length, -RESET.length)].map((block) => BLOCKS.indexOf(block));
  });
  const modules = blocks.flatMap((line) =>
    [2, 1].map((half) => line.flatMap((block) => repeat(block & half ? 0 : 255))),
  );
  const rows = modules.flatMap((row) => repeat(row));
  return { width: rows[0]?.length ?? 0, height: rows.length, gray: Uint8Array.from(rows.flat()) };
}

function repeat<T>(value: T): T[] {
  return Array<T>(SCALE).fill(value);
}
