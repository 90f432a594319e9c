/**
 * `npm test`: everything a change must pass. `npm test -- FILE` (or any other argument of vitest) runs those tests alone, at once;
 * what they need of dist/ is built by global-setup.ts.
 */
import { spawnSync } from 'node:child_process';

const asked = process.argv.slice(2);

/** The first that fails is the last. */
const steps = [
  ...(asked.length > 0 ? [] : ['setup', 'build', 'typecheck', 'lint'].map((script) => ['npm', 'run', '--silent', script])),
  [process.execPath, 'node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', ...asked],
];
for (const [command, ...args] of steps) {
  const { status } = spawnSync(command, args, { stdio: 'inherit' });
  process.exitCode = status ?? 1;
  if (process.exitCode !== 0) break;
}
