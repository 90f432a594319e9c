import { correction, generate, mode } from 'lean-qr';
import { orUndefined } from '#base/errors';

/** Error correction levels, weakest first: about 7, 15, 25 and 30 % of the code may be lost. */
export const LEVELS = ['L', 'M', 'Q', 'H'] as const;
export type Level = (typeof LEVELS)[number];

export interface Modules {
  size: number;
  version: number;
  level: Level;
  isDark(x: number, y: number): boolean;
}

/** Encodes a text, if it fits, in the smallest version (ISO/IEC 18004) at the level `minimum` or higher. */
export function encodeText(text: string, minimum: Level): Modules | undefined {
  const options = { minCorrectionLevel: correction[minimum], modes: MODES };
  const code = orUndefined(() => generate(text, options));
  if (!code) return undefined;
  const { size } = code;
  const isDark = (x: number, y: number) => code.get(x, y);
  return { size, version: (size - 17) / 4, level: levelOf(isDark), isDark };
}

/** Encoding modes except Shift JIS, which some decoders lack. */
const MODES = [mode.numeric, mode.alphaNumeric, mode.ascii, mode.iso8859_1, mode.utf8];

/** Reads the error correction level from the format information (ISO/IEC 18004, 7.9). */
function levelOf(isDark: Modules['isDark']): Level {
  const bits = (isDark(0, 8) ? 2 : 0) + (isDark(1, 8) ? 1 : 0);
  return (['M', 'L', 'H', 'Q'] as const)[bits ^ 0b10] ?? 'M';
}
