import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SandboxOptions } from '#sandbox/options';
import { useBench } from '../support/bench.ts';
import type { CliOptions } from '../support/cli.ts';
import { runByDay } from '../support/run-here.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

async function useChanges(options: SandboxOptions = {}) {
  const bench = await useBench(undefined, { codes: 6, scans: 10, ...options });
  const { sandbox } = bench;
  const file = join(bench.directory, 'changes.csv');
  return {
    ...bench,
    file,
    write: (text: string) => bench.write('changes.csv', text),
    qr: (args: string[], more?: CliOptions) => bench.qr([...args, '--from', file], more),
    results: () => bench.readResults('changes.results.csv'),
    count: (method: string) => sandbox.requests.filter((request) => request.method === method).length,
    code: (n: number) => sandbox.workspace.code(sandbox.codeId(n)) ?? expect.fail(`no code ${n}`),
  };
}

it('qr update CODE… on a narrow terminal prints complete slugs and outcomes, hides IDs, and ends with a count', async () => {
  const { sandbox, code } = await useChanges();
  const names = [code(0).slug, code(1).slug];
  const args = ['qr', 'update', ...names, '--status', 'paused', '--no-color'];
  const { stdout } = await runByDay(args, { env: sandbox.env, tty: 50 });
  for (const slug of names) expect(stdout).toMatch(new RegExp(`^${slug} +${slug} +updated`, 'm'));
  expect(stdout).toMatch(/Hidden columns \(terminal too narrow\): id[\s\S]*\n2 codes\r\n$/);
});

describe('qr update --from', () => {
  it('takes a value from a flag if a row lacks it, and refuses a list of IDs without a flag', async () => {
    const { sandbox, file, write, code, qr } = await useChanges();
    await write(`id,status\n${code(0).id},\n${code(1).id},paused\n`);
    expect(await qr(['update', '--status', 'expired'])).toMatchObject({ code: 0 });
    expect([code(0).status, code(1).status]).toEqual(['expired', 'paused']);
    const ids = `id\n${code(2).id}\n${code(3).id}\n`;
    const args = ['qr', 'update', '--from', '-', '--name', 'Both', '--results', `${file}.results.csv`];
    expect(await runByDay(args, { env: sandbox.env, input: ids })).toMatchObject({ code: 0 });
    expect([code(2).name, code(3).name]).toEqual(['Both', 'Both']);
    expect(await runByDay(args.slice(0, 4), { env: sandbox.env, input: ids })).toMatchObject({ code: 2 });
  });

  it('sends a PATCH only for each row that differs from its code, and reports the outcome of each row', async () => {
    const { write, qr, results, count, code } = await useChanges();
    const [a, b, c] = [code(0), code(1), code(2)];
    await write(
      `slug,id,name,status,note\n${a.slug},,Renamed,,keep\n,${b.id},${JSON.stringify(b.name).replaceAll('\\"', '""')},,\n,${c.id},,paused,\n,${UNKNOWN},x,,\nno-such,,x,,\n`,
    );
    const { code: exit, stderr } = await qr(['update']);
    expect([exit, stderr]).toEqual([8, expect.stringContaining('2 gone (')]);
    expect((await results()).map(({ note, id, slug, outcome }) => [note, id, slug, outcome])).toEqual([
      ['keep', a.id, a.slug, 'updated'],
      ['', b.id, b.slug, 'unchanged'],
      ['', c.id, c.slug, 'updated'],
      ['', UNKNOWN, '', 'gone'],
      ['', '', 'no-such', 'gone'],
    ]);
    expect([count('PATCH'), count('GET')]).toEqual([2, 2]);
    expect(code(0)).toMatchObject({ name: 'Renamed', status: a.status });
    await qr(['update']);
    expect(count('PATCH')).toBe(2);
  });

  it('shows only changed rows with --dry-run on a terminal, each with slug, name, old value and new value', async () => {
    const { write, qr, code } = await useChanges();
    const all = [0, 1, 2].map(code);
    await write(
      `id,name,status\n${all.map(({ id, name }, n) => `${id},${name},${n === 1 ? 'paused' : ''}`).join('\n')}\n`,
    );
    const { stdout } = await qr(['update', '--dry-run'], { tty: true });
    const lines = stdout.split('\r\n').map((line) =>
      line
        .replace(/\x1b\[[0-9;]*m/g, '')
        .trim()
        .split(/ {2,}/),
    );
    const one = all[1];
    expect(lines).toContainEqual(['3', 'update', `${one?.slug} (${one?.name})`, 'status: active → paused']);
    for (const other of [all[0], all[2]]) expect(stdout).not.toContain(other?.slug);
  });

  it('exits with 9 if the file changes 12 of 20 codes, unless --max-changes allows 12', async () => {
    const { write, qr, count, sandbox } = await useChanges({ codes: 20 });
    for (const { id } of sandbox.workspace.codes()) sandbox.workspace.update(id, { status: 'active' });
    await write(`id\n${Array.from({ length: 12 }, (_, n) => sandbox.codeId(n)).join('\n')}\n`);
    const { code: exit, stderr } = await qr(['update', '--status', 'paused']);
    expect([exit, stderr, count('PATCH')]).toEqual([
      9,
      expect.stringContaining('Check the plan with --dry-run. If the plan is correct, add --max-changes 12.'),
      0,
    ]);
    expect((await qr(['update', '--status', 'paused', '--max-changes', '50%'])).code).toBe(9);
    expect((await qr(['update', '--status', 'paused', '--max-changes', '12'])).code).toBe(0);
    expect(count('PATCH')).toBe(12);
  });
});

describe('qr delete --from', () => {
  it('requires --yes or a terminal, on which it shows the scans to be lost and prompts for the number of codes', async () => {
    const { write, qr, count, code, sandbox } = await useChanges();
    await write(`id,slug\n${code(0).id},\n,${code(1).slug}\n`);
    expect(await qr(['delete'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
    expect(sandbox.requests).toHaveLength(0);
    const no = await qr(['delete'], { tty: 300, input: 'n\n' });
    expect([no.code, no.stdout]).toEqual([
      2,
      expect.stringMatching(
        /Delete 2 codes and their 20 scans in .*\? This can't be undone\. Type 2 to continue: /,
      ),
    ]);
    expect(no.stdout).toContain(`"${code(0).name}" (slug ${code(0).slug}): 10 scans`);
    expect(count('DELETE')).toBe(0);
    expect(await qr(['delete'], { tty: true, input: '2\n' })).toMatchObject({ code: 0 });
    expect(sandbox.workspace.codes()).toHaveLength(4);
  });
});
