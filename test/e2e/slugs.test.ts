/** What a slug costs in requests, command by command, as the sandbox counts them. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useDirectory } from '../support/cli.ts';
import { runByDay } from '../support/run-here.ts';
import { useSandbox } from '../support/sandbox.ts';

test('the first command with a slug requests the listing, and later commands send one or two requests per code', async () => {
  const sandbox = await useSandbox({ codes: 450, scans: 3, plan: 'business' });
  const cache = await useDirectory();
  const { slug, id } = sandbox.workspace.codes().at(-1) ?? { slug: '', id: '' };
  const cost = async (...args: string[]) => {
    const before = sandbox.requests.length;
    const { code, stderr } = await runByDay(args, { env: { ...sandbox.env, XDG_CACHE_HOME: cache } });
    expect({ code, stderr }).toMatchObject({ code: 0 });
    return sandbox.requests.length - before;
  };
  const first = await cost('qr', 'get', slug);
  expect(first).toBeGreaterThanOrEqual(1);
  expect(first).toBeLessThanOrEqual(5);
  expect(await cost('qr', 'get', slug)).toBe(1);
  expect(await cost('scans', 'export', slug)).toBe(2);
  expect(await cost('qr', 'update', slug, '--name', 'New')).toBe(2);
  expect(await cost('qr', 'list')).toBe(5);
  const another = sandbox.workspace.codes()[200]?.slug ?? '';
  expect(await cost('qr', 'get', another)).toBe(1);
  expect(await cost('scans', 'export', slug, another, '--output-dir', cache)).toBe(4);
  expect(await cost('qr', 'delete', slug, '--yes')).toBe(2);
  // Forgotten with its code: nobody asks for an id that is gone.
  const before = sandbox.requests.length;
  expect((await runByDay(['qr', 'get', slug], { env: { ...sandbox.env, XDG_CACHE_HOME: cache } })).code).toBe(
    4,
  );
  expect(sandbox.requests.slice(before).filter(({ url }) => url.includes(id))).toEqual([]);
  expect(await readdir(join(cache, 'qrctl', 'codes'))).toHaveLength(1);
});
