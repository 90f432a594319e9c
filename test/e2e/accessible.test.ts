/** What a screen reader gets: lines that are written once, in words. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { argv } from '../support/argv.ts';
import { type CliOptions, startCli, useDirectory } from '../support/cli.ts';
import { firstRows } from '../support/property-runs.ts';
import { runByDay } from '../support/run-here.ts';
import { useSandbox } from '../support/sandbox.ts';

/** Blocks, box drawing, braille, geometric shapes: signs that are read one by one, or not at all. */
const SIGNS = /[\u2500-\u25ff\u2800-\u28ff]/u;
/** A color, which moves nothing. */
const COLOR = /\x1b\[[\d;]*m/g;

/** Fails if a terminal would move its cursor: every line is written once, from its beginning to its end. */
function expectPlain(shown: string): void {
  const text = shown.replaceAll(COLOR, '').replaceAll('\r\n', '\n');
  expect(text).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
  expect(text).not.toMatch(SIGNS);
}

/** An accessible terminal by the variable, or by the setting of a profile. */
async function useTerminal(by: 'variable' | 'setting', env: CliOptions['env'] = {}): Promise<CliOptions> {
  if (by === 'variable') return { tty: true, env: { ...env, ACCESSIBLE: '1' } };
  const config = join(await useDirectory(), 'config');
  await mkdir(config, { mode: 0o700 });
  const stored = { version: 1, current: 'default', profiles: { default: { accessible: 'yes' } } };
  await writeFile(join(config, 'config.json'), JSON.stringify(stored), { mode: 0o600 });
  return { tty: true, env: { ...env, QRCTL_CONFIG_DIR: config } };
}

describe.each(firstRows(1, ['variable', 'setting'] as const))(
  'output for a screen reader (enabled by the %s)',
  (by) => {
    test.each([
      [['qr', 'list']],
      [['qr', 'get', 'spring-menu']],
      [['auth', 'status']],
      [['config', 'list']],
      [['doctor']],
      [['scans', 'export', 'spring-menu', '-o', 'scans.csv']],
      [argv`scans stats spring-menu --by day --by country --since 8w --compare previous`],
      [['qr', 'image', 'spring-menu', '--short-url', 'https://go.example/{slug}']],
      [['qr', 'update', 'spring-menu', '--name', 'Lunch']],
    ])('has no drawn lines and no cursor movement: %j', async (args) => {
      const sandbox = await useSandbox({ scans: 1200 });
      const { code, stdout } = await runByDay(args, await useTerminal(by, sandbox.env));
      expect(code).toBe(0);
      expectPlain(stdout);
    });

    test('has the prompt before a deletion on one plain line', async () => {
      const sandbox = await useSandbox();
      const running = await startCli(['qr', 'delete', 'spring-menu'], await useTerminal(by, sandbox.env));
      await running.waitFor(/\[y\/N\] /);
      running.child.stdin?.write('y\n');
      const { code, stdout } = await running.done;
      expect(code).toBe(0);
      expectPlain(stdout);
      expect(stdout).toMatch(/\[y\/N\] y\r\n/);
    });
  },
);

test('with ACCESSIBLE=1, a command exits with 130 on Ctrl-C at a prompt, and with 2 on Ctrl-D', async () => {
  const sandbox = await useSandbox();
  for (const [key, exit] of firstRows(1, [
    ['\x03', 130],
    ['\x04', 2],
  ] as const)) {
    const running = await startCli(
      ['qr', 'delete', 'spring-menu'],
      await useTerminal('variable', sandbox.env),
    );
    await running.waitFor(/\[y\/N\] /);
    running.child.stdin?.write(key);
    expect((await running.done).code).toBe(exit);
  }
});

test('with ACCESSIBLE=1, the prompt for a key does not echo the key', async () => {
  const sandbox = await useSandbox();
  const { QRCTL_BASE_URL, QRCTL_API_KEY = '' } = sandbox.env;
  const options = await useTerminal('variable', { QRCTL_BASE_URL });
  const running = await startCli(['auth', 'login'], options);
  await running.waitFor(/[Kk]ey.*: /);
  running.child.stdin?.write(`${QRCTL_API_KEY}\r`);
  await running.waitFor(/to skip\): /);
  running.child.stdin?.write('\n');
  const { code, stdout } = await running.done;
  expect(code).toBe(0);
  expectPlain(stdout);
  expect(stdout).not.toContain(QRCTL_API_KEY);
});

test('`qr image` draws blocks unless output is accessible, and ACCESSIBLE=0 overrides the setting `accessible`', async () => {
  const sandbox = await useSandbox();
  const image = ['qr', 'image', 'spring-menu', '--short-url', 'https://go.example/{slug}'];
  const setting = await useTerminal('setting', { ...sandbox.env, ACCESSIBLE: '0' });
  for (const options of [setting, { tty: true, env: sandbox.env } as const]) {
    const { stdout } = await runByDay(image, options);
    expect(stdout).toMatch(SIGNS);
  }
  const { stdout } = await runByDay(image, await useTerminal('variable', sandbox.env));
  expect(stripVTControlCharacters(stdout)).toMatch(/-o FILE\.png\r\nhttps:\/\/go\.example\/spring-menu\r\n$/);
});
