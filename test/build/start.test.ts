/** The built command and what V8 compiled of it: kept, taken, damaged, left over. On another node by QRCTL_TEST_NODE (test/nodes.mjs). */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { type CliOptions, type CliResult, runCli, useDirectory } from '../support/cli.ts';
import { firstRows, SOAK } from '../support/property-runs.ts';
import { withSandbox } from '../support/sandbox.ts';

const FLIPS = 60;

/** Says of each script whether V8 took what was kept of it: a preload, as the program itself has no such switch. */
const WITNESS = `
const vm = require('node:vm');
const { Script } = vm;
vm.Script = class extends Script {
  constructor(code, options) {
    super(code, options);
    const took = options.cachedData === undefined ? 'none' : this.cachedDataRejected ? 'refused' : 'taken';
    process.stderr.write(\`\${require('node:path').basename(options.filename)}: \${took}\\n\`);
  }
};
`;

/** No connection comes about and no time runs out: nothing is left to wait for. */
const DESERTED = `
const { setTimeout } = globalThis;
globalThis.setTimeout = (...given) => setTimeout(...given).unref();
const net = require('node:net');
net.connect = () => new net.Socket();
`;

/** Commands that need no service, and one that does; those that keep compiled code first. */
const LINES = [
  ['config', 'path'],
  ['qr', 'list', '-f', 'json'],
  ['qr', 'list', '-f', 'table'],
  ['qr', 'list', '--help'],
  ['qr', 'lst'],
];

let witness: string[];

async function useCache(): Promise<{ env: { XDG_CACHE_HOME: string }; files: () => string[] }> {
  const home = await useDirectory();
  const compiled = join(home, 'qrctl/compiled');
  return {
    env: { XDG_CACHE_HOME: home },
    files: () => readdirSync(compiled).map((name) => join(compiled, name)),
  };
}

beforeAll(async () => {
  const file = join(process.env.QRCTL_TEST_CACHE ?? '', 'witness.cjs');
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, WITNESS);
  witness = ['-r', file];
});

test('V8 accepts the compiled code from an earlier run, even if that run changed V8 flags', async () => {
  const { env: cache } = await useCache();
  await withSandbox({ codes: 1, scans: 20 }, async ({ env, codeId }) => {
    const directory = await useDirectory();
    const options: CliOptions = { env: { ...env, ...cache }, nodeArgs: witness, cwd: directory };
    const exported = ['scans', 'export', codeId(), '-o', 'scans.csv'];
    const first = await runCli(exported, options);
    expect(first.stderr).toMatch(/^app\.js: none$/m);
    const { code, stderr } = await runCli(exported, options);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^app\.js: taken$/m);
    expect(stderr).not.toMatch(/: (none|refused)$/m);
  });
});

test('V8 receives no compiled code for a chunk if its source in dist/ has a different checksum', async () => {
  const { env, files } = await useCache();
  const options: CliOptions = { env, nodeArgs: witness };
  await runCli(['config', 'path'], options);
  for (const file of files()) {
    const bytes = readFileSync(file);
    const at = bytes.indexOf('["app.js",') + '["app.js",'.length;
    bytes.write(bytes.toString('latin1', at, at + 1) === '1' ? '2' : '1', at);
    bytes.writeUInt32LE(crc32(bytes.subarray(0, -4)), bytes.length - 4);
    writeFileSync(file, bytes);
  }
  const { code, stderr } = await runCli(['config', 'path'], options);
  expect(code).toBe(0);
  expect(stderr).toMatch(/^app\.js: none$/m);
  expect(stderr).toMatch(/: taken$/m);
});

test('a repeated command and a failed command write no compiled code', async () => {
  const { env, files } = await useCache();
  const times = () => Object.fromEntries(files().map((file) => [file, statSync(file).mtimeMs]));
  expect((await runCli(['qr', 'lst'], { env })).code).toBe(2);
  expect(files).toThrow(/ENOENT/);
  await runCli(['config', 'path'], { env });
  const written = times();
  expect(Object.keys(written)).not.toEqual([]);
  await runCli(['config', 'path'], { env });
  await runCli(['qr', 'lst'], { env });
  expect(times()).toEqual(written);
  // Another command compiles more.
  await runCli(['auth', 'list'], { env });
  expect(times()).not.toEqual(written);
});

test('a run exits with 1 if Node ends it early because nothing is left to wait for', async () => {
  const preload = join(await useDirectory(), 'deserted.cjs');
  writeFileSync(preload, DESERTED);
  const env = { QRCTL_BASE_URL: 'http://127.0.0.1:9/api/v1', QRCTL_API_KEY: 'svc_live_0123456789abcdef' };
  const { code, stderr } = await runCli(['qr', 'list'], { env, nodeArgs: ['-r', preload] });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringContaining('ended before the command was complete'),
  });
});

