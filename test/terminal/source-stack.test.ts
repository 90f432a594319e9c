import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sourceStack } from '#terminal/source-stack';
import { runCli, useDirectory } from '../support/cli.ts';
import { firstRows } from '../support/property-runs.ts';
import { withSandbox } from '../support/sandbox.ts';

/** Breaks what every command with a service calls in node, so that the program meets a defect. */
const BREAKING = `AbortSignal.any = () => { throw new RangeError('broken on purpose'); };`;

describe('the error for a bug in qrctl', () => {
  const times: [string, number][] = [
    ['first run', 1],
    ['with the compile cache of an earlier run', 2],
  ];
  test.each(firstRows(1, times))(
    'has a stack with files and lines in src/ if --verbose is passed (%s)',
    async (_, runs) => {
      const directory = await useDirectory();
      const preload = join(directory, 'breaking.cjs');
      await withSandbox({ codes: 1 }, async ({ env }) => {
        const options = { env: { ...env, XDG_CACHE_HOME: directory }, nodeArgs: ['-r', preload] };
        writeFileSync(preload, '');
        for (let run = 1; run < runs; run++) await runCli(['qr', 'list'], options);
        writeFileSync(preload, BREAKING);
        const { code, stderr } = await runCli(['qr', 'list', '--verbose'], options);
        expect(code).toBe(1);
        const [first, ...frames] = [...stderr.matchAll(/^ +at (.*)$/gm)].map(([, place]) => place);
        expect(first).toMatch(/breaking\.cjs:1:\d+/);
        expect(frames[0]).toMatch(/^src\/service\/create-service\.ts:\d+:\d+$/);
        expect(frames).toContainEqual(expect.stringMatching(/^async src\/commands\/qr\/list\.ts:\d+:\d+$/));
        expect(stderr).not.toMatch(/dist/);
      });
    },
  );

  test('has no stack without --verbose', async () => {
    const directory = await useDirectory();
    const preload = join(directory, 'breaking.cjs');
    writeFileSync(preload, BREAKING);
    await withSandbox({ codes: 1 }, async ({ env }) => {
      const { stderr } = await runCli(['qr', 'list'], { env, nodeArgs: ['-r', preload] });
      expect(stderr).toMatch(/^qrctl: unexpected failure: broken on purpose\n.*--verbose/);
      expect(stderr).not.toMatch(/^ +at /m);
    });
  });
});

describe('sourceStack', () => {
  test('translates positions that a source map covers, and keeps all other lines', async () => {
    const directory = await useDirectory();
    // Line 1, column 1 of the bundle is line 3, column 5 of the source; its line 2 is line 7, column 6.
    writeFileSync(
      join(directory, 'app.js.map'),
      '{"version":3,"sources":["../src/a.ts"],"names":[],"mappings":"AAEI;AAIC"}',
    );
    writeFileSync(join(directory, 'torn.js.map'), '{"version":3,');
    const stack = [
      'RangeError: at /x.js:1:1',
      `    at f (${directory}/app.js:1:7)`,
      `    at async ${directory}/app.js:2:1`,
      `    at g (${directory}/torn.js:1:1)`,
      `    at h (${directory}/none.js:1:1)`,
      `    at i (${directory}/../app.js:1:1)`,
      '    at node:internal/process/task_queues:95:5',
    ];
    const expected = [...stack];
    expected.splice(1, 2, '    at src/a.ts:3:5', '    at async src/a.ts:7:6');
    const read = (name: string) =>
      existsSync(join(directory, name)) ? readFileSync(join(directory, name)) : undefined;
    expect(sourceStack(stack.join('\n'), directory, read)).toBe(expected.join('\n'));
  });
});
