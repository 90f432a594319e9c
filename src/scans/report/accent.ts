import { BLACK, type Color, contrastOf, formatColor, parseColor } from '#base/color';

const CARD = { light: '#ffffff', dark: '#191c22' };
/** Background on which an accent color has the least contrast, by theme. */
const BEHIND = { light: '#f6f6f3', dark: '#191c22' };
const TOWARD = { light: '#000000', dark: '#ffffff' };
const LEAST_CONTRAST = 4.5;
const SHADES = { light: [0.08, 0.18, 0.32, 0.48], dark: [0.08, 0.16, 0.25, 0.35] };

export type AccentColors = ReturnType<typeof accentColors>;

/** Returns an accent color that is readable on the theme's background, and its tints. */
export function accentColors(color: string, theme: 'light' | 'dark') {
  let accent = color;
  for (let part = 0.05; contrast(accent, BEHIND[theme]) < LEAST_CONTRAST; part += 0.05)
    accent = mix(color, TOWARD[theme], part);
  const tint = (part: number) => mix(CARD[theme], accent, part);
  return { accent, soft: tint(0.15), part: tint(0.5), shades: [...SHADES[theme].map(tint), accent] };
}

function mix(from: string, to: string, part: number): string {
  const [a, b] = [colorOf(from), colorOf(to)];
  const between = (channel: keyof Color) => Math.round(a[channel] + (b[channel] - a[channel]) * part);
  return formatColor({ red: between('red'), green: between('green'), blue: between('blue') });
}

export function contrast(one: string, other: string): number {
  return contrastOf(colorOf(one), colorOf(other));
}

function colorOf(text: string): Color {
  return parseColor(text) ?? BLACK;
}
