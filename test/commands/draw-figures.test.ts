/** Figures as they are drawn on a terminal of any width. */
import { describe, expect, it, test } from 'vitest';
import { displayWidth } from '#base/text/display-width';
import { type Drawing, drawFigures } from '#commands/scans/draw-figures';
import { SIGNS } from '#commands/scans/draw-table';
import type { Figure, Section, Total } from '#scans/stats/figures';
import { type Colors, NO_COLORS } from '#terminal/color';

const ROW: Figure = {
  by: 'country',
  value: 'DE',
  scans: 50,
  share: 0.5,
  previous: null,
  change: null,
  name: null,
  perDay: 2,
  previousPerDay: null,
};
const TOTAL: Total = {
  scans: 100,
  perDay: 4,
  previous: null,
  previousPerDay: null,
  change: null,
  comparesAverages: false,
};
const RANGE = 'from 2026-10-01 00:00 to 2026-11-01 00:00 (Europe/Berlin)';

function section(rows: readonly Partial<Figure>[], more: Partial<Section> = {}): Section {
  const group = {
    kind: 'value',
    by: 'country',
    comparesAverages: false,
    isApproximate: false,
    ...more,
  } as Section;
  return { ...group, rows: rows.map((row) => ({ ...ROW, by: group.by, ...row })) };
}

function draw(
  sections: readonly Section[],
  width: number,
  more: Partial<Drawing> & { style?: keyof typeof SIGNS; colors?: Colors } = {},
) {
  const { style = 'blocks', colors = NO_COLORS, ...image } = more;
  const given = {
    sections,
    total: TOTAL,
    isCompared: false,
    range: RANGE,
    previousRange: '',
    file: undefined,
    only: '',
    ...image,
  };
  return drawFigures(given, { width, signs: SIGNS[style], colors });
}

const bars = (text: string) => text.split('\n').map((line) => (line.match(/[█▌]+/)?.[0] ?? '').length);

const CODES = section(
  [
    {
      value: 'spring-menu',
      name: 'Spring menu Berlin',
      scans: 12_345,
      previous: 1000,
      change: 11.345,
      previousPerDay: 33.3,
      perDay: 398,
    },
    {
      value: 'mhxwdc',
      name: '東京ポップアップストア 春',
      scans: 1200,
      previous: 1000,
      change: 0.2,
      previousPerDay: 33.3,
      perDay: 38.7,
    },
    {
      value: 'young',
      name: null,
      scans: 40,
      previous: 31,
      change: null,
      previousPerDay: 1,
      perDay: 1.3,
      isBeforeData: true,
    },
  ],
  { kind: 'code', by: 'code', comparesAverages: true } as Partial<Section>,
);
const COMPARED = {
  isCompared: true,
  total: {
    scans: 13_585,
    perDay: 438.2,
    previous: 2031,
    previousPerDay: 67.7,
    change: 5.473,
    comparesAverages: true,
  },
};

