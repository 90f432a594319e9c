import { expect, test } from 'vitest';
import { useDirectory } from '../support/cli.ts';
import { runHere } from '../support/run-here.ts';
import { withSandbox } from '../support/sandbox.ts';

const LAKE = ['--output-dir', 'lake', '--partition-by', 'month'];
const WARNING = expect.stringContaining('warning: the first export of 2 codes is not complete');

test.each([
  ['log', 'log.csv', ['-o', 'log.csv']],
  ['dataset', 'lake', LAKE],
])(
  'reading a %s prints a warning about codes whose first export was not completed',
  async (_, path, output) => {
    const cwd = await useDirectory();
    await withSandbox({ codes: 3, scans: 600, limit: 4 }, async ({ env }) => {
      const run = (...line: string[]) => runHere(['scans', ...line], { cwd, env });
      expect(await run('export', '--all', ...output, '--append', '--max-wait', '0')).toMatchObject({
        code: 6,
      });
      const warned = { code: 0, stderr: WARNING };
      expect(await run('stats', '--input', path, '--by', 'code')).toMatchObject(warned);
      if (path !== 'log.csv') return;
      expect(await run('export', '--input', path, ...LAKE)).toMatchObject(warned);
      expect(await run('stats', '--input', 'lake', '--by', 'code')).toMatchObject(warned);
    });
  },
);
