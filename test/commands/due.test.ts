/** `qr update --due` and the UTM flags as their users type them. */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { systemClock } from '#base/time/time';
import { startCli, useDirectory } from '../support/cli.ts';
import { SOAK } from '../support/property-runs.ts';
import { runHere } from '../support/run-here.ts';
import { useSandbox } from '../support/sandbox.ts';

const KILLS = SOAK ? 72 : 1;
/** Where a run is killed at a request: not applied, applied and not answered, or answered. */
const MOMENTS = ['before', 'applied', 'answered'] as const;

/** A service whose clock a test sets, far from this machine's, with two codes. */
async function usePlan(lines: string[]) {
  let offsetMs = Date.UTC(2030, 2, 31) - Date.now();
  const changed: { body: string; atMs: number }[] = [];
  let reached: (moment: (typeof MOMENTS)[number]) => Promise<boolean> = async () => false;
  const sandbox = await useSandbox({
    codes: 0,
    scans: 0,
    limit: 100_000,
    clock: { ...systemClock, now: () => Date.now() + offsetMs },
    async intercept({ request, apply, send }) {
      // The process is gone: its request is not applied.
      if (await reached('before')) return;
      const answer = apply();
      if (request.method === 'PATCH')
        changed.push({ body: String(request.body), atMs: Date.now() + offsetMs });
      await reached('applied');
      await send(answer);
      await reached('answered');
    },
  });
  const [menu, sale] = ['menu', 'sale'].map((name) =>
    sandbox.workspace.create({ name, destination: `https://example.com/${name}` }),
  );
  const [cwd, state] = [await useDirectory(), await useDirectory()];
  const env = { ...sandbox.env, QRCTL_STATE_DIR: state };
  const fill = (line: string) => line.replaceAll('MENU', menu?.slug ?? '').replaceAll('SALE', sale?.id ?? '');
  const write = (some: readonly string[], name = 'plan.csv') =>
    writeFile(join(cwd, name), `${some.map(fill).join('\n')}\n`);
  await write(lines);
  return {
    sandbox,
    cwd,
    env,
    /** Writes another version of the plan, or another plan. */
    write,
    forget: async () => {
      expect(await readdir(state)).not.toEqual([]);
      await rm(state, { recursive: true });
    },
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
      const running = await startCli(['qr', 'update', '--from', 'plan.csv', '--due'], { env, cwd });
      reached = async (now) => {
        if (now === 'before') count += 1;
        if (killed || count !== n || now !== moment) return false;
        killed = true;
        running.child.kill('SIGKILL');
        await running.done;
        return true;
      };
      await running.done;
      reached = async () => false;
      return killed;
    },
    due: (...more: string[]) =>
      runHere(['qr', 'update', '--from', 'plan.csv', '--due', ...more], { env, cwd }),
    run: (...args: string[]) => runHere(args, { env, cwd }),
  };
}

// Clocks in Berlin are put forward at 2030-03-31T01:00Z.
const PLAN = [
  'code,slug,id,at,destination,utm_campaign,status',
  'a,MENU,,2030-03-31 01:30 Europe/Berlin,https://example.com/winter,,',
  'b,MENU,,2030-03-31 03:30 Europe/Berlin,https://example.com/summer,Summer Menu,',
  'c,,SALE,2030-03-31T05:00:00+02:00,,,paused',
];

test('a dated plan without --due is refused before any request, unless --ignore-dates is passed', async () => {
  const { sandbox, run, patches, code, write } = await usePlan(PLAN);
  const update = (...more: string[]) => run('qr', 'update', '--from', 'plan.csv', ...more);
  const refused = await update();
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('column at (3 rows)') });
  expect(refused.stderr).toMatch(/--due .*--ignore-dates/s);
  expect(sandbox.requests).toEqual([]);
  expect(await update('--due', '--ignore-dates')).toMatchObject({ code: 2 });
  await write(PLAN.filter((_, line) => line !== 1));
  expect((await update('--ignore-dates', '--dry-run')).code).toBe(0);
  expect((await update('--ignore-dates')).code).toBe(0);
  expect(code('sale')?.status).toBe('paused');
  expect(patches()).toBe(2);
});

