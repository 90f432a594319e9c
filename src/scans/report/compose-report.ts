import { capitalize } from '#base/text/quote';
import type { ClosedSpan } from '#scans/stats/calendar';
import type { Coverage } from '#scans/stats/coverage';
import type { Cross } from '#scans/stats/cross';
import type { HourOfWeekday, Section, Total } from '#scans/stats/figures';
import type { Filter } from '#scans/stats/filters';
import { composeCard } from './compose-card.ts';
import { crossTable, hoursTable } from './compose-tables.ts';
import { composeStory, composeTiles } from './compose-tiles.ts';
import { type Card, inRows, type Name, type ReportDocument, type ReportLogo } from './document.ts';
import { fill, type Locale } from './languages/load-language.ts';
import { filterText, formatRange, localDate, shorten } from './row-names.ts';

export interface ReportFigures {
  title?: string;
  note?: string;
  logo?: Omit<ReportLogo, 'alt'>;
  footer?: string;
  accent?: string;
  zone: string;
  filters: readonly Filter[];
  range?: ClosedSpan;
  before?: ClosedSpan & { isCovered: boolean };
  coverage?: Coverage;
  total: Total;
  sections: readonly Section[];
  crosses?: readonly Cross[];
  hours?: readonly (readonly HourOfWeekday[])[];
  silent: readonly Name[];
  codes?: number;
}

export function composeReport(figures: ReportFigures, locale: Locale): ReportDocument {
  const { note, logo, before, total } = figures;
  const { words, language, direction } = locale;
  const range = capitalize(figures.range ? formatRange(figures.range, figures.zone, locale) : words.noScans);
  const rangeBefore = before && formatRange(before, figures.zone, locale);
  return {
    language,
    direction,
    range,
    kicker: words.kicker,
    title: figures.title ?? words.title,
    accent: figures.accent,
    story: composeStory({ ...figures, rangeBefore }, locale),
    note: paragraphsOf(note),
    logo: logo && { ...logo, alt: words.logo },
    coverage: [...onlyOf(figures, locale), ...coverageOf(figures, locale)],
    comparedWith: rangeBefore && comparisonOf(rangeBefore, figures, locale),
    summaryLabel: words.summary,
    tiles: composeTiles({ ...figures, rangeBefore: rangeBefore && capitalize(rangeBefore) }, locale),
    cards:
      total.scans > 0
        ? cardsOf(figures, { range, rangeBefore }, locale)
        : [wideCard('none', words.tiles.scans, { notes: [words.noScans] }), ...silentCodes(figures, locale)],
    footer: footerOf(figures, locale),
    formatNumber: locale.tick,
    pageOf: (page, pages) => fill(words.pageOf, { page: locale.number(page), pages: locale.number(pages) }),
  };
}

function paragraphsOf(note = ''): string[] {
  return note
    .split(/(?:\r?\n[^\S\n]*){2,}/)
    .map((paragraph) => paragraph.replace(/\s+/g, ' ').trim())
    .filter((paragraph) => paragraph !== '');
}

function onlyOf({ filters }: ReportFigures, locale: Locale): string[] {
  if (filters.length === 0) return [];
  const texts = filters.map((filter) => filterText(filter, locale));
  return [fill(locale.words.only, { filters: texts.join(' · ') })];
}

function coverageOf({ coverage, range, before, zone }: ReportFigures, { words, date }: Locale): string[] {
  const describe = (ms: number | undefined, endMs: number | undefined, sentence: string): string[] => {
    if (ms === undefined) return [];
    const time = localDate(ms, zone);
    const day = date('date', time);
    if (endMs !== undefined && day === date('date', localDate(endMs, zone))) return [];
    return [fill(sentence, { date: day, time: date('time', time) })];
  };
  return [
    ...describe(coverage?.startsLateMs, before?.sinceMs ?? range?.sinceMs, words.dataBegins),
    ...describe(coverage?.endsEarlyMs, range && range.untilMs - 1, words.dataEnds),
  ];
}

function comparisonOf(
  rangeBefore: string,
  { before, total }: ReportFigures,
  { words, joinSentences }: Locale,
): string {
  const sentence = fill(words.comparedWith, { range: rangeBefore });
  if (before?.isCovered === false) return joinSentences([sentence, `† ${words.notCovered}`]);
  return total.comparesAverages ? joinSentences([sentence, words.averagesCompared]) : sentence;
}

function cardsOf(
  figures: ReportFigures,
  { range, rangeBefore }: { range: string; rangeBefore?: string },
  locale: Locale,
): Card[] {
  const legend = rangeBefore === undefined ? undefined : { now: range, before: capitalize(rangeBefore) };
  const { sections, crosses = [], hours, before, total, zone } = figures;
  const beforeData = before?.isCovered === false;
  const isNoted = { averages: total.comparesAverages || beforeData, beforeData };
  const weekdayBefore = before && localDate(before.sinceMs, zone).weekday;
  const options = { legend, weekdayBefore, isNoted };
  const cards = sections.map((section, at) => {
    const id = section.kind === 'column' ? `by-column-${at + 1}` : `by-${section.by}`;
    return composeCard(section, { id, ...options }, locale);
  });
  const after = sections.findLastIndex(({ by }) => by === 'weekday' || by === 'hour') + 1 || cards.length;
  const { words } = locale;
  const ofHours = hours && { tables: [hoursTable(hours, locale)], notes: [words.notes.averageCells] };
  const rows = inRows([
    ...cards.slice(0, after),
    ...(ofHours ? [wideCard('hours', words.cards.hours, ofHours)] : []),
    ...cards.slice(after),
    ...crosses.map((cross, at) => {
      const table = crossTable(cross, locale);
      return wideCard(`cross-${at + 1}`, table.caption, { tables: [table] });
    }),
    ...silentCodes(figures, locale),
  ]);
  return rows.flatMap((row) => (row.length > 1 ? row : row.map((card) => ({ ...card, isWide: true }))));
}

function wideCard(id: string, title: string, content: Partial<Card>): Card {
  return { id, title, isWide: true, tables: [], notes: [], ...content };
}

function silentCodes({ silent }: ReportFigures, { words }: Locale): Card[] {
  if (silent.length === 0) return [];
  const names = silent.map(({ name, detail }) => ({
    name: shorten(name),
    detail: detail && shorten(detail),
  }));
  return [wideCard('silent', words.cards.silent, { names })];
}

function footerOf(
  { codes, zone, footer }: ReportFigures,
  { words, codes: countCodes, joinSentences }: Locale,
): string[] {
  const { notPeople, fewScans, source, files, onceEach } = words.footer;
  return [
    ...paragraphsOf(footer),
    joinSentences([notPeople, fewScans]),
    fill(words.footer.zone, { zone }),
    joinSentences([
      fill(words.sentence, {
        words: fill(words.pair, { name: source, value: codes === undefined ? files : countCodes(codes) }),
      }),
      onceEach,
    ]),
  ];
}
