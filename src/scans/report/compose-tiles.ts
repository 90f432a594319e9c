import type { Figure, Section, Total } from '#scans/stats/figures';
import type { Tile, Tone } from './document.ts';
import { fill, type Locale } from './languages/load-language.ts';
import { rowName, shorten, unitName } from './row-names.ts';

const LONGEST_VALUE = 40;

interface TileFigures {
  total: Total;
  sections: readonly Section[];
  codes?: number;
  rangeBefore?: string;
}

export function composeStory({ total, sections, rangeBefore }: TileFigures, locale: Locale): string {
  if (total.scans === 0) return '';
  const { story, sentence } = locale.words;
  const { change } = total;
  const [day, code] = [sectionOf(sections, 'day'), sectionOf(sections, 'code')];
  const [busiest, top] = [busiestOf(day), topOf(code)];
  const clauses = [locale.scans(total.scans)];
  if (change !== null && rangeBefore !== undefined) {
    const clause = total.comparesAverages ? story.perDay : story.change;
    clauses.push(fill(clause, { change: locale.change(change), range: rangeBefore }));
  }
  if (day && busiest) clauses.push(fill(story.busiest, { day: unitName(busiest, day, locale) }));
  if (code && top?.share)
    clauses.push(fill(story.top, { code: rowName(top, code, locale).name, share: locale.share(top.share) }));
  return fill(sentence, { words: clauses.join(story.gap) });
}

function sectionOf(sections: readonly Section[], by: string): Section | undefined {
  return sections.find((section) => section.kind !== 'column' && section.by === by);
}

export function composeTiles(figures: TileFigures, locale: Locale): Tile[] {
  const { total, sections } = figures;
  if (total.scans === 0) return [scansTile(figures, locale)];
  const of = (by: string) => sectionOf(sections, by);
  const { topCode, topCountry } = locale.words.tiles;
  const tiles = [
    scansTile(figures, locale),
    perDayTile(figures, locale),
    busiestDay(of('day'), locale),
    topValue(of('code'), topCode, locale),
    topValue(of('country'), topCountry, locale),
    onPhones(of('device'), locale),
  ];
  return tiles.filter((tile) => tile !== undefined);
}

function scansTile(figures: TileFigures, locale: Locale): Tile {
  const { total, codes } = figures;
  const { words, number } = locale;
  const counted = codes === undefined ? '' : locale.codes(codes);
  return {
    label: words.tiles.scans,
    value: number(total.scans),
    detail: previousDetail(total.previous, number, figures, locale) ?? counted,
    ...(!total.comparesAverages && changeOf(total, locale)),
  };
}

function perDayTile(figures: TileFigures, locale: Locale): Tile | undefined {
  const { total } = figures;
  const { words, average } = locale;
  if (total.perDay === null || total.perDay === total.scans) return undefined;
  return {
    label: words.tiles.perDay,
    value: average(total.perDay),
    detail: previousDetail(total.previousPerDay, average, figures, locale) ?? '',
    ...(total.comparesAverages && changeOf(total, locale)),
  };
}

function previousDetail(
  previous: number | null,
  format: (value: number) => string,
  { total, rangeBefore }: TileFigures,
  { words }: Locale,
): string | undefined {
  if (rangeBefore === undefined || previous === null) return undefined;
  const value = `${format(previous)}${total.isBeforeData ? '\u00a0†' : ''}`;
  return fill(words.pair, { name: rangeBefore, value });
}

function changeOf({ change }: Total, locale: Locale): Pick<Tile, 'change'> {
  return change === null ? {} : { change: { text: locale.change(change), tone: toneOf(change) } };
}

function busiestDay(section: Section | undefined, locale: Locale): Tile | undefined {
  const most = busiestOf(section);
  if (!section || !most) return undefined;
  const { name: detail } = rowName(most, section, locale);
  return { label: locale.words.tiles.busiestDay, value: locale.number(most.scans), detail };
}

function busiestOf(section: Section | undefined): Figure | undefined {
  const rows = section?.rows ?? [];
  return rows.length > 1 ? [...rows].sort((a, b) => b.scans - a.scans)[0] : undefined;
}

function topOf(section: Section | undefined): Figure | undefined {
  return section?.rows.find(({ value, isRest }) => value !== null && !isRest);
}

function topValue(section: Section | undefined, label: string, locale: Locale): Tile | undefined {
  const top = topOf(section);
  if (!section || !top?.share) return undefined;
  const value = shorten(rowName(top, section, locale).name, LONGEST_VALUE);
  return { label, value, detail: fill(locale.words.ofScans, { share: locale.share(top.share) }) };
}

function onPhones(section: Section | undefined, { words, scans, share }: Locale): Tile | undefined {
  const phones = section?.rows.find(({ value }) => value === 'mobile');
  if (!phones || phones.share === null) return undefined;
  return { label: words.tiles.onPhones, value: share(phones.share), detail: scans(phones.scans) };
}

export function toneOf(growth: number): Tone {
  if (Math.abs(growth) < 0.0005) return 'even';
  return growth > 0 ? 'up' : 'down';
}
