/** The column `short_url`, where the profile knows the address that printed codes lead to; and how it survives a round trip. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { useBench } from '../support/bench.ts';
import { runByDay } from '../support/run-here.ts';

async function useProfile() {
  const bench = await useBench(undefined, { codes: 3, scans: 5 });
  const { run, directory } = bench;
  expect(await run('config', 'set', 'short-url', 'https://qr.example/{slug}')).toMatchObject({ code: 0 });
  const rows = async (name: string): Promise<Record<string, string>[]> =>
    parse(await readFile(join(directory, name)), { columns: true, delimiter: [',', '\t'] });
  return { ...bench, qrctl: run, rows };
}

const addressOf = (slug: string | undefined) => `https://qr.example/${slug}`;

describe('short_url', () => {
  it.each(['csv', 'tsv', 'json', 'ndjson', 'xlsx'])(
    'is in a list written as .%s, and an update from that list changes nothing',
    async (type) => {
      const { sandbox, qrctl, rows } = await useProfile();
      expect(await qrctl('qr', 'list', '-o', `codes.${type}`)).toMatchObject({ code: 0 });
      const update = await qrctl('qr', 'update', '--from', `codes.${type}`, '--results', 'results.csv');
      expect(update).toMatchObject({ code: 0 });
      expect(update.stderr).not.toContain('copied to the results');
      expect(sandbox.requests.filter(({ method }) => method === 'PATCH')).toEqual([]);
      const results = await rows('results.csv');
      expect(Object.keys(results[0] ?? {}).slice(-7)).toEqual([
        'id',
        'slug',
        'short_url',
        'outcome',
        'error',
        'base',
        'decision',
      ]);
      expect(results.map(({ outcome }) => outcome)).toEqual(['unchanged', 'unchanged', 'unchanged']);
      for (const { slug, short_url } of results) expect(short_url).toBe(addressOf(slug));
    },
  );

  it('is in the results of `qr create`, and is empty for a row without a code', async () => {
    const { sandbox, qrctl, rows, write } = await useProfile();
    sandbox.workspace.setCodeLimit(4);
    await write('codes.csv', 'name,type,shelf\nmenu,sms,A\nposter,sms,B\n');
    expect(await qrctl('qr', 'create', '--from', 'codes.csv', '--concurrency', '1')).toMatchObject({
      code: 5,
    });
    const [made, left] = await rows('codes.results.csv');
    expect(Object.keys(made ?? {})).toEqual([
      'name',
      'type',
      'shelf',
      'id',
      'slug',
      'short_url',
      'outcome',
      'error',
      'base',
      'decision',
    ]);
    expect(made).toMatchObject({ outcome: 'created', short_url: addressOf(made?.slug) });
    expect(left).toMatchObject({ short_url: '' });
    const image = ['qr', 'image', '--from', 'list.csv', '--output-dir', 'codes'];
    await write('list.csv', `slug,short_url\n${made?.slug},${made?.short_url}\n`);
    expect(await qrctl(...image)).toMatchObject({ code: 0 });
    expect((await rows('codes/manifest.csv'))[0]).toMatchObject({ url: addressOf(made?.slug) });
    const update = await qrctl('qr', 'update', '--from', 'list.csv', '--status', 'paused');
    expect(update).toMatchObject({ code: 0 });
    expect(await rows('list.results.csv')).toMatchObject([
      { short_url: addressOf(made?.slug), outcome: 'updated' },
    ]);
  });

  it('is not in the output of `qr list` if the profile has no short URL', async () => {
    const { qrctl } = await useProfile();
    expect(await qrctl('config', 'unset', 'short-url')).toMatchObject({ code: 0 });
    expect((await qrctl('qr', 'list', '-f', 'json')).stdout).not.toContain('short_url');
  });
});

describe('qr list --timezone', () => {
  it('writes times in the specified zone to a workbook, and is refused before a request for CSV or an unknown zone', async () => {
    const { sandbox, qrctl, rows } = await useProfile();
    sandbox.workspace.update(sandbox.codeId(0), { name: 'edited' });
    const wallOf = async (zone: string) => {
      expect(await qrctl('qr', 'list', '-o', 'codes.xlsx', '--timezone', zone)).toMatchObject({ code: 0 });
      // What a workbook shows comes back in the results of a file, as text.
      expect(await qrctl('qr', 'update', '--from', 'codes.xlsx', '--results', 'times.csv')).toMatchObject({
        code: 0,
      });
      return (await rows('times.csv'))[0]?.created_at ?? '';
    };
    const [utc, tokyo] = [await wallOf('UTC'), await wallOf('Asia/Tokyo')].map((wall) =>
      Date.parse(`${wall.replace(' ', 'T')}Z`),
    );
    expect((tokyo ?? 0) - (utc ?? 0)).toBe(9 * 3_600_000);
    const before = sandbox.requests.length;
    const refused = await qrctl('qr', 'list', '-o', 'codes.csv', '--timezone', 'UTC');
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('--timezone requires a workbook'),
    ]);
    const wrong = await qrctl('qr', 'list', '-o', 'codes.xlsx', '--timezone', 'Mars/Phobos');
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('expected a time zone')]);
    expect(sandbox.requests).toHaveLength(before);
  });
});

it.each([
  [['qr', 'list'], '--output'],
  [['qr', 'create'], '--template'],
  [['qr', 'create'], '--from'],
  [['qr', 'update'], '--from'],
  [['qr', 'image'], '--from'],
  [['qr', 'check'], '--from'],
])('the help for %j mentions .xlsx for %s', async (command, flag) => {
  const { stdout } = await runByDay(['help', ...command, '--full']);
  const [, text = ''] = new RegExp(`${flag}\\b([\\s\\S]*?)(?=\\n +-|\\n\\n)`).exec(stdout) ?? [];
  expect(text).toContain('.xlsx');
});
