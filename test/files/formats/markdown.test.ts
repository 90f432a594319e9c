/** Tables of GitHub Flavored Markdown, rendered by cmark-gfm, which GitHub uses, where it is installed. */
import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clean } from '#base/text/clean';
import { codeCell, createMarkdownFormatter } from '#files/formats/markdown';
import { FORMULAS, HOSTILE } from '../../support/hostile-strings.ts';
import { runs } from '../../support/property-runs.ts';
import { COMMANDS, commandsIn } from '../../support/workflow-runner.ts';

const COLUMNS = [{ name: 'slug' }, { name: 'name' }, { name: 'scans', align: 'right' as const }];

type Values = Readonly<Record<string, unknown>>;

function format(rows: readonly Values[], shape: 'list' | 'record' = 'list'): string {
  const formatter = createMarkdownFormatter(COLUMNS, shape);
  return `${formatter.begin()}${String(formatter.rows(rows))}${String(formatter.end())}`;
}

test('a list is a table with one line per row and right-aligned numbers', () => {
  const rows = [
    { slug: 'spring-menu', name: 'Spring menu', scans: 1200 },
    { slug: 'x1', name: 'Lunch|Tea', scans: null },
    { slug: '', name: 'a @team #12', scans: 9007199254740993n },
  ];
  expect(format(rows)).toBe(
    [
      '| slug | name | scans |',
      '| --- | --- | --: |',
      '| spring-menu | Spring menu | 1200 |',
      '| `x1` | <code>Lunch&#124;Tea</code> |  |',
      '|  | `a @team #12` | `9007199254740993` |',
      '',
    ].join('\n'),
  );
});

test('a record is a table with one line per field', () => {
  expect(format([{ slug: 'a', name: 'B', scans: 1 }], 'record')).toBe(
    '| field | value |\n| --- | --- |\n| slug | a |\n| name | B |\n| scans | 1 |\n',
  );
});

const ATTACKS = [
  ...['` | `', 'a\n| b | c | d |', '- [ ] a', '# a', '> a', '1. a', '    a', ' a '],
  ...['\u00a0', '\u202e', '\ud800'],
  ...'| \\| \\ ` `` <script>alert(1)</script> <!-- </code><b> </td></tr></table> &lt; &#124;'.split(' '),
  ...'@octocat #1 GH-1 a/b#1 deadbeefcafe mailto:a@b.example a@b.example'.split(' '),
  ...'www.evil.example https://evil.example [x](https://evil.example)'.split(' '),
  ...'![x](https://evil.example/x.png) [^1] **b** _i_ ~~s~~ $x$ :tada:'.split(' '),
  ...'--- == … %0A 1e5 - --:'.split(' '),
];

const render = (markdown: string) => {
  const extensions = ['table', 'strikethrough', 'autolink', 'tagfilter', 'tasklist', 'footnotes'].flatMap(
    (name) => ['-e', name],
  );
  const { status, stdout, stderr } = spawnSync('cmark-gfm', ['--unsafe', ...extensions], {
    input: markdown,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return stdout;
};

const ENTITIES: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&amp;': '&', '&quot;': '"' };

/** The texts of the cells of a rendered table, which must be the only thing in it. */
function cellsIn(html: string): string[][] {
  expect(html).toMatch(
    /^<table>\n(?:<\/?(?:thead|tbody|tr)>\n|<t([hd])(?: align="right")?>(?:<code>)?[^<]*(?:<\/code>)?<\/t\1>\n)*<\/table>\n$/,
  );
  return [...html.matchAll(/<tr>\n([\s\S]*?)<\/tr>/g)].map(([, row = '']) =>
    [...row.matchAll(/<t[hd][^>]*>([\s\S]*?)<\/t[hd]>/g)].map(([, cell = '']) =>
      cell.replace(/<\/?code>/g, '').replace(/&(?:lt|gt|amp|quot);/g, (entity) => ENTITIES[entity] ?? entity),
    ),
  );
}

describe.skipIf(spawnSync('cmark-gfm', ['--version']).error !== undefined)(
  'a table rendered by cmark-gfm',
  () => {
    /** Spaces at the ends of code are the only difference that HTML may make. */
    const expectExact = (values: readonly string[]) => {
      const rows = values.map((value) => ({ slug: value, name: `a${value}`, scans: 1 }));
      const [head, ...cells] = cellsIn(render(format(rows)));
      expect(head).toEqual(['slug', 'name', 'scans']);
      expect(cells.map(([slug, name]) => [slug?.trim(), name?.trim()])).toEqual(
        values.map((value) => [clean(value).toWellFormed().trim(), `a${clean(value).toWellFormed()}`.trim()]),
      );
    };

    test('has exactly the given cells, and no other HTML, if the values are known attacks', () => {
      const short = Object.values({ ...HOSTILE, ...FORMULAS }).filter((value) => clean(value).length < 500);
      expectExact([...ATTACKS, ...short, ...COMMANDS]);
    });

    test('has exactly the given cells, and no other HTML, for any combination of special characters', () => {
      const text = fc.string({
        unit: fc.constantFrom(...'|`\\<>&@#[](){}*_~!:/.-+=$"\' \nab01é東'),
        maxLength: 12,
      });
      fc.assert(
        fc.property(fc.array(text, { minLength: 50, maxLength: 50 }), (values) => expectExact(values)),
        runs(10),
      );
    });
  },
);

test('a value that Markdown or GitHub could interpret is formatted as code', () => {
  for (const value of ATTACKS) {
    const [, , line = ''] = format([{ slug: value, name: 'a', scans: 1 }]).split('\n');
    const cell = line.slice(2, line.lastIndexOf(' | a | 1 |'));
    expect(cell, value).toMatch(/^(?:|`[^`|\\]+`|<code>(?:[\p{L}\p{N} ]|&#\d+;)*<\/code>)$/u);
  }
});

test('a table contains no workflow command for the GitHub runner', () => {
  expect(commandsIn(format(COMMANDS.map((value) => ({ slug: value, name: value, scans: value }))))).toEqual(
    [],
  );
});

test.each([
  ['words', 'a '.repeat(1_000_000)],
  ['letters', 'é'.repeat(4_000_000)],
  ['marks', `e${'\u0301'.repeat(1_000_000)}`],
])('a Markdown cell for a value with a million or more %s has fewer than 8,000 characters', (_, value) => {
  const cell = codeCell(value);
  expect(cell.length).toBeLessThan(8000);
  expect(cell).toContain('…');
  const formatter = createMarkdownFormatter([{ name: 'name' }], 'list');
  expect(formatter.rows([{ name: value }])).toBe(`| ${cell} |\n`);
});
