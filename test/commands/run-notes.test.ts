import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CODE } from '../service/setup.ts';
import { useDirectory } from '../support/cli.ts';
import { rawAnswer, useFaultServer } from '../support/fault-server.ts';
import { runHere } from '../support/run-here.ts';

async function stderrOf(flags: readonly string[]) {
  const { env } = await useFaultServer(({ socket, number }) => {
    if (number < 2) socket.write(rawAnswer(503, { error: 'busy', code: 'busy' }));
    else if (number === 2) socket.destroy();
    else socket.write(rawAnswer(200, CODE, { 'X-RateLimit-Remaining': '9' }));
  });
  const { code, stderr } = await runHere(['qr', 'get', CODE.id, ...flags], { env });
  expect(code).toBe(0);
  return stderr
    .replaceAll(CODE.id, 'ID')
    .replace(/127\.0\.0\.1:\d+/g, 'HOST')
    .replace(/\b\d+ ms/g, 'N ms')
    .replace(/^20\S+Z /gm, 'TIME ');
}

const RETRIES = [
  'the service failed (503): busy [GET /api/v1/qr/ID on HOST]; retrying in N ms\n',
  'the connection was closed before the response was complete [GET /api/v1/qr/ID on HOST]; retrying in N ms\n',
] as const;

test('the first retry of a request is not noted, and later retries are', async () => {
  expect(await stderrOf([])).toBe(RETRIES.join(''));
});

test('with --verbose, each request and each retry is noted', async () => {
  const [failed, closed] = RETRIES;
  expect(await stderrOf(['--verbose'])).toBe(
    `TIME GET /api/v1/qr/ID 503 N ms, ? requests left\nTIME ${failed}` +
      `TIME GET /api/v1/qr/ID 503 N ms, ? requests left\n${failed}` +
      `TIME GET /api/v1/qr/ID failed N ms, ? requests left\n${closed}` +
      'TIME GET /api/v1/qr/ID 200 N ms, 9 requests left\n',
  );
});

test.each([
  ['run.prom', '# HELP '],
  ['run.PROM', '# HELP '],
  ['run.prom.json', '{'],
  ['run.prometheus', '{'],
  ['prom', '{'],
])('the summary %s begins with %j', async (name, start) => {
  const { env } = await useFaultServer(({ socket }) => socket.write(rawAnswer(200, CODE)));
  const cwd = await useDirectory();
  expect(await runHere(['qr', 'get', CODE.id, '--summary', name], { cwd, env })).toMatchObject({ code: 0 });
  expect((await readFile(join(cwd, name), 'utf8')).slice(0, start.length)).toBe(start);
});
