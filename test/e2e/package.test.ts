/** What `npm pack` holds, and that it is all that is needed: installed from the tarball into an empty prefix, it works. */
import { spawn, spawnSync } from 'node:child_process';
import { access, mkdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { leaves } from '#cli/tree';
import { argv } from '../support/argv.ts';
import { BIN } from '../support/cli.ts';
import { readDocument } from '../support/documents.ts';
import { SOAK } from '../support/property-runs.ts';
import { withSandbox } from '../support/sandbox.ts';

const ROOT = dirname(dirname(BIN));

let directory: string;
let prefix: string;
let packed: string[];
/** By npm as it installed. */
let said: string;

function npm(args: string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm ${args.join(' ')}: ${stderr}`);
  return args[0] === 'install' ? stdout + stderr : stdout;
}

beforeAll(async () => {
  directory = join(tmpdir(), `qrctl-package-${process.pid}`);
  prefix = join(directory, 'prefix');
  await mkdir(prefix, { recursive: true });
  // Built already: the build of this run is what is packed.
  const [made] = JSON.parse(
    npm(['pack', '--json', '--ignore-scripts', '--pack-destination', directory], ROOT),
  );
  packed = made.files.map(({ path }: { path: string }) => path);
  // Without a registry: everything it needs must be inside.
  said = npm(
    argv`
      install --global --offline --no-audit --no-fund --prefix ${prefix} ${join(directory, made.filename)}
    `,
    directory,
  );
});
afterAll(() => rm(directory, { recursive: true, force: true }));

describe('the package', () => {
  test('contains the program, its documents and nothing else', () => {
    const parts =
      /^(bin\/|completions\/|docs\/[a-z-]+\.md$|dist\/(man\/[a-z-]+\.1|help\/[a-z -]+\.txt|[a-z0-9-]+\.js(\.map)?|resvg\.wasm\.br|package\.json|THIRD-PARTY-LICENSES|sbom\.cdx\.json|fonts\/[a-z0-9-]+\.(woff|LICENSE))$)/;
    const others = packed.filter((path) => !parts.test(path));
    expect(others.sort()).toEqual([
      '.github/SECURITY.md',
      '.github/SKILL.md',
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'docs/help.schema.json',
      'package.json',
    ]);
    for (const part of [
      'bin/qrctl.js',
      'completions/qrctl.bash',
      'dist/start.js',
      'dist/help/qrctl.txt',
      'dist/man/qrctl.1',
      'dist/THIRD-PARTY-LICENSES',
    ]) {
      expect(packed).toContain(part);
    }
    for (const { names } of leaves()) expect(packed).toContain(`dist/man/qrctl-${names.join('-')}.1`);
  });

  test('contains each file that README links to, except the one for contributors', () => {
    const links = [...readDocument('README.md').matchAll(/\]\((?!https:)([^)#]+)/g)].map(
      ([, path = '']) => path,
    );
    expect(links.filter((path) => !packed.includes(path))).toEqual(['.github/CONTRIBUTING.md']);
  });

  test('has no dependencies and no install scripts', async () => {
    const manifest = JSON.parse(await readFile(join(prefix, 'lib/node_modules/qrctl/package.json'), 'utf8'));
    for (const key of ['dependencies', 'optionalDependencies', 'peerDependencies'])
      expect(manifest[key]).toBeUndefined();
    for (const script of ['preinstall', 'install', 'postinstall', 'prepare'])
      expect(manifest.scripts[script]).toBeUndefined();
    const whole = await readFile(join(ROOT, 'package.json'), 'utf8');
    expect(manifest).toMatchObject({
      name: 'qrctl',
      bin: { qrctl: 'bin/qrctl.js' },
      engines: JSON.parse(whole).engines,
    });
  });

  test('is installed without a warning', () => {
    expect(said).not.toMatch(/warn(?!.*\bnodedir\b)/i);
  });

  test('has the licenses of its main bundled libraries', async () => {
    const licenses = await readFile(join(prefix, 'lib/node_modules/qrctl/dist/THIRD-PARTY-LICENSES'), 'utf8');
    for (const name of [
      'pdfkit',
      'lean-qr',
      'undici',
      'commander',
      'conf',
      'chalk',
      'cli-table3',
      'csv-parse',
      'temporal-polyfill',
    ]) {
      expect(licenses).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(\\w+\\)$`, 'm'));
    }
  });

  test('can be installed and run', async () => {
    const qrctl = join(prefix, 'bin', 'qrctl');
    await access(join(prefix, 'share/man/man1/qrctl-scans-export.1'));
    await withSandbox({ codes: 3, scans: 10 }, async ({ env, codeId }) => {
      const run = (...args: string[]) =>
        new Promise<string>((resolve, reject) => {
          const child = spawn(qrctl, args, {
            cwd: directory,
            env: { PATH: process.env.PATH, HOME: directory, ...env },
          });
          let said = '';
          child.stdout.on('data', (chunk) => {
            said += chunk;
          });
          child.stderr.on('data', (chunk) => {
            said += chunk;
          });
          child.on('error', reject);
          child.on('close', (code) => resolve(`${code}\n${said}`));
        });
      expect(await run('--version')).toMatch(/^0\n\d+\.\d+\.\d+\n$/);
      expect(await run('scans', 'export', codeId(), '-o', 'scans.csv')).toMatch(
        /^0\nExported 10 scans of 1 code/,
      );
      if (!SOAK) return;
      expect(await run('completion', 'zsh')).toMatch(/^0\n#compdef/);
      expect((await run('qr', 'list', '--ids')).split('\n')).toHaveLength(5);
      expect(await run('qr', 'list', '--format', 'table', '--timezone', 'x')).toMatch(/^2\n/);
    });
  });
});
