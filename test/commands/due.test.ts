/** `qr update --due` and the UTM flags as their users type them. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { systemClock } from '../../src/base/time/time.ts';
import { startCli, useDirectory } from '../support/cli.ts';
import { SOAK } from '../support/property-runs.ts';
import { runHere } from '../support/run-here.ts';
import { useSandbox } from '../support/sandbox.ts';

const KILLS = SOAK ? 72 : 2;
/** Where a run is killed at a request: not applied, applied and not answered, or answered. */
const MOMENTS = ['before', 'applied', 'answered'] as const;

/** A service whose clock a test sets, far from this machine's, with two codes. */
async function usePlan(lines: string[]) {
  let offsetMs = Date.UTC(2030, 2, 31) - Date.now();
  const changed: { body: string; atMs: number }[] = [];
  let reached: (moment: (typeof MOMENTS)[number]) => Promise<void> = async () => undefined;
  const sandbox = await useSandbox({
    codes: 0,
    scans: 0,
    limit: 100_000,
    clock: { ...systemClock, now: () => Date.now() + offsetMs },
    async intercept({ request, apply, send }) {
      await reached('before');
      const answer = apply();
      if (request.method === 'PATCH') changed.push({ body: String(request.body), atMs: Date.now() + offsetMs });
      await reached('applied');
      await send(answer);
      await reached('answered');
    },
  });
  const [menu, sale] = ['menu', 'sale'].map((name) =>
    sandbox.workspace.create({ name, destination: `https://example.com/${name}` }),
  );
  const cwd = await useDirectory();
  const fill = (line: string) => line.replaceAll('MENU', menu?.slug ?? '').replaceAll('SALE', sale?.id ?? '');
  await writeFile(join(cwd, 'plan.csv'), `${lines.map(fill).join('\n')}\n`);
  return {
    sandbox,
    cwd,
    patches: () => sandbox.requests.filter(({ method }) => method === 'PATCH').length,
    code: (which: 'menu' | 'sale') => sandbox.workspace.code((which === 'menu' ? menu : sale)?.id ?? ''),
    edit: (destination: string) => sandbox.workspace.update(menu?.id ?? '', { destination }),
    clockTo: (iso: string) => {
      offsetMs = Date.parse(iso) - Date.now();
    },
    /** The PATCHes that were applied. */
    changed,
    /** Runs the plan and kills it at this moment of its n-th request (1 is the first); false where it came to its end before. */
    async killedAt(n: number, moment: (typeof MOMENTS)[number]): Promise<boolean> {
      let [killed, count] = [false, 0];
      const running = await startCli(['qr', 'update', '--from', 'plan.csv', '--due'], { env: sandbox.env, cwd });
      reached = async (now) => {
        if (now === 'before') count += 1;
        if (killed || count !== n || now !== moment) return;
        killed = true;
        running.child.kill('SIGKILL');
        await running.done;
      };
      await running.done;
      reached = async () => undefined;
      return killed;
    },
    due: (...more: string[]) => runHere(['qr', 'update', '--from', 'plan.csv', '--due', ...more], { env: sandbox.env, cwd }),
  };
}

// Clocks in Berlin are put forward at 2030-03-31T01:00Z.
const PLAN = [
  'code,slug,id,at,destination,utm_campaign,status',
  'a,MENU,,2030-03-31 01:30 Europe/Berlin,https://example.com/winter,,',
  'b,MENU,,2030-03-31 03:30 Europe/Berlin,https://example.com/summer,Summer Menu,',
  'c,,SALE,2030-03-31T05:00:00+02:00,,,paused',
];

test('a flag that is added to a plan, changed or omitted makes no row due again that is done', async () => {
  const { patches, due, code, edit, clockTo } = await usePlan(PLAN);
  clockTo('2030-03-31T00:45:00Z');
  expect(await due('--name', 'Old name')).toMatchObject({ code: 0 });
  expect([patches(), code('menu')?.name]).toEqual([1, 'Old name']);
  edit('https://example.com/by-hand');
  for (const flags of [['--status', 'paused'], ['--utm-source', 'poster'], []]) {
    const { code: exit, stderr } = await due(...flags);
    expect({ exit, stderr }).toMatchObject({ exit: 0 });
  }
  expect([patches(), code('menu')]).toMatchObject([1, { destination: 'https://example.com/by-hand', status: 'active' }]);
  // What is not done takes the flags of its own run.
  clockTo('2030-04-01T00:00:00Z');
  expect(await due('--name', 'New name')).toMatchObject({ code: 0 });
  expect([patches(), code('menu')?.name, code('sale')?.name]).toEqual([3, 'New name', 'New name']);
});

