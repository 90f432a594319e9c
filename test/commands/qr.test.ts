import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseInput } from '#codes/input/read-input';
import type { SandboxOptions } from '#sandbox/options';
import { argv } from '../support/argv.ts';
import { type CliOptions, useDirectory } from '../support/cli.ts';
import { applyThenDrop, dropBefore, smallerPages, sometimes, wrongTotal } from '../support/faults.ts';
import { runHere } from '../support/run-here.ts';
import { type TestSandbox, useSandbox } from '../support/sandbox.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

async function useQr(options: SandboxOptions = {}) {
  const sandbox = await useSandbox({ codes: 5, scans: 30, ...options });
  const qr = (args: string[], options: CliOptions = {}) =>
    runHere(['qr', ...args], { env: sandbox.env, ...options });
  const slugs = async (args: string[]) =>
    (await qr(['list', ...args, '--fields', 'slug', '--no-header'])).stdout.split('\n').filter(Boolean);
  return { sandbox, qr, slugs };
}

async function withShortUrl({ env }: TestSandbox) {
  const own = { ...env, QRCTL_CONFIG_DIR: await useDirectory() };
  const set = await runHere(['config', 'set', 'short-url', 'https://qr.example'], { env: own });
  expect(set).toMatchObject({ code: 0 });
  return own;
}

const slugOf = ({ workspace }: TestSandbox, id: string) => workspace.code(id)?.slug ?? '';
const methods = ({ requests }: TestSandbox) => requests.map(({ method }) => method).join(' ');

