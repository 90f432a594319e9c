/** The page of a report: markup of its document alone. `npm run test:stats` has it judged in a browser. */
import { describe, expect, test } from 'vitest';
import { composeReport, type ReportFigures } from '#scans/report/compose-report';
import { html, raw } from '#scans/report/html/html';
import { renderHtml } from '#scans/report/html/render-html';
import { loadLanguage } from '#scans/report/languages/load-language';
import type { Language } from '#scans/report/languages/plurals';
import { figuresOf, SEPTEMBER, sectionOf } from './figures.ts';
import { cardOf, reportOf, tableOf } from './pdf/documents.ts';

const HOSTILE =
  '</title></style></svg><script>alert(1)</script><img src=x onerror=alert(2)>\u202e\u2066"\'&\u0000\ud800';

async function pageOf(given: Partial<ReportFigures>, language: Language = 'en'): Promise<string> {
  return renderHtml(composeReport(figuresOf(given), await loadLanguage(language)));
}

const days = sectionOf({ kind: 'time', by: 'day' }, [
  { value: '2026-10-01', scans: 10, previous: 4 },
  { value: '2026-10-02', scans: 20, previous: 6 },
]);

test('a template escapes texts, but not markup, and writes numbers and lists', () => {
  const parts = [raw('<br>'), ' ', 7, ['<', html`<i>${'"'}</i>`]];
  expect(html`<p title="${`&<>"'`}">${parts}</p>`).toEqual({
    markup: '<p title="&amp;&lt;&gt;&quot;&#39;"><br> 7&lt;<i>&quot;</i></p>',
  });
});

test('the HTML of a report escapes hostile text in the title, the note and names, and has no bidi controls', async () => {
  const column = sectionOf({ kind: 'column', by: HOSTILE }, [{ value: HOSTILE, scans: 1 }]);
  const codes = sectionOf({ kind: 'code', by: 'code' }, [
    { value: HOSTILE, name: HOSTILE, scans: 40, share: 0.8 },
    { value: 'b', scans: 10, share: 0.2 },
  ]);
  const country = sectionOf({ kind: 'value', by: 'country' }, [{ value: HOSTILE, scans: 50, share: 1 }]);
  const silent = [{ name: HOSTILE, detail: HOSTILE }];
  const page = await pageOf({
    title: HOSTILE,
    note: HOSTILE,
    sections: [column, codes, country],
    silent,
    zone: 'UTC',
  });
  expect(page).not.toMatch(/<script|<img|[\u0000\u202a-\u202e\u2066-\u2069]/);
  expect(page.match(/&lt;script&gt;alert\(1\)/g)?.length).toBeGreaterThan(8);
  expect(page.match(/<\/title>|<\/style>/g)).toEqual(['</title>', '</style>']);
  expect(page.isWellFormed()).toBe(true);
});

test('the HTML of a report isolates the direction of the title and of names', async () => {
  const codes = sectionOf({ kind: 'code', by: 'code' }, [{ value: 'abc', name: 'قائمة الطعام', scans: 1 }]);
  const page = await pageOf({ title: 'שלום', sections: [codes], silent: [{ name: 'x', detail: 'y' }] });
  expect(page).toContain('<h1><bdi>שלום</bdi></h1>');
  expect(page).toContain('<bdi>قائمة الطعام</bdi> <bdi class="slug">abc</bdi>');
  expect(page).toContain('<li><bdi>x</bdi> <bdi class="slug">y</bdi></li>');
});

test('the table below a chart is divided into up to three tables, from 9 rows on', async () => {
  const tablesOf = async (count: number) => {
    const rows = Array.from({ length: count }, (_, at) => ({
      value: `2026-W${`${at + 1}`.padStart(2, '0')}`,
      scans: at + 1,
    }));
    const page = await pageOf({ sections: [sectionOf({ kind: 'time', by: 'week' }, rows)] });
    const [, columns = ''] = /<div class="columns">(.*?)<\/section>/s.exec(page) ?? [];
    return [...columns.matchAll(/<table.*?<\/table>/gs)].map(([table]) => table.split('<tr').length - 2);
  };
  expect(await tablesOf(8)).toEqual([8]);
  expect(await tablesOf(9)).toEqual([5, 4]);
  expect(await tablesOf(17)).toEqual([6, 6, 5]);
  expect(await tablesOf(31)).toEqual([11, 11, 9]);
});

describe('a report in Arabic', () => {
  test('has the direction rtl, and charts that begin on the right', async () => {
    const [english, arabic] = await Promise.all([
      pageOf({ sections: [days] }),
      pageOf({ sections: [days] }, 'ar'),
    ]);
    expect(english).toContain('<html lang="en" dir="ltr">');
    expect(arabic).toContain('<html lang="ar" dir="rtl">');
    const first = (page: string) => Number(/<rect class="column" x="([\d.]+)%"/.exec(page)?.[1]);
    expect(first(english)).toBeLessThan(50);
    expect(first(arabic)).toBeGreaterThanOrEqual(50);
  });

  test('keeps the sign of a change before its number', async () => {
    const row = { value: 'DE', scans: 80, previous: 100, change: -0.2 };
    const section = sectionOf({ kind: 'value', by: 'country' }, [row]);
    const page = await pageOf({ sections: [section], before: { ...SEPTEMBER, isCovered: true } }, 'ar');
    expect(page).toContain('class="down"><bdi>−20.0%</bdi></td>');
  });
});

test('the HTML of a report keeps words whole, except words that are longer than a line on a phone', async () => {
  const name = 'Tischaufsteller https://www.example.com/a/long/path';
  const column = sectionOf({ kind: 'column', by: 'Einsatzort und Verantwortlicher' }, [
    { value: name, scans: 1 },
  ]);
  const page = await pageOf({ sections: [column] });
  expect(page).toContain(
    '<bdi>Tischaufsteller <span class="long">https://www.example.com/a/long/path</span></bdi>',
  );
  expect(page).toContain('scope="col"><bdi>Einsatzort und Verantwortlicher</bdi>');
});

test('a table has a bar behind the name of each row, and the class `stacked` only with a comparison', async () => {
  const row = { value: 'DE', scans: 80, previous: 100 };
  const section = sectionOf({ kind: 'value', by: 'country' }, [row, { ...row, scans: 20 }]);
  const compared = await pageOf({ sections: [section], before: { ...SEPTEMBER, isCovered: true } });
  expect(compared).toContain('<rect width="25%" height="100%" rx="4"/></svg><bdi>Germany</bdi></th>');
  expect(compared).toContain('<table role="table" class="figures stacked">');
  expect(await pageOf({ sections: [section] })).toContain('<table role="table" class="figures">');
});

test('a chart has columns whose heights are in proportion to their values', async () => {
  const page = await pageOf({ sections: [days] });
  const heights = [...page.matchAll(/<rect class="column"[^>]* height="([\d.]+)"/g)].map(([, height]) =>
    Number(height),
  );
  expect(heights).toEqual([88, 176]);
});

test.each([
  [31, [0, 8, 16, 24]],
  [24, [0, 6, 12, 18]],
  [7, [0, 1, 2, 3, 4, 5, 6]],
  [8, [0, 2, 4, 6]],
])('a chart with %d columns has labels at equal distances', async (count, labeled) => {
  const rows = Array.from({ length: count }, (_, at) => ({
    value: `2026-10-${String(at + 1).padStart(2, '0')}`,
    scans: at,
  }));
  const page = await pageOf({ sections: [sectionOf({ kind: 'time', by: 'week' }, rows)] });
  const labels = [...page.matchAll(/text-anchor="(?:start|middle|end)">(\d+) Oct<\/text>/g)].map(
    ([, day]) => Number(day) - 1,
  );
  expect(labels).toEqual(labeled);
});

test('a chart with a comparison has a line for the earlier period, and a legend', async () => {
  const page = await pageOf({ sections: [days], before: { ...SEPTEMBER, isCovered: true } });
  expect(page).toMatch(/<path class="before" d="M[\d.]+,[\d.]+L[\d.]+,[\d.]+"\/>/);
  expect(page).toContain('</span>October 2026 ');
  expect(page).toContain('</span>September 2026');
});

test('the style of a page ends with the accent colors for light and for dark pages', async () => {
  const styleOf = (page: string) => /<style>(.*)<\/style>/s.exec(page)?.[1] ?? '';
  const plain = styleOf(await pageOf({}));
  const style = styleOf(await pageOf({ accent: '#0057b8' }));
  expect(plain.slice(0, 6)).toBe(':root{');
  expect(style.slice(plain.length)).toBe(`
:root{--accent:#0057b8;--accent-soft:#d9e6f4;--part:#80abdc;--s1:#ebf2f9;--s2:#d1e1f2;--s3:#adc9e8;--s4:#85aedd;--s5:#0057b8}
@media screen and (prefers-color-scheme:dark){:root{--accent:#4d89cd;--accent-soft:#212c3c;--part:#335378;--s1:#1d2530;--s2:#212d3d;--s3:#26374d;--s4:#2b425e;--s5:#4d89cd}}`);
  expect(style.slice(0, plain.length)).toBe(plain);
});

/** Columns with these values, of which the last is part of a period. */
const columnsOf = (values: readonly number[], previous: readonly (number | null)[]) =>
  values.map((value, at) => ({
    label: `Day ${at + 1}`,
    value,
    previous: previous[at] ?? null,
    isPart: at === values.length - 1,
  }));

test.each(['ltr', 'rtl'] as const)(
  'the HTML of a report with the direction %s equals its golden file',
  async (direction) => {
    const chart = {
      label: 'Peak',
      columns: columnsOf([0, 1, 1000, 500, 0, 0, 0, 0, 250], [null, 80, 0, null, 40]),
    };
    const few = { label: 'Few', columns: columnsOf([1, 2, 3, 4, 5, 6, 7, 8], [4]) };
    const [row] = tableOf('Country', ['Bosnia']).rows;
    const compared = (names: readonly string[]) =>
      tableOf('Country', names, {
        head: ['Country', 'Scans', 'Share', 'Before'].map((text) => ({ text })),
        rows: names.map((name, at) => ({
          name,
          isDim: at > 0,
          ...(at === 0 && { bar: 1 }),
          cells: [...(row?.cells ?? []), { text: '+5.0%', tone: 'up' }],
        })),
      });
    const calendar = reportOf().cards[0]?.tables[0];
    const report = reportOf({
      direction,
      logo: { png: new Uint8Array([1, 2, 3]), width: 40, height: 10, alt: 'Logo' },
      cards: [
        cardOf('Days', {
          chart,
          legend: { now: 'Now', before: 'Before' },
          tables: [
            ...(calendar ? [calendar] : []),
            tableOf(
              'Day',
              Array.from({ length: 9 }, (_, at) => `${at}`),
            ),
          ],
          notes: ['One.', 'Two.'],
        }),
        cardOf('Few', { chart: few, tables: [tableOf('Day', ['1', '2'])] }),
        cardOf('Countries', {
          isWide: false,
          tables: [compared(['Bosnia', 'Germany']), compared(['France'])],
        }),
        cardOf('Silent', { names: [{ name: 'Poster', detail: 'abc' }, { name: 'Flyer' }] }),
      ],
      ...(direction === 'rtl' && { story: '', comparedWith: undefined }),
    });
    const page = renderHtml(report);
    await expect(page.slice(page.indexOf('<body>'))).toMatchFileSnapshot(`golden/page-${direction}.txt`);
  },
);