test('a plan without --due is refused before anything is sent, unless its dates are to be ignored', async () => {
  const { sandbox, cwd, patches, code } = await usePlan(PLAN);
  const update = (...more: string[]) => runHere(['qr', 'update', '--from', 'plan.csv', ...more], { env: sandbox.env, cwd });
  const refused = await update();
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('column at (3 rows)') });
  expect(refused.stderr).toMatch(/--due .*--ignore-dates/s);
  expect(sandbox.requests).toEqual([]);
  expect(await update('--due', '--ignore-dates')).toMatchObject({ code: 2 });
  expect((await update('--ignore-dates', '--dry-run')).code).toBe(0);
  expect((await update('--ignore-dates')).code).toBe(0);
  expect(code('sale')?.status).toBe('paused');
  expect(patches()).toBeGreaterThan(0);
});

describe('qr update --due', () => {
  it('applies each row once when its time has come, and leaves what somebody changed later', async () => {
    const plan = await usePlan(PLAN);
    plan.clockTo('2030-03-31T00:00:00Z');
    const early = await plan.due();
    expect(early).toMatchObject({ code: 0, stdout: '' });
    expect(plan.patches()).toBe(0);

    plan.clockTo('2030-03-31T00:31:00Z');
    const dry = await plan.due('--dry-run', '-f', 'json');
    expect(JSON.parse(dry.stdout).map(({ action, new: value }: Record<string, string>) => [action, value])).toEqual([
      ['update', 'https://example.com/winter'],
      ['later', undefined],
      ['later', undefined],
    ]);
    const first = await plan.due();
    expect(first.stdout.trim().split('\n')).toHaveLength(2);
    expect(plan.code('menu')?.destination).toBe('https://example.com/winter');
    plan.edit('https://example.com/mine');

    const before = plan.sandbox.requests.length;
    expect(await plan.due('--quiet')).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(plan.sandbox.requests.length - before).toBe(1);
    expect(plan.code('menu')?.destination).toBe('https://example.com/mine');

    plan.clockTo('2030-03-31T05:00:00Z');
    expect((await plan.due()).code).toBe(0);
    expect(plan.code('menu')?.destination).toBe('https://example.com/summer?utm_campaign=summer_menu');
    expect(plan.code('sale')?.status).toBe('paused');
    expect(plan.patches()).toBe(3);
    const results = await readFile(join(plan.cwd, 'plan.results.csv'), 'utf8');
    expect(results.split('\n')[0]).toBe('code,at,destination,utm_campaign,status,id,slug,outcome,error');
    expect(results.match(/,updated,/g)).toHaveLength(3);
  });

  const patience = { timeout: 60_000 * KILLS };
  it(
    `ends in the plan's state after ${2 * KILLS} kills, on both sides of a clock change, beside the edits of a person`,
    patience,
    async () => {
      let kills = 0;
      for (let kill = 0; kill < KILLS; kill++) {
        const moment = MOMENTS[kill % 3] ?? 'before';
        // In turn at every request: the first run lists and sends one PATCH, the second reads and sends two.
        const at = 2 - (Math.floor(kill / 3) % 2);
        const plan = await usePlan(PLAN);
        plan.clockTo('2030-03-31T00:45:00Z');
        if (await plan.killedAt(at, moment)) kills += 1;
        expect((await plan.due('--quiet')).code).toBe(0);
        expect(plan.code('menu')?.destination).toBe('https://example.com/winter');
        plan.edit('https://example.com/mine');
        // Two hours by the clocks of Berlin, one by all others.
        plan.clockTo('2030-03-31T01:15:00Z');
        expect(await plan.due('--quiet')).toMatchObject({ code: 0, stdout: '' });
        expect(plan.code('menu')?.destination).toBe('https://example.com/mine');

        plan.clockTo('2030-03-31T03:30:00Z');
        if (await plan.killedAt(4 - (Math.floor(kill / 3) % 4), moment)) kills += 1;
        const last = await plan.due();
        expect(last.code, last.stderr).toBe(0);
        expect(plan.code('menu')?.destination).toBe('https://example.com/summer?utm_campaign=summer_menu');
        expect(plan.code('sale')?.status).toBe('paused');
        plan.edit('https://example.com/later');
        expect(await plan.due('--quiet')).toMatchObject({ code: 0, stdout: '' });
        expect(plan.code('menu')?.destination).toBe('https://example.com/later');

        const times = (part: string) => plan.changed.filter(({ body }) => body.includes(part)).map(({ atMs }) => atMs);
        expect([times('winter').length, times('summer').length, times('paused').length]).toEqual([1, 1, 1]);
        expect(times('winter')[0]).toBeGreaterThanOrEqual(Date.parse('2030-03-31T00:30:00Z'));
        expect(times('summer')[0]).toBeGreaterThanOrEqual(Date.parse('2030-03-31T01:30:00Z'));
        expect(times('paused')[0]).toBeGreaterThanOrEqual(Date.parse('2030-03-31T03:00:00Z'));
      }
      expect(kills).toBeGreaterThanOrEqual(1.5 * KILLS);
    },
  );

  it('lists all that is wrong with a plan, and sends nothing', async () => {
    const plan = await usePlan([
      'slug,at,destination',
      'MENU,,https://a/',
      'MENU,2030-03-31T10:00,https://a/',
      'MENU,soon,https://a/',
      'MENU,2030-03-31T10:00Z,https://a/',
    ]);
    const run = await plan.due();
    expect(run.code).toBe(2);
    for (const line of [
      'line 2, column at: is empty',
      'line 3, column at: "2030-03-31T10:00" has no time zone',
      'line 4, column at: "soon" is not a time',
    ])
      expect(run.stderr).toContain(line);
    expect(plan.sandbox.requests).toHaveLength(0);

    const twice = await usePlan([
      'slug,at,destination',
      'MENU,2030-03-31T10:00Z,https://a/',
      'MENU,2030-03-31T12:00+02:00,https://b/',
    ]);
    expect((await twice.due()).stderr).toContain('line 3, column destination: conflicts with line 2 (same code and time)');
    expect(twice.sandbox.requests).toHaveLength(0);

    const unknown = await usePlan([
      'slug,at,status',
      'nobody,2030-03-31T00:00Z,paused',
      'noone,2030-03-31T00:00Z,paused',
      'MENU,2030-01-01T00:00Z,paused',
    ]);
    const none = await unknown.due();
    expect(none.code).toBe(2);
    expect(none.stderr).toContain('line 2: no code has the slug nobody');
    expect(none.stderr).toContain('line 3: no code has the slug noone');
    expect(unknown.patches()).toBe(0);

    const undated = await usePlan(['slug,destination', 'MENU,https://a/']);
    expect((await undated.due()).stderr).toContain('column at: is missing: each row needs a time');
    expect((await runHere(['qr', 'update', 'x', '--due'])).stderr).toContain('--due requires --from FILE');
  });

  it('says `later` of rows whose time has not come, in the results as in the dry run', async () => {
    const plan = await usePlan(PLAN);
    plan.clockTo('2030-03-31T00:31:00Z');
    const run = await plan.due('-f', 'json');
    expect(run).toMatchObject({ code: 0, stderr: expect.stringContaining('1 updated, 2 later') });
    expect(JSON.parse(run.stdout)).toHaveLength(1); // what is not due is no news
    const results = await readFile(join(plan.cwd, 'plan.results.csv'), 'utf8');
    expect(results.match(/,(later|not-attempted),/g)).toEqual([',later,', ',later,']);
    expect(results).toContain('not due until 2030-03-31T01:30:00.000Z');
  });

  it("takes a time without a zone in --timezone, else in the profile's, else refuses it", async () => {
    const plan = await usePlan(['slug,at,status', 'MENU,2030-03-31 03:30,paused']);
    plan.clockTo('2030-03-31T01:31:00Z');
    const none = await plan.due();
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('line 2, column at')]);
    expect(none.stderr).toContain('has no time zone');

    const config = join(plan.cwd, 'config');
    const env = { ...plan.sandbox.env, QRCTL_CONFIG_DIR: config };
    const qrctl = (...args: string[]) => runHere(args, { env, cwd: plan.cwd });
    const dry = ['qr', 'update', '--from', 'plan.csv', '--due', '--dry-run', '-f', 'json'];
    const action = async (...more: string[]) => JSON.parse((await qrctl(...dry, ...more)).stdout)[0].action;
    expect((await qrctl('config', 'set', 'timezone', 'Europe/Berlin')).code).toBe(0);
    expect(await action()).toBe('update');
    expect(await action('--timezone', 'America/New_York')).toBe('later');
    const wrong = await qrctl(...dry, '--timezone', 'Mars/Phobos');
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('expected a time zone')]);
    const undue = await qrctl('qr', 'update', '--from', 'plan.csv', '--timezone', 'UTC');
    expect([undue.code, undue.stderr]).toEqual([2, expect.stringContaining('--timezone requires --due')]);
  });

  it('takes no journal of another kind, nor of another service', async () => {
    const plan = await usePlan(['slug,at,status,name', 'MENU,2030-01-01T00:00Z,paused,x']);
    await runHere(['qr', 'create', '--from', 'plan.csv'], { env: plan.sandbox.env, cwd: plan.cwd, input: '' });
    await writeFile(join(plan.cwd, 'codes.csv'), 'name,type\nx,sms\n');
    await runHere(['qr', 'create', '--from', 'codes.csv', '--results', 'plan.results.csv'], {
      env: plan.sandbox.env,
      cwd: plan.cwd,
    });
    const beside = await plan.due();
    expect([beside.code, beside.stderr]).toEqual([2, expect.stringContaining('it holds the results of `qr create`')]);
    await rm(join(plan.cwd, 'plan.results.csv'));
    const run = await plan.due();
    expect(run.code).toBe(2);
    expect(run.stderr).toContain('is the journal of a create run');
  });
});

