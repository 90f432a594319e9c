import { cpSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readInstalled } from '#files/durable/installed-file';
import { BIN, runCli, useDirectory } from '../../support/cli.ts';
import { SOAK } from '../../support/property-runs.ts';
import { useSandbox } from '../../support/sandbox.ts';

const ROOT = dirname(dirname(BIN));

describe('a library file', () => {
  it('is read from the package or else from node_modules, and is reported as missing if it is in neither', async () => {
    const contentOf = async (packaged: string, installed: string) =>
      JSON.parse(String(await readInstalled(packaged, installed))).name;
    expect(await contentOf('package.json', 'none')).toBe('qrctl');
    expect(await contentOf('dist/none', 'fontkit/package.json')).toBe('fontkit');
    await expect(contentOf('dist/none', 'none')).rejects.toMatchObject({
      message: 'the qrctl installation is corrupt: dist/none is missing',
      hint: 'Reinstall qrctl.',
      cause: { code: 'ENOENT' },
    });
  });
});

it.runIf(SOAK)(
  'qr image reports a damaged or missing renderer or a missing font as a corrupt installation, and draws images that need neither',
  async () => {
    const sandbox = await useSandbox({ codes: 1 });
    const slug = sandbox.workspace.codes()[0]?.slug ?? '';
    const cwd = await useDirectory();
    for (const part of ['bin', 'dist', 'completions', 'package.json'])
      cpSync(join(ROOT, part), join(cwd, part), { recursive: true });
    const image = async (...args: string[]) => {
      const words = ['qr', 'image', slug, '--short-url', 'https://qr.example/{slug}', ...args];
      const { code, stderr } = await runCli(words, { cwd, env: sandbox.env, bin: join(cwd, 'bin/qrctl.js') });
      return `${code} ${stderr}`;
    };
    const whole = 'qrctl: the qrctl installation is corrupt: dist/';
    truncateSync(join(cwd, 'dist/resvg.wasm.br'), 100_000);
    writeFileSync(
      join(cwd, 'l.svg'),
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle cx="5" cy="5" r="4"/></svg>',
    );
    const withLogo = ['--logo', 'l.svg', '-o', 'x.png'];
    expect(await image(...withLogo)).toBe(`1 ${whole}resvg.wasm.br is damaged\n  hint: Reinstall qrctl.\n`);
    rmSync(join(cwd, 'dist/resvg.wasm.br'));
    expect(await image(...withLogo)).toBe(`1 ${whole}resvg.wasm.br is missing\n  hint: Reinstall qrctl.\n`);
    rmSync(join(cwd, 'dist/fonts'), { recursive: true });
    expect(await image('--sheet', 'L7160', '-o', 'x.pdf')).toMatch(
      `1 ${whole}fonts/noto-sans-latin-400-normal.woff is missing\n`,
    );
    expect(await image('-o', 'x.pdf')).toMatch(/^0 /);
  },
);
