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
 * One step after the other; the commands of a step run side by side, and the first step that fails is the last. What failed is named at
 * the very end, since thousands of lines of the tests come after the words of a linter.
 */
const steps =
  asked.length > 0
    ? [[vitest]]
    : [[script('setup')], [script('build')], [script('typecheck'), script('lint'), vitest]];
for (const step of steps) {
  const codes = await Promise.all(step.map(run));
  const failed = step.filter((_, index) => codes[index] !== 0);
  if (failed.length === 0) continue;
  for (const command of failed) console.error(`\nfailed: ${command.join(' ')}`);
  process.exitCode = 1;
  break;
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
