/** A plan in a pull request: what is dangerous can't be overlooked, and no value can forge a line of it. */
import { describe, expect, it } from 'vitest';
import { UnprovenError } from '#base/errors';
import type { Plan } from '#codes/engine/plan/model';
import { formatMarkdown } from '#commands/qr/plan/plan-markdown';
import { endedRun, plannedRun } from '#commands/qr/plan/print-plan';
import {
  change,
  codeOf,
  creation,
  endOf,
  itemOf,
  planOf,
  rowOf,
  update,
} from '../../../codes/engine/results/plan-builder.ts';
import { FORMULAS, HOSTILE } from '../../../support/hostile-strings.ts';

const about = { name: 'codes.csv', verb: 'apply' } as const;
const linesOf = (plan: Plan) => formatMarkdown(plannedRun(plan, about)).split('\n');
const many = Array.from({ length: 300 }, (_, at) => creation(at + 2));

it('marks each kind of row with a sign', () => {
  const code = codeOf('menu');
  const plan = planOf([
    creation(2),
    itemOf(3, 'adopt', { code }),
    update(4, 'menu', 'https://example.com/new'),
    itemOf(5, 'delete', { code }),
    itemOf(6, 'unchanged', { code }),
    itemOf(7, 'gone', { goneId: 'id-1' }),
  ]);
  const actions = linesOf(plan).flatMap((line) => /^\| (\S+ \S+) \| \d/.exec(line)?.[1] ?? []);
  expect(actions).toEqual(['! gone', '- delete', '~ update', '= adopt', '+ create']);
});

describe('a plan with 300 new codes and three dangerous rows', () => {
  const removed = { field: 'status', old: 'active', new: 'paused', what: 'send', base: undefined } as const;
  const plan = planOf([
    ...many,
    update(400, 'old', 'https://evil.example/phish'),
    itemOf(401, 'gone', { key: 'lost', goneId: 'id-1', goneSlug: 'lost' }),
    itemOf(0, 'removed', {
      key: 'menu',
      code: codeOf('menu'),
      isNews: true,
      changes: [removed],
      send: { status: 'paused' },
    }),
  ]);
  const lines = linesOf(plan);

  it('begins with the counts, the reason for its exit code, and the next step', () => {
    expect(lines.slice(0, 5)).toEqual([
      '### `codes.csv`: 1 missing on the service, 1 removed from the file, 1 to update, 300 to create',
      '',
      '**Needs your decision (exit code 9 with --exit-code):** `the code of 1 row does not exist`',
      '',
      '**Next step:** `To create a new code, add --as-new lost. Otherwise, remove the row from the file.`',
    ]);
  });

  it('lists missing codes, removals and changes before new codes', () => {
    expect(lines.slice(6, 11)).toEqual([
      '| action | line | key | code | field | old | new | note |',
      '| --- | --- | --- | --- | --- | --- | --- | --- |',
      '| ! gone | 401 | `lost` | `lost` |  |  |  | `lost (id-1) does not exist (deleted, or never a code of this workspace)` |',
      '| ! removed |  | `menu` | `menu` | status | `active` | `paused` | `its key was removed from the file` |',
      '| ~ update | 400 |  | `old` | destination | `https://example.com/old` | `https://evil.example/phish` |  |',
    ]);
  });

  it('has one line for each of the first 100 new codes, and the number of other new codes', () => {
    expect(lines[11]).toBe('| + create | 2 |  |  |  |  | `New 2 → https://example.com/new-2` |  |');
    expect(lines.filter((line) => line.includes('+ create'))).toHaveLength(100);
    expect(lines).toContain('and 200 more new codes');
  });
});

describe('a plan with 300 changes', () => {
  it('lists every change', () => {
    const lines = linesOf(
      planOf(
        Array.from({ length: 300 }, (_, at) => update(at + 2, `code-${at}`, `https://example.com/to-${at}`)),
      ),
    );
    expect(lines.filter((line) => line.includes('~ update'))).toHaveLength(300);
  });
});

