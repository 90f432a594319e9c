/**
 * `npm run test:mock`: every command against Prism, a mock server that others made. It brings 185 packages along (90 MB), more than
 * all that is needed to develop: so it is installed into a temporary directory, and not with the development dependencies.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The newest for node 20. */
const PRISM = '@stoplight/prism-cli@5.14.2';

const directory = mkdtempSync(join(tmpdir(), 'qrctl-mock-'));
try {
  writeFileSync(join(directory, 'package.json'), '{}');
  run('npm', ['install', '--no-audit', '--no-fund', '--silent', '--ignore-scripts', PRISM], {
    cwd: directory,
  });
  const env = {
    ...process.env,
    TMPDIR: directory,
    QRCTL_TEST_PRISM: join(directory, 'node_modules/.bin/prism'),
  };
  const vitest = [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--config',
    'test/vitest.config.ts',
    'test/e2e/mock.test.ts',
  ];
  run(process.execPath, vitest, { env });
} finally {
  rmSync(directory, { recursive: true, force: true });
}

function run(command, args, options = {}) {
  const { status } = spawnSync(command, args, { stdio: 'inherit', ...options });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}`);
}
