/** Whether to colour, by the conventions of the variables; and what with. */

import type { ColourName } from './columns.ts';
import type { Environment } from './environment.ts';

/**
 * The decision for one stream. In order: --no-color; NO_COLOR, when not empty (no-color.org); FORCE_COLOR, `0` and `false`
 * against and anything else for (force-color.org); TERM=dumb; and whether the stream is a terminal.
 */
export function wantsColour(env: Environment, { isTerminal, noColor }: { isTerminal: boolean; noColor: boolean }): boolean {
  if (noColor || env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return isTerminal && env.TERM !== 'dumb';
}

/** Runs without a person: nobody to answer a prompt, and a log that a moving bar would fill. */
export function isCi(env: Environment): boolean {
  return env.CI !== undefined && env.CI !== '' && env.CI !== 'false' && env.CI !== '0';
}

export type Paint = (colour: ColourName, text: string) => string;

/** Leaves text as it is. */
export const paintNothing: Paint = (_colour, text) => text;

/** A paint for a stream; chalk is loaded only where something will be coloured. */
export async function loadPaint(colour: boolean): Promise<Paint> {
  if (!colour) return paintNothing;
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level: 1 }); // the sixteen basic colours, which follow the terminal's own theme
  return (name, text) => chalk[name](text);
}
