import { expect, test } from 'vitest';
import { useBench } from '../../support/bench.ts';

test('qr create re-creates a deleted code from its backup only once, with its old status and a new slug', async () => {
  const { run, write, read } = await useBench();
  const ids = async () => (await run('qr', 'list', '--ids')).stdout.trim();
  await write('codes.csv', 'name,destination,status\nPoster,https://example.com/p,paused\n');
  // The ledger knows the values of the row as those of the deleted code.
  await run('qr', 'create', '--from', 'codes.csv');
  const old = await ids();
  await run('qr', 'delete', '--from', 'codes.results.csv', '--yes', '--backup', 'b');
  const record = JSON.parse(await read(`b/${old}.json`));

  const made = await run('qr', 'create', '--from', `b/${old}.json`);
  expect(made).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(`slug ${record.slug} of the backup does not`),
  });
  const restored = await ids();
  expect(restored).not.toBe(old);
  expect(JSON.parse((await run('qr', 'get', restored, '-f', 'json')).stdout)).toMatchObject({
    name: 'Poster',
    destination: 'https://example.com/p',
    status: 'paused',
  });
  expect((await run('qr', 'create', '--from', `b/${old}.json`)).code).toBe(0);
  expect(await ids()).toBe(restored);

  await run('qr', 'delete', restored, '--yes', '--backup', 'b');
  expect((await run('qr', 'create', '--from', `b/${old}.json`)).code).toBe(9);
  expect((await run('qr', 'create', '--from', `b/${restored}.json`)).code).toBe(0);
  expect((await ids()).split('\n')).toHaveLength(1);
});
