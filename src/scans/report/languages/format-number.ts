/** Formats numbers by the frozen forms of a language, so that every version of Node writes the same. */
import type { LocaleData } from './locale-data.ts';

/** Growth beyond it is put into words: 999 %. */
const MOST_GROWTH = 9.99;

/** Formats a number with that many decimals; `12.5` → `12,5`. */
export function formatDecimal(
  { decimal, group, minimumGroupingDigits }: LocaleData,
  value: number,
  decimals = 0,
): string {
  const [whole = '', fraction] = Math.abs(value).toFixed(decimals).split('.');
  const grouped =
    whole.length < 3 + minimumGroupingDigits ? whole : whole.replace(/\B(?=(?:\d{3})+$)/g, group);
  const sign = value < 0 ? '−' : '';
  return fraction === undefined ? `${sign}${grouped}` : `${sign}${grouped}${decimal}${fraction}`;
}

/** Formats a number for an axis: with at most two decimals, and none that is zero. */
export function formatTick(cldr: LocaleData, value: number): string {
  const decimals = [0, 1].find((count) => Number(value.toFixed(count)) === Number(value.toFixed(2))) ?? 2;
  return formatDecimal(cldr, value, decimals);
}

/** Formats an average with one decimal, or two if it, or one of `beside` in its table, would be zero otherwise. */
export function formatAverage(
  cldr: LocaleData,
  value: number,
  beside: readonly (number | null)[] = [value],
): string {
  const isSmall = beside.some((other) => other !== null && other > 0 && other < 0.1);
  return formatDecimal(cldr, value, isSmall ? 2 : 1);
}

/** Formats a fraction as a percentage with one decimal. */
export function formatShare(cldr: LocaleData, share: number): string {
  return inPercent(cldr, formatDecimal(cldr, share * 100, 1));
}

/** Formats growth as a percentage with its sign; undefined above 999 %. */
export function formatGrowth(cldr: LocaleData, growth: number): string | undefined {
  if (growth > MOST_GROWTH) return undefined;
  const digits = formatDecimal(cldr, Math.abs(growth) * 100, Math.abs(growth) >= 1 ? 0 : 1);
  return inPercent(cldr, `${/[1-9]/.test(digits) ? (growth > 0 ? '+' : '−') : '±'}${digits}`);
}

function inPercent({ percent }: LocaleData, number: string): string {
  return percent.replace('{0}', number);
}
