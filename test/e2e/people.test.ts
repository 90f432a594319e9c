/** What people do on the second day with sheets, lists and files, as the field reported it: nothing is made twice or undone in silence. */
import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Bench, newMachine, outcomesOf, rowsOf, useBench } from '../support/bench.ts';
import { type Fault, honest, sometimes } from '../support/faults.ts';
import { firstRows } from '../support/property-runs.ts';

const UNCHANGED = 'unchanged unchanged unchanged';
const EXISTS = 'exists exists exists';

/** A service that stores other values than it was sent. */
const storing = (change: (text: string) => string): Fault =>
  sometimes(({ request }) => {
    if (request.method !== 'POST' && request.method !== 'PATCH') return undefined;
    return ({ apply, send }) => {
      const body = JSON.parse(`${request.body}`, (_, value) =>
        typeof value === 'string' ? change(value) : value,
      );
      return send(apply({ ...request, body: Buffer.from(JSON.stringify(body)) }));
    };
  });

describe('a conflict in qr apply', () => {
  it("is reported each time the command is run, and another client's edit is kept", async () => {
    const rows = 'key,name,destination\nk1,Flyer,https://h.example/\nk2,Bar,https://a.example/\n';
    const { create, qr, sandbox, code } = await useBench(rows);
    expect((await create()).code).toBe(0);
    const theirs = 'https://theirs.example/';
    const env = await newMachine();
    expect((await qr(['update', code('Bar').id, '--destination', theirs], { env })).code).toBe(0);
    for (let time = 0; time < 2; time++) {
      const args = ['apply', '--from', 'codes.csv', '--adopt-existing', '--conflicts', 'ask'];
      expect(await qr(args)).toMatchObject({ code: 9, stderr: expect.stringContaining('in conflict') });
    }
    expect(code('Bar').destination).toBe(theirs);
    expect(sandbox.requests.filter(({ method }) => method === 'PATCH')).toHaveLength(1);
  });
});

describe('a sheet whose codes were created', () => {
  const ways: [string, (bench: Bench) => Promise<unknown>, string[]][] = [
    [
      'copied',
      ({ directory: d }) => copyFile(join(d, 'codes.csv'), join(d, 'other.csv')),
      ['--from', 'other.csv'],
    ],
    [
      'saved as tab-separated text',
      async ({ read, write }) =>
        write('other.tsv', (await read('codes.csv')).replaceAll(',', '\t').replaceAll('\n', '\r\n')),
      ['--from', 'other.tsv'],
    ],
    [
      'read with a different results file',
      async () => undefined,
      ['--from', 'codes.csv', '--results', 'other.results.csv'],
    ],
  ];

  it.each(firstRows(2, ways))(
    'creates no duplicate code if it was %s, on this machine or another',
    async (_, change, from) => {
      const bench = await useBench(rowsOf(3));
      const { create, qr, methods } = bench;
      expect((await create()).code).toBe(0);
      await change(bench);
      expect(methods()).toEqual({ GET: 1, POST: 3 });
      for (const [env, outcomes] of [
        [undefined, UNCHANGED],
        [await newMachine(), EXISTS],
      ] as const) {
        const dry = await qr(['create', ...from, '--dry-run', '-f', 'json'], { env });
        expect([
          dry.code,
          JSON.parse(dry.stdout)
            .map(({ action }: { action: string }) => action)
            .join(' '),
        ]).toEqual([0, outcomes]);
        const { code, stdout } = await qr(['create', ...from, '-f', 'json'], { env });
        expect([code, outcomesOf(JSON.parse(stdout))]).toEqual([0, outcomes]);
        expect(methods()).toEqual({ GET: 2 });
      }
    },
  );
});