test('an uncaught error is reported without a line of more than 300 characters from the bundle', async () => {
  const preload = join(await useDirectory(), 'crash.cjs');
  const silent = "const net = require('node:net'); net.connect = () => new net.Socket();";
  writeFileSync(preload, `${silent} setTimeout(() => { throw new TypeError('a broken timer'); }, 300);`);
  const env = { QRCTL_BASE_URL: 'http://127.0.0.1:9/api/v1', QRCTL_API_KEY: 'svc_live_0123456789abcdef' };
  const { code, stderr } = await runCli(['qr', 'list'], { env, nodeArgs: ['-r', preload] });
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('a broken timer') });
  expect(stderr.split('\n').filter(({ length }) => length > 300)).toEqual([]);
});

describe('a command', () => {
  /** Names at its end the files of dist/ that were read and the modules of node that were loaded: a preload. */
  const LOADED = `
const fs = require('node:fs');
const { basename, dirname } = require('node:path');
const read = new Set();
const { readFileSync } = fs;
fs.readFileSync = (path, ...rest) => {
  if (basename(dirname(String(path))) === 'dist') read.add(basename(path));
  return readFileSync(path, ...rest);
};
process.on('exit', () => {
  const builtIn = process.moduleLoadList.map((name) => name.replace('NativeModule ', ''));
  process.stderr.write('LOADED ' + JSON.stringify({ read: [...read].sort(), builtIn }) + '\\n');
});
`;

  async function loadedBy(
    args: string[],
    options: CliOptions,
  ): Promise<{ read: string[]; builtIn: string[] }> {
    const preload = join(await useDirectory(), 'loaded.cjs');
    writeFileSync(preload, LOADED);
    const { code, stderr } = await runCli(args, { ...options, nodeArgs: ['-r', preload] });
    expect(code).toBe(0);
    return JSON.parse(/^LOADED (.*)$/m.exec(stderr)?.[1] ?? '');
  }

  test('such as `qr list` loads fewer than eight chunks, and no unneeded Node module such as http or crypto', async () => {
    await withSandbox({ codes: 1 }, async ({ env }) => {
      const { read, builtIn } = await loadedBy(['qr', 'list'], { env });
      expect(read).toEqual(expect.arrayContaining(['app.js', 'core.js', 'http.js', 'start.js']));
      expect(read.length).toBeLessThan(8);
      const unused = [
        'assert',
        'child_process',
        'dgram',
        'http',
        'http2',
        'tls',
        'crypto',
        'module',
        'fs/promises',
      ];
      expect(builtIn.filter((name) => unused.includes(name))).toEqual([]);
      // What node loads after a flag of V8 has changed is compiled anew.
      if (builtIn.includes('v8')) expect(builtIn.indexOf('v8')).toBeGreaterThan(builtIn.indexOf('net'));
    });
  });

  const texts = [
    [['--version']],
    [['scans', 'export', '--help']],
    [['completion', 'bash']],
    [['--help']],
    [['help', 'exit-codes']],
  ];
  test.each(firstRows(1, texts))('such as %j loads only start.js', async (args) => {
    const { read, builtIn } = await loadedBy(args, {});
    expect(read).toEqual(['start.js']);
    expect(builtIn).not.toContain('stream');
  });
});

// By day only of the loader itself (test/build/compile-cache.test.ts).
describe.runIf(SOAK)('a damaged cache', () => {
  test(`with ${FLIPS} flipped bits changes neither output nor exit code`, async () => {
    const { env: cache, files } = await useCache();
    await withSandbox({ codes: 2, scans: 1, limit: 1e6 }, async ({ env }) => {
      const options: CliOptions = { env: { ...env, ...cache } };
      const whole = new Map<number, CliResult>();
      for (let turn = 0; turn < LINES.length; turn++) whole.set(turn, await answer(options, turn));
      for (let flip = 0; flip < FLIPS; flip++) {
        for (const file of files()) {
          const bytes = readFileSync(file);
          // Spread over the file, and now and then in its first bytes.
          const at = flip % 4 === 0 ? flip : Math.floor((bytes.length * (flip + 0.5)) / FLIPS);
          bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << (flip & 7)), at);
          writeFileSync(file, bytes);
        }
        expect(await answer(options, flip), `flip ${flip}`).toEqual(whole.get(flip % LINES.length));
      }
    });
  }, 600_000);
});

/** What differs between two runs of a command. */
const variable = new RegExp(`${tmpdir()}/\\S+|\\d+ ms`, 'g');

/** Runs one of the commands in turn, so that each one reads damaged files. */
async function answer(options: CliOptions, turn: number): Promise<CliResult> {
  const result = await runCli(LINES[turn % LINES.length] ?? [], options);
  return { ...result, stdout: result.stdout.replace(variable, '') };
}
