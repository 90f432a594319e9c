/** What the built command asks of the service: exactly the pages, as --dry-run said it would, and never more than was shown is worth. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Intercept } from '#sandbox/exchange';
import { argv } from '../support/argv.ts';
import { useDirectory } from '../support/cli.ts';
import { changedBody, sometimes } from '../support/faults.ts';
import { firstRows, SOAK } from '../support/property-runs.ts';
import { runByDay } from '../support/run-here.ts';
import { type TestSandbox, useSandbox } from '../support/sandbox.ts';

/** Runs a command line and counts its requests. */
async function requestsOf(sandbox: TestSandbox, args: string[], cwd?: string) {
  const before = sandbox.requests.length;
  const result = await runByDay(args, { env: sandbox.env, ...(cwd !== undefined && { cwd }) });
  return { ...result, requests: sandbox.requests.length - before };
}

/** The pages of a code, and one request more where its total may be cut off. */
function costOf(scans: number): number {
  if (scans === 0) return 1;
  return Math.ceil(scans / 500) + (scans % 50 === 0 ? 1 : 0);
}

/** A sandbox whose first code has just so many scans. */
async function sandboxWith(scans: number): Promise<TestSandbox> {
  const sandbox = await useSandbox({ codes: 1, scans: 0 });
  const from = Date.now() - 30_000_000;
  for (let i = 0; i < scans; i++)
    sandbox.workspace.addScan(sandbox.codeId(), { ts: new Date(from + i * 2500).toISOString() });
  return sandbox;
}

/** Rows of a CSV file; cells of the made-up data have line breaks. */
async function rowsIn(file: string): Promise<number> {
  return (await readFile(file, 'utf8')).match(/^\d+,\d{4}-/gm)?.length ?? 0;
}

const EDGES: [number, number][] = [
  [499, 1],
  [1003, 3],
  [1050, 4],
];

describe('the number of requests in an export', () => {
  test.each([[1, 1], [500, 2], [501, 2], ...(SOAK ? EDGES : [])])(
    'for %i scans of a code specified by its ID is %i',
    async (scans, cost) => {
      const sandbox = await sandboxWith(scans);
      const args = ['scans', 'export', sandbox.codeId()];
      const dry = await requestsOf(sandbox, [...args, '--dry-run', '-f', 'json']);
      expect(dry).toMatchObject({ code: 0, requests: 1 });
      expect(JSON.parse(dry.stdout)).toMatchObject({ scans, requests: Math.ceil(scans / 500) });
      expect(await requestsOf(sandbox, args)).toMatchObject({ code: 0, requests: cost });
      const proven = await requestsOf(sandbox, [...args, '--prove-beyond']);
      expect(proven).toMatchObject({ code: 0, requests: scans === 1 ? 3 : Math.ceil(scans / 500) + 1 });
    },
  );

  test('for a code without scans is two if its ID was passed, and one in addition to the listing if --all was passed', async () => {
    const sandbox = await sandboxWith(0);
    expect(await requestsOf(sandbox, ['scans', 'export', sandbox.codeId()])).toMatchObject({
      code: 0,
      requests: 2,
    });
    expect(await requestsOf(sandbox, ['scans', 'export', '--all'])).toMatchObject({ code: 0, requests: 2 });
  });

  test('with --all is the sum for the listing and each code, and is one per code besides the listing in the next append', async () => {
    const sandbox = await useSandbox({ codes: 102, scans: 20 });
    const codes = [...sandbox.workspace.codes()].map(({ id }) => sandbox.scans(id).length);
    const cost = 2 + codes.reduce((sum, scans) => sum + costOf(scans), 0);
    const args = ['scans', 'export', '--all'];
    const file = join(await useDirectory(), 'all.csv');
    const dry = await requestsOf(sandbox, [...args, '--dry-run', '-f', 'json']);
    expect(dry).toMatchObject({ code: 0, requests: 104 });
    const about = 2 + codes.reduce((sum, scans) => sum + Math.max(1, Math.ceil(scans / 500)), 0);
    expect(JSON.parse(dry.stdout)).toMatchObject({ codes: 102, requests: about });
    expect(await requestsOf(sandbox, [...args, '-o', file, '--append'])).toMatchObject({
      code: 0,
      requests: cost,
    });
    expect(await requestsOf(sandbox, [...args, '-o', file, '--append'])).toMatchObject({
      code: 0,
      requests: 104,
    });
  });
});