describe('a list that was saved earlier', () => {
  it("changes only the edited row, and keeps other clients' changes in other rows", async () => {
    const { qr, read, write, sandbox, methods } = await useBench('', { codes: 4 });
    await qr(['list', '-o', 'list.csv']);
    const [a = '', b = '', c = ''] = [0, 1, 2].map((n) => sandbox.codeId(n));
    sandbox.workspace.update(a, { destination: 'https://colleague.example/new' });
    sandbox.workspace.update(b, { status: 'paused' });
    await write(
      'list.csv',
      (await read('list.csv')).replace(`${sandbox.workspace.code(c)?.name}`, 'Renamed today'),
    );
    methods();
    const { code, stderr } = await qr(['update', '--from', 'list.csv']);
    expect([code, methods().PATCH]).toEqual([0, 1]);
    expect(sandbox.workspace.code(a)?.destination).toBe('https://colleague.example/new');
    expect(sandbox.workspace.code(b)?.status).toBe('paused');
    expect(sandbox.workspace.code(c)?.name).toBe('Renamed today');
    expect(stderr).toMatch(/Updated 1 code, 3 /);
  });

  it('leads to exit code 9 for a field that changed on both sides, and decisions in its results are applied', async () => {
    const { qr, edit, readResults, sandbox, methods } = await useBench('', { codes: 3 });
    await qr(['list', '-o', 'list.csv']);
    const ids = [0, 1, 2].map((n) => sandbox.codeId(n));
    for (const id of ids.slice(0, 2)) sandbox.workspace.update(id, { name: 'Theirs' });
    await edit('list.csv', (row) => ({ ...row, name: `Mine ${ids.indexOf(row.id ?? '')}` }));
    methods();
    expect((await qr(['update', '--from', 'list.csv'])).code).toBe(9);
    expect(methods().PATCH).toBe(1);
    const asked = await readResults('list.results.csv');
    expect(asked.map(({ outcome }) => outcome).sort()).toEqual(['conflict', 'conflict', 'updated']);
    const answers = ['mine', 'theirs', ''];
    await edit('list.results.csv', (row) => ({ ...row, decision: answers[ids.indexOf(row.id ?? '')] ?? '' }));
    expect((await qr(['update', '--from', 'list.results.csv'])).code).toBe(0);
    expect(ids.map((id) => sandbox.workspace.code(id)?.name)).toEqual(['Mine 0', 'Theirs', 'Mine 2']);
    methods();
    expect((await qr(['update', '--from', 'list.results.csv'])).code).toBe(0);
    expect(methods().PATCH).toBeUndefined();
  });

  it('in which only the column destination was sorted is refused with exit code 9 unless --force is passed', async () => {
    const { create, qr, read, write, sandbox, methods } = await useBench(rowsOf(7));
    await create();
    await qr(['list', '-o', 'list.csv']);
    const list = await read('list.csv');
    await write(
      'list.csv',
      list.replace(/example\.com\/(\d)/g, (_, n) => `example.com/${(Number(n) % 7) + 1}`),
    );
    const before = sandbox.workspace.codes().map(({ destination }) => destination);
    methods();
    for (const env of [undefined, await newMachine()]) {
      const { code, stderr } = await qr(['update', '--from', 'list.csv'], { env });
      expect([code, stderr]).toEqual([
        9,
        expect.stringMatching(/column destination may have been sorted by itself.*no changes were made/),
      ]);
    }
    expect(methods().PATCH).toBeUndefined();
    expect(sandbox.workspace.codes().map(({ destination }) => destination)).toEqual(before);
    expect((await qr(['update', '--from', 'list.csv', '--force'])).code).toBe(0);
    expect(methods().PATCH).toBe(7);
  });

  it('is not changed by a flag for a column that has values, and a note says that the flag had no effect', async () => {
    const { qr, methods } = await useBench('', { codes: 3 });
    await qr(['list', '-o', 'list.csv']);
    methods();
    const { code, stderr } = await qr(['update', '--from', 'list.csv', '--status', 'paused']);
    expect([code, stderr, methods().PATCH]).toEqual([
      0,
      expect.stringContaining('--status had no effect'),
      undefined,
    ]);
  });
});

describe('a row with the ID of one code and the slug of another', () => {
  it.each([
    ['create'],
    ['update', '--name', 'x'],
    ['apply'],
    ['delete', '--yes'],
    ['image', '--short-url', 'https://go.example/{slug}', '--output-dir', 'out'],
  ])('is refused by %s with exit code 2, and no code is changed', async (verb, ...flags) => {
    const { qr, write, sandbox, methods } = await useBench('', { codes: 2 });
    const [a, b] = [0, 1].map((n) => sandbox.workspace.code(sandbox.codeId(n)));
    await write('rows.csv', `key,id,slug\nk,${a?.id},${b?.slug}\n`);
    const { code, stderr } = await qr([verb as string, '--from', 'rows.csv', ...flags]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(`the ID belongs to ${a?.slug}, but the slug is ${b?.slug}`),
    ]);
    expect(Object.keys(methods())).toEqual(['GET']);
  });
});

describe('qr apply', () => {
  const TWO = 'key,name,type,destination,status\na,Poster,sms,,active\nb,Poster,sms,,paused\n';

  it.each([true, false])(
    'never swaps two equal codes if its lock file is lost (ledger: %s)',
    async (hasLedger) => {
      const { qr, write, directory, sandbox, methods } = await useBench('');
      await write('codes.csv', TWO);
      expect((await qr(['apply', '--from', 'codes.csv'])).code).toBe(0);
      const before = sandbox.workspace.codes().map(({ id, status }) => `${id} ${status}`);
      await rm(join(directory, 'codes.lock.json'));
      methods();
      const env = hasLedger ? undefined : await newMachine();
      expect((await qr(['apply', '--from', 'codes.csv'], { env })).code).toBe(9);
      expect(methods()).toEqual({ GET: 1 });
      await qr(['apply', '--from', 'codes.csv', '--adopt-existing'], { env });
      expect(sandbox.workspace.codes().map(({ id, status }) => `${id} ${status}`)).toEqual(before);
    },
  );

  it('leads to exit code 9 for a row that equals a code from another file, and does not change that code', async () => {
    const { qr, write, sandbox, methods } = await useBench('');
    await write('one.csv', 'key,name,type,status\na,Poster,sms,active\n');
    await write('two.csv', 'key,name,type,status\nz,Poster,sms,paused\n');
    expect((await qr(['apply', '--from', 'one.csv'])).code).toBe(0);
    methods();
    expect((await qr(['apply', '--from', 'two.csv'])).code).toBe(9);
    expect(methods()).toEqual({ GET: 1 });
    expect((await qr(['apply', '--from', 'two.csv', '--as-new', 'z'])).code).toBe(0);
    for (let round = 0; round < 2; round++)
      for (const name of ['one.csv', 'two.csv']) expect((await qr(['apply', '--from', name])).code).toBe(0);
    expect(methods()).toEqual({ GET: 5, POST: 1, PATCH: 1 });
    expect(
      sandbox.workspace
        .codes()
        .map(({ status }) => status)
        .sort(),
    ).toEqual(['active', 'paused']);
  });
});

