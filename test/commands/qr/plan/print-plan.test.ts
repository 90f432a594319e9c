/** The plan as it reaches a terminal, a pipe or a file, and the lines that a dry run adds to it. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exitCodeOf, PartialError } from '#base/errors';
import { displayWidth } from '#base/text/display-width';
import type { Plan, PlanItem } from '#codes/engine/plan/model';
import { type DryRun, endDryRun, endedRun, notePlan, openPlanOutput } from '#commands/qr/plan/print-plan';
import type { OutputFlags } from '#files/formats/plan-output';
import {
  change,
  codeOf,
  creation,
  endOf,
  itemOf,
  planOf,
  update,
} from '../../../codes/engine/results/plan-builder.ts';
import { useDirectory } from '../../../support/cli.ts';
import { printingContext } from '../../printing.ts';

async function dryRun(
  plan: Plan,
  { columns, flags = {}, run = {} }: { columns?: number; flags?: OutputFlags; run?: Partial<DryRun> },
) {
  const { context, printed, said } = printingContext(columns);
  const printer = await openPlanOutput(context, flags, false);
  const facts = {
    plan,
    verb: 'create',
    file: { name: 'codes.csv' },
    warnings: [],
    spent: 2,
    exitCode: false,
  } as const;
  const exit = await endDryRun(context, printer, { ...facts, ...run }).then(() => 0, exitCodeOf);
  return { out: printed(), err: said(), exit };
}

const conflict = itemOf(20, 'conflict', {
  code: codeOf('spring-menu'),
  changes: [
    change(
      'conflict',
      'https://example.com/theirs',
      'https://example.com/mine',
      'https://example.com/before',
    ),
  ],
});
const creations = Array.from({ length: 14 }, (_, at) => creation(at + 2, `Café ${at} am Markt`));
const unchanged = itemOf(21, 'unchanged', { code: codeOf('same') });
const plan = planOf([...creations, unchanged, conflict, update(22, 'menu', 'https://example.com/new')], {
  unmanaged: 3,
});

describe('a plan on a terminal', () => {
  it('has the changes below their rows, and at most ten new codes in total', async () => {
    const { out, err } = await dryRun(plan, { columns: 80 });
    expect(out.split('\n').slice(0, 9)).toEqual([
      'line  action    code',
      '────  ────────  ────────────────────────────────────────────',
      '  20  conflict  spring-menu (spring-menu)',
      '  destination: the list had https://example.com/before, the service has',
      '    https://example.com/theirs, the row has https://example.com/mine',
      '  22  update    menu (menu)',
      '  destination: https://example.com/menu → https://example.com/new',
      '   2  create    Café 0 am Markt → https://example.com/new-2',
      '   3  create    Café 1 am Markt → https://example.com/new-3',
    ]);
    expect(out).toContain(
      '\nand 4 more new codes (--format table shows all)\nNeeds your decision (exit code 9 with --exit-code): 1 row',
    );
    expect(out).not.toContain('same');
    expect(err.replaceAll(/\n */g, ' ').trim()).toBe(
      '1 row in conflict, 1 to update, 14 to create, 1 unchanged (about 17 requests); 3 other codes in the workspace. No changes were made',
    );
  });

  it.each([80, 120])('fits into %i columns', async (columns) => {
    const { out } = await dryRun(plan, { columns });
    expect(Math.max(...out.split('\n').map(displayWidth))).toBeLessThanOrEqual(columns);
  });

  it('has all new codes with --format table', async () => {
    const { out } = await dryRun(plan, { columns: 80, flags: { format: 'table' } });
    expect(out.match(/ create /g)).toHaveLength(14);
  });

  it('has no wrapped lines if it is written to a file, and a warning repeats why nothing would be sent', async () => {
    const output = join(await useDirectory(), 'plan.txt');
    const message = 'the plan changes 14 codes';
    const brakes = [{ is: 'max-changes', message, flag: '--max-changes 14' }] as const;
    const flags = { output, format: 'table' } as const;
    const { out, err } = await dryRun({ ...plan, brakes }, { columns: 60, flags });
    const text = readFileSync(output, 'utf8');
    expect(out).toBe('');
    expect(text).toContain(`Nothing would be sent (exit code 9 with --exit-code): ${message}\nNext step: `);
    expect(err.replaceAll(/\n */g, ' ')).toContain(`a run would send nothing: ${message}. If`);
  });

  it('has the reason for exit code 8 only if the counts do not contain it', async () => {
    const shown = async (item: PlanItem) =>
      (await dryRun(planOf([item]), { columns: 200, run: { verb: 'update' } })).out.split('\n').slice(3);
    expect(await shown(creation(2))).toEqual(['']);
    expect(await shown(itemOf(2, 'gone', { goneId: 'id-1' }))).toEqual([
      'Changes (exit code 8 with --exit-code): the code of 1 row does not exist',
      'Next step: Remove the row from the file.',
      '',
    ]);
  });

  it('has its control characters escaped, and a value that looks like part of the line quoted', async () => {
    const changes = [{ ...change('send', 'a', 'b → c; destination: "d\x1b[2J'), field: 'name' as const }];
    const { out } = await dryRun(planOf([itemOf(2, 'update', { code: codeOf('menu'), changes })]), {
      columns: 80,
    });
    expect(out).toContain(String.raw`name: a → "b → c; destination: \"d\x1b[2J"`);
  });
});