/** The service neither counts nor shows more than `cap` rows of a scan log. */
const capped = (cap: number): Intercept =>
  sometimes(({ request }) => {
    if (!request.path.endsWith('/scans')) return undefined;
    return changedBody((body) => {
      const { page, limit, total } = body.pagination as { page: number; limit: number; total: number };
      const data = (body.data as unknown[]).slice(0, Math.max(0, cap - (page - 1) * limit));
      return {
        data,
        pagination: {
          page,
          limit,
          total: Math.min(total, cap),
          pages: Math.ceil(Math.min(total, cap) / limit),
        },
      };
    });
  });

describe('the number of requests in a count', () => {
  const first = new Date(Date.now() - 20 * 86_400_000);

  const COUNTED = [0, 1, 500, 1234];
  test.each(COUNTED)(
    'for %i scans equals that in an export, except that a count by code may need one more',
    async (scans) => {
      const sandbox = await sandboxWith(Math.max(0, scans - 1));
      // On the first day of the range, which shows that the code is older.
      if (scans > 0) sandbox.workspace.addScan(sandbox.codeId(), { ts: first.toISOString() });
      const range = ['--since', first.toISOString().slice(0, 10), '--timezone', 'UTC'];
      const slug = sandbox.workspace.codes()[0]?.slug ?? '';
      const chosen = [['--all'], [slug, ...range], [sandbox.codeId()], [sandbox.codeId(), ...range]];
      const dimensions = ['day', 'hour', 'country', 'weekday,device'];
      for (const [at, words] of chosen.entries()) {
        const exported = await requestsOf(sandbox, ['scans', 'export', ...words]);
        // By day each dimension with each number of scans once, and with each choice of codes.
        const turn = COUNTED.indexOf(scans) + at;
        for (const by of SOAK ? dimensions : [dimensions[turn % 4] ?? '']) {
          const counted = await requestsOf(sandbox, ['scans', 'stats', ...words, '--by', by]);
          expect(counted, `${words} ${by}`).toMatchObject({ code: 0, requests: exported.requests });
        }
        const byCode = await requestsOf(sandbox, ['scans', 'stats', ...words, '--by', 'code']);
        // The slug of a code that is given by ID is printed.
        const most = exported.requests + (words[0] === sandbox.codeId() ? 1 : 0);
        expect(byCode.requests).toBeLessThanOrEqual(most);
      }
    },
  );

  test.each([
    [4001, 2],
    [4000, 3],
  ])(
    'by code with %i scans is %i per code: one for the total, and the rest for the last page',
    async (scans, requests) => {
      const sandbox = await useSandbox({ codes: 3, scans });
      const counted = await requestsOf(sandbox, ['scans', 'stats', '--all', '--by', 'code']);
      expect(counted).toMatchObject({ code: 0, requests: 1 + 3 * requests });
    },
  );
});

describe('a total capped at a round number', () => {
  test.each(['none'] as const)(
    'hides no scans, even if 3,000 were made within 10 s (order %s)',
    async (scanOrder) => {
      const dense = { codes: 1, scans: 3000, spanMs: 10_000, scanOrder, intercept: capped(1000) };
      const sandbox = await useSandbox(dense);
      const file = join(await useDirectory(), 'scans.csv');
      const args = ['scans', 'export', sandbox.codeId(), '-o', file];
      const { code, stderr, requests } = await requestsOf(sandbox, args);
      expect(code, stderr).toBe(0);
      const scans = sandbox.scans(sandbox.codeId()).length;
      expect(await rowsIn(file)).toBe(scans);
      expect(requests).toBeLessThanOrEqual(3 * Math.ceil(scans / 500) + 20);
    },
  );
});

