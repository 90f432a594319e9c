export interface Color {
  red: number;
  green: number;
  blue: number;
}

export const BLACK: Color = { red: 0, green: 0, blue: 0 };
export const WHITE: Color = { red: 255, green: 255, blue: 255 };

export function parseColor(text: string): Color | undefined {
  const digits = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(text)?.[1];
  if (digits === undefined) return undefined;
  const full = digits.length === 6 ? digits : digits.replace(/./g, '$&$&');
  const part = (at: number) => Number.parseInt(full.slice(at, at + 2), 16);
  return { red: part(0), green: part(2), blue: part(4) };
}

export function formatColor({ red, green, blue }: Color): string {
  return `#${[red, green, blue].map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

/** Returns the relative luminance, 0 to 1 (WCAG 2.2). */
export function luminanceOf({ red, green, blue }: Color): number {
  const linear = (part: number) =>
    part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4;
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

/** Returns the contrast ratio, 1 to 21 (WCAG 2.2). */
export function contrastOf(one: Color, other: Color): number {
  const [dark = 0, light = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}
