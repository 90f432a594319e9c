const CARD = { light: '#ffffff', dark: '#191c22' };
/** Darkest and lightest background of text in the accent color. */
const BEHIND = { light: '#f6f6f3', dark: '#191c22' };
const TOWARD = { light: '#000000', dark: '#ffffff' };
const LEAST_CONTRAST = 4.5;
const SHADES = { light: [0.08, 0.18, 0.32, 0.48], dark: [0.08, 0.16, 0.25, 0.35] };

export interface AccentColors {
  accent: string;
  soft: string;
  part: string;
  shades: readonly string[];
}

/** Changes the accent until it is readable on a light or a dark page. */
export function accentColors(color: string, theme: 'light' | 'dark'): AccentColors {
  let accent = color;
  for (let part = 0.05; contrast(accent, BEHIND[theme]) < LEAST_CONTRAST && part <= 1; part += 0.05)
    accent = mix(color, TOWARD[theme], part);
  const tint = (part: number) => mix(CARD[theme], accent, part);
  return { accent, soft: tint(0.15), part: tint(0.5), shades: [...SHADES[theme].map(tint), accent] };
}

function channels(color: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
}

function mix(from: string, to: string, part: number): string {
  const target = channels(to);
  const mixed = channels(from).map((value, at) => value + ((target[at] ?? 0) - value) * part);
  return `#${mixed.map((value) => Math.round(value).toString(16).padStart(2, '0')).join('')}`;
}

export function contrast(a: string, b: string): number {
  const [light = 0, dark = 0] = [a, b].map(luminance).sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = channels(color).map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