describe('qr list', () => {
  it('prints every code, even if there are several pages or the service returns smaller pages', async () => {
    for (const intercept of [undefined, smallerPages(37)]) {
      const { sandbox, qr } = await useQr({ codes: 230, intercept });
      const { code, stdout } = await qr(['list', '--format', 'json']);
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toEqual(sandbox.workspace.codes());
    }
  });

  it('requests no more pages than it needs for --limit', async () => {
    const { sandbox, slugs } = await useQr({ codes: 450 });
    const all = sandbox.workspace.codes().map(({ slug }) => slug);
    for (const [limit, requests] of [
      [1, 1],
      [100, 1],
      [101, 2],
      [230, 3],
      [9999, 5],
    ] as const) {
      const before = sandbox.requests.length;
      expect(await slugs(['--limit', `${limit}`])).toEqual(all.slice(0, limit));
      expect(sandbox.requests.length - before).toBe(requests);
    }
  });

  it('lists no more codes than --limit if the service ignores the limit of a page', async () => {
    const { sandbox, slugs } = await useQr({
      codes: 30,
      intercept: ({ request, apply, send }) =>
        send(apply({ ...request, query: new URLSearchParams('page=1&limit=100') })),
    });
    const all = sandbox.workspace.codes().map(({ slug }) => slug);
    for (const limit of [1, 7, 29, 30, 31])
      expect(await slugs(['--limit', `${limit}`])).toEqual(all.slice(0, limit));
  });

  it('stops at the last code, even if the service reports a much larger total', async () => {
    for (const claimed of [1e9, 1e15]) {
      const intercept = wrongTotal(() => claimed);
      const { sandbox, slugs } = await useQr({ codes: 150, intercept });
      expect(await slugs(['--limit', '1000000', '--concurrency', '32'])).toEqual(
        sandbox.workspace.codes().map(({ slug }) => slug),
      );
      // Two pages, the one that shows the end, and what was asked for meanwhile.
      expect(sandbox.requests.length).toBeLessThanOrEqual(2 + 2 * 16);
    }
  });

  it('lists codes that match every flag and any value of a repeated flag, and sorts numbers in names by value', async () => {
    const { sandbox, slugs } = await useQr({ codes: 0 });
    const make = (name: string, type: string, status: string) =>
      sandbox.workspace.put({ name, type, status, slug: `s-${name}` });
    make('Menü 10', 'url', 'active');
    make('menü 9', 'menu', 'paused');
    make('MENÜ 1', 'url', 'expired');
    make('Poster', 'url', 'active');
    expect((await slugs(['--name', 'menü'])).sort()).toEqual(['s-MENÜ 1', 's-Menü 10', 's-menü 9']);
    expect(
      (await slugs(['--name', 'menü', '--name', 'POST', '--type', 'url', '--status', 'active'])).sort(),
    ).toEqual(['s-Menü 10', 's-Poster']);
    expect(await slugs(['--sort', 'name'])).toEqual(['s-MENÜ 1', 's-menü 9', 's-Menü 10', 's-Poster']);
    expect(await slugs(['--sort', 'name:desc', '--limit', '3'])).toEqual([
      's-Poster',
      's-Menü 10',
      's-menü 9',
    ]);
    expect(await slugs(['--name', 'nothing'])).toEqual([]);
  });

  it.each(['created_at', 'updated_at'] as const)('sorts by the point in time of %s', async (field) => {
    const { sandbox, slugs } = await useQr({ codes: 0 });
    for (const [slug, time] of [
      ['third', '2026-03-01T00:30:00+01:00'],
      ['first', '2026-02-28T23:00:00Z'],
      ['fourth', '2026-03-01T00:00:00Z'],
      ['second', '2026-02-28T23:00:00.500Z'],
    ])
      sandbox.workspace.put({ slug, [field]: time });
    const sorted = ['first', 'second', 'third', 'fourth'];
    expect(await slugs(['--sort', field])).toEqual(sorted);
    expect(await slugs(['--sort', `${field}:desc`])).toEqual(sorted.reverse());
  });

  it.each([
    [['--status', 'actve'], /active, paused or expired/],
    [['--sort', 'nmae'], /one of id, slug, name/],
    [['--sort', 'name:down'], /:desc/],
    [['--limit', '0'], /at least 1/],
    [['--fields', 'id,short_url'], /unknown field "short_url"/],
    [
      ['--timezone', 'UTC'],
      /--timezone requires a workbook.*\n {2}hint: Add -o FILE\.xlsx, or omit --timezone\.\n/,
    ],
  ])('refuses the flags %j (2), and sends no request', async (args, message) => {
    const { sandbox, qr } = await useQr();
    expect(await qr(['list', ...args])).toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
    expect(sandbox.requests).toHaveLength(0);
  });

  it('has the short URL of each code in table, CSV and JSON output if the profile has a short URL, unless --fields omits it', async () => {
    const { sandbox, qr } = await useQr({ codes: 1 });
    const env = await withShortUrl(sandbox);
    const { slug } = sandbox.workspace.codes()[0] ?? {};
    expect((await qr(['list', '--format', 'table'], { env, tty: 300 })).stdout).toContain(
      `https://qr.example/${slug}`,
    );
    expect((await qr(['list', '--fields', 'short_url', '--no-header'], { env })).stdout).toBe(
      `https://qr.example/${slug}\n`,
    );
    const address = `https://qr.example/${slug}`;
    const [header, row] = (await qr(['list'], { env })).stdout.split('\n');
    const [record] = JSON.parse((await qr(['list', '--format', 'json'], { env })).stdout);
    expect(Object.keys(record)).toEqual(header?.split(','));
    expect([header?.endsWith(',updated_at,short_url'), row?.endsWith(`,${address}`)]).toEqual([true, true]);
    expect((await qr(['list', '--format', 'json', '--fields', 'slug'], { env })).stdout).not.toContain(
      'short_url',
    );
  });
});

describe('the column `base`', () => {
  it.each(['csv', 'tsv', 'json', 'ndjson'])(
    'is the last column in a list that is written to a file (.%s)',
    async (extension) => {
      const { qr } = await useQr({ codes: 2 });
      const file = join(await useDirectory(), `codes.${extension}`);
      expect(await qr(['list', '-o', file])).toMatchObject({ code: 0 });
      const { columns, rows } = await parseInput(await readFile(file), file);
      expect([columns.at(-1), rows.map(({ values }) => values.get('base'))]).toEqual([
        'base',
        [expect.stringMatching(/^r[0-9a-f]{6}(-[0-9a-f]{6}){2}$/), expect.anything()],
      ]);
    },
  );

  it('is in other output only if --fields contains `base`', async () => {
    const { qr } = await useQr({ codes: 1 });
    const cwd = await useDirectory();
    for (const flags of [['-f', 'json'], ['-f', 'csv'], ['-f', 'table'], ['--ids']])
      expect((await qr(['list', ...flags])).stdout).not.toMatch(/base|r[0-9a-f]{6}-/);
    await qr(['list', '-o', join(cwd, 'codes.csv'), '--fields', 'id,name']);
    expect(await readFile(join(cwd, 'codes.csv'), 'utf8')).toMatch(/^id,name\n/);
    await qr(['list', '-o', join(cwd, 'codes.md')]);
    expect(await readFile(join(cwd, 'codes.md'), 'utf8')).not.toContain('base');
    expect((await qr(['list', '--fields', 'base,slug', '-f', 'csv'])).stdout).toMatch(
      /^base,slug\nr[0-9a-f]{6}-/,
    );
    expect((await qr(['get', 'x', '--fields', 'base'])).stderr).toContain('unknown field');
  });
});

