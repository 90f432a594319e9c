import { expect, test } from 'vitest';
import { failure } from '#sandbox/exchange';
import { useBench } from '../../support/bench.ts';

const SHEET = 'name,destination\nPoster,https://example.com/poster\nTent,https://example.com/tent\n';

test('qr undo that fails suggests reading the output, and the same command again', async () => {
  let isRefused = false;
  const { run, write } = await useBench(undefined, {
    intercept: ({ apply, send, request }) =>
      send(
        isRefused && request.method === 'PATCH'
          ? failure(400, 'validation_error', 'The destination is blocked')
          : apply(),
      ),
  });
  await write('codes.csv', SHEET);
  await run('qr', 'create', '--from', 'codes.csv');
  isRefused = true;
  const { code, stderr } = await run('qr', 'undo');
  expect([
    code,
    stderr
      .replace(/[\d]+-[\d]+-[0-9a-f]{6}/g, 'RUN')
      .split('\n')
      .slice(-2),
  ]).toEqual([10, ['  hint: See the output for the reasons. To try again, run `qrctl qr undo RUN`.', '']]);
});

test('qr undo reverts the last run over a file once, and keeps edits made after that run', async () => {
  const { run, write, read } = await useBench();
  await write('codes.csv', SHEET);
  expect((await run('qr', 'create', '--from', 'codes.csv')).code).toBe(0);
  const results = await read('codes.results.csv');
  await write('codes.results.csv', results.replaceAll('https://example.com', 'https://example.org'));
  expect((await run('qr', 'create', '--from', 'codes.results.csv', '--apply-edits')).code).toBe(0);
  const slug = (await run('qr', 'list', '--ids', '--name', 'Poster')).stdout.trim();
  expect((await run('qr', 'update', slug, '--destination', 'https://example.net/')).code).toBe(0);

  const planned = await run('qr', 'undo', '--dry-run', '-f', 'csv');
  expect(planned.stdout).toContain('https://example.org/tent,https://example.com/tent');
  const undone = await run('qr', 'undo', '-f', 'csv');
  expect(undone).toMatchObject({ code: 0, stderr: expect.stringContaining('Updated 1 code') });
  expect(undone.stdout).toContain('kept, edited since: destination');
  const list = await run('qr', 'list', '-f', 'csv', '--fields', 'name,destination,status', '--sort', 'name');
  expect(list.stdout.split('\n').slice(1, 3)).toEqual([
    'Poster,https://example.net/,active',
    'Tent,https://example.com/tent,active',
  ]);

  const again = await run('qr', 'create', '--from', 'codes.results.csv');
  expect(again).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('Kept newer values of the service for 2 rows: see'),
  });

  // An earlier run is undone only if it is specified.
  const refused = await run('qr', 'undo');
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('the last run has undone') });
  const undo =
    /is undone \(to undo this: `qrctl qr undo ([\d-]+[0-9a-f]{6})`\)/.exec(undone.stderr)?.[1] ?? '';
  expect(refused.stderr).toMatch(new RegExp(`${undo}: undo of [\\d-]+[0-9a-f]{6}, 1 code changed`));
  const creation = /([\d-]+[0-9a-f]{6}): 2 codes created/.exec(refused.stderr)?.[1] ?? '';
  expect(await run('qr', 'undo', creation, '-f', 'csv')).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('Updated 2 codes'),
  });
  expect((await run('qr', 'list', '--status', 'paused', '--ids')).stdout.trim().split('\n')).toHaveLength(2);
  expect(await run('qr', 'undo')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('newest first'),
  });
  expect(await run('qr', 'undo', 'nope')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('no run "nope"'),
  });

  expect(await run('qr', 'undo', undo)).toMatchObject({ code: 0 });
  const tent = await run('qr', 'list', '-f', 'csv', '--fields', 'destination', '--name', 'Tent');
  expect(tent.stdout).toContain('https://example.org/tent');
});

test('qr undo of a run whose codes were deleted suggests creating them again from a backup', async () => {
  const { run, write, sandbox } = await useBench();
  await write('codes.csv', SHEET);
  await run('qr', 'create', '--from', 'codes.csv');
  for (const { id } of sandbox.workspace.codes()) await run('qr', 'delete', id, '--yes');
  const { code, stderr } = await run('qr', 'undo');
  expect([code, stderr.split('\n').slice(-3)]).toEqual([
    4,
    [
      expect.stringContaining('was deleted from the service'),
      '  hint: Deleted codes stay deleted. To create one again from its backup, with a new slug, run `qrctl qr create --from DIR/ID.json`.',
      '',
    ],
  ]);
});
