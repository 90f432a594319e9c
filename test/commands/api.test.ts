/** `api`: one raw request through the same core as every other. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useDirectory } from '../support/cli.ts';
import { rawAnswer, useFaultServer } from '../support/fault-server.ts';
import { runHere } from '../support/run-here.ts';
import { useSandbox } from '../support/sandbox.ts';

describe('api', () => {
  it('prints the response body on standard output, and the status on standard error', async () => {
    const sandbox = await useSandbox({ codes: 3, scans: 0 });
    const run = await runHere(['api', 'GET', '/qr', '--query', 'page=2', '--query', 'limit=1'], {
      env: sandbox.env,
    });
    expect(run.code, run.stderr).toBe(0);
    expect(JSON.parse(run.stdout)).toMatchObject({
      pagination: { page: 2, limit: 1, total: 3 },
      data: [{ slug: expect.any(String) }],
    });
    expect(run.stderr).toMatch(/^200, \d+ of \d+ requests left$/m);
    expect(sandbox.requests.map(({ url }) => url)).toEqual(['/api/v1/qr?page=2&limit=1']);
  });

  it('accepts a path with or without the path of the base URL, encodes --query, and reads a body from a file or standard input', async () => {
    const sandbox = await useSandbox({ codes: 1, scans: 0 });
    const directory = await useDirectory();
    await writeFile(join(directory, 'new.json'), '{"name":"by hand"}');
    const made = await runHere(['api', 'POST', '/api/v1/qr', '--input', 'new.json'], {
      env: sandbox.env,
      cwd: directory,
    });
    expect(made.code, made.stderr).toBe(0);
    const { id } = JSON.parse(made.stdout);
    const changed = await runHere(['api', 'PATCH', `qr/${id}`, '--input', '-'], {
      env: sandbox.env,
      input: '{"status":"paused"}',
    });
    expect(JSON.parse(changed.stdout)).toMatchObject({ id, name: 'by hand', status: 'paused' });
    for (const [path, url] of [
      ['/api/v1?x=1', '/api/v1/?x=1'],
      ['/api/v1', '/api/v1/'],
      ['/api/v10', '/api/v1/api/v10'],
      ['/qr?x=1?2&y=', '/api/v1/qr?x=1?2&y='],
      ['/qr?u=https://a//b', '/api/v1/qr?u=https://a//b'],
    ] as const) {
      await runHere(['api', 'GET', path], { env: sandbox.env });
      expect(sandbox.requests.at(-1)?.url).toBe(url);
    }
    await runHere(['api', 'GET', 'qr', '--query', 'x=1', '--query', 'n&m=a=b c'], { env: sandbox.env });
    expect(sandbox.requests.at(-1)?.url).toBe('/api/v1/qr?x=1&n%26m=a%3Db%20c');
    const gone = await runHere(['api', 'DELETE', `/qr/${id}`], { env: sandbox.env });
    expect(gone).toMatchObject({ code: 0, stdout: '' });
    expect(gone.stderr).toMatch(/^204/);
  });

  it('sends and prints an integer beyond 2^53 with all its digits', async () => {
    const server = await useFaultServer(({ socket, body }) => socket.write(rawAnswer(200, body)));
    const body = '{"n":9007199254740993,  "m":1.50}';
    const run = await runHere(['api', 'PUT', '/odd', '--input', '-'], { env: server.env, input: body });
    expect(run).toEqual({ code: 0, stdout: body, stderr: '200\n' });
    expect(server.requests[0]).toMatchObject({ method: 'PUT', url: '/api/v1/odd', body });
  });

  it('prints the body of an error response and a hint for status 404, and exits with the code for the error', async () => {
    const sandbox = await useSandbox({ codes: 1, scans: 0 });
    const missing = await runHere(['api', 'GET', '/qr/6f1c2f0e-8a53-4a3e-9d53-0d6a2b9a0c11'], {
      env: sandbox.env,
    });
    expect(missing.code).toBe(4);
    expect(JSON.parse(missing.stdout)).toHaveProperty('error');
    expect(missing.stderr).toContain('`qrctl qr list`');
    const nowhere = await runHere(['api', 'GET', '/nope'], { env: sandbox.env });
    expect([nowhere.code, nowhere.stderr]).toEqual([4, expect.stringContaining('Correct PATH')]);
    expect(nowhere.stderr).not.toContain('qr list');
    const wrong = await runHere(['api', 'POST', '/qr', '--input', '-'], { env: sandbox.env, input: '{}' });
    expect(wrong.code).toBe(10);
    const other = await runHere(['api', 'GET', '/qr'], {
      env: { ...sandbox.env, QRCTL_API_KEY: 'svc_live_wrong' },
    });
    expect(other.code).toBe(3);
  });

  it('waits for the rate limit, retries a failed GET, and redacts the key in the response', async () => {
    const server = await useFaultServer(({ socket, number }) => {
      if (number === 0)
        return void socket.write(rawAnswer(429, { error: 'slow down' }, { 'Retry-After': '0' }));
      if (number === 1) return void socket.destroy();
      socket.write(rawAnswer(200, 'you are svc_live_test', { 'Content-Type': 'text/plain' }));
    });
    const run = await runHere(['api', 'GET', '/who'], { env: server.env });
    expect(run).toMatchObject({ code: 0, stdout: 'you are [key]' });
    expect(server.requests).toHaveLength(3);
  });

  it('exits with 1 if a JSON response to a POST is truncated, and does not repeat the request', async () => {
    const server = await useFaultServer(({ socket }) => socket.end(rawAnswer(200, '{"data":[', {}, null)));
    const run = await runHere(['api', 'POST', '/qr', '--input', '-'], { env: server.env, input: '{}' });
    expect(run.code).toBe(1);
    expect(run.stderr).toContain('the response is not JSON');
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    [['GET', 'https://evil.example/qr'], 'Pass only the path, as in `qrctl api GET /qr`.'],
    [['GET', '//evil.example/qr'], 'PATH must be the part after the base URL, not a full URL'],
    [['GET', '/qr/../../admin'], 'PATH is outside the base URL: /qr/../../admin'],
    [['GET', '/qr/%2e%2E/x'], 'PATH is outside the base URL'],
    [['GET', '/qr/./x'], 'hint: Remove . and .. from the path.'],
    [['GET', '/qr\\..'], 'PATH is outside the base URL'],
    [['GET', '/qr/a b'], 'invalid character in PATH: "/qr/a b"'],
    [['GET', '/qr#x'], '\n  hint: Percent-encode the character.\n'],
    [['GET', '/qr', '--input', '-'], '\n  hint: Omit --input, or use another method.\n'],
    [['POST', '/qr', '--input', '-'], '\n  hint: Pass a JSON body.\n'],
    [['GET', '/qr#x'], 'invalid character in PATH'],
    [
      ['GET', '/qr', '--query', 'page'],
      "invalid value for --query: 'page' (expected NAME=VALUE, such as limit=5)",
    ],
    [['GET', '/qr', '--query', '=2'], 'expected NAME=VALUE, such as limit=5'],
    [['GET', '/qr', '--input', '-'], "--input can't be used with GET"],
    [['POST', '/qr', '--input', 'none.json'], 'cannot read none.json: no such file'],
    [['POST', '/qr', '--input', 'none.json'], 'Correct the path, and run the command again.'],
    [['POST', '/qr', '--input', '-'], 'cannot parse standard input as JSON'],
    [['FETCH', '/qr'], "invalid value for method: 'FETCH' (expected GET, POST, PUT, PATCH or DELETE)"],
  ])('exits with 2 for the arguments %j, and sends no request', async (args, message) => {
    const server = await useFaultServer(({ socket }) => socket.end());
    const run = await runHere(['api', ...args], { env: server.env, input: 'no json' });
    expect(run.code).toBe(2);
    expect(run.stderr).toContain(message);
    expect(server.requests).toHaveLength(0);
  });
});
