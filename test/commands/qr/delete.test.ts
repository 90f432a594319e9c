/** `qr delete`: which codes are deleted, and what counts as a deletion. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { confirm } from '#commands/qr/delete';
import type { Context } from '#context';
import type { Exchange } from '#sandbox/exchange';
import type { QrCode } from '#service/shapes';
import { useDirectory } from '../../support/cli.ts';
import { type Fault, fails, gateway, sometimes } from '../../support/faults.ts';
import { runHere } from '../../support/run-here.ts';
import { useSandbox } from '../../support/sandbox.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

/** A sandbox with the codes `a` to `e`, of which `choose` may break requests, and a file of rows. */
async function useCodes(choose: (exchange: Exchange) => Fault | false | undefined = () => undefined) {
  const sandbox = await useSandbox({ codes: 0, intercept: sometimes(choose) });
  for (const slug of ['a', 'b', 'c', 'd', 'e'])
    sandbox.workspace.put({ name: `Code ${slug}`, slug, destination: 'https://x.de/' });
  const cwd = await useDirectory();
  const env = { ...sandbox.env, QRCTL_STATE_DIR: join(cwd, 'state') };
  const qr = (...args: string[]) => runHere(['qr', ...args, '--retry-for', '0s'], { cwd, env });
  return {
    sandbox,
    cwd,
    env,
    qr,
    /** Writes rows and deletes their codes. */
    deleteRows(rows: readonly string[], ...args: string[]) {
      writeFileSync(join(cwd, 'old.csv'), `${rows.join('\n')}\n`);
      return qr('delete', '--from', 'old.csv', ...args);
    },
    results: (): Record<string, string>[] =>
      parse(readFileSync(join(cwd, 'old.results.csv')), { columns: true }),
    id: (slug: string) => sandbox.workspace.codes().find((code) => code.slug === slug)?.id ?? '',
    slugs: () =>
      sandbox.workspace
        .codes()
        .map(({ slug }) => slug)
        .sort()
        .join(''),
    deletions: () => sandbox.requests.filter(({ method }) => method === 'DELETE').length,
  };
}

describe('qr delete --from', () => {
  it('deletes the code in each row, found by its ID or slug', async () => {
    const { deleteRows, results, slugs, id } = await useCodes();
    const rows = ['id,slug,note', `${id('a')},a,x`, `${id('b')},,y`, ',c,z'];
    expect(await deleteRows(rows, '--yes')).toMatchObject({ code: 0 });
    expect(slugs()).toBe('de');
    expect(results().map(({ slug, note, outcome, error }) => [slug, note, outcome, error])).toEqual([
      ['a', 'x', 'deleted', ''],
      ['b', 'y', 'deleted', ''],
      ['c', 'z', 'deleted', ''],
    ]);
  });

  it('reports rows without an existing code as `deleted`, prints a note, and sends no DELETE for them', async () => {
    const { deleteRows, results, slugs, deletions } = await useCodes();
    await deleteRows(['slug', 'a'], '--yes');
    const again = await deleteRows(['slug', 'a', 'b', 'never'], '--yes');
    expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining('No code exists for 2 rows') });
    expect(again.stderr).toContain('Deleted 1 code, 2 already deleted (');
    expect([slugs(), deletions()]).toEqual(['cde', 2]);
    expect(results().map(({ outcome, error }) => [outcome, error])).toEqual([
      ['deleted', 'no code has its ID or slug'],
      ['deleted', ''],
      ['deleted', 'no code has its ID or slug'],
    ]);
  });

  it.each<[string, (id: (slug: string) => string) => string[], string]>([
    ['one code in two rows', (id) => ['id,slug', `${id('a')},`, ',a'], 'the code a is also that of line 2'],
    ['neither an ID nor a slug', () => ['id,slug,name', 'x,,y'], 'line 2'],
  ])('exits with 2 for a file that has %s, and sends no DELETE', async (_, rows, message) => {
    const { deleteRows, slugs, deletions, id } = await useCodes();
    const run = await deleteRows(rows(id), '--yes');
    expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
    expect([slugs(), deletions()]).toEqual(['abcde', 0]);
  });
});

const isDelete = ({ request }: Exchange) => request.method === 'DELETE';

