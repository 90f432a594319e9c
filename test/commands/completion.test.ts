import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { loadManual } from '#cli/manual';
import { SCRIPTS, SHELLS } from '#commands/completion-scripts';
import { runCli } from '../support/cli.ts';
import { firstRows } from '../support/property-runs.ts';
import { runByDay } from '../support/run-here.ts';

const directory = new URL('../../completions/', import.meta.url);

describe('qrctl completion', () => {
  test('has one script per shell in the folder completions/', () => {
    expect(readdirSync(directory).sort()).toEqual(Object.values(SCRIPTS).sort());
  });

  test.each(SHELLS)('prints the packaged script for %s, with and without --quiet', async (shell) => {
    const script = readFileSync(new URL(SCRIPTS[shell], directory), 'utf8');
    const run = shell === SHELLS[0] ? runCli : runByDay;
    for (const flags of firstRows(1, [[], ['--quiet']]))
      expect(await run(['completion', shell, ...flags])).toMatchObject({
        code: 0,
        stdout: script,
        stderr: '',
      });
  });

  test('uses a manual in which, for qr create, only --column, --adopt and --as-new are repeatable', async () => {
    const create = (await loadManual('')).commands.find(({ names }) => names.join(' ') === 'qr create');
    const repeatable = create?.flags.filter((flag) => flag.repeatable).map(({ long }) => long);
    expect(repeatable).toEqual(['--column', '--adopt', '--as-new']);
  });

  test('exits with 2 for an unknown shell, and for a command line without a shell', async () => {
    expect(await runByDay(['completion', 'csh'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('bash, zsh, fish or powershell'),
    });
    expect(await runByDay(['completion'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('qrctl completion <shell>'),
    });
  });
});
