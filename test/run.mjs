/**
 * `npm test`: everything a change must pass. `npm test -- FILE` (or any other argument of vitest) runs those tests alone, at once;
 * what they need of dist/ is built by global-setup.ts.
 */
import { spawn } from 'node:child_process';

const asked = process.argv.slice(2);
const vitest = [
  process.execPath,
  'node_modules/vitest/vitest.mjs',
  'run',
  '--config',
  'test/vitest.config.ts',
  ...asked,
];

/**
 * Chains run side by side; the first command of a chain that fails is its last. What failed is named at the very end, since thousands of
 * lines of the tests come after the words of a linter.
 */
const failed = [];
if (asked.length > 0) await runChain([vitest]);
else {
  await runChain([script('setup')]);
  if (failed.length === 0)
    await Promise.all([
      runChain([script('build'), vitest]),
      runChain([script('typecheck')]),
      runChain([script('lint')]),
    ]);
}
for (const command of failed) console.error(`\nfailed: ${command.join(' ')}`);
if (failed.length > 0) process.exitCode = 1;

async function runChain(commands) {
  for (const command of commands) {
    if ((await run(command)) === 0) continue;
    failed.push(command);
    return;
  }
}

function script(name) {
  return ['npm', 'run', '--silent', name];
}

/** The exit code of a command; 1 where a signal ended it. */
function run([command, ...args]) {
  return new Promise((resolve, reject) => {
    spawn(command, args, { stdio: 'inherit' })
      .once('error', reject)
      .once('exit', (code) => resolve(code ?? 1));
  });
}