describe('qr update --due', () => {
  it('applies each row once when it is due, and keeps an edit by another client until the next row is due', async () => {
    const plan = await usePlan(PLAN);
    plan.clockTo('2030-03-31T00:00:00Z');
    const early = await plan.due();
    expect(early).toMatchObject({ code: 0, stdout: '' });
    expect(plan.patches()).toBe(0);

    plan.clockTo('2030-03-31T00:31:00Z');
    const dry = await plan.due('--dry-run', '-f', 'json');
    expect(JSON.parse(dry.stdout)).toMatchObject([
      {
        action: 'update',
        at: '2030-03-31T00:30:00.000Z',
        changes: { destination: { new: 'https://example.com/winter' } },
      },
      {
        action: 'later',
        at: '2030-03-31T01:30:00.000Z',
        changes: {},
        error: 'not due until 2030-03-31T01:30:00.000Z',
      },
      { action: 'later', at: '2030-03-31T03:00:00.000Z' },
    ]);
    expect((await plan.due('--dry-run', '-f', 'csv')).stdout.split('\n')[0]).toBe(
      'line,at,key,action,id,slug,field,old,new',
    );
    expect((await plan.due('--dry-run', '--exit-code')).code).toBe(8);
    const first = await plan.due();
    expect(first.stdout.trim().split('\n')).toHaveLength(2);
    expect(plan.code('menu')?.destination).toBe('https://example.com/winter');
    plan.edit('https://example.com/mine');

    const before = plan.sandbox.requests.length;
    expect(await plan.due('--quiet')).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(plan.sandbox.requests.length - before).toBe(1);
    expect(plan.code('menu')?.destination).toBe('https://example.com/mine');
    expect((await plan.due('--dry-run', '--exit-code')).code).toBe(0);

    plan.clockTo('2030-03-31T05:00:00Z');
    const last = await plan.due();
    expect(last).toMatchObject({ code: 0, stderr: expect.stringContaining('Updated 2 codes') });
    expect(plan.code('menu')?.destination).toBe('https://example.com/summer?utm_campaign=summer_menu');
    expect(plan.code('sale')?.status).toBe('paused');
    expect(plan.patches()).toBe(3);
    const results = (await readFile(join(plan.cwd, 'plan.results.csv'), 'utf8')).split('\n');
    expect(results[0]).toBe('code,at,destination,utm_campaign,status,id,slug,outcome,error,base,decision');
    expect(results[1]).toContain(',unchanged,superseded by a later row,');
    expect(results[2]).toContain('instead of https://example.com/winter, and the row overwrites it');
    expect(results[3]).toContain(',updated,,');
  });

  const patience = { timeout: 180_000 * KILLS };
  it(
    `leaves the codes with the planned values after up to ${2 * KILLS} kills around a clock change, and keeps edits by other clients`,
    patience,
    async () => {
      let kills = 0;
      for (let kill = 0; kill < KILLS; kill++) {
        const moment = MOMENTS[kill % 3] ?? 'before';
        // In turn at every request: the first run lists and sends one PATCH, the second lists and sends two.
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
        if (await plan.killedAt(3 - (Math.floor(kill / 3) % 3), moment)) kills += 1;
        const last = await plan.due();
        expect(last.code, last.stderr).toBe(0);
        expect(plan.code('menu')?.destination).toBe('https://example.com/summer?utm_campaign=summer_menu');
        expect(plan.code('sale')?.status).toBe('paused');
        plan.edit('https://example.com/later');
        expect(await plan.due('--quiet')).toMatchObject({ code: 0, stdout: '' });
        expect(plan.code('menu')?.destination).toBe('https://example.com/later');

        const times = (part: string) =>
          plan.changed.filter(({ body }) => body.includes(part)).map(({ atMs }) => atMs);
        expect([times('winter').length, times('summer').length, times('paused').length]).toEqual([1, 1, 1]);
        expect(times('winter')[0]).toBeGreaterThanOrEqual(Date.parse('2030-03-31T00:30:00Z'));
        expect(times('summer')[0]).toBeGreaterThanOrEqual(Date.parse('2030-03-31T01:30:00Z'));
        expect(times('paused')[0]).toBeGreaterThanOrEqual(Date.parse('2030-03-31T03:00:00Z'));
      }
      expect(kills).toBeGreaterThanOrEqual(1.5 * KILLS);
    },
  );

  it('waits for another run of the same plan, and the two runs apply each row at most once', {
    timeout: 60_000,
  }, async () => {
    const plan = await usePlan(PLAN);
    plan.clockTo('2030-03-31T05:00:00Z');
    const runs = await Promise.all(
      ['a.csv', 'b.csv'].map((results) =>
        startCli(['qr', 'update', '--from', 'plan.csv', '--due', '--results', results], {
          env: plan.env,
          cwd: plan.cwd,
        }),
      ),
    );
    expect((await Promise.all(runs.map(({ done }) => done))).map(({ code }) => code)).toEqual([0, 0]);
    expect(plan.patches()).toBe(2);
  });

  it('reports every invalid row in a plan, and sends no request', async () => {
    const plan = await usePlan([
      'slug,at,destination',
      'MENU,,https://a.test/',
      'MENU,2030-03-31T10:00,https://a.test/',
      'MENU,soon,https://a.test/',
      'MENU,2030-03-31T10:00Z,a.test',
    ]);
    const run = await plan.due();
    expect(run.code).toBe(2);
    for (const line of [
      'line 2, column at: is empty',
      'line 3, column at: "2030-03-31T10:00" has no time zone',
      'line 4, column at: "soon" is not a time',
      'line 5, column destination: ',
    ])
      expect(run.stderr).toContain(line);
    expect(plan.sandbox.requests).toHaveLength(0);

    const twice = await usePlan([
      'slug,at,destination',
      'MENU,2030-03-31T10:00Z,https://a.test/',
      'MENU,2030-03-31T12:00+02:00,https://b.test/',
    ]);
    expect((await twice.due()).stderr).toContain(
      'line 3, column destination: conflicts with line 2 (same code and time)',
    );
    expect(twice.sandbox.requests).toHaveLength(0);
    const { id = '' } = twice.code('menu') ?? {};
    await twice.write([
      'slug,id,at,status',
      'MENU,,2030-03-31T10:00Z,paused',
      `,${id},2030-03-31T10:00Z,active`,
    ]);
    expect(await twice.due()).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('line 3, column status: conflicts'),
    });
    expect(twice.patches()).toBe(0);

    const undated = await usePlan(['slug,destination', 'MENU,https://a.test/']);
    expect((await undated.due()).stderr).toContain('column at: is missing: each row needs a time');
    expect((await runHere(['qr', 'update', 'x', '--due'])).stderr).toContain('--due requires --from');
  });

  it('reads a time without a zone in the zone of --timezone or of the profile, and refuses it if both are missing', async () => {
    const plan = await usePlan(['slug,at,status', 'MENU,2030-03-31 03:30,paused']);
    plan.clockTo('2030-03-31T01:31:00Z');
    const none = await plan.due();
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('line 2, column at')]);
    expect(none.stderr).toContain('has no time zone');

    const env = { ...plan.env, QRCTL_CONFIG_DIR: join(plan.cwd, 'config') };
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
});

