/** A report for tests of its PDF; each part can be replaced. */
import type { Card, FigureTable, ReportDocument, ShadeTable } from '#scans/report/document';

/** A table of these values. */
export function tableOf(
  caption: string,
  values: readonly string[],
  given: Partial<FigureTable> = {},
): FigureTable {
  const rows = values.map((name, at) => ({
    name,
    isDim: false,
    bar: 1 / (at + 1),
    cells: [
      { text: `${1000 - at}`, isStrong: true },
      { text: `${(at + 1) / 10}%`, detail: '0.5 per day' },
    ],
  }));
  return {
    kind: 'figures',
    caption,
    head: [{ text: caption }, { text: 'Scans' }, { text: 'Share', detail: 'per day' }],
    rows,
    ...given,
  };
}

export function cardOf(title: string, given: Partial<Card> = {}): Card {
  return { id: `card-${title}`, title, isWide: true, tables: [], notes: [], ...given };
}

/** Days by week, from Thursday, October 1. */
function calendarOf(days: number): ShadeTable {
  const cells = [
    undefined,
    undefined,
    undefined,
    ...Array.from({ length: days }, (_, at) => ({ text: `${at + 100}`, shade: 3 as const })),
  ];
  const rows = Array.from({ length: Math.ceil(cells.length / 7) }, (_, week) => {
    const own = Array.from({ length: 7 }, (_, day) => cells[week * 7 + day]);
    return { name: `Week ${week + 1}`, cells: own };
  });
  return {
    kind: 'shades',
    id: 'calendar',
    caption: 'By week',
    head: ['Week of', 'Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa', 'Su'],
    rows,
  };
}

/** A report with each kind of card. */
export function reportOf(given: Partial<ReportDocument> = {}): ReportDocument {
  const columns = Array.from({ length: 31 }, (_, at) => ({
    label: `Oct ${at + 1}`,
    value: 100 + at,
    previous: 90,
    isPart: at === 30,
  }));
  const hours = Array.from({ length: 8 }, (_, at) => `${at}:00`);
  return {
    language: 'en',
    direction: 'ltr',
    kicker: 'Scan report',
    title: 'Spring campaign',
    story: '12,345 scans; +23.5% compared with September 2026.',
    accent: undefined,
    note: ['Dear client,', 'thank you.'],
    logo: undefined,
    range: 'October 2026',
    coverage: ['The data begins on October 2.'],
    comparedWith: 'Compared with September 2026.',
    summaryLabel: 'Summary',
    tiles: [
      {
        label: 'Scans',
        value: '12,345',
        detail: 'September: 10,000',
        change: { text: '+23.5%', tone: 'up' },
      },
      { label: 'Top country', value: 'Bosnia and Herzegovina', detail: '45.0% of scans' },
    ],
    cards: [
      cardOf('Scans by day', {
        chart: { label: 'Scans by day: peak on October 31', columns },
        legend: { now: 'October 2026', before: 'September 2026' },
        tables: [calendarOf(31)],
        notes: ['* Partial day.'],
      }),
      cardOf('Countries', { isWide: false, tables: [tableOf('Country', ['Germany', 'France'])] }),
      cardOf('Devices', { isWide: false, tables: [tableOf('Device', ['Phone', 'Tablet', 'Computer'])] }),
      cardOf('Time of day', {
        chart: { label: 'Time of day', columns: columns.slice(0, 8) },
        tables: [tableOf('Hour', hours)],
      }),
      cardOf('Codes without scans', {
        names: [{ name: 'Poster', detail: 'abc' }, { name: 'Flyer' }, { name: 'Menu' }, { name: 'Door' }],
      }),
    ],
    footer: ['Scans are not people.', 'Source: 3 codes.'],
    formatNumber: (value) => `${value}`,
    pageOf: (page, pages) => `Page ${page} of ${pages}`,
    ...given,
  };
}