describe('qr get', () => {
  it('requests a code once, by its ID in either case or by a cached slug', async () => {
    const { sandbox, qr } = await useQr();
    const id = sandbox.codeId(2);
    for (const code of [id, id.toUpperCase(), slugOf(sandbox, id)]) {
      expect(JSON.parse((await qr(['get', code])).stdout)).toEqual(sandbox.workspace.code(id));
    }
    expect(sandbox.requests.map(({ url }) => url.replace(/\?.*/, ''))).toEqual([
      `/api/v1/qr/${id}`,
      `/api/v1/qr/${id}`,
      `/api/v1/qr/${id}`,
    ]);
  });

  it('prints the short URL of the code if the profile has a short URL', async () => {
    const { sandbox, qr } = await useQr({ codes: 1 });
    const env = await withShortUrl(sandbox);
    const slug = slugOf(sandbox, sandbox.codeId());
    const { stdout } = await qr(['get', slug], { env });
    expect(JSON.parse(stdout)).toMatchObject({ short_url: `https://qr.example/${slug}` });
  });

  it('suggests the slug of a code with the specified name, or the slug nearest to an unknown one', async () => {
    const { sandbox, qr } = await useQr();
    const slug = slugOf(sandbox, sandbox.codeId());
    const { name = '' } = sandbox.workspace.codes().find((code) => code.slug === slug) ?? {};
    expect((await qr(['get', name])).stderr).toContain(`The code with this name has the slug ${slug}.`);
    expect((await qr(['get', 'No such name'])).stderr).toContain('qrctl qr list --name TEXT');
    expect(await qr(['get', `${slug}x`])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining(`Did you mean ${slug}`),
    });
    expect(await qr(['get', UNKNOWN])).toMatchObject({ code: 4 });
  });
});

