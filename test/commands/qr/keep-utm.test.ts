import { expect, test } from 'vitest';
import { argv } from '../../support/argv.ts';
import { useBench } from '../../support/bench.ts';
import { runHere } from '../../support/run-here.ts';

const TAGS = 'utm_source=poster&utm_medium=Print%20Ad';

test('a new destination keeps the old UTM tags with --keep-utm, and otherwise a warning lists the missing tags', async () => {
  const { run, write } = await useBench();
  const destinations = async () =>
    (await run('qr', 'list', '-f', 'csv', '--fields', 'destination', '--no-header', '--sort', 'name')).stdout;
  for (const name of ['a', 'b'])
    await run('qr', 'create', '--name', name, '--destination', `https://example.com/${name}?x=1&${TAGS}`);
  const [a = '', b = ''] = (await run('qr', 'list', '--ids', '--sort', 'name')).stdout.split('\n');

  const kept = await run(
    ...argv`qr update ${a} ${b} --destination https://example.com/new?utm_source=own#top --keep-utm`,
  );
  expect(kept).toMatchObject({ code: 0, stderr: expect.not.stringContaining('UTM') });
  const expected = 'https://example.com/new?utm_source=own&utm_medium=Print%20Ad#top\n';
  expect(await destinations()).toBe(expected.repeat(2));

  const dropped = await run('qr', 'update', a, '--destination', 'https://example.com/none');
  expect(dropped.stderr).toContain(
    'a new destination lacks UTM tags of the old one (utm_medium, utm_source)',
  );

  // The results have the carried tags, so the same file without the flag drops none.
  await write('new.csv', `id,destination\n${a},https://example.com/2\n${b},https://example.com/2\n`);
  const bulk = await run('qr', 'update', '--from', 'new.csv', '--keep-utm');
  expect(bulk).toMatchObject({ code: 0, stderr: expect.not.stringContaining('UTM') });
  const again = await run('qr', 'update', '--from', 'new.results.csv');
  expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining('2 rows unchanged') });
  const planned = await run('qr', 'update', '--from', 'new.csv', '--dry-run');
  expect(planned.stderr.match(/UTM/g)).toHaveLength(1);
});

test('--keep-utm keeps the UTM tags in each change of a dated plan, even if the plan is applied again', async () => {
  const { run, write } = await useBench();
  await run('qr', 'create', '--name', 'a', '--destination', `https://example.com/a?${TAGS}`);
  const id = (await run('qr', 'list', '--ids')).stdout.trim();
  const rows = [
    `${id},https://example.com/1,2020-01-01T00:00Z`,
    `${id},https://example.com/2,2020-01-02T00:00Z`,
  ];
  await write('plan.csv', ['id,destination,at', ...rows, ''].join('\n'));
  for (const outcome of ['Updated 1 code, 1 unchanged', '2 rows unchanged']) {
    const due = await run('qr', 'update', '--from', 'plan.csv', '--due', '--keep-utm');
    expect(due).toMatchObject({ code: 0, stderr: expect.stringContaining(outcome) });
  }
  expect((await run('qr', 'get', id, '-f', 'json')).stdout).toContain(`https://example.com/2?${TAGS}`);
});

test('`qr update --keep-utm` without a new destination exits with 2', async () => {
  expect(await runHere(['qr', 'update', 'a', '--status', 'paused', '--keep-utm'])).toMatchObject({ code: 2 });
});