describe('the response to DELETE', () => {
  const LOGIN: Fault = ({ send }) =>
    send({ status: 200, headers: { 'Content-Type': 'text/html' }, body: '<title>Please log in</title>' });

  it.each<[string, Fault]>([
    ['a login page', LOGIN],
    ['202', ({ send }) => send({ status: 202, headers: {}, body: '' })],
  ])('makes the row fail if it is %s, and the next run deletes the code', async (_, fault) => {
    const broken = { is: true };
    const { deleteRows, qr, results, slugs, id } = await useCodes(
      (exchange) => broken.is && isDelete(exchange) && fault,
    );
    expect(await qr('delete', id('a'), '--yes')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('not 204'),
    });
    expect(await deleteRows(['slug', 'a', 'b'], '--yes')).toMatchObject({ code: 8 });
    expect(results().map(({ outcome }) => outcome)).toEqual(['failed', 'failed']);
    expect(slugs()).toBe('abcde');
    broken.is = false;
    expect(await deleteRows(['slug', 'a', 'b'], '--yes')).toMatchObject({ code: 0 });
    expect(slugs()).toBe('cde');
  });

  it('counts as a deletion if it is a 404 to a repeated DELETE', async () => {
    const { cwd, env, id, slugs } = await useCodes(
      (exchange) => isDelete(exchange) && exchange.number < 3 && gateway(502, { applied: true }),
    );
    const run = await runHere(['qr', 'delete', id('a'), '--yes'], { cwd, env });
    expect([run.code, slugs()]).toEqual([0, 'bcde']);
  });

  it('leads to the outcome `gone` if it is a 404 to the first DELETE', async () => {
    const { deleteRows, results } = await useCodes((exchange) => isDelete(exchange) && fails(404));
    expect(await deleteRows(['slug', 'a', 'b'], '--yes')).toMatchObject({ code: 4 });
    expect(results().map(({ outcome }) => outcome)).toEqual(['gone', 'gone']);
  });
});

describe('qr delete --dry-run', () => {
  it('lists the codes in a file with the number of scans that would be lost, and deletes nothing', async () => {
    const { sandbox, deleteRows, slugs, id, deletions } = await useCodes();
    sandbox.workspace.addScan(id('b'), { ts: '2026-01-01T00:00:00Z' });
    const run = await deleteRows(['slug', 'a', 'b', 'never'], '--dry-run');
    expect(run.code).toBe(0);
    const rows: Record<string, string>[] = parse(run.stdout, { columns: true });
    expect(rows.map(({ line, slug, name, action, scans }) => [line, slug, name, action, scans])).toEqual([
      ['2', 'a', 'Code a', 'delete', '0'],
      ['3', 'b', 'Code b', 'delete', '1'],
      ['4', 'never', '', 'deleted', ''],
    ]);
    expect(run.stderr).toContain('2 codes and 1 scan would be deleted');
    expect(run.stderr).toMatch(
      /2 codes to delete, 1 already deleted \(about \d+ requests\)\. No changes were made/,
    );
    expect([slugs(), deletions()]).toEqual(['abcde', 0]);
  });

  it('lists existing codes from the command line as `delete`, and missing ones as `failed`', async () => {
    const { qr, id, slugs } = await useCodes();
    const { code, stdout } = await qr('delete', UNKNOWN, id('a'), 'never', '--dry-run', '-f', 'json');
    const rows = JSON.parse(stdout).map((row: Record<string, unknown>) => [
      row.line,
      row.slug,
      row.action,
      row.error,
    ]);
    expect([code, rows]).toEqual([
      0,
      [
        [1, null, 'failed', `no code has the ID ${UNKNOWN}`],
        [2, 'a', 'delete', null],
        [3, 'never', 'failed', 'no code has the slug never'],
      ],
    ]);
    expect(await qr('delete', 'never', '--dry-run')).toMatchObject({ code: 4 });
    expect(slugs()).toBe('abcde');
  });

  it('shows at most 10 records on a terminal unless a format or a file is specified', async () => {
    const { sandbox, cwd, env, id } = await useCodes();
    for (let n = 6; n < 12; n++) sandbox.workspace.put({ name: `Code ${n}`, slug: `s${n}` });
    const slugs = sandbox.workspace.codes().map(({ slug }) => slug);
    sandbox.workspace.addScan(id('a'), { ts: '2026-01-01T00:00:00Z' });
    const dry = (count: number, ...args: string[]) =>
      runHere(['qr', 'delete', ...slugs.slice(0, count), '--dry-run', ...args], { cwd, env, tty: 200 });
    const records = (text: string) => text.match(/ delete +\d+\r$/gm)?.length;
    const ten = await dry(10);
    expect([records(ten.stdout), ten.stdout.includes('more row')]).toEqual([10, false]);
    const cut = await dry(11);
    expect([records(cut.stdout), cut.stdout]).toEqual([
      10,
      expect.stringContaining(
        '\r\nand 1 more row (--format table shows all)\r\n11 codes and 1 scan would be',
      ),
    ]);
    expect(records((await dry(11, '-f', 'table')).stdout)).toBe(11);
    await dry(11, '-o', 'lost.csv');
    expect(readFileSync(join(cwd, 'lost.csv'), 'utf8').split('\n')).toHaveLength(1 + 11 + 1);
  });
});

