/** Terminal colors: decides whether a stream is colored, by the conventional variables, and loads chalk. */
import type { ColourName } from '../files/formats/columns.ts';

/** Environment variables, as passed in. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** One function per color, from text to colored text. */
export type Colours = Readonly<Record<ColourName, (text: string) => string>>;

const asItIs = (text: string) => text;

/** Functions for a stream without color. */
export const NO_COLOURS: Colours = {
  red: asItIs,
  green: asItIs,
  yellow: asItIs,
  cyan: asItIs,
  dim: asItIs,
  bold: asItIs,
};

/**
 * Decides whether a stream is colored. In order: --no-color; NO_COLOR, if not empty (no-color.org); FORCE_COLOR, off with `0` and `false`
 * and on with anything else (force-color.org); TERM=dumb; and whether the stream is a terminal.
 */
export function wantsColour(
  env: Environment,
  { isTerminal, noColor }: { isTerminal: boolean; noColor: boolean },
): boolean {
  if (noColor || env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return isTerminal && env.TERM !== 'dumb';
}

/** Loads the colors of a stream, by the decision of `wantsColour`. Chalk takes milliseconds to load, so only if colors are used. */
export async function loadColours(wanted: boolean): Promise<Colours> {
  if (!wanted) return NO_COLOURS;
  const { Chalk } = await import('chalk');
  return new Chalk({ level: 1 }); // the sixteen basic colours, which follow the terminal's own theme
}