describe('a plan in Markdown', () => {
  it('has the number of unchanged rows, but no line for each of them', () => {
    const lines = linesOf(planOf([itemOf(2, 'unchanged', { code: codeOf('menu') })], { unmanaged: 3 }));
    expect(lines).toEqual([
      '### `codes.csv`: 1 unchanged, 3 unmanaged',
      '',
      '**No changes (exit code 0 with --exit-code):** `a run would change nothing`',
      '',
    ]);
  });

  it('states the brake that stops the run, and the next step', () => {
    const brake = {
      is: 'max-changes',
      message: 'the plan changes 12 codes, but only 11 are allowed',
      flag: '--max-changes 12',
    } as const;
    const lines = linesOf(planOf([update(2, 'menu', 'b')], { brakes: [brake] }));
    expect(lines).toContain(`**Nothing would be sent (exit code 9 with --exit-code):** \`${brake.message}\``);
    expect(lines).toContain('**Next step:** `If the plan is correct, add --max-changes 12.`');
  });

  it('lists codes from an earlier run that have no row in the file', () => {
    expect(linesOf(planOf([], { absent: [codeOf('a'), codeOf('b|')] }))).toContain(
      'The file has no rows of these codes of an earlier run: `a`, <code>b&#124;</code>',
    );
  });

  it('has one line for each changed field in a row', () => {
    const changes = [change('send', 'a', 'b'), { ...change('send', 'x y', ''), field: 'name' as const }];
    expect(linesOf(planOf([itemOf(2, 'update', { code: codeOf('menu'), changes })])).slice(-3, -1)).toEqual([
      '| ~ update | 2 | `menu` | destination | `a` | `b` |',
      '|  |  |  | name | `x y` |  |',
    ]);
  });
});

describe('the outcome of a run in Markdown', () => {
  it('begins with the error and the next step, and then lists the outcome of each row', () => {
    const item = update(2, 'menu', 'b');
    const plan = planOf([item]);
    const failure = new UnprovenError('1 row needs a decision\nline 2: why', { hint: 'Add --force.' });
    const ends = [endOf(item, 'failed', { error: 'no | such' })];
    expect(formatMarkdown(endedRun(plan, ends, { ...about, failure })).split('\n')).toEqual([
      '### `codes.csv`: 1 failed',
      '',
      '**Not finished (exit code 9):** `1 row needs a decision`',
      '',
      '**Next step:** `Add --force.`',
      '',
      '| action | line | code | field | old | new | outcome | note |',
      '| --- | --- | --- | --- | --- | --- | --- | --- |',
      '| ! failed | 2 | `menu` | destination | `https://example.com/menu` | `b` | failed | <code>no &#124; such</code> |',
      '',
    ]);
  });
});

describe('hostile values in a Markdown plan', () => {
  const values = [
    ...Object.values(FORMULAS),
    ...Object.values(HOSTILE),
    '| + create | 2 | x |\n| ! gone |',
    '\u202e| |',
    '`` ` </code> | **bold**',
    '<details><img src=x onerror=1>',
    '@octocat #1 ##[error]x',
  ];

  it.each(values)('add no line, cell or markup: %j', (value) => {
    const row = rowOf(2, { wish: { name: value } });
    const code = codeOf('menu', { slug: value, name: value });
    const rows = [
      itemOf(2, 'conflict', {
        row,
        key: value,
        code,
        changes: [change('conflict', `${value}1`, `${value}2`, value)],
      }),
      itemOf(3, 'undecided', { row, candidates: [code], reason: value }),
      itemOf(4, 'create', { row, key: value, values: { name: value, destination: value } }),
    ];
    const brake = { is: 'shifted', message: value, advice: value, flag: '--force' } as const;
    const text = formatMarkdown(
      plannedRun(planOf(rows, { absent: [code], brakes: [brake] }), { name: value, verb: 'apply' }),
    );
    const table = text.split('\n').filter((line) => line.startsWith('|'));
    expect(table).toHaveLength(5);
    for (const line of table) expect(line.split(/(?<!\\)\|/)).toHaveLength(table[0]?.split('|').length ?? 0);
    const outside = text.replace(/`[^`\n]*`|<code>[^<\n]*<\/code>/g, '');
    expect(outside).not.toMatch(/[<>@\u202e\r]|##\[/);
    expect(outside.split('\n')).toHaveLength(text.split('\n').length);
  });
});