describe('the prompt of qr delete', () => {
  async function useKeyboard(count: number) {
    const codes = await useCodes();
    for (let n = 5; n < count; n++) codes.sandbox.workspace.put({ name: `Code ${n}`, slug: `s${n}` });
    const { sandbox, cwd, env } = codes;
    const all = sandbox.workspace.codes().map(({ slug }) => slug);
    return {
      ...codes,
      left: () => sandbox.workspace.codes().length,
      remove: (input: string, ...args: string[]) =>
        runHere(['qr', 'delete', ...all.slice(0, count), ...args], { cwd, env, input, tty: 400 }),
    };
  }

  it('lists 20 of 22 codes and counts the others, mentions no backup unless one was requested, and accepts the number of codes', async () => {
    const { remove, left } = await useKeyboard(22);
    const { code, stdout } = await remove(' 22 \n');
    expect([code, left()]).toEqual([0, 0]);
    expect(stdout).not.toContain('Before deleting');
    const [prompt = ''] = stdout.split('Type 22 to continue:');
    expect(prompt.split('\r\n').map((line) => line.replace(/"Code \w+" \(slug \w+\)/, 'CODE'))).toEqual([
      ...Array.from({ length: 20 }, () => 'CODE: 0 scans'),
      'and 2 more (list all with --dry-run)',
      'To keep the codes and their scans, pause them instead: `qrctl qr update CODE… --status paused`',
      expect.stringMatching(/Delete 22 codes and their 0 scans in .* This can't be undone\. $/),
    ]);
  });

  it('deletes nothing without a confirmation', async () => {
    const { remove, left, sandbox, id } = await useKeyboard(20);
    sandbox.workspace.addScan(id('a'), { ts: '2026-01-01T00:00:00Z' });
    const { code, stdout } = await remove('N\n');
    expect([code, left(), stdout.includes('more (list all')]).toEqual([2, 20, false]);
    expect(stdout).toContain('"Code a" (slug a): 1 scan\r\n');
    expect(stdout).toMatch(/ nothing was deleted\r\n {2}hint: Preview the deletion with --dry-run\.\r\n$/);
  });

  it('quotes an invalid reply, and says which replies are valid', async () => {
    const console = { note: () => undefined, warn: () => undefined, ask: async () => ' Sure ' };
    const service = { baseUrl: 'https://x.de/api/v1', concurrency: 1, listScans: async () => ({ total: 3 }) };
    const settings = async () => ({ profile: 'work', keySource: 'profile' });
    const context = { console, settings, service: async () => service } as unknown as Context;
    const code = { id: UNKNOWN, slug: 'a', name: 'A' } as QrCode;
    await expect(confirm(context, [code], {})).rejects.toMatchObject({
      message: 'invalid reply "Sure"; nothing was deleted',
      hint: 'type y to delete it, or n',
    });
  });

  it('is replaced by an error that shows how to specify codes if no code was specified', async () => {
    const { cwd, env } = await useCodes();
    expect(await runHere(['qr', 'delete', '--yes'], { cwd, env })).toMatchObject({
      code: 2,
      stderr: 'qrctl: no code specified\n  hint: Run `qrctl qr delete CODE…`, or add --from FILE.\n',
    });
  });
});
