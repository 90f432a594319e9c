import { describe, expect, it } from 'vitest';
import { newMachine, outcomesOf, rowsOf, useBench } from '../support/bench.ts';
import { firstRows } from '../support/property-runs.ts';

const linesOf = (text: string) => text.trimEnd().split('\n');

describe('a saved list without the column base', () => {
  const FIELDS = ['--fields', 'id,slug,name,destination,updated_at'];

  it('overwrites no edit on the service if the list is a workbook, unless --conflicts file is passed, and leads to exit code 9', async () => {
    const { qr, sandbox, methods } = await useBench(rowsOf(1));
    const made = sandbox.workspace.create({ name: 'Menu', destination: 'https://example.com/old' });
    sandbox.workspace.create({ name: 'Poster', destination: 'https://example.com/2' });
    await qr(['list', ...FIELDS, '-o', 'list.xlsx', '--timezone', 'America/Los_Angeles']);
    expect((await qr(['update', '--from', 'list.xlsx'])).stderr).toContain('2 rows unchanged');
    sandbox.workspace.update(made.id, { destination: 'https://example.com/new' });
    methods();
    const { code, stderr } = await qr(['update', '--from', 'list.xlsx']);
    expect([code, methods().PATCH]).toEqual([9, undefined]);
    expect(stderr).toContain('the column updated_at does not show which is newer');
    expect((await qr(['update', '--from', 'list.xlsx', '--conflicts', 'service'])).code).toBe(0);
    expect((await qr(['update', '--from', 'list.xlsx', '--conflicts', 'file'])).code).toBe(0);
    expect(methods().PATCH).toBe(1);
  });
});

describe('a sheet whose codes were created', () => {
  it('can be sorted, cut, extended and saved again, and only new rows are created', async () => {
    const { create, write, posts, readResults } = await useBench(rowsOf(4));
    await create();
    const [header = '', one, two, three, four] = linesOf(rowsOf(4));
    await write('codes.csv', [header, 'New,https://example.com/new', four, two, one, three, ''].join('\n'));
    expect(await create()).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Created 1 code, 4 unchanged'),
    });
    const semicolons = [two, one, four].map((line) => `${line?.replace(',', ';')};7\r\n`).join('');
    await write('codes.csv', `name;destination;shop\r\n${semicolons}`);
    const { code, stderr } = await create();
    expect([code, stderr]).toEqual([0, expect.stringContaining('3 rows unchanged (1 request)')]);
    expect(stderr).toContain('The file has no rows of these codes of an earlier run: ');
    await write('codes.csv', [header, one, three, ''].join('\n'));
    expect(await create()).toMatchObject({ code: 0 });
    expect(posts()).toBe(5);
    expect(outcomesOf(await readResults())).toBe('unchanged unchanged');
  });

  it('with a corrected address leads to exit code 8 and no request for that row, or to one PATCH with --apply-edits', async () => {
    const { create, write, code, methods, readResults } = await useBench(rowsOf(3));
    await create();
    const { id, slug } = code('Code 2');
    await write('codes.csv', rowsOf(4).replace('example.com/2', 'example.com/two'));
    methods();
    const dry = await create(['--dry-run', '--format', 'json']);
    expect(dry.code).toBe(0);
    expect(JSON.parse(dry.stdout)).toContainEqual(
      expect.objectContaining({
        line: 3,
        action: 'edited',
        id,
        slug,
        changes: { destination: { old: 'https://example.com/2', new: 'https://example.com/two' } },
      }),
    );
    const held = await create();
    expect([held.code, held.stderr]).toEqual([
      8,
      expect.stringMatching(/1 row differs from its code[\s\S]*line 3[\s\S]*--apply-edits/),
    ]);
    expect(held.stderr).toContain('--as-new 3');
    expect(methods()).toEqual({ GET: 2, POST: 1 });
    const results = await readResults();
    expect(outcomesOf(results)).toBe('unchanged edited unchanged created');
    // Other commands would act on the code.
    expect(results[1]).toMatchObject({ id: '', slug: '' });
    expect(await create(['--apply-edits'])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Updated 1 code'),
    });
    expect(methods()).toEqual({ GET: 1, PATCH: 1 });
    expect(code('Code 2').destination).toBe('https://example.com/two');
    expect(await create()).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('4 rows unchanged (1 request)'),
    });
  });

  const decisions: [string, string, string][] = [
    ['mine', 'https://example.com/two', 'updated'],
    ['new', 'https://example.com/2', 'created'],
    ['theirs', 'https://example.com/2', 'unchanged'],
    ['skip', 'https://example.com/2', 'unchanged'],
  ];
  it.each(firstRows(2, decisions))(
    'causes no further change after the decision %s in its results file was applied',
    async (decision, destination, outcome) => {
      const { create, qr, write, code, edit, readResults, methods } = await useBench(rowsOf(2));
      await create();
      await write('codes.csv', rowsOf(2).replace('example.com/2', 'example.com/two'));
      expect((await create()).code).toBe(8);
      const { id } = code('Code 2');
      await edit('codes.results.csv', (row) => (row.outcome === 'edited' ? { ...row, decision } : row));
      const again = ['create', '--from', 'codes.results.csv'];
      expect((await qr(again)).code).toBe(0);
      const results = await readResults();
      expect([results[1]?.outcome, results[1]?.decision]).toEqual([outcome, '']);
      methods();
      const rerun = await qr(again);
      expect(rerun.code).toBe(decision === 'skip' ? 8 : 0);
      expect(methods()).toEqual({ GET: 1 });
      if (decision === 'new') expect(results[1]?.id).not.toBe(id);
      else expect(code('Code 2')).toMatchObject({ id, destination });
    },
  );
});

describe('three users with three copies of the results', () => {
  it('can each add a row and correct a row, and no code is duplicated and no change is reverted', async () => {
    const { create, qr, read, write, edit, sandbox, names, code } = await useBench(rowsOf(3));
    await create();
    const people = await Promise.all(
      [1, 2, 3].map(async (n) => ({ n, file: `copy-${n}.csv`, env: await newMachine() })),
    );
    for (const { file } of people) await write(file, await read('codes.results.csv'));
    for (const { n, file, env } of people) {
      await edit(file, (row) =>
        row.name === `Code ${n}` ? { ...row, destination: `https://example.com/by-${n}` } : row,
      );
      await write(file, `${await read(file)}New ${n},https://example.com/new-${n},,,,,,\n`);
      const { code: exit, stderr } = await qr(['create', '--from', file, '--apply-edits'], { env });
      expect([exit, stderr]).toEqual([0, expect.stringMatching(/updated 1\b/i)]);
    }
    expect(names()).toEqual(['Code 1', 'Code 2', 'Code 3', 'New 1', 'New 2', 'New 3']);
    for (const n of [1, 2, 3]) expect(code(`Code ${n}`).destination).toBe(`https://example.com/by-${n}`);
    const before = sandbox.requests.length;
    for (const { file, env } of people)
      expect(await qr(['create', '--from', file, '--apply-edits'], { env })).toMatchObject({ code: 0 });
    expect(sandbox.requests.slice(before).every(({ method }) => method === 'GET')).toBe(true);
  });
});
