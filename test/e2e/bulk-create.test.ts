import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { baseOf, formatBase } from '#codes/engine/plan/base';
import { outcomesOf, rowsOf, useBench } from '../support/bench.ts';
import { type Fault, fails, sometimes } from '../support/faults.ts';
import { SOAK } from '../support/property-runs.ts';
import { runHere } from '../support/run-here.ts';

describe('qr create --from', () => {
  it('requests the listing, sends one request per row, and writes results with the delimiter of the input', async () => {
    const text =
      '\ufeffmy key;Destination;NAME\r\n=1+1;https://example.com;"Two\r\nlines"\r\n;https://example.com/b;B\r\n';
    const { create, results, sandbox } = await useBench(text);
    const { code, stdout, stderr } = await create();
    expect([code, stderr]).toEqual([0, expect.stringContaining('Created 2 codes (3 requests)')]);
    const [first, second] = [...sandbox.workspace.codes()].sort((a, b) => (a.name > b.name ? -1 : 1));
    const bases = [first, second].map((one) => formatBase(baseOf(one ?? {})));
    const expected = [
      'my key,Destination,NAME,id,slug,outcome,error,base,decision',
      `=1+1,https://example.com,"Two\r\nlines",${first?.id},${first?.slug},created,,${bases[0]},`,
      `,https://example.com/b,B,${second?.id},${second?.slug},created,,${bases[1]},`,
    ];
    // The results take after the input: byte order mark, semicolons, line ends.
    expect(await readFile(results, 'utf8')).toBe(`\ufeff${expected.join('\r\n').replaceAll(',', ';')}\r\n`);
    expect(stderr).toContain('Columns copied to the results but not used: my key\n');
    // What is printed is CSV like any other: formulas are defused.
    expect(stdout).toBe(`${expected.join('\n').replace('=1+1', "'=1+1")}\n`);
    expect([sandbox.requests.length, sandbox.refused()]).toEqual([3, 0]);
  });

  it('sends 400 requests without a pause if one window allows them, 16 at the same time with --concurrency 16', async () => {
    let inFlight = 0;
    let most = 0;
    let open = () => {};
    const isFull = new Promise<void>((resolve) => {
      open = resolve;
    });
    const intercept: Fault = async ({ request, apply, send }) => {
      if (request.method !== 'POST') return send(apply());
      inFlight += 1;
      most = Math.max(most, inFlight);
      if (inFlight === 16) open();
      await Promise.race([isFull, new Promise((resolve) => setTimeout(resolve, 10_000))]);
      inFlight -= 1;
      return send(apply());
    };
    const { create, sandbox, names } = await useBench(rowsOf(399), { intercept, limit: 400 });
    expect(await create(['--concurrency', '16'])).toMatchObject({ code: 0 });
    expect(most).toBe(16);
    expect([sandbox.requests.length, sandbox.refused(), names().length]).toEqual([400, 0, 399]);
  });

  it.each([
    ['codes.json', '[{"name":"a","type":"sms","tags":["x"],"n":9007199254740993}]'],
    ['codes.ndjson', '{"name":"a","type":"sms","tags":["x"],"n":9007199254740993}\n'],
  ])('reads %s, and writes its JSON values unchanged to the results', async (name, text) => {
    const { create, directory, sandbox } = await useBench(text, {}, name);
    const results = join(directory, 'out.ndjson');
    expect(await create(['--results', results])).toMatchObject({ code: 0 });
    const [code] = sandbox.workspace.codes();
    const values = `"name":"a","type":"sms","tags":["x"],"n":9007199254740993,"id":"${code?.id}","slug":"${code?.slug}"`;
    const base = formatBase(baseOf(code ?? {}));
    expect(await readFile(results, 'utf8')).toBe(
      `{${values},"outcome":"created","error":null,"base":"${base}","decision":null}\n`,
    );
  });
});

