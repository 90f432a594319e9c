/** `qr update CODE…`: what is sent, and what the service made of it. */
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import type { Exchange } from '#sandbox/exchange';
import { useDirectory } from '../../support/cli.ts';
import { changedBody, type Fault, fails, sometimes } from '../../support/faults.ts';
import { runHere } from '../../support/run-here.ts';
import { useSandbox } from '../../support/sandbox.ts';

const isPatch = ({ request }: Exchange) => request.method === 'PATCH';

/** A sandbox with the codes `a`, `b` and `c`, whose PATCH may meet a fault. */
async function useCodes(fault?: Fault) {
  const sandbox = await useSandbox({
    codes: 0,
    intercept: sometimes((exchange) => isPatch(exchange) && fault),
  });
  for (const slug of ['a', 'b', 'c'])
    sandbox.workspace.put({ name: `Code ${slug}`, slug, destination: `https://x.de/${slug}` });
  const cwd = await useDirectory();
  return {
    sandbox,
    qr: (...args: string[]) =>
      runHere(['qr', 'update', ...args, '--retry-for', '0s'], { cwd, env: sandbox.env }),
    patches: () => sandbox.requests.filter(({ method }) => method === 'PATCH').length,
    code: (wanted: string) => sandbox.workspace.codes().find(({ slug }) => slug === wanted),
  };
}

describe('qr update CODE… --dry-run', () => {
  it('prints the plan for one or several codes, and sends no PATCH', async () => {
    const { qr, patches } = await useCodes();
    const { code, stdout, stderr } = await qr('a', 'b', 'never', '--name', 'Code a', '--dry-run');
    const rows: Record<string, string>[] = parse(stdout, { columns: true });
    expect(rows.map(({ slug, action, field, old, new: value }) => [slug, action, field, old, value])).toEqual(
      [
        ['never', 'failed', '', '', 'Code a'],
        ['b', 'update', 'name', 'Code b', 'Code a'],
        ['a', 'unchanged', '', '', ''],
      ],
    );
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/1 row failed, 1 to update, 1 unchanged \(about \d+ requests?\)/),
    ]);
    const one = await qr('c', '--status', 'paused', '--dry-run', '-f', 'json');
    expect(JSON.parse(one.stdout)).toMatchObject([
      { slug: 'c', changes: { status: { old: 'active', new: 'paused' } } },
    ]);
    expect(patches()).toBe(0);
  });

  it('exits with 4 if the code does not exist, and with 2 for an invalid destination or for --exit-code', async () => {
    const { qr } = await useCodes();
    expect(await qr('never', '--name', 'x', '--dry-run')).toMatchObject({ code: 4 });
    expect(await qr('a', '--destination', 'nowhere', '--dry-run')).toMatchObject({ code: 2 });
    expect(await qr('a', '--name', 'x', '--dry-run', '--exit-code')).toMatchObject({ code: 2 });
  });
});

describe('the response to a change', () => {
  const ignores =
    (field: string): Fault =>
    (exchange) => {
      const { apply, request } = exchange;
      const { [field]: _, ...rest } = JSON.parse(String(request.body));
      return exchange.send(apply({ ...request, body: Buffer.from(JSON.stringify(rest)) }));
    };

  it.each(['name', 'destination'])('counts as a failure if it still has the old %s', async (field) => {
    const { qr } = await useCodes(ignores(field));
    const run = await qr('a', '--name', 'New', '--destination', 'https://x.de/new');
    expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining(`did not change the ${field}`) });
    const several = await qr('a', 'b', '--name', 'Newer', '--destination', 'https://x.de/newer');
    expect(several.code).toBe(1);
    expect(several.stdout).toContain(`did not change the ${field}`);
  });

  it('leads to a note, and not to a failure, if it has only the beginning of the sent name', async () => {
    const shortens = changedBody((body) => {
      Object.assign(body, { name: String(Object(body).name).slice(0, 10) });
    });
    const { qr } = await useCodes(shortens);
    const one = await qr('a', '--name', 'A long name of a code');
    expect(one).toMatchObject({ code: 0, stderr: expect.stringContaining('name: the service stored') });
    const several = await qr('a', 'b', '--name', 'A longer name of a code', '-f', 'csv');
    expect(several.code).toBe(0);
    const rows: Record<string, string>[] = parse(several.stdout, { columns: true });
    expect(rows.map(({ outcome, error }) => [outcome, error])).toEqual([
      ['updated', expect.stringContaining('name: the service stored')],
      ['updated', expect.stringContaining('name: the service stored')],
    ]);
  });
});

