/**
 * `npm run test:rows`: random histories of people, machines and a hostile service, played with the built command and real files, and killed
 * runs among them. `node test/rows/run.mjs --histories 2000 --seed 7` plays a part; `--only SEED` plays one and prints its transcript;
 * `--kill none|request|call` says how runs are killed.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const bundle = join(root, 'node_modules/.cache/rows-histories.mjs');
const { status } = spawnSync(
  join(root, 'node_modules/.bin/esbuild'),
  [
    join(root, 'test/rows/main.ts'),
    ...[
      '--bundle',
      '--packages=external',
      '--format=esm',
      '--platform=node',
      `--outfile=${bundle}`,
      '--log-level=warning',
    ],
  ],
  { stdio: 'inherit' },
);
if (status !== 0) process.exit(status ?? 1);
const env = { ...process.env, QRCTL_TEST_BIN: process.env.QRCTL_TEST_BIN ?? join(root, 'bin/qrctl.js') };
process.exit(
  spawnSync(process.execPath, [bundle, ...process.argv.slice(2)], { stdio: 'inherit', env }).status ?? 1,
);