describe('a plan as data', () => {
  it('has one record per field in CSV, with unchanged rows last', async () => {
    const { out, err } = await dryRun(plan, {});
    expect(err).toMatch(/^1 row in conflict, .*No changes were made\n$/);
    const lines = out.trimEnd().split('\n');
    expect(lines).toHaveLength(1 + 17);
    expect(lines.slice(0, 3)).toEqual([
      'line,key,action,id,slug,field,old,new',
      '20,,conflict,id-spring-menu,spring-menu,destination,https://example.com/theirs,https://example.com/mine',
      '22,,update,id-menu,menu,destination,https://example.com/menu,https://example.com/new',
    ]);
    expect(lines.at(-1)).toBe('21,,unchanged,id-same,same,,,');
  });

  it('has one entry per row in JSON, and one line per row in NDJSON', async () => {
    const { out } = await dryRun(plan, { flags: { format: 'json' } });
    const entries: { changes: unknown }[] = JSON.parse(out);
    expect(entries).toHaveLength(17);
    expect(entries[1]?.changes).toEqual({
      destination: { old: 'https://example.com/menu', new: 'https://example.com/new' },
    });
    const { out: lines } = await dryRun(plan, { flags: { format: 'ndjson' } });
    expect(
      lines
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(entries);
  });

  it('has only the columns in --fields in each format, and only existing IDs with --ids', async () => {
    expect((await dryRun(plan, { columns: 80, flags: { fields: ['action', 'new'] } })).out).toContain(
      'action     new',
    );
    expect((await dryRun(plan, { flags: { format: 'json', fields: ['line', 'field'] } })).out).toContain(
      '{"line":20,"field":"destination"}',
    );
    expect((await dryRun(plan, { flags: { ids: true } })).out).toBe('id-spring-menu\nid-menu\nid-same\n');
  });

  it('is an empty JSON array, or only a CSV header, if the file has no rows', async () => {
    expect((await dryRun(planOf([]), { flags: { format: 'json' } })).out).toBe('[]\n');
    expect((await dryRun(planOf([]), {})).out).toBe('line,key,action,id,slug,field,old,new\n');
  });

  it('is written to a file in Markdown if the file is called plan.md, and nothing is printed', async () => {
    const output = join(await useDirectory(), 'plan.md');
    expect((await dryRun(plan, { flags: { output } })).out).toBe('');
    expect(readFileSync(output, 'utf8')).toMatch(/^### `codes\.csv`: 1 in conflict/);
  });

  it('leaves no output file if the output is discarded', async () => {
    const output = join(await useDirectory(), 'plan.csv');
    const printer = await openPlanOutput(printingContext().context, { output }, false);
    await printer.discard?.();
    expect(existsSync(output)).toBe(false);
  });
});

describe('a dry run', () => {
  const brake = {
    is: 'max-changes',
    message: 'the plan changes 12 codes',
    flag: '--max-changes 12',
  } as const;

  it('exits with 8 or 9 only if --exit-code is passed', async () => {
    expect((await dryRun(plan, {})).exit).toBe(0);
    expect((await dryRun(plan, { run: { exitCode: true } })).exit).toBe(9);
    expect((await dryRun(planOf([creation(2)]), { run: { exitCode: true } })).exit).toBe(8);
    expect((await dryRun(planOf([unchanged]), { run: { exitCode: true } })).exit).toBe(0);
  });

  it('warns that a brake would stop the run, and estimates no requests for the changes', async () => {
    const { err } = await dryRun(planOf([update(2, 'menu', 'b')], { brakes: [brake] }), {});
    expect(err).toContain(
      'a run would send nothing: the plan changes 12 codes. If the plan is correct, add --max-changes 12.',
    );
    expect(err).toContain('(about 2 requests). No changes were made');
    const error = await dryRun(planOf([update(2, 'menu', 'b')], { brakes: [brake] }), {
      run: { exitCode: true },
    });
    expect(error.exit).toBe(9);
    expect(error.err).not.toContain('12 codes. If');
  });

  it('estimates how long the run would take under the rate limit', async () => {
    const many = Array.from({ length: 130 }, (_, at) => creation(at + 2));
    expect((await dryRun(planOf(many), {})).err).toContain(
      '130 codes to create (about 132 requests in 2 min)',
    );
  });

  it('prints notes about rows that exist already, and about codes whose rows were removed', async () => {
    const items = [2, 3].map((line) => itemOf(line, 'exists', { code: codeOf('menu') }));
    const { err } = await dryRun(planOf(items, { absent: [codeOf('old')] }), {});
    expect(err).toContain(
      '2 rows exist already on the service; no code was created for them (to create them again: --as-new all)',
    );
    expect(err).toContain('The file has no rows of these codes of an earlier run: old');
  });

  it('prints the warnings for rows with their line numbers', async () => {
    const warnings = [{ line: 3, message: 'is odd' }];
    expect((await dryRun(planOf([], { warnings }), {})).err).toContain('line 3: is odd');
  });
});

describe('a plan after a run', () => {
  it('has outcomes and errors, but not the error that the command itself prints', async () => {
    const { context, printed } = printingContext(80);
    const item = creation(2);
    const end = endOf(item, 'failed', { error: 'the service rejected the name (400)' });
    const printer = await openPlanOutput(context, {}, true);
    await printer.print(
      endedRun(planOf([item]), [end], {
        name: 'codes.csv',
        verb: 'apply',
        failure: new Error('1 row failed'),
      }),
    );
    expect(printed().trimEnd().split('\n').slice(2)).toEqual([
      '   2  failed  New 2 → https://example.com/new-2  failed',
      '  the service rejected the name (400)',
    ]);
  });

  it.each([
    ['no line if the run succeeded', undefined, []],
    [
      'the exit code and the first line of an error',
      new Error('no\nmore'),
      ['Not finished (exit code 1): no'],
    ],
    [
      'the hint of an error',
      new PartialError('1 row failed', { hint: 'Run it again.' }),
      ['Not finished (exit code 8): 1 row failed', 'Next step: Run it again.'],
    ],
  ])('has in its reasons %s', (_, failure, lines) => {
    const { reasons } = endedRun(planOf([]), [], { name: 'codes.csv', verb: 'apply', failure });
    expect(reasons.map(({ title, message }) => `${title}: ${message}`)).toEqual(lines);
  });

  it('has the columns outcome and error in CSV', async () => {
    const { context, printed } = printingContext();
    const item = creation(2);
    const end = endOf(item, 'created', { code: codeOf('menu') });
    const printer = await openPlanOutput(context, {}, true);
    await printer.print(
      endedRun(planOf([item]), [end], { name: 'codes.csv', verb: 'apply', failure: undefined }),
    );
    expect(printed()).toBe(
      'line,key,action,id,slug,field,old,new,outcome,error\n' +
        '2,,create,id-menu,menu,,,New 2 → https://example.com/new-2,created,\n',
    );
  });
});

it('a plan has a note about rows whose code already exists (`qr create`) or does not exist, and no other note', () => {
  const noted = (actions: readonly ('exists' | 'deleted' | 'unchanged')[], verb: 'create' | 'update') => {
    const { context, said } = printingContext();
    notePlan(context, planOf(actions.map((action, at) => itemOf(at + 2, action, {}))), verb);
    return said();
  };
  const gone = 'No code exists for 1 row: deleted before, or never created\n';
  expect(noted(['deleted', 'unchanged'], 'update')).toBe(gone);
  expect(noted(['exists', 'unchanged'], 'update')).toBe('');
  expect(noted(['unchanged'], 'create')).toBe('');
  expect(noted(['exists', 'unchanged', 'unchanged'], 'create')).toMatch(/^1 row .*\n$/);
});
