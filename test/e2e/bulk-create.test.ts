import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dropBefore, type Fault, fails, sometimes } from '../support/faults.ts';
import { runByDay, runHere } from '../support/run-here.ts';
import { useSandbox } from '../support/sandbox.ts';
import { rowsOf, useBench } from './bulk-bench.ts';

describe('without a fault', () => {
  it('sends a request a row, provokes no 429, and gives the spreadsheet back with results', async () => {
    const text = '\ufeffmy key;Destination;NAME\r\n=1+1;https://example.com;"Two\r\nlines"\r\n;https://example.com/b;B\r\n';
    const { create, results, sandbox } = await useBench(text);
    const { code, stdout, stderr } = await create();
    expect([code, stderr]).toEqual([0, expect.stringContaining('2 rows: 2 created (2 requests)')]);
    const [first, second] = [...sandbox.workspace.codes()].sort((a, b) => (a.name > b.name ? -1 : 1));
    const expected = [
      'my key,Destination,NAME,id,slug,outcome,error',
      `=1+1,https://example.com,"Two\r\nlines",${first?.id},${first?.slug},created,`,
      `,https://example.com/b,B,${second?.id},${second?.slug},created,`,
    ];
    // The results take after the input: byte order mark, semicolons, line ends.
    expect(await readFile(results, 'utf8')).toBe(`\ufeff${expected.join('\r\n').replaceAll(',', ';')}\r\n`);
    expect(stderr).toContain('Columns copied to the results but not used: my key\n');
    // What is printed is CSV like any other: formulas are defused.
    expect(stdout).toBe(`${expected.join('\n').replace('=1+1', "'=1+1")}\n`);
    expect([sandbox.requests.length, sandbox.refused()]).toEqual([2, 0]);
  });

  it('sends as many rows as a window has requests, in parallel, without a pause', async () => {
    let inFlight = 0;
    let most = 0;
    const intercept: Fault = async ({ apply, send }) => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      await new Promise((resolve) => setTimeout(resolve, 20));
      inFlight -= 1;
      return send(apply());
    };
    const { create, sandbox, names } = await useBench(rowsOf(400), { intercept, limit: 400 });
    expect(await create(['--concurrency', '16'])).toMatchObject({ code: 0 });
    expect(most).toBe(16);
    expect([sandbox.requests.length, sandbox.refused(), names().length]).toEqual([400, 0, 400]);
  });

  it('sends nothing when it is run again, and only what was added at the end', async () => {
    const { create, file, posts, sandbox } = await useBench(rowsOf(3));
    await create();
    const again = await create(['--format', 'json']);
    expect(again.code).toBe(0);
    expect(JSON.parse(again.stdout).map(({ outcome }: { outcome: string }) => outcome)).toEqual([
      'created',
      'created',
      'created',
    ]);
    expect(sandbox.requests).toHaveLength(3);
    await writeFile(file, rowsOf(5));
    expect(await create()).toMatchObject({ code: 0 });
    expect(posts()).toBe(5);
  });

  it('refuses another service, and a damaged journal', async () => {
    const { create, results, posts } = await useBench(rowsOf(3));
    await create();
    const other = await useSandbox({ codes: 0 });
    expect(await create([], { env: other.env })).toMatchObject({ code: 2, stderr: expect.stringContaining('belongs to http') });
    const journal = await readFile(`${results}.journal`, 'utf8');
    await writeFile(`${results}.journal`, journal.replace('"created"', '"creatde"'));
    expect(await create()).toMatchObject({ code: 2, stderr: expect.stringContaining('damaged at line') });
    expect([posts(), other.requests.length]).toEqual([3, 0]);
  });

  it.each([
    ['codes.json', '[{"name":"a","type":"sms","tags":["x"],"n":9007199254740993}]'],
    ['codes.ndjson', '{"name":"a","type":"sms","tags":["x"],"n":9007199254740993}\n'],
  ])('reads %s, and gives JSON values back exactly', async (name, text) => {
    const { create, directory, sandbox } = await useBench(text, {}, name);
    const results = join(directory, 'out.ndjson');
    expect(await create(['--results', results])).toMatchObject({ code: 0 });
    const { id, slug } = sandbox.workspace.codes()[0] ?? {};
    const expected = `{"name":"a","type":"sms","tags":["x"],"n":9007199254740993,"id":"${id}","slug":"${slug}","outcome":"created","error":null}\n`;
    expect(await readFile(results, 'utf8')).toBe(expected);
  });

  it('reads standard input, and never reads twice what one file cannot give', async () => {
    const { sandbox, directory } = await useBench('');
    const options = { env: sandbox.env, cwd: directory, input: rowsOf(1) };
    expect(await runByDay(['qr', 'create', '--from', '-', '--ids'], options)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^[0-9a-f-]{36}\n$/),
    });
  });
});

