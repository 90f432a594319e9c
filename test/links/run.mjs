/**
 * `npm run test:links`: the built command against hosts of every kind of behaviour, in a network of its own (Linux namespaces; root is not
 * needed where the system lets users have them). Where they cannot be had that is said; with `--require`, or CI=true, it is a failure.
 * `-- --peers` gets linkinator from the registry and prints its verdicts on the same list beside ours. Other arguments are for vitest.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const required = process.argv.includes('--require') || process.env.CI === 'true';
const asked = process.argv.slice(2).filter((argument) => !['--require', '--peers'].includes(argument));
const network = ['unshare', '-rnm', fileURLToPath(new URL('network.sh', import.meta.url))];

const { status: trial } = spawnSync(network[0], [...network.slice(1), 'true'], { stdio: 'ignore' });
if (trial !== 0) {
  console.error('\nNOT TESTED: cannot create a network namespace (unshare -rnm, ip)\n');
  process.exit(required ? 1 : 0);
}
const peers = process.argv.includes('--peers') ? mkdtempSync(join(tmpdir(), 'qrctl-peers-')) : undefined;
// Before the network is left behind.
if (peers)
  execFileSync('npm', ['install', '--silent', '--prefix', peers, 'linkinator@6.3.0'], { stdio: 'inherit' });
const vitest = [
  'node_modules/vitest/vitest.mjs',
  'run',
  '--config',
  'test/vitest.config.ts',
  '--no-file-parallelism',
];
const files = asked.some((argument) => argument.startsWith('test/')) ? [] : ['test/links'];
const { status } = spawnSync(
  network[0],
  [...network.slice(1), process.execPath, ...vitest, ...files, ...asked],
  {
    stdio: 'inherit',
    env: { ...process.env, QRCTL_TEST_LINKS: '1', QRCTL_TEST_PEERS: peers ?? '' },
  },
);
if (peers) rmSync(peers, { recursive: true, force: true });
process.exitCode = status ?? 1;
