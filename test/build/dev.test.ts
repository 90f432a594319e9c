import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { useDirectory } from '../support/cli.ts';
import { SOAK } from '../support/property-runs.ts';
import { runHere } from '../support/run-here.ts';
import { useSandbox } from '../support/sandbox.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

test('npm run dev runs a command from the sources, and leaves no temporary file', async () => {
  const sandbox = await useSandbox({ codes: 2, scans: 1 });
  const dev = promisify(execFile)(process.execPath, ['src/build/dev.mjs', 'qr', 'list'], {
    cwd: ROOT,
    env: { HOME: await useDirectory(), PATH: process.env.PATH, ...sandbox.env },
  });
  const [{ stdout, stderr }, built] = await Promise.all([dev, runHere(['qr', 'list'], { env: sandbox.env })]);
  expect({ stdout, stderr }).toEqual({ stdout: built.stdout, stderr: '' });
  expect(readdirSync(`${ROOT}/node_modules/.cache/qrctl`)).not.toContain(`dev-${dev.child.pid}.mjs`);
});

test.runIf(SOAK)('npm run dev prints the help from the sources, not from an older build', async () => {
  const directory = await useDirectory();
  for (const name of ['src', 'node_modules', 'package.json'])
    symlinkSync(join(ROOT, name), join(directory, name));
  mkdirSync(join(directory, 'dist', 'help'), { recursive: true });
  writeFileSync(join(directory, 'dist', 'help', 'qrctl qr.txt'), 'as it was yesterday\n');
  const { HOME, PATH } = process.env;
  const args = ['src/build/dev.mjs', 'qr', '--help'];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: directory,
    env: { HOME, PATH },
  });
  expect(stdout).toBe((await runHere(['qr', '--help'])).stdout);
});
