/** Colors of the printed HTML page (html/style.ts), text styles and paper sizes. */
import type { Tone } from '#scans/report/document';

export const COLORS = {
  ink: '#16181d',
  soft: '#50565f',
  line: '#d9d9d4',
  tile: '#f6f6f3',
  accent: '#2f5bea',
  accentSoft: '#dfe6fd',
  part: '#9db3f6',
  before: '#b3541e',
  up: '#17703a',
  down: '#b3261e',
} as const;

export const SHADES = ['', '#edf1fe', '#d5dffc', '#b6c6fa', '#8fa8f6', '#2f5bea'] as const;

export interface TextStyle {
  size: number;
  leading: number;
  weight: 400 | 600;
  color: string;
}

export function baselineOf({ size, leading }: TextStyle, top = 0): number {
  return top + (leading - size) / 2 + size * 0.86;
}

export function toneColor(tone: Tone | undefined): string | undefined {
  return tone === 'up' || tone === 'down' ? COLORS[tone] : undefined;
}

const style = (size: number, leading: number, color: string, weight: 400 | 600 = 400): TextStyle => {
  return { size, leading, weight, color };
};

export const TEXT = {
  kicker: style(9, 12, COLORS.accent, 600),
  title: style(25, 30, COLORS.ink, 600),
  range: style(10.5, 15, COLORS.soft),
  note: style(9.5, 14, COLORS.ink),
  tileLabel: style(8, 11, COLORS.soft),
  tileValue: style(19, 23, COLORS.ink, 600),
  tileDetail: style(8, 11, COLORS.soft),
  heading: style(13, 17, COLORS.ink, 600),
  head: style(7.5, 9.5, COLORS.soft),
  cell: style(8.5, 11, COLORS.ink),
  axis: style(7.5, 10, COLORS.soft),
  small: style(8, 11.5, COLORS.soft),
  page: style(7.5, 10, COLORS.soft),
} as const satisfies Record<string, TextStyle>;

export const PAPERS = ['a4', 'letter'] as const;
export type Paper = (typeof PAPERS)[number];

export const PAPER_SIZES: Readonly<Record<Paper, readonly [width: number, height: number]>> = {
  a4: [595.28, 841.89],
  letter: [612, 792],
};
