import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { runCli } from '../support/cli.ts';
import { useSandbox } from '../support/sandbox.ts';

const ROOT = new URL('../..', import.meta.url).pathname;

test('npm run dev runs a command from the sources, as the built one, and leaves nothing behind', async () => {
  const sandbox = await useSandbox({ codes: 2, scans: 1 });
  const { HOME, PATH } = process.env;
  const dev = promisify(execFile)(process.execPath, ['src/build/dev.mjs', 'qr', 'list'], {
    cwd: ROOT,
    env: { HOME, PATH, ...sandbox.env },
  });
  const [{ stdout, stderr }, built] = await Promise.all([dev, runCli(['qr', 'list'], { env: sandbox.env })]);
  expect({ stdout, stderr }).toEqual({ stdout: built.stdout, stderr: '' });
  expect(readdirSync(`${ROOT}/node_modules/.cache/qrctl`)).not.toContain(`dev-${dev.child.pid}.mjs`);
});
