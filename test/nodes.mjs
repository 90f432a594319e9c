/**
 * `npm run test:nodes`: tests of the built command on every supported version of node. The tests themselves run on this node; what
 * they start runs on the others, which come from npm into a temporary directory. As users have it: built once, by this node; and
 * what V8 compiled lies in one place for all of them, as when a user changes between them. `npm run test:nodes -- 20.19.0 22` runs
 * on those alone.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The oldest that package.json allows, beside a later one with the same V8; and the majors that are kept up. */
const VERSIONS = ['20.19.0', '20', '22', '24'];
const TESTS = ['exit-codes', 'hostile', 'package', 'export', 'report'].map(
  (name) => `test/e2e/${name}.test.ts`,
);

const asked = process.argv.slice(2);
const versions = asked.length > 0 ? asked : VERSIONS;

const directory = mkdtempSync(join(tmpdir(), 'qrctl-nodes-'));
try {
  writeFileSync(join(directory, 'package.json'), '{}');
  const cache = join(directory, 'cache');
  mkdirSync(cache);
  const packages = versions.map((version) => `node${version}@npm:node@${version}`);
  run('npm', ['install', '--no-audit', '--no-fund', '--silent', ...packages], { cwd: directory });
  for (const version of versions) {
    const bin = join(directory, 'node_modules', `node${version}`, 'bin');
    const node = join(bin, 'node');
    run(node, ['--version']);
    // Also first in PATH, for what is started by its own first line (#!/usr/bin/env node).
    const env = {
      ...process.env,
      QRCTL_TEST_NODE: node,
      QRCTL_TEST_CACHE: cache,
      PATH: `${bin}:${process.env.PATH}`,
    };
    vitest(TESTS, env);
    vitest(['test/build'], { ...env, QRCTL_SOAK: '1' });
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}

function vitest(tests, env) {
  run(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', ...tests],
    { env },
  );
}

function run(command, args, options = {}) {
  const { status } = spawnSync(command, args, { stdio: 'inherit', ...options });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}`);
}
