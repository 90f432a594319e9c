import { expect, test } from 'vitest';
import { resolveNames } from '#commands/short-urls';
import { useBench } from '../support/bench.ts';
import { printingContext } from './printing.ts';

test('a short URL is accepted in place of a code in arguments, lists and tables only if the setting short-url matches', async () => {
  const { run, write } = await useBench(undefined, { codes: 3, scans: 5 });
  const unset = await run('qr', 'get', 'https://go.example.com/spring-menu');
  expect(unset).toMatchObject({ code: 2, stderr: expect.stringContaining('qrctl config set short-url') });
  expect((await run('config', 'set', 'short-url', 'https://go.example.com/{slug}')).code).toBe(0);
  const [slug = '', other = ''] = (
    await run('qr', 'list', '-f', 'csv', '--fields', 'slug', '--no-header')
  ).stdout.split('\n');
  const url = `https://go.example.com/${slug}`;
  await write('list.txt', `go.example.com/${slug}\n`);
  await write('list.csv', `short_url\n${url}\n`);
  await write('bare.csv', `short_url\ngo.example.com/${slug}\n`);

  for (const args of [
    ['qr', 'get', url],
    ['qr', 'get', `HTTP://GO.example.com/${slug}/?utm_source=x`],
    ['qr', 'get', `go.example.com/${slug}`],
    ['qr', 'image', url, '-o', 'one.svg'],
    ['qr', 'update', url, '--name', 'Renamed'],
    ['qr', 'update', url, other, '--status', 'active'],
    ['qr', 'update', '--from', 'list.csv', '--name', 'Renamed'],
    ['qr', 'image', '--from', 'list.csv', '--dry-run'],
    ['qr', 'update', '--from', 'bare.csv', '--name', 'Renamed'],
    ['qr', 'update', '--from', 'list.txt', '--status', 'active'],
    ['scans', 'export', url, '-o', 'scans.csv'],
    ['scans', 'stats', url, other, '--by', 'day'],
    ['scans', 'stats', '--from', 'list.txt', '--by', 'country'],
    ['scans', 'report', url, '-o', 'report.html'],
    ['scans', 'export', url, '-o', 'log.csv', '--append'],
    ['scans', 'verify', url, '--input', 'log.csv'],
    ['scans', 'watch', url],
    ['scans', 'tail', url, '--max-events', '1', '--since', '2000-01-01'],
    ['qr', 'delete', url, '--yes'],
  ]) {
    const { code, stderr } = await run(...args);
    expect({ args, code, stderr: code === 0 ? '' : stderr }).toEqual({ args, code: 0, stderr: '' });
  }
  const named = await run('qr', 'update', url, other, '--status', 'paused', '-f', 'csv');
  expect(named.stdout).toContain(`${url},,${slug},failed`);
  expect(await run('qr', 'check', 'https://other.example.com/x')).toMatchObject({ code: 2 });
});

test('names without a short URL are unchanged, and another URL is refused with a hint', async () => {
  const { context } = printingContext(undefined, { shortUrl: 'https://go.example.com/{slug}' });
  expect(
    await resolveNames(context, ['menu', 'go.example.com/a', 'x/y', 'https://go.example.com/b']),
  ).toEqual(['menu', 'a', 'x/y', 'b']);
  await expect(resolveNames(context, ['menu', 'http://other.example/a'])).rejects.toMatchObject({
    message: 'cannot find the code of http://other.example/a: it is not a short URL of the setting short-url',
    hint: 'Run `qrctl config get short-url` to see the form of short URLs, or specify an ID or slug.',
  });
  const unset = printingContext().context;
  expect(await resolveNames(unset, ['menu', 'x/y'])).toEqual(['menu', 'x/y']);
  await expect(resolveNames(unset, ['https://go.example.com/b'])).rejects.toMatchObject({
    hint: 'Run `qrctl config set short-url https://HOST/{slug}`, or specify an ID or slug.',
  });
});