describe('the input', () => {
  it('is checked whole before the first request', async () => {
    const { create, sandbox } = await useBench('name,type,destination\n,url,https://x.de\nb,urll,\nc,,nope\n');
    const { code, stderr, stdout } = await create();
    expect([code, stdout, sandbox.requests.length]).toEqual([2, '', 0]);
    expect(stderr).toMatch(/3 faults.*\n.*line 2, column name.*\n.*line 3, column type.*\n.*line 4, column destination/);
  });

  it('is refused where it has no end, or where results would take the place of a journal or forget one', async () => {
    const { create, results, directory, sandbox, posts } = await useBench('name,type\na,sms\n');
    const endless = await runByDay(['qr', 'create', '--from', '/dev/zero'], { env: sandbox.env, cwd: directory });
    expect(endless).toMatchObject({ code: 2, stderr: expect.stringContaining('/dev/zero is larger than 128 MiB') });
    const none = await runByDay(['qr', 'create', '--from', 'none.csv'], { env: sandbox.env, cwd: directory });
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot read none.csv: no such file') });
    const near = await runByDay(['qr', 'create', '--from', 'code.csv'], { env: sandbox.env, cwd: directory });
    expect(near.stderr).toContain('Did you mean codes.csv?');
    const mend = await runByDay(['qr', 'update', '--from', 'codes.csv'], { env: sandbox.env, cwd: directory });
    expect(mend.stderr).toContain('run the command again. Run `qrctl qr list -o codes.csv` to create a file to start from.');
    expect(await create()).toMatchObject({ code: 0 });
    expect(await create()).toMatchObject({ code: 0, stderr: expect.stringContaining('1 row: 1 created before (0 requests)') });
    const over = await create(['--results', `${results}.journal`]);
    expect(over).toMatchObject({ code: 2, stderr: expect.stringContaining('is the journal of a bulk run') });
    const device = await create(['--results', '/dev/full']);
    expect(device).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('cannot write results to /dev/full: it is not a regular file'),
    });
    await rm(`${results}.journal`);
    expect(await create()).toMatchObject({ code: 2, stderr: expect.stringContaining('the journal was lost or truncated') });
    const whole = await readFile(results, 'utf8');
    await writeFile(results, whole.slice(0, -10));
    expect(await create()).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot read the results') });
    await writeFile(results, whole);
    expect(posts()).toBe(1);
    expect(await create(['--skip-existing'])).toMatchObject({ code: 0 });
    expect(posts()).toBe(1);
  });

  it('is not needed for a template', async () => {
    expect(await runByDay(['qr', 'create', '--template'])).toMatchObject({ code: 0, stdout: 'name,type,destination\n' });
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
    [['--adopt', '1=x'], /LINE=ID, such as 12=6f1c2f0e-/],
    [['--adopt', '9=00000000-0000-4000-8000-000000000000'], /no row begins at line 9/],
    [['--not-created', '2'], /can't be used: line 2/],
    [['--as-new', '3-2'], /a range of lines such as 15-20/],
    [['--as-new', '9'], /no row begins at line 9/],
    [['--fields', 'nope'], /unknown field "nope"/],
  ])('goes with no %j', async (more, message) => {
    const { file, directory, sandbox } = await useBench('name,type\na,sms\n');
    const options = { cwd: directory, env: sandbox.env };
    expect(await runHere(['qr', 'create', '--from', file, ...more], options)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(message),
    });
    expect(sandbox.requests).toHaveLength(0);
  });
});

describe('--dry-run', () => {
  it('says what would be created and what that costs, with GETs only, and leaves no file', async () => {
    const { create, sandbox, directory } = await useBench(rowsOf(3), { limit: 60 });
    sandbox.workspace.create({ name: 'Code 2', destination: 'https://example.com/2' });
    const { code, stdout, stderr } = await create(['--dry-run', '--skip-existing', '--format', 'ndjson']);
    expect([code, stderr]).toEqual([0, expect.stringMatching(/2 of 3 rows would be created \(3 requests, 1 window of 60/)]);
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).action),
    ).toEqual(['create', 'exists', 'create']);
    // The listing tells the limit as well.
    expect(sandbox.requests.map(({ method, url }) => `${method} ${url.slice(url.lastIndexOf('/') + 1)}`)).toEqual([
      'GET qr?page=1&limit=100',
    ]);
    await expect(readFile(join(directory, 'codes.results.csv.journal'))).rejects.toThrow('ENOENT');
  });
});