describe('a deleted code', () => {
  it('is reported as `gone` with exit code 9 until --as-new is passed for its row or the row is removed', async () => {
    const { create, write, code, sandbox, methods, names, readResults } = await useBench(rowsOf(3));
    await create();
    const { id } = code('Code 2');
    sandbox.workspace.delete(id);
    methods();
    const { code: exit, stderr } = await create();
    expect([exit, stderr]).toEqual([
      9,
      expect.stringMatching(/line 3.*was deleted from the service[\s\S]*--as-new 3/),
    ]);
    expect(outcomesOf(await readResults())).toBe('unchanged gone unchanged');
    expect((await create(['--as-new', '3'])).code).toBe(0);
    expect(names()).toEqual(['Code 1', 'Code 2', 'Code 3']);
    for (const more of [[], ['--as-new', '3']]) expect((await create(more)).code).toBe(0);
    expect(methods()).toMatchObject({ POST: 1 });
    sandbox.workspace.delete(code('Code 3').id);
    await write('codes.csv', rowsOf(2));
    expect((await create()).code).toBe(0);
    expect(methods()).not.toHaveProperty('POST');
  });
});

const habits: [string, (text: string) => string][] = [
  ['normalizes', (text) => text.replace(/ +/g, ' ').replace(/^(https:\/\/[^/]+)$/, '$1/')],
  ['shortens', (text) => (text.startsWith('http') ? text : text.slice(0, 20))],
];
describe.each(firstRows(1, habits))('a service that %s the values in a request', (_, change) => {
  const NAME = 'A  poster with a name longer than 20';
  const TEXT = `key,name,destination\nk,${NAME},https://example.com\n`;

  it('receives at most one PATCH per change from repeated runs of `qr create`, `qr update` and `qr apply`', async () => {
    const { create, qr, write, read, sandbox, methods, posts } = await useBench(TEXT, {
      intercept: storing(change),
    });
    expect((await create()).code).toBe(0);
    const [{ id } = { id: '' }] = sandbox.workspace.codes();
    for (let night = 0; night < 3; night++) expect((await create()).code).toBe(0);
    await write('update.csv', `id,name\n${id},Yet  another ${NAME}\n`);
    methods();
    const first = await qr(['update', '--from', 'update.csv']);
    expect([first.code, await read('update.results.csv')]).toEqual([
      0,
      expect.stringContaining('the service stored'),
    ]);
    for (let night = 0; night < 3; night++)
      expect((await qr(['update', '--from', 'update.csv'])).code).toBe(0);
    expect(methods().PATCH ?? 0).toBeLessThanOrEqual(1);
    await write('apply.csv', TEXT.replace('\nk,', '\nl,').replace(NAME, `Another  ${NAME}`));
    expect((await qr(['apply', '--from', 'apply.csv'])).code).toBe(0);
    methods();
    for (let night = 0; night < 3; night++) expect((await qr(['apply', '--from', 'apply.csv'])).code).toBe(0);
    expect(methods()).toEqual({ GET: 3 });
    expect(posts()).toBe(2);
  });
});

describe('a run', () => {
  it('requests the listing, and sends one request per row, while another client also sends requests', async () => {
    const { create, sandbox, methods } = await useBench(rowsOf(6), {
      intercept: async (exchange) => {
        if (exchange.request.headers['x-other'] === undefined && exchange.request.method === 'POST')
          await fetch(`${sandbox.baseUrl}/qr?limit=1`, {
            headers: { authorization: `Bearer ${sandbox.apiKey}`, 'x-other': '1' },
          });
        return honest(exchange);
      },
    });
    const { code, stderr } = await create(['--concurrency', '1']);
    expect([code, stderr]).toEqual([0, expect.stringContaining('Created 6 codes (7 requests)')]);
    expect(stderr).not.toContain('Waiting');
    expect(methods()).toEqual({ GET: 7, POST: 6 });
  });
});