describe('the input', () => {
  it('is refused if it is missing or too large, as are results that are truncated or not in a regular file', async () => {
    const { create, qr, results, posts } = await useBench('name,type\na,sms\n');
    for (const [from, message] of [
      ...(SOAK ? [['/dev/zero', '/dev/zero is larger than 128 MiB']] : []),
      ['none.csv', 'cannot read none.csv: no such file'],
      ['code.csv', 'Did you mean codes.csv?'],
    ])
      expect(await qr(['create', '--from', `${from}`])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`${message}`),
      });
    const fix = await qr(['update', '--from', 'codes.csv']);
    expect(fix.stderr).toContain(
      'run the command again. Run `qrctl qr list -o codes.csv` to create a file to start from.',
    );
    expect(await create()).toMatchObject({ code: 0 });
    const device = await create(['--results', '/dev/full']);
    expect(device).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('cannot write results to /dev/full: it is not a regular file'),
    });
    await writeFile(results, (await readFile(results, 'utf8')).slice(0, -10));
    expect(await create()).toMatchObject({ code: 2, stderr: expect.stringContaining('codes.results.csv') });
    expect(posts()).toBe(1);
  });

  it.each([
    [['--name', 'x'], /--name can't be used with --from/],
    [['--results', 'codes.csv'], /--results can't be the same file as --from/],
    [['--results', 'r.md'], /cannot write r.md: results can't be written as Markdown/],
    [['--output', './codes.results.csv'], /the results file can't be the same file as --output/],
    [
      ['--results', 'r.csv', '--output', 'r.csv'],
      /--output can't be the same file as --results|--results can't be the same file as --output/,
    ],
    [['--results', '/nowhere/r.csv'], /nowhere/],
    [['--results', 'r.parquet'], /only scans can be written as Parquet/],
    [['--adopt', 'x'], /ROW=CODE, with a line or key, and the ID or slug of a code/],
    [['--max-changes', '101%'], /a number of codes, or a percentage such as 30%/],
    [['--exit-code'], /--exit-code requires --dry-run/],
    [['--as-new', '3-2'], /a range of lines such as 15-20/],
    [['--fields', 'nope'], /unknown field "nope"/],
  ])('is refused with exit code 2 and without a request if the flags are %j', async (more, message) => {
    const { file, directory, sandbox } = await useBench('name,type\na,sms\n');
    const options = { cwd: directory, env: sandbox.env };
    expect(await runHere(['qr', 'create', '--from', file, ...more], options)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(message),
    });
    expect(sandbox.requests).toHaveLength(0);
  });
});

describe('a decision', () => {
  it.each([
    [['--adopt', '2=x'], /line 2: no code has the ID or slug x/],
    [['--adopt', '9=x'], /no row has the line or key "?9/],
    [['--as-new', '9'], /no row has the line or key "?9/],
  ])('about a row or a code that does not exist is refused: %j', async (more, message) => {
    const { create, posts } = await useBench(rowsOf(1));
    const refused = await create(more);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
    expect(refused.stderr).toContain('hint: Correct the flag and run the command again.');
    expect(posts()).toBe(0);
  });
});

describe('codes that exist already', () => {
  it('are each matched to one equal row, and codes are created for the other rows', async () => {
    const rows = 'name,destination\na,https://x.de\na,https://x.de\nb,https://y.de\na,https://x.de\n';
    const { create, sandbox, names, readResults, methods } = await useBench(rows);
    const there = sandbox.workspace.create({ name: 'a', destination: 'https://x.de' });
    sandbox.workspace.create({ name: 'b', type: 'wifi' });
    const { code, stderr } = await create();
    expect([code, stderr]).toEqual([0, expect.stringContaining('Created 3 codes, 1 exists')]);
    expect(stderr).toContain('1 row exists already on the service; no code was created for it');
    const results = await readResults();
    expect(outcomesOf(results)).toBe('exists created created created');
    expect(results[0]).toMatchObject({ id: there.id, slug: there.slug });
    expect(names()).toEqual(['a', 'a', 'a', 'b', 'b']);
    methods();
    expect((await create()).stderr).toContain('4 rows unchanged');
    expect(methods()).toEqual({ GET: 1 });
  });

  it('need a decision, with exit code 9, if there are more of them than rows that equal them', async () => {
    const { create, sandbox, posts, readResults } = await useBench(rowsOf(1));
    const [a, b] = [1, 2].map(() =>
      sandbox.workspace.create({ name: 'Code 1', destination: 'https://example.com/1' }),
    );
    expect(await create()).toMatchObject({
      code: 9,
      stderr: expect.stringMatching(new RegExp(`${a?.id}|${b?.id}`)),
    });
    expect(outcomesOf(await readResults())).toBe('undecided');
    expect(await create(['--adopt', `2=${b?.slug}`])).toMatchObject({ code: 0 });
    expect((await readResults())[0]).toMatchObject({ id: b?.id });
    expect(await create()).toMatchObject({ code: 0 });
    expect(posts()).toBe(0);
  });
});

describe('qr create --from with a service that refuses requests', () => {
  it('stops at the code limit of the plan, and sends only the remaining rows after the limit was raised', async () => {
    const { create, sandbox, posts, readResults, names } = await useBench(rowsOf(60), {
      codeLimit: 49,
      latencyMs: 5,
    });
    const { code, stderr } = await create();
    expect([code, stderr]).toEqual([5, expect.stringContaining('plan')]);
    expect(posts()).toBeLessThanOrEqual(53);
    const outcomes = (await readResults()).map(({ outcome }) => outcome);
    expect(outcomes.filter((outcome) => outcome === 'created')).toHaveLength(49);
    // Of the four requests in flight, each may have met the limit.
    expect(outcomes.filter((outcome) => outcome === 'not-attempted').length).toBeGreaterThanOrEqual(7);
    sandbox.workspace.setCodeLimit(1000);
    const before = posts();
    expect(await create()).toMatchObject({ code: 0 });
    expect([posts() - before, names().length]).toEqual([11, 60]);
  });

  it('stops at a rejected row with --fail-fast, reports later rows as `not-attempted`, and exits with 8', async () => {
    const refuse = sometimes(({ request }) => `${request.body}`.includes('Code 2"') && fails(400));
    const fast = await useBench(rowsOf(4), { intercept: refuse });
    expect(await fast.create(['--fail-fast', '--concurrency', '1'])).toMatchObject({ code: 8 });
    expect((await fast.readResults()).map(({ outcome }) => outcome)).toEqual([
      'created',
      'failed',
      'not-attempted',
      'not-attempted',
    ]);
  });
});