describe('qr update CODE CODE…', () => {
  it('changes a code once even if it is listed by ID and slug, and reports one outcome per argument', async () => {
    const { qr, patches, code } = await useCodes();
    const id = code('a')?.id ?? '';
    const { code: exit, stdout } = await qr(
      id,
      'a',
      id.toUpperCase(),
      'b',
      'never',
      '--status',
      'paused',
      '-f',
      'json',
    );
    const outcomes = JSON.parse(stdout).map((row: { outcome: string }) => row.outcome);
    expect([exit, outcomes, patches()]).toEqual([
      8,
      ['updated', 'updated', 'updated', 'updated', 'failed'],
      2,
    ]);
    expect([code('a')?.status, code('b')?.status, code('c')?.status]).toEqual(['paused', 'paused', 'active']);
  });

  it('changes fifteen codes without --max-changes', async () => {
    const { sandbox, qr, patches } = await useCodes();
    const slugs = Array.from({ length: 15 }, (_, n) => `more${n}`);
    for (const slug of slugs) sandbox.workspace.put({ name: slug, slug, destination: 'https://x.de/' });
    expect(await qr(...slugs, '--status', 'paused')).toMatchObject({ code: 0 });
    expect(patches()).toBe(15);
  });

  it('exits with the exit code for the failure if all codes fail for the same reason', async () => {
    const { qr } = await useCodes(fails(400));
    expect(await qr('a', 'b', '--name', 'x')).toMatchObject({ code: 10 });
    expect(await qr('never', 'none', '--name', 'x')).toMatchObject({ code: 4 });
  });

  it('suggests correcting the codes that do not exist, not running the same command again', async () => {
    const { qr } = await useCodes();
    const hint = 'Correct or omit the codes that do not exist. Run `qrctl qr list` to see all slugs.';
    for (const [codes, code] of [
      [['a', 'never'], 8],
      [['never', 'none'], 4],
    ] as const)
      expect(await qr(...codes, '--name', 'x')).toMatchObject({
        code,
        stderr: expect.stringContaining(hint),
      });
  });

  it.each([
    [['a', 'b'], '1 of 2 codes failed'],
    [
      ['a', 'b', 'c'],
      '2 of 3 codes failed, all for the same reason: the service rejected the values (400): A made-up 400',
    ],
    [['a', 'b', 'never'], '2 of 3 codes failed'],
  ])('counts the failed codes of %j, and states a reason that all of them have', async (slugs, message) => {
    const { sandbox, qr, code } = await useCodes(fails(400));
    sandbox.workspace.update(code('a')?.id ?? '', { name: 'x' });
    const { code: exit, stderr } = await qr(...slugs, '--name', 'x');
    expect([exit, stderr]).toEqual([
      8,
      `qrctl: ${message}\n  hint: See the output for the reasons. It is safe to run the same command again.\n`,
    ]);
  });

  it('adds UTM tags to the destination of each code, and changes nothing if one code has no web address', async () => {
    const { sandbox, qr, code, patches } = await useCodes();
    sandbox.workspace.put({ name: 'w', slug: 'w', type: 'wifi', destination: 'WIFI:S:x;;' });
    expect(await qr('a', 'w', '--utm-source', 'mail')).toMatchObject({ code: 2 });
    expect(patches()).toBe(0);
    expect(await qr('a', 'b', '--utm-source', 'mail')).toMatchObject({ code: 0 });
    expect([code('a')?.destination, code('b')?.destination]).toEqual([
      'https://x.de/a?utm_source=mail',
      'https://x.de/b?utm_source=mail',
    ]);
  });
});

describe('qr update --due', () => {
  it('changes nothing if the service sends no Date header, unless the file has no rows', async () => {
    const sandbox = await useSandbox({
      codes: 0,
      intercept: ({ apply, send }) => {
        const answer = apply();
        return send({ ...answer, headers: { ...answer.headers, Date: '' } });
      },
    });
    sandbox.workspace.put({ name: 'Code a', slug: 'a', destination: 'https://x.de/a' });
    const due = (...rows: string[]) =>
      runHere(['qr', 'update', '--from', '-', '--due'], {
        env: sandbox.env,
        input: ['slug,name,at', ...rows, ''].join('\n'),
      });
    expect(await due('a,New,2020-01-01T00:00Z')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        'cannot determine which rows are due: the service sends no Date header\n  hint: Check the service with `qrctl doctor`.\n',
      ),
    });
    expect(sandbox.requests.map(({ method }) => method)).not.toContain('PATCH');
    expect((await due()).code).toBe(0);
  });
});
