/** Figures for tests of a report: a small one, each part of which can be replaced. */
import type { ReportFigures } from '#scans/report/compose-report';
import type { Figure, Section } from '#scans/stats/figures';

const BERLIN = 'Europe/Berlin';
/** October 2026 in Berlin, 31 days and an hour. */
export const OCTOBER = { sinceMs: Date.UTC(2026, 8, 30, 22), untilMs: Date.UTC(2026, 9, 31, 23) };
/** September 2026 in Berlin. */
export const SEPTEMBER = { sinceMs: Date.UTC(2026, 7, 31, 22), untilMs: Date.UTC(2026, 8, 30, 22) };

/** A row; what is not given is empty. */
export function figureOf(by: string, row: Partial<Figure>): Figure {
  const none = {
    scans: 0,
    perDay: null,
    previous: null,
    previousPerDay: null,
    change: null,
    share: null,
    name: null,
  };
  return { by, value: null, ...none, ...row };
}

/** A section of these rows. */
export function sectionOf(
  group: Pick<Section, 'kind' | 'by'>,
  rows: readonly Partial<Figure>[],
  more: Partial<Section> = {},
): Section {
  const section = {
    ...group,
    rows: rows.map((row) => figureOf(group.by, row)),
    comparesAverages: false,
    isApproximate: false,
  };
  return { ...section, ...more } as Section;
}

/** Figures of October without a comparison. */
export function figuresOf(given: Partial<ReportFigures> = {}): ReportFigures {
  return {
    title: undefined,
    note: undefined,
    logo: undefined,
    hours: undefined,
    before: undefined,
    coverage: undefined,
    zone: BERLIN,
    filters: [],
    range: OCTOBER,
    total: { ...figureOf('', { scans: 12_345, perDay: 398.226 }), comparesAverages: false },
    sections: [],
    silent: [],
    codes: 3,
    ...given,
  };
}
