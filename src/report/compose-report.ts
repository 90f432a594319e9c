/** Composes the report from figures: the only place that chooses its words, formats its numbers and orders its parts. Pure. */
import type { Dimension } from '../stats/dimensions.ts';
import { changeOf, type Section } from '../stats/figures.ts';
import { countOf, formatCount } from '../text/quote.ts';
import { composeCard } from './compose-card.ts';
import { formatChange, formatShare, toneOf } from './compose-tables.ts';
import type { Card, ReportDocument, Tile } from './document.ts';

export interface ReportFigures {
  title: string;
  /** The range and zone in words. */
  range: string;
  /** Sentences about the part of the range that the data doesn't cover; none if it covers all. */
  coverage: readonly string[];
  /** Range of the comparison, in words; undefined without a comparison. */
  comparedWith: string | undefined;
  total: number;
  previous: number | undefined;
  sections: readonly Section[];
  /** Names of the codes without scans. */
  silent: readonly string[];
  /** Number of codes; undefined if the files don't contain it. */
  codes: number | undefined;
}

/** Composes the document; the same figures give the same document. */
export function composeReport(figures: ReportFigures): ReportDocument {
  const { title, range, coverage, comparedWith } = figures;
  return {
    language: 'en',
    direction: 'ltr',
    kicker: 'Scan report',
    ...{ title, range, coverage },
    note: [],
    logo: undefined,
    comparedWith: comparedWith && `Compared with ${comparedWith}`,
    summaryLabel: 'Summary',
    tiles: tilesOf(figures),
    cards: [...cardsOf(figures), ...silentCodes(figures)],
    footer: footerOf(figures),
    formatNumber: formatCount,
    pageOf: (page, pages) => `Page ${page} of ${pages}`,
  };
}

function cardsOf({ total, previous, sections, codes }: ReportFigures): Card[] {
  if (total > 0) return sections.map((section) => composeCard(section, { isCompared: previous !== undefined }));
  const source = codes === undefined ? 'in the input files' : `for ${countOf(codes, 'code')}`;
  return [{ id: 'none', title: 'Scans', isWide: true, tables: [], notes: [`No scans in this period ${source}.`] }];
}

function silentCodes({ silent }: ReportFigures): Card[] {
  if (silent.length === 0) return [];
  const names = silent.map((name) => ({ name }));
  return [{ id: 'silent', title: 'Codes without scans', isWide: true, tables: [], notes: [], names }];
}

function tilesOf({ total, previous, sections, codes }: ReportFigures): Tile[] {
  const of = (by: Dimension) => sections.find((section) => section.by === by);
  const change = previous === undefined ? null : changeOf(total, previous);
  const days = of('day');
  const busiest = days && [...days.rows].sort((a, b) => b.scans - a.scans)[0];
  const country = of('country')?.rows.find(({ value, isRest }) => value !== null && !isRest);
  const mobile = of('device')?.rows.find(({ value }) => value === 'mobile');
  const tiles: Tile[] = [
    {
      label: 'Scans',
      value: formatCount(total),
      detail:
        previous === undefined ? `${codes === undefined ? '' : countOf(codes, 'code')}` : `${formatCount(previous)} previously`,
      ...(change !== null && { change: { text: formatChange(change), tone: toneOf(change) } }),
    },
  ];
  if (busiest && busiest.scans > 0) {
    tiles.push({ label: 'Busiest day', value: formatCount(busiest.scans), detail: busiest.value ?? '' });
  }
  if (country && country.share !== null) {
    tiles.push({ label: 'Top country', value: country.value ?? '', detail: `${formatShare(country.share)} of scans` });
  }
  if (mobile && mobile.share !== null) {
    tiles.push({ label: 'On phones', value: formatShare(mobile.share), detail: countOf(mobile.scans, 'scan') });
  }
  return tiles;
}

function footerOf({ range, codes }: ReportFigures): string[] {
  const source = codes === undefined ? 'exported files' : countOf(codes, 'code');
  return [
    'Scans, not people. A visitor who scans a code twice counts twice. Percentages of fewer than 30 scans are omitted.',
    `Source: ${source}, ${range}. Every scan in this range is counted exactly once.`,
  ];
}