describe('the lines below the tables', () => {
  it.each([24, 40, 60, 80])('are wrapped between words to fit %i columns, and never truncated', (width) => {
    const text = draw([section([{}])], width);
    const words = text.replace(/\s+/g, ' ');
    expect(words).toContain(`100 scans ${RANGE} Scans, not people: repeated scans are counted again.`);
    expect(text).not.toContain('…');
    for (const line of text.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(width);
  });

  it('compare total numbers of scans, or averages per day if the periods differ in length', () => {
    const total = { ...TOTAL, previous: 80, previousPerDay: 4, change: 0.25 };
    expect(draw([], 100, { total, isCompared: true })).toContain(
      '\nPrevious period: 80 scans (+25.0%)\nScans, not',
    );
    const averages = draw([], 100, COMPARED);
    expect(averages).toContain(
      '\nPrevious period: 2,031 scans\nAverage per day: 438, previously 67.7 (+547.3%)\n' +
        'The periods differ in length, so changes compare averages per day.\n',
    );
    expect(draw([], 100, { total: { ...total, change: null } })).toContain('\nPrevious period: 80 scans\n');
    expect(draw([], 100, { total, previousRange: 'from A to B' })).toContain(
      '\nPrevious period: 80 scans from A to B (+25.0%)\n',
    );
  });

  it('explain each mark that the tables contain, and no other mark', () => {
    const explanation = '† the previous period begins before the data, so no change is shown';
    expect(draw([CODES], 100, COMPARED)).toContain(explanation);
    expect(draw([], 100, { total: { ...TOTAL, isBeforeData: true } })).toContain(explanation);
    expect(draw([section([{}])], 100, COMPARED)).not.toContain('†');
    expect(draw([section([{ isPart: true }])], 100)).toContain('* incomplete: ');
    expect(draw([section([{}])], 100)).not.toContain('* incomplete: ');
  });
});

describe('a bar', () => {
  it('is not drawn for the row (other), and the scans in that row do not affect the length of other bars', () => {
    const rows = [
      { scans: 40 },
      { value: 'FR', scans: 20 },
      { value: 'other', scans: 4000, isRest: true as const },
    ];
    expect(bars(draw([section(rows)], 80))).toEqual([0, 0, 40, 20, 0, 0, 0, 0, 0]);
  });

  it('represents the average per day in a table by weekday, and the scans in other tables', () => {
    const rows = [
      { value: 'Monday', scans: 50, perDay: 10 },
      { value: 'Tuesday', scans: 40, perDay: 10 },
      { value: 'Wednesday', scans: 0, perDay: null },
    ];
    const weekdays = section(rows, {
      kind: 'time',
      by: 'weekday',
      comparesAverages: true,
    } as Partial<Section>);
    const text = draw([weekdays], 80);
    expect(bars(text).slice(2, 5)).toEqual([40, 40, 0]);
    expect(text).toMatch(/^weekday {2}██▁\n/);
    expect(text).toMatch(/per day\n.*10\.0\n.*10\.0\n.*–\n/);
    expect(bars(draw([section(rows)], 80)).slice(2, 5)).toEqual([40, 32, 0]);
  });

  it('is at least one column wide for a row with scans, and absent for a row without', () => {
    const rows = [{ scans: 100_000 }, { scans: 1 }, { scans: 0 }];
    expect(bars(draw([section(rows)], 80)).slice(2, 5)).toEqual([40, 1, 0]);
    expect(bars(draw([section([{ scans: 0 }])], 80)).slice(2, 3)).toEqual([0]);
    const ascii = draw([section(rows)], 80, { style: 'ascii' });
    expect(ascii.match(/#+/g)?.map((bar) => bar.length)).toEqual([40, 1]);
  });
});

describe('a drawing with the style `words`', () => {
  it('has no bars, sparklines or special characters', () => {
    const days: Partial<Figure>[] = [
      { value: '2026-10-30', scans: 5, isPart: true },
      { value: '2026-10-31', scans: 10 },
      { value: '2026-11-01' },
    ];
    const text = draw([section(days, { kind: 'time', by: 'day' } as Partial<Section>), CODES], 100, {
      ...COMPARED,
      style: 'words',
    });
    expect(text).toMatch(/^day\n/);
    expect(text).toMatch(/\n2026-10-30 incomplete +5 /);
    expect(text).toMatch(/\nyoung .* 1\.0 from before the data .* none\n/);
    expect(text).toContain('\nincomplete: partly outside the range, or not over yet\n');
    expect(text).toContain('\nthe previous period begins before the data, so no change is shown\n');
    expect(text).not.toMatch(/[^\p{L}\p{N}\s.,:%+()/-]|[-+*] /u);
  });
});

describe('a table', () => {
  it('has the name of each code next to its slug', () => {
    const text = draw([CODES], 120, COMPARED);
    expect(text).toMatch(/\n {2,}scans .*share {2}per day {2}before {2}before\/day {2,}change\n/);
    expect(text).toMatch(
      /\nspring-menu {2}Spring menu Berlin {2,}12,345 .*398 {3}1,000 {8}33\.3 {2}more than tenfold\n/,
    );
    expect(text).toMatch(/\nmhxwdc {7}東京ポップアップストア 春/);
    expect(text).toMatch(/\nyoung .* 31 † .*1\.0 † {2,}–\n/);
  });

  it.each([30, 40, 60, 70, 80, 100, 120, 200])(
    'fits into %i columns, and always shows the number of scans',
    (width) => {
      for (const text of (['blocks', 'ascii', 'words'] as const).map((style) =>
        draw([CODES], width, { ...COMPARED, style }),
      )) {
        for (const line of text.split('\n')) expect(displayWidth(line), line).toBeLessThanOrEqual(width);
        expect(text).toContain('12,345');
      }
    },
  );

  it('omits columns in narrow terminals in this order: share, previous figures, average per day, change', () => {
    const heads = (width: number) => draw([CODES], width, COMPARED).split('\n')[1]?.trim().split(/ {2,}/);
    expect(heads(90)).toEqual(['scans', 'share', 'per day', 'before', 'before/day', 'change']);
    expect(heads(76)).toEqual(['scans', 'per day', 'before', 'before/day', 'change']);
    expect(heads(66)).toEqual(['scans', 'per day', 'before/day', 'change']);
    expect(heads(56)).toEqual(['scans', 'per day', 'change']);
    expect(heads(46)).toEqual(['scans', 'change']);
    expect(heads(36)).toEqual(['scans']);
  });

  it('labels a row that has no value with the reason', () => {
    const none = (more: Partial<Section>, row: Partial<Figure> = {}) =>
      draw(
        [section([{ value: null, ...row }], { kind: 'column', by: 'region', ...more } as Partial<Section>)],
        80,
        {
          file: '/home/me/codes.csv',
        },
      )
        .split('\n')[2]
        ?.split(/ {2,}/)[0];
    expect(none({})).toBe('(none)');
    expect(none({ noneIs: 'empty' })).toBe('(none)');
    expect(none({ noneIs: 'unlisted' })).toBe('(not in codes.csv)');
    expect(none({ noneIs: 'both' })).toBe('(none, or not in codes.csv)');
    expect(none({ noneIs: 'both' }, { value: 'other', isRest: true })).toBe('(other)');
    expect(none({}, { value: 'North', isPart: true })).toBe('North *');
  });

  it('shows a change above +999.0% as `more than tenfold`, and one that rounds to zero as +0.0%', () => {
    const changes = [9.99, 9.991, -1, 0, -0.0004, null].map((change) => ({ previous: 40, change }));
    const text = draw([section(changes)], 80, { isCompared: true });
    const cells = text
      .split('\n')
      .slice(2, 8)
      .map((line) => line.trim().split(/ {2,}/).at(-1));
    expect(cells).toEqual(['+999.0%', 'more than tenfold', '-100.0%', '+0.0%', '+0.0%', '–']);
  });

  it('is ASCII with the style `ascii`', () => {
    const time = section([{ scans: 1 }, { scans: 9, isBeforeData: true }], {
      kind: 'time',
      by: 'day',
    } as Partial<Section>);
    expect(draw([time], 80, { style: 'ascii', isCompared: true })).toMatch(/^[\x20-\x7e\n]*$/);
    expect(draw([time], 80, { style: 'ascii', isCompared: true })).toContain('! the previous period');
  });

  it('states that there are no scans, and escapes and truncates a hostile column name', () => {
    expect(draw([section([])], 80)).toMatch(/^country\nno scans\n/);
    const hostile = section([{}], { kind: 'column', by: `\u001b[2J${'x'.repeat(200)}` } as Partial<Section>);
    const [title = ''] = draw([hostile], 40).split('\n');
    expect(displayWidth(title)).toBe(40);
    expect(title).toMatch(/^\\x1b\[2Jx+…$/);
  });
});

describe('a sparkline of scans by time', () => {
  it('has one character per row or per group of rows, and is omitted for a single row or if fewer than six characters fit', () => {
    const rows = Array.from({ length: 30 }, (_, at) => ({ scans: at }));
    const time = section(rows, { kind: 'time', by: 'day' } as Partial<Section>);
    const line = (width: number) => draw([time], width).split('\n')[0]?.slice('day  '.length) ?? '';
    expect([line(60).length, line(20).length, line(11).length, line(10).length]).toEqual([30, 15, 6, 0]);
    expect([line(60)[0], line(60).at(-1)]).toEqual(['▁', '█']);
    expect(
      draw([section([{ scans: 0 }, { scans: 0 }], { kind: 'time', by: 'day' } as Partial<Section>)], 60),
    ).toMatch(/^day {2}▁▁\n/);
    expect(draw([section([{}], { kind: 'time', by: 'day' } as Partial<Section>)], 60)).toMatch(/^day\n/);
    const times = [0, 4, 4, 0, 16, 0].map((scans) => ({ scans }));
    const months = section(times, { kind: 'time', by: 'month' } as Partial<Section>);
    const titles = [13, 12].map((width) => draw([months], width).split('\n')[0]);
    expect(titles).toEqual(['month  ▁▃▃▁█▁', 'month']);
    const daysOf = (at: number) =>
      section(
        Array.from({ length: 12 }, (_, day) => ({ scans: day === at ? 8 : 0 })),
        { kind: 'time', by: 'day' } as Partial<Section>,
      );
    expect(draw([daysOf(3)], 11)).toMatch(/^day {2}▁█▁▁▁▁\n/);
  });
});

/** Marks each color, for example `<red:-10.0%>`. */
const MARKED = Object.fromEntries(
  Object.keys(NO_COLORS).map((name) => [name, (text: string) => `<${name}:${text}>`]),
) as unknown as Colors;

test('headings, labels without a value, bars and changes have colors, but a change that is shown as 0.0% has none', () => {
  const rows: Partial<Figure>[] = [
    { name: 'Menu', scans: 2, previous: 1, change: 0.1 },
    { value: null, scans: 1, share: null, change: -0.1 },
    { value: 'FR', scans: 1, previous: 0, change: 0.0004 },
    { value: 'IT', scans: 1, previous: 1, change: -0.00051 },
    { value: 'other', isRest: true },
  ];
  const text = draw([section(rows)], 60, { isCompared: true, colors: MARKED });
  expect(text.split('\n')).toEqual([
    '<bold:country>',
    '               <dim:scans>                   <dim:share>  <dim:before>  <dim:change>',
    'DE       <dim:Menu>      2  <cyan:███████████████>  50.0%       1  <green:+10.0%>',
    '<dim:(none)>             1  <cyan:███████▌>             –       –  <red:-10.0%>',
    'FR                 1  <cyan:███████▌>         50.0%       0   +0.0%',
    'IT                 1  <cyan:███████▌>         50.0%       1   <red:-0.1%>',
    '<dim:(other)>           50                   50.0%       –       –',
    '',
    '<dim:100 scans from 2026-10-01 00:00 to 2026-11-01 00:00>',
    '<dim:  (Europe/Berlin)>',
    '<dim:Scans, not people: repeated scans are counted again.>',
    '',
  ]);
});

describe('a table by two dimensions', () => {
  const heads = ['desktop', 'mobile', 'a-very-long-device-name'];
  const crossOf = (most: number) => {
    const kept = heads.slice(0, most).map((value) => ({ value }));
    const columns = section([...kept, ...(most < 3 ? [{ value: 'other', isRest: true as const }] : [])], {
      by: 'device',
    });
    const all = [
      [1200, 30, 4],
      [5, 6, 7],
    ];
    const cells = all.map((row) =>
      most < 3 ? [...row.slice(0, most), row.slice(most).reduce((sum, n) => sum + n)] : row,
    );
    return { rows: section([{}, { value: 'x'.repeat(40) }]), columns, cells };
  };
  const drawn = (width: number, more: Partial<Drawing> & { colors?: Colors } = {}) =>
    draw([], width, { crosses: [crossOf], total: { ...TOTAL, scans: 1252 }, ...more })
      .split('\n')
      .slice(0, 5);

  it('has totals by row and by column, and truncates long names', () => {
    expect(drawn(76)).toEqual([
      'country by device',
      '                                desktop  mobile  a-very-long-d…  total',
      'DE                                1,200      30               4  1,234',
      `${'x'.repeat(29)}…        5       6               7     18`,
      'total                             1,205      36              11  1,252',
    ]);
  });

  it('has fewer columns, and then the column (other), if the terminal is narrow', () => {
    const headings = (width: number) => drawn(width)[1]?.trim().split(/ +/);
    expect(headings(70)).toEqual(['desktop', 'mobile', 'a-very-long-d…', 'total']);
    expect(headings(69)).toEqual(['desktop', 'mobile', '(other)', 'total']);
    expect(headings(30)).toEqual(['desktop', '(other)', 'total']);
  });

  it('has bold titles and dim headings, and states that there are no scans', () => {
    expect(drawn(75, { colors: MARKED }).slice(0, 2)).toEqual([
      '<bold:country by device>',
      `${' '.repeat(32)}<dim:desktop>  <dim:mobile>  <dim:a-very-long-d…>  <dim:total>`,
    ]);
    const none = drawn(75, { only: 'device=mobile', total: { ...TOTAL, scans: 0 } });
    expect(none.slice(0, 3)).toEqual(['country by device (only device=mobile)', 'no scans', '']);
  });
});