describe('a wrong total of scans', () => {
  const claims = (total: (true_: number) => number): Intercept =>
    sometimes(({ request }) => {
      if (!request.path.endsWith('/scans')) return undefined;
      return changedBody((body) => {
        const pagination = body.pagination as { total: number };
        return { ...body, pagination: { ...pagination, total: total(pagination.total) } };
      });
    });

  test.each<[string, (total: number) => number]>([
    ['one too many', (total) => total + 1],
    ['a thousand million', () => 1_000_000_000],
  ])('makes an export end with 9 after at most 32 requests: %s', async (_, total) => {
    const sandbox = await useSandbox({ codes: 1, scans: 2000, scanOrder: 'asc', intercept: claims(total) });
    const args = ['scans', 'export', sandbox.codeId(), '--concurrency', '32'];
    const { code, requests } = await requestsOf(sandbox, args);
    expect(code).toBe(9);
    expect(requests).toBeLessThanOrEqual(3 * 4 + 20);
  });
});

describe('the number of requests', () => {
  /** What a dry run of these words predicts, and what they cost then; `file` is at hand as rows.csv. */
  async function predicted(
    sandbox: TestSandbox,
    words: string[],
    file = '',
    directory?: string,
  ): Promise<{ foreseen: number; requests: number }> {
    directory ??= await useDirectory();
    const path = join(directory, 'rows.csv');
    await writeFile(path, file);
    const args = words.map((word) => (word === 'rows.csv' ? path : word));
    const dry = await requestsOf(sandbox, [...args, '--dry-run', '-f', 'json']);
    const inWords = /\((?:about )?([\d,]+) requests?[,;) ]/.exec(dry.stderr)?.[1];
    const foreseen = Number(inWords ?? JSON.parse(dry.stdout).requests);
    const run = await requestsOf(sandbox, args);
    expect(run.code, run.stderr).toBe(0);
    return { foreseen, requests: run.requests };
  }

  const slugOf = (sandbox: TestSandbox, n: number) => sandbox.workspace.codes()[n]?.slug ?? '';

  test('is at most four for one dated change, even with a slug that was never listed', async () => {
    const sandbox = await useSandbox({ codes: 250, scans: 0 });
    for (const n of [0, 249]) {
      const plan = `slug,at,name\n${slugOf(sandbox, n)},2026-01-01T00:00:00Z,new\n`;
      const { requests } = await predicted(sandbox, ['qr', 'update', '--from', 'rows.csv', '--due'], plan);
      expect(requests).toBeLessThanOrEqual(4);
    }
  });

  test('equals the prediction of --dry-run for a deletion by slugs and an ID', async () => {
    const sandbox = await useSandbox({ codes: 250, scans: 0 });
    const listed = await fetch(`${sandbox.env.QRCTL_BASE_URL}/qr?page=1&limit=100`, {
      headers: {
        'X-API-Key': sandbox.env.QRCTL_API_KEY,
        Authorization: `Bearer ${sandbox.env.QRCTL_API_KEY}`,
      },
    });
    const shown = ((await listed.json()) as { data: { id: string; slug: string }[] }).data;
    const far = sandbox.workspace.codes().find(({ id }) => !shown.some((code) => code.id === id));
    const names = [...shown.slice(0, 4).map(({ slug }) => slug), far?.id ?? ''];
    const { foreseen, requests } = await predicted(sandbox, ['qr', 'delete', ...names, '--yes']);
    expect([foreseen, requests <= 7]).toEqual([requests, true]);
  });

  test('is at most five for a deletion that is repeated completely or in part', async () => {
    const sandbox = await useSandbox({ codes: 4, scans: 3 });
    const codes = [0, 1, 2, 3].map((n) => sandbox.workspace.code(sandbox.codeId(n)));
    const directory = await useDirectory();
    const args = ['qr', 'delete', '--from', 'rows.csv', '--yes'];
    const file = `id,slug\n${codes[0]?.id},\n,${codes[1]?.slug}\n`;
    for (const text of [file, file, `${file}${codes[2]?.id},\n`])
      expect((await predicted(sandbox, args, text, directory)).requests).toBeLessThanOrEqual(5);
    expect(sandbox.workspace.codes()).toHaveLength(1);
  });

  test.each([
    ['with only the ID', ['--ids'], 2],
    ['with only the ID and the time', ['--fields', 'id,ts'], 2],
    ['with code IDs', ['--fields', 'qr_id,id', '-f', 'ndjson'], 2],
    ['with the names of their codes', ['--fields', 'qr_name,id'], 4],
    ['in files named by slug', ['--file-names', 'slug', '--output-dir', 'rows.csv.d'], 4],
  ])(
    'equals the prediction of --dry-run for an export of the scans of two codes, %s',
    async (_, flags, requests) => {
      const sandbox = await useSandbox({ codes: 2, scans: 3 });
      const [a, b] = [sandbox.codeId(0), sandbox.codeId(1)];
      const args = ['scans', 'export', a, b, ...flags];
      const cwd = await useDirectory();
      const dry = await requestsOf(sandbox, [...args, '--dry-run'], cwd);
      expect(await requestsOf(sandbox, args, cwd)).toMatchObject({ code: 0, requests });
      const [header = '', values = ''] = dry.stdout.split('\n');
      const foreseen = header.startsWith('{')
        ? JSON.parse(dry.stdout).requests
        : values.split(',')[header.split(',').indexOf('requests')];
      expect(Number(foreseen)).toBe(requests);
    },
  );

  test.each([
    ['whose names are written', [], 3],
    ['in separate files', ['--output-dir', 'scans'], 2],
  ])(
    'for two codes %s equals the prediction of --dry-run, with no extra request for a deleted code',
    async (_, flags, named) => {
      const sandbox = await useSandbox({ codes: 1, scans: 3 });
      const gone = '00000000-0000-4000-8000-000000000000';
      const cwd = await useDirectory();
      for (const verb of ['export', ...(flags.length === 0 ? ['stats'] : [])]) {
        const args = ['scans', verb, gone, sandbox.codeId(), ...flags, '-f', 'json'];
        const requests = verb === 'export' ? named : 2;
        const dry = await requestsOf(sandbox, [...args, '--dry-run'], cwd);
        expect(dry.code, dry.stderr).toBe(0);
        expect(JSON.parse(dry.stdout)).toMatchObject({ codes: 2, requests });
        if (verb === 'export')
          expect(dry.stderr).toContain(
            `1 of 2 codes would fail; the others would be exported\nwarning: ${gone}: `,
          );
        expect(await requestsOf(sandbox, args, cwd)).toMatchObject({ code: 8, requests });
      }
    },
  );

  test.each([
    ['a range', [10, 0], 1],
    // Only the age of the code shows whether the days before its first scan count.
    ['a range that begins without scans', [9, 0], 2],
  ])(
    'for a count by country in %s includes one for the code itself only if its age is needed',
    async (_, days, requests) => {
      const sandbox = await useSandbox({ codes: 1, scans: 0 });
      for (const day of days)
        sandbox.workspace.addScan(sandbox.codeId(), {
          ts: new Date(Date.UTC(2026, 0, 11 - day)).toISOString(),
        });
      const args = argv`
      scans stats ${sandbox.codeId()} --by country --since 2026-01-01 --until 2026-01-20 -f json
    `;
      const found = await requestsOf(sandbox, [...args, '--timezone', 'UTC'], await useDirectory());
      expect(found).toMatchObject({ code: 0, requests });
      expect(JSON.parse(found.stdout)[0].scans).toBe(2);
    },
  );

  const named = [
    ['export', 'an ID and a slug', [249], [0], 4],
    ['stats', 'two slugs', [0, 249], [], 4],
    ['export', 'two slugs', [0, 249], [], 4],
    ['stats', 'an ID and slugs', [0, 1, 2, 249], [3], 8],
  ] as const;
  test.each(firstRows(2, named))(
    'differs by at most one from the prediction for `scans %s` and %s that were never listed',
    async (verb, _, slugs, ids, requests) => {
      const sandbox = await useSandbox({ codes: 250, scans: 0 });
      for (const { id } of sandbox.workspace.codes())
        sandbox.workspace.addScan(id, { ts: new Date(Date.now() - 60_000).toISOString() });
      const names = [
        ...ids.map((n) => sandbox.workspace.codes()[n]?.id ?? ''),
        ...slugs.map((n) => slugOf(sandbox, n)),
      ];
      const found = await predicted(sandbox, ['scans', verb, ...names]);
      expect(found.requests).toBe(requests);
      expect(Math.abs(found.foreseen - requests)).toBeLessThanOrEqual(1);
    },
  );
});