describe('a dated plan', () => {
  const PAST = '2030-01-01T00:00Z';
  const planOf = (destination: string, name = '') => [
    'slug,at,destination,name',
    `MENU,${PAST},https://${destination}/,${name}`,
  ];

  it('is applied only once, even if its runs alternate with runs of another plan for the same code', async () => {
    const plan = await usePlan(planOf('a.test'));
    await plan.write(['slug,at,destination', 'MENU,2030-02-01T00:00Z,https://b.test/'], 'other.csv');
    for (let hour = 0; hour < 3; hour++)
      for (const file of ['plan.csv', 'other.csv'])
        expect((await plan.run('qr', 'update', '--from', file, '--due')).code).toBe(0);
    expect([plan.patches(), plan.code('menu')?.destination]).toEqual([2, 'https://b.test/']);
  });
});

describe('a dated plan made from a list', () => {
  /** Adds rows to a list: each sets the destination of the menu at an hour, and copies the other cells. */
  async function useListed(hours: Readonly<Record<string, string>>) {
    const plan = await usePlan(['']);
    expect((await plan.run('qr', 'list', '-o', 'list.csv')).code).toBe(0);
    const [header = '', ...rows] = (await readFile(join(plan.cwd, 'list.csv'), 'utf8')).trim().split('\n');
    const row = rows.find((line) => line.includes('example.com/menu')) ?? '';
    const dated = Object.entries(hours).map(
      ([hour, destination]) =>
        `2030-04-01T${hour}:00Z,${row.replace('https://example.com/menu', destination)}`,
    );
    await plan.write([`at,${header}`, ...dated]);
    const at = (hour: string) => {
      plan.clockTo(`2030-04-01T${hour}:30:00Z`);
      return plan.due();
    };
    return { ...plan, at };
  }
  const MENU = 'https://example.com/menu';

  it('can restore an earlier value, and each PATCH contains only the edited field', async () => {
    const plan = await useListed({ '01': 'https://a.test/', '02': MENU });
    plan.sandbox.workspace.update(plan.code('menu')?.id ?? '', { name: 'Renamed' });
    expect((await plan.at('01')).code).toBe(0);
    expect(plan.code('menu')).toMatchObject({ name: 'Renamed', destination: 'https://a.test/' });
    expect((await plan.at('02')).code).toBe(0);
    expect(plan.code('menu')).toMatchObject({ name: 'Renamed', destination: MENU });
    expect(plan.changed.map(({ body }) => Object.keys(JSON.parse(body)))).toEqual([
      ['destination'],
      ['destination'],
    ]);
  });

  it('continues without its ledger if the code has the value from an earlier row, and otherwise exits with 9 because of a conflict', async () => {
    const plan = await useListed({ '01': 'https://a.test/', '02': MENU, '03': 'https://c.test/' });
    expect((await plan.at('01')).code).toBe(0);
    await plan.forget();
    expect((await plan.at('02')).code).toBe(0);
    expect(plan.code('menu')?.destination).toBe(MENU);
    plan.edit('https://example.com/mine');
    await plan.forget();
    const asked = await plan.at('02');
    expect([asked.code, asked.stdout]).toEqual([9, expect.stringContaining(',conflict,')]);
    expect(plan.code('menu')?.destination).toBe('https://example.com/mine');
    const results = await readFile(join(plan.cwd, 'plan.results.csv'), 'utf8');
    await writeFile(
      join(plan.cwd, 'plan.results.csv'),
      results.replace(/(,conflict,.*),(\r?)$/m, (_, before: string, end: string) => `${before},theirs${end}`),
    );
    expect((await plan.run('qr', 'update', '--from', 'plan.results.csv', '--due')).code).toBe(0);
    expect((await plan.at('02')).code).toBe(0);
    expect(plan.code('menu')?.destination).toBe('https://example.com/mine');
    expect((await plan.at('03')).code).toBe(0);
    expect(plan.code('menu')?.destination).toBe('https://c.test/');
  });
});

