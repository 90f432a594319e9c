import type { Section, Total } from '../stats/figures.ts';
import type { Tile, Tone } from './document.ts';
import { fill } from './languages/language-data.ts';
import type { Locale } from './languages/load-language.ts';
import { rowName, shorten } from './row-names.ts';

const LONGEST_VALUE = 40;

interface TileFigures {
  total: Total;
  sections: readonly Section[];
  codes: number | undefined;
  /** Range of the comparison, in words. */
  rangeBefore: string | undefined;
}

/** Composes the tiles, the total first; those without a figure are omitted. */
export function composeTiles(figures: TileFigures, locale: Locale): Tile[] {
  const { total, sections } = figures;
  if (total.scans === 0) return [scansTile(figures, locale)];
  const of = (by: string) => sections.find((section) => section.kind !== 'column' && section.by === by);
  return [
    scansTile(figures, locale),
    ...perDayTile(figures, locale),
    ...busiestDay(of('day'), locale),
    ...topValue(of('code'), locale.words.tiles.topCode, locale),
    ...topValue(of('country'), locale.words.tiles.topCountry, locale),
    ...onPhones(of('device'), locale),
  ];
}

function scansTile(
  { total, codes, rangeBefore }: TileFigures,
  { words, number, codes: countCodes, change }: Locale,
): Tile {
  const { scans, previous, comparesAverages } = total;
  const source = codes === undefined ? '' : countCodes(codes);
  return {
    label: words.tiles.scans,
    value: number(scans),
    detail:
      rangeBefore === undefined || previous === null
        ? source
        : fill(words.pair, { name: rangeBefore, value: withMark(number(previous), total) }),
    ...(total.change !== null &&
      !comparesAverages && { change: { text: change(total.change), tone: toneOf(total.change) } }),
  };
}

/** The sentence on the comparison has the same mark. */
function withMark(number: string, { isBeforeData }: Total): string {
  return isBeforeData ? `${number}\u00a0†` : number;
}

function perDayTile({ total, rangeBefore }: TileFigures, { words, average, change }: Locale): Tile[] {
  const { perDay, previousPerDay, comparesAverages } = total;
  if (perDay === null || perDay === total.scans) return [];
  return [
    {
      label: words.tiles.perDay,
      value: average(perDay),
      detail:
        rangeBefore === undefined || previousPerDay === null
          ? ''
          : fill(words.pair, { name: rangeBefore, value: withMark(average(previousPerDay), total) }),
      ...(total.change !== null &&
        comparesAverages && { change: { text: change(total.change), tone: toneOf(total.change) } }),
    },
  ];
}

function busiestDay(section: Section | undefined, locale: Locale): Tile[] {
  const [most] = [...(section?.rows ?? [])].sort((a, b) => b.scans - a.scans);
  if (!section || !most || most.scans === 0 || section.rows.length < 2) return [];
  return [
    {
      label: locale.words.tiles.busiestDay,
      value: locale.number(most.scans),
      detail: rowName(most, section, locale).name,
    },
  ];
}

function topValue(section: Section | undefined, label: string, locale: Locale): Tile[] {
  const top = section?.rows.find(({ value, isRest }) => value !== null && !isRest);
  if (!section || !top || top.share === null || top.scans === 0) return [];
  const value = shorten(rowName(top, section, locale).name, LONGEST_VALUE);
  return [{ label, value, detail: fill(locale.words.ofScans, { share: locale.share(top.share) }) }];
}

function onPhones(section: Section | undefined, { words, scans, share }: Locale): Tile[] {
  const phones = section?.rows.find(({ value }) => value === 'mobile');
  if (!phones || phones.share === null) return [];
  return [{ label: words.tiles.onPhones, value: share(phones.share), detail: scans(phones.scans) }];
}

/** Returns the tone of a growth, even if it is shown as zero. */
export function toneOf(growth: number | null): Tone {
  if (growth === null || Math.abs(growth) < 0.0005) return 'even';
  return growth > 0 ? 'up' : 'down';
}