describe('--skip-existing', () => {
  it('creates what is missing, as often as the file has it', async () => {
    const { create, sandbox, names, readResults } = await useBench(
      'name,destination\na,https://x.de\na,https://x.de\nb,https://y.de\na,https://x.de\n',
    );
    const there = sandbox.workspace.create({ name: 'a', destination: 'https://x.de' });
    sandbox.workspace.create({ name: 'b', type: 'wifi' });
    expect(await create(['--skip-existing'])).toMatchObject({ code: 0 });
    expect((await readResults()).map(({ outcome }) => outcome)).toEqual(['exists', 'created', 'created', 'created']);
    // All is done: nothing is left to list the codes for.
    const before = sandbox.requests.length;
    const dry = await create(['--skip-existing', '--dry-run']);
    expect(dry.stderr).toContain('0 of 4 rows would be created (0 requests');
    expect(sandbox.requests.slice(before).filter(({ url }) => !url.endsWith('limit=1'))).toEqual([]);
    expect((await readResults())[0]).toMatchObject({ id: there.id, slug: there.slug });
    expect(names()).toEqual(['a', 'a', 'a', 'b', 'b']);
  });
});

describe('when the service says no', () => {
  it('stops at the limit of the plan, and sends only the rest once it is raised', async () => {
    const { create, sandbox, posts, readResults, names } = await useBench(rowsOf(60), { codeLimit: 49, latencyMs: 5 });
    const { code, stderr } = await create();
    expect([code, stderr]).toEqual([5, expect.stringContaining('plan')]);
    expect(posts()).toBeLessThanOrEqual(53);
    const outcomes = (await readResults()).map(({ outcome }) => outcome);
    expect(outcomes.filter((outcome) => outcome === 'created')).toHaveLength(49);
    expect(outcomes.filter((outcome) => outcome === 'not-attempted')).toHaveLength(10);
    sandbox.workspace.setCodeLimit(1000);
    const before = posts();
    expect(await create()).toMatchObject({ code: 0 });
    expect([posts() - before, names().length]).toEqual([11, 60]);
  });

  it('fails a rejected row and does the others (8), or stops there with --fail-fast', async () => {
    const refuse = sometimes(({ request }) => `${request.body}`.includes('Code 2"') && fails(400));
    const all = await useBench(rowsOf(4), { intercept: refuse });
    expect(await all.create(['--settle', '1s'])).toMatchObject({
      code: 8,
      stderr: expect.stringContaining('1 of 4 rows failed'),
    });
    expect((await all.readResults()).map(({ outcome, error }) => `${outcome}${error ? ' 400' : ''}`)).toEqual([
      'created',
      'failed 400',
      'created',
      'created',
    ]);
    const fast = await useBench(rowsOf(4), { intercept: refuse });
    expect(await fast.create(['--fail-fast', '--concurrency', '1'])).toMatchObject({ code: 8 });
    expect((await fast.readResults()).map(({ outcome }) => outcome)).toEqual([
      'created',
      'failed',
      'not-attempted',
      'not-attempted',
    ]);
  });

  it('says to run the same command again after an outage (7), and that goes on', async () => {
    let [down, healthy] = [false, false];
    const { create, names } = await useBench(rowsOf(8), {
      intercept: sometimes(({ request }) => {
        down ||= !healthy && `${request.body}`.includes('Code 5"');
        return down && dropBefore;
      }),
    });
    const args = ['--retry-for', '200ms', '--settle', '100ms', '--concurrency', '1'];
    const { code, stderr } = await create(args);
    expect([code, stderr]).toEqual([7, expect.stringContaining('run the same command to finish (rows that have a code')]);
    [down, healthy] = [false, true];
    expect(await create(args)).toMatchObject({ code: 0 });
    expect(names()).toHaveLength(8);
  });

  it('stops at once for a bad key (3) and for --max-wait (6)', async () => {
    const { create, posts, sandbox, names } = await useBench(rowsOf(30), { limit: 20 });
    expect(await create([], { env: { ...sandbox.env, QRCTL_API_KEY: 'svc_live_wrong' } })).toMatchObject({ code: 3 });
    expect(posts()).toBe(1);
    expect(await create(['--max-wait', '0'])).toMatchObject({ code: 6 });
    expect(sandbox.refused()).toBe(0);
    expect(names().length).toBeGreaterThan(10);
  });
});