describe('the UTM flags', () => {
  it('add the same tags in `qr create` and `qr update`, for one code, for codes in files, and in dry runs', async () => {
    const sandbox = await useSandbox({ codes: 0, scans: 0 });
    const cwd = await useDirectory();
    const env = sandbox.env;
    const tags = ['--utm-source', ' Poster ', '--utm-campaign', 'Spring  Sale'];
    const tagged = 'https://x.test/a?utm_source=poster&utm_campaign=spring_sale';
    const made = await runHere(
      ['qr', 'create', '--name', 'one', '--destination', 'https://x.test/a', ...tags],
      { env },
    );
    const { id, destination } = JSON.parse(made.stdout);
    expect(destination).toBe(tagged);
    const changed = await runHere(['qr', 'update', id, '--utm-source', 'FLYER'], { env });
    expect(JSON.parse(changed.stdout).destination).toBe(tagged.replace('poster', 'flyer'));
    expect(
      (await runHere(['qr', 'create', '--name', 'x', '--type', 'sms', ...tags], { env })).stderr,
    ).toContain("the destination is not a web address, so UTM tags can't be added");

    await writeFile(
      join(cwd, 'codes.csv'),
      'name,destination,utm_campaign\ntwo,https://x.test/a,\nthree,https://x.test/a,OTHER one\n',
    );
    const dry = await runHere(['qr', 'create', '--from', 'codes.csv', '--dry-run', '-f', 'json', ...tags], {
      env,
      cwd,
    });
    const planned = [tagged, tagged.replace('spring_sale', 'other_one')];
    expect(
      JSON.parse(dry.stdout).map(
        ({ changes }: { changes: { destination: { new: string } } }) => changes.destination.new,
      ),
    ).toEqual(planned);
    const bulk = await runHere(['qr', 'create', '--from', 'codes.csv', ...tags], { env, cwd });
    expect(bulk.code, bulk.stderr).toBe(0);
    expect(sandbox.workspace.codes().map((code) => code.destination)).toEqual(
      expect.arrayContaining(planned),
    );

    await writeFile(join(cwd, 'tags.csv'), `id,utm_medium\n${id},Print Ad\n`);
    const shown = await runHere(['qr', 'update', '--from', 'tags.csv', '--dry-run', '-f', 'json'], {
      env,
      cwd,
    });
    expect(JSON.parse(shown.stdout)[0]).toMatchObject({
      changes: { destination: { new: expect.stringContaining('utm_medium=print_ad') } },
    });
    expect((await runHere(['qr', 'update', '--from', 'tags.csv'], { env, cwd })).code).toBe(0);
    expect(sandbox.workspace.code(id)?.destination).toBe(
      `${tagged.replace('poster', 'flyer')}&utm_medium=print_ad`,
    );
  });
});