describe('--utm-…', () => {
  it('is written the same way each time, by create and update, for one code and for files, and shown in the dry run', async () => {
    const sandbox = await useSandbox({ codes: 0, scans: 0 });
    const cwd = await useDirectory();
    const env = sandbox.env;
    const tags = ['--utm-source', ' Poster ', '--utm-campaign', 'Spring  Sale'];
    const tagged = 'https://x.test/a?utm_source=poster&utm_campaign=spring_sale';
    const made = await runHere(['qr', 'create', '--name', 'one', '--destination', 'https://x.test/a', ...tags], { env });
    const { id, destination } = JSON.parse(made.stdout);
    expect(destination).toBe(tagged);
    const changed = await runHere(['qr', 'update', id, '--utm-source', 'FLYER'], { env });
    expect(JSON.parse(changed.stdout).destination).toBe(tagged.replace('poster', 'flyer'));
    expect((await runHere(['qr', 'create', '--name', 'x', '--type', 'sms', ...tags], { env })).stderr).toContain(
      "the destination is not a web address, so UTM tags can't be added",
    );

    await writeFile(
      join(cwd, 'codes.csv'),
      'name,destination,utm_campaign\ntwo,https://x.test/a,\nthree,https://x.test/a,OTHER one\n',
    );
    const dry = await runHere(['qr', 'create', '--from', 'codes.csv', '--dry-run', '-f', 'json', ...tags], { env, cwd });
    const planned = [tagged, tagged.replace('spring_sale', 'other_one')];
    expect(JSON.parse(dry.stdout).map((row: { destination: string }) => row.destination)).toEqual(planned);
    const bulk = await runHere(['qr', 'create', '--from', 'codes.csv', ...tags], { env, cwd });
    expect(bulk.code, bulk.stderr).toBe(0);
    expect(sandbox.workspace.codes().map((code) => code.destination)).toEqual(expect.arrayContaining(planned));
    const other = await runHere(['qr', 'create', '--from', 'codes.csv', '--utm-source', 'other'], { env, cwd });
    expect(other.code).toBe(8);
    expect(other.stderr).toContain('line 2: destination changed from');

    await writeFile(join(cwd, 'tags.csv'), `id,utm_medium\n${id},Print Ad\n`);
    const shown = await runHere(['qr', 'update', '--from', 'tags.csv', '--dry-run', '-f', 'json'], { env, cwd });
    expect(JSON.parse(shown.stdout)[0]).toMatchObject({
      field: 'destination',
      new: expect.stringContaining('utm_medium=print_ad'),
    });
    expect((await runHere(['qr', 'update', '--from', 'tags.csv'], { env, cwd })).code).toBe(0);
    expect(sandbox.workspace.code(id)?.destination).toBe(`${tagged.replace('poster', 'flyer')}&utm_medium=print_ad`);
  });
});
