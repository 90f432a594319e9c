/**
 * `npm run test:nodes`: tests of the built command on every supported version of node. The tests themselves run on this node; what
 * they start runs on the others, which come from npm into a temporary directory. As users have it: built once, by this node.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const VERSIONS = ['20', '22', '24'];
const TESTS = ['test/e2e/exit-codes.test.ts', 'test/e2e/hostile.test.ts', 'test/e2e/package.test.ts', 'test/e2e/export.test.ts'];

const directory = mkdtempSync(join(tmpdir(), 'qrctl-nodes-'));
try {
  writeFileSync(join(directory, 'package.json'), '{}');
  const packages = VERSIONS.map((version) => `node${version}@npm:node@${version}`);
  run('npm', ['install', '--no-audit', '--no-fund', '--silent', ...packages], { cwd: directory });
  for (const version of VERSIONS) {
    const bin = join(directory, 'node_modules', `node${version}`, 'bin');
    const node = join(bin, 'node');
    run(node, ['--version']);
    // Also first in PATH, for what is started by its own first line (#!/usr/bin/env node).
    const env = { ...process.env, QRCTL_TEST_NODE: node, PATH: `${bin}:${process.env.PATH}` };
    run(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', ...TESTS], { env });
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}

function run(command, args, options = {}) {
  const { status } = spawnSync(command, args, { stdio: 'inherit', ...options });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}`);
}