describe('qr create', () => {
  it('creates a code and prints it', async () => {
    const { sandbox, qr } = await useQr({ codes: 0 });
    const { code, stdout } = await qr(['create', '--name', "Jo's", '--type', 'wifi', '--destination', 'x']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual(sandbox.workspace.codes()[0]);
    expect(methods(sandbox)).toBe('POST');
  });

  it.each([
    ['dropped', applyThenDrop],
    ['dropped before', dropBefore],
  ])(
    'does not repeat a POST whose outcome is unclear (%s), and suggests a command that finds the code',
    async (_, fault) => {
      const { sandbox, qr } = await useQr({
        codes: 0,
        intercept: sometimes(({ request }) => request.method === 'POST' && fault),
      });
      const { code, stderr } = await qr(['create', '--name', "Jo's", '--type', 'sms']);
      expect([1, 7]).toContain(code);
      expect(stderr).toMatch(/may or may not have been created[\s\S]*qrctl qr list --name 'Jo'\\''s'/);
      expect(sandbox.workspace.codes().length).toBeLessThan(2);
    },
  );

  it.each([
    [[], /--name/],
    [['--name', ' '], /only spaces/],
    [['--name', 'x', '--dry-run'], /--dry-run requires --from/],
    [['--name', 'x', '--adopt', `1=${UNKNOWN}`], /--adopt requires --from/],
    [['--name', 'x', '--type', 'ulr'], /Allowed|choices|url/],
    [['--name', 'x', '--utm-source', ' '], /expected at least one character/],
    [['--name', 'x', '--utm-source', 'a'], /no changes were made\n {2}hint: Pass --destination https:/],
  ])('refuses the flags %j (2), and sends no request', async (args, message) => {
    const { sandbox, qr } = await useQr();
    expect(await qr(['create', ...args])).toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
    expect(sandbox.requests).toHaveLength(0);
  });
});

describe('qr update', () => {
  it('requests a code once, changes it with one PATCH, and removes a destination only with --force', async () => {
    const { sandbox, qr } = await useQr();
    const id = sandbox.codeId();
    const first = await qr(['update', id, '--status', 'paused', '--name', 'New']);
    expect(JSON.parse(first.stdout)).toMatchObject({ id, status: 'paused', name: 'New' });
    expect(methods(sandbox)).toBe('GET PATCH');
    const empty = ['update', slugOf(sandbox, id), '--destination', ''];
    expect((await qr(empty)).code).toBe(2);
    await qr([...empty, '--force']);
    expect(sandbox.workspace.code(id)).toMatchObject({ destination: '', name: 'New' });
  });

  it('replaces tags of the new destination with the UTM flags', async () => {
    const { sandbox, qr } = await useQr();
    const id = sandbox.codeId();
    const destination = 'https://example.com/?utm_source=old&a=1';
    await qr(['update', id, '--destination', destination, '--utm-source', 'poster']);
    expect(sandbox.workspace.code(id)?.destination).toBe('https://example.com/?utm_source=poster&a=1');
  });

  it('refuses a command line without a code, without a change, with an invalid change or with an unknown code', async () => {
    const { sandbox, qr } = await useQr();
    expect(await qr(['update', sandbox.codeId()])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no change specified'),
    });
    expect(await qr(['update', sandbox.codeId(), '--status', 'off'])).toMatchObject({ code: 2 });
    expect(await qr(['update', '--status', 'paused'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no code specified'),
    });
    expect(await qr(['update', sandbox.codeId(), '--name', ' '])).toMatchObject({
      code: 2,
      stderr: 'qrctl: --name contains only spaces\n  hint: Specify a visible name.\n',
    });
    expect(await qr(['update', UNKNOWN, '--status', 'paused'])).toMatchObject({ code: 4 });
    expect(sandbox.requests).toHaveLength(1);
  });
});

describe('qr delete', () => {
  it("exits with 2 and sends no request if it can't prompt, and with --yes deletes the code", async () => {
    const { sandbox, qr } = await useQr();
    const id = sandbox.codeId();
    const slug = slugOf(sandbox, id);
    expect(await qr(['delete', id])).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
    expect(await qr(['delete', id], { tty: true, env: { ...sandbox.env, CI: 'true' } })).toMatchObject({
      code: 2,
    });
    expect(sandbox.requests).toHaveLength(0);
    const { code, stdout } = await qr(['delete', id, '--yes']);
    expect([code, JSON.parse(stdout)]).toEqual([0, { code: id, id, slug, outcome: 'deleted', error: null }]);
    expect(methods(sandbox)).toBe('GET DELETE');
    expect(await qr(['delete', id, '--yes'])).toMatchObject({ code: 4 });
  });

  it('prompts on a terminal with the name of the code and its number of scans, and deletes only after `y`', async () => {
    const { sandbox, qr } = await useQr();
    const id = sandbox.codeId();
    const { name = '' } = sandbox.workspace.code(id) ?? {};
    const no = await qr(['delete', slugOf(sandbox, id)], { tty: 300, input: 'n\n' });
    const { host } = new URL(sandbox.baseUrl);
    expect(no.stdout).toContain(
      `Delete "${name}" (slug ${slugOf(sandbox, id)}) and its 30 scans in the workspace of QRCTL_API_KEY (${host})? This can't be undone. [y/N] `,
    );
    expect([no.code, sandbox.workspace.code(id)?.id]).toEqual([2, id]);
    expect(await qr(['delete', id], { tty: true, input: 'y\n' })).toMatchObject({ code: 0 });
    expect(sandbox.workspace.code(id)).toBeUndefined();
  });

  it('deletes the codes that exist, reports the others as failed and exits with 8, or exits with 4 if none exists', async () => {
    const { sandbox, qr } = await useQr();
    const id = sandbox.codeId();
    const { code, stdout, stderr } = await qr(argv`delete ${id} ${UNKNOWN} no-such --yes --format json`);
    expect([code, JSON.parse(stderr).error.exit]).toEqual([8, 8]);
    expect(JSON.parse(stdout).map(({ outcome }: { outcome: string }) => outcome)).toEqual([
      'deleted',
      'failed',
      'failed',
    ]);
    expect(await qr(['delete', 'no-such', UNKNOWN, '--yes'])).toMatchObject({ code: 4 });
  });
});
