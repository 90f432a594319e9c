/** Colour: whether a stream gets any, by the conventions of the variables, and chalk's functions for it. */
import type { ColourName } from '../rows/columns.ts';

/** Variables of the environment, as they are handed in. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** One function a colour, from text to coloured text. */
export type Colours = Readonly<Record<ColourName, (text: string) => string>>;

const asItIs = (text: string) => text;

/** For a stream without colour. */
export const NO_COLOURS: Colours = { red: asItIs, green: asItIs, yellow: asItIs, cyan: asItIs, dim: asItIs, bold: asItIs };

/**
 * The decision for one stream. In order: --no-color; NO_COLOR, when not empty (no-color.org); FORCE_COLOR, `0` and `false`
 * against and anything else for (force-color.org); TERM=dumb; and whether the stream is a terminal.
 */
export function wantsColour(env: Environment, { isTerminal, noColor }: { isTerminal: boolean; noColor: boolean }): boolean {
  if (noColor || env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return isTerminal && env.TERM !== 'dumb';
}

/** The colours of a stream that `wantsColour` decided about. Chalk takes milliseconds to load: only where something is coloured. */
export async function loadColours(wanted: boolean): Promise<Colours> {
  if (!wanted) return NO_COLOURS;
  const { Chalk } = await import('chalk');
  return new Chalk({ level: 1 }); // the sixteen basic colours, which follow the terminal's own theme
}
