import { expect, test } from 'vitest';
import { useDirectory } from '../support/cli.ts';
import { runHere } from '../support/run-here.ts';
import { withSandbox } from '../support/sandbox.ts';

test('statistics and datasets warn about codes whose first export is not complete', async () => {
  const cwd = await useDirectory();
  await withSandbox({ codes: 3, scans: 600, limit: 4 }, async ({ env }) => {
    const run = (...line: string[]) => runHere(['scans', ...line], { cwd, env });
    const append = ['export', '--all', '-o', 'log.csv', '--append', '--max-wait'];
    expect(await run(...append, '0')).toMatchObject({ code: 6 });
    const warning = expect.stringContaining('warning: the first export of 2 codes is not complete');
    expect(await run('stats', '--input', 'log.csv', '--by', 'code')).toMatchObject({
      code: 0,
      stderr: warning,
    });
    const convert = ['export', '--input', 'log.csv', '--partition-by', 'month', '--output-dir'];
    expect(await run(...convert, 'lake')).toMatchObject({ code: 0, stderr: warning });
  });
});
