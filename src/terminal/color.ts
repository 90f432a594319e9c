import type { ColorName } from '#files/formats/columns';

export type Colors = Readonly<Record<ColorName, (text: string) => string>>;

const unchanged = (text: string) => text;

export const NO_COLORS: Colors = {
  red: unchanged,
  green: unchanged,
  yellow: unchanged,
  cyan: unchanged,
  dim: unchanged,
  bold: unchanged,
};

/** Returns whether to use colors. NO_COLOR (no-color.org) overrides FORCE_COLOR (force-color.org). */
export function wantsColor(
  env: NodeJS.Dict<string>,
  { isTerminal, noColor }: { isTerminal: boolean; noColor: boolean },
): boolean {
  if (noColor || env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return isTerminal && env.TERM !== 'dumb';
}

export async function loadColors(wanted: boolean): Promise<Colors> {
  if (!wanted) return NO_COLORS;
  const { Chalk } = await import('chalk');
  return new Chalk({ level: 1 });
}
