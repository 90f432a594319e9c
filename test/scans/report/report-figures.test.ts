import { expect, test } from 'vitest';
import { createLocalTime } from '#base/time/local-time';
import { reportFigures } from '#scans/report/report-figures';
import type { Span } from '#scans/stats/calendar';
import { type GroupBy, groupOf } from '#scans/stats/dimensions';
import type { Counted } from '#scans/stats/figure';
import { createTally } from '#scans/stats/tally';

const at = (text: string) => Date.parse(text);
const BERLIN = createLocalTime('Europe/Berlin');
const OCTOBER = { sinceMs: at('2026-09-30T22:00:00Z'), untilMs: at('2026-10-31T23:00:00Z') };
const CODES = [
  { id: 'A1', slug: 'menu', name: 'Menu', destination: 'https://www.cafe.example/menu/?key=secret#top' },
  { id: 'B2', slug: 'door', name: 'door', destination: 'sms:+49?body=https://cafe.example' },
  { id: 'C3', slug: 'late', name: 'Late', created_at: '2026-10-31T23:00:00Z' },
  {
    id: 'D4',
    slug: 'wall',
    name: 'Wall',
    destination: 'HTTP://shop.example/a/www.b/',
    created_at: '2026-10-31T22:59:59Z',
  },
];

/** Returns the figures of a scan of `menu` at the first time, and of a scan of `door` at each other time. */
function figuresAt(
  times: readonly string[],
  span: Span,
  groups: readonly GroupBy[] = [groupOf('code')],
  more: Partial<Counted> = {},
) {
  const current = createTally(groups, BERLIN.offsetMs);
  for (const [i, time] of times.entries())
    current.add(at(time), {}, i === 0 ? { id: 'a1', value: 'menu' } : { id: 'b2', value: 'door' });
  const names = new Map(CODES.map(({ id, slug, name }) => [id.toLowerCase(), { value: slug, name }]));
  const request = { span, compare: 'none' as const, groups, local: BERLIN };
  const counted = {
    current,
    span,
    data: {},
    codes: CODES,
    failures: [],
    names,
    codeGroups: new Map(),
    nowMs: at('2026-12-01T00:00:00Z'),
    ...more,
  };
  return reportFigures(request, counted, {
    ...BERLIN,
    current,
    span,
    names,
    codes: counted.codes?.map(({ id }) => id.toLowerCase()),
  });
}
const SCANS = ['2026-10-02T10:00:00Z', '2026-10-03T22:30:00Z'];

test('a report lists the codes without scans that were created before its range ended', () => {
  expect(figuresAt([], OCTOBER).silent).toEqual([
    { name: 'Menu', detail: 'menu' },
    { name: 'door' },
    { name: 'Wall', detail: 'wall' },
  ]);
  const { silent, codes } = figuresAt(SCANS, { sinceMs: OCTOBER.sinceMs });
  expect(silent.map(({ name }) => name)).toEqual(['Late', 'Wall']);
  expect(codes).toBe(4);
});

test('a table of codes shows the host and path of destinations, but no query, because it may be secret', () => {
  const [section, days] = figuresAt(SCANS, OCTOBER, [groupOf('code'), groupOf('day')]).sections;
  expect(section?.rows.map(({ value, destination }) => [value, destination])).toEqual([
    ['door', undefined],
    ['menu', 'cafe.example/menu'],
    ['wall', 'shop.example/a/www.b'],
  ]);
  expect(days?.rows.some((row) => 'destination' in row)).toBe(false);
});

test('a report has hours by weekday only if it is grouped by both hour and weekday', () => {
  const hoursOf = (...by: Parameters<typeof groupOf>[0][]) =>
    figuresAt(SCANS, OCTOBER, by.map(groupOf)).hours;
  expect(hoursOf('hour', 'weekday')?.length).toBe(7);
  const columns = [groupOf('hour'), { kind: 'column', by: 'weekday' } as const];
  expect(figuresAt(SCANS, OCTOBER, columns).hours).toBeUndefined();
  expect([hoursOf('hour'), hoursOf('weekday'), hoursOf('day')]).toEqual([undefined, undefined, undefined]);
});

test.each<[string, Span, string | undefined, string | undefined, string[]]>([
  ['both bounds', OCTOBER, '2026-09-30T22:00:00.000Z', '2026-10-31T23:00:00.000Z', SCANS],
  ['no bounds', {}, '2026-10-01T22:00:00.000Z', '2026-10-04T22:00:00.000Z', SCANS],
  [
    'a beginning within a day',
    { sinceMs: at('2026-10-01T12:00:00Z') },
    '2026-10-01T12:00:00.000Z',
    '2026-10-03T22:30:00.001Z',
    SCANS,
  ],
  ['no end and no scans', { sinceMs: OCTOBER.sinceMs }, undefined, undefined, []],
  ['no bounds and no scans', {}, undefined, undefined, []],
  ['no beginning and no scans', { untilMs: OCTOBER.untilMs }, undefined, undefined, []],
])(
  'a report of a range with %s takes open bounds from its scans, if any, in whole days unless it begins within a day',
  (_, span, since, until, times) => {
    const { range } = figuresAt(times, span);
    const text = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString());
    expect([text(range?.sinceMs), text(range?.untilMs)]).toEqual([since, until]);
  },
);

test('a report of files has no codes, and omits a section by code with a single row', () => {
  const { sections, silent, codes, before, crosses } = figuresAt(
    SCANS.slice(0, 1),
    OCTOBER,
    [groupOf('code'), groupOf('device')],
    { codes: undefined },
  );
  expect(sections.map(({ by }) => by)).toEqual(['device']);
  expect({ silent, codes, before, crosses }).toEqual({
    silent: [],
    codes: undefined,
    before: undefined,
    crosses: [],
  });
});

test('a report marks the previous period as not covered if the data does not cover it', () => {
  const before = {
    tally: createTally([], BERLIN.offsetMs),
    span: { sinceMs: at('2026-08-31T22:00:00Z'), untilMs: OCTOBER.sinceMs },
    isCovered: false,
  };
  expect(figuresAt(SCANS, OCTOBER, [], { before }).before).toEqual({ ...before.span, isCovered: false });
});

test('days of a report that are not over, and its last day if its range has no end, are partial', () => {
  const daysOf = (span: Span) => figuresAt(SCANS, span, [groupOf('day')]).sections[0]?.rows;
  const partsOf = (span: Span) => daysOf(span)?.flatMap(({ value, isPart }) => (isPart ? [value] : []));
  expect(partsOf({ sinceMs: OCTOBER.sinceMs })).toEqual(['2026-10-04']);
  expect(partsOf(OCTOBER)).toEqual([]);
  expect(partsOf({ ...OCTOBER, untilMs: at('2026-12-31T23:00:00Z') })?.slice(0, 2)).toEqual([
    '2026-12-01',
    '2026-12-02',
  ]);
});
