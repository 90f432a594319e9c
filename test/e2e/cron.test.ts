/** The crontab line of the guide in the environment cron gives it: no terminal, almost no variables; and days cut by the zone asked for. */
import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { argv } from '../support/argv.ts';
import { BIN, runCli, useDirectory } from '../support/cli.ts';
import { blocksIn, readDocument } from '../support/documents.ts';
import { firstRows } from '../support/property-runs.ts';
import { useSandbox } from '../support/sandbox.ts';

interface Ended {
  code: number;
  output: string;
}

/** As cron does it: `sh -c`, HOME and PATH from the crontab, and whatever is printed is what is mailed. */
function asCron(line: string, env: Record<string, string>): Promise<Ended> {
  return new Promise((resolve) => {
    execFile('/bin/sh', ['-c', line], { env }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, output: stdout + stderr });
    });
  });
}

/** The command of the crontab in the guide, for another home and another code. */
function crontabLine(home: string, code: string): string {
  const [crontab = ''] = blocksIn(readDocument('docs/scheduled-exports.md'), 'crontab');
  const [, command = ''] = /^\d+ \d+ \* \* \* (.*)$/m.exec(crontab) ?? [];
  expect(command).toContain('--append --quiet');
  return command.replaceAll('/home/exporter', home).replace('spring-menu', code);
}

test('the crontab line in the guide appends without output every night, and prints an error if it fails', async () => {
  const sandbox = await useSandbox({ codes: 1, scans: 60 });
  const home = await useDirectory();
  const bin = join(home, 'bin');
  await mkdir(bin);
  await symlink(BIN, join(bin, 'qrctl'));
  const env = { HOME: home, PATH: `${bin}:${dirname(process.execPath)}:/usr/bin:/bin` };
  const line = crontabLine(home, sandbox.codeId());
  const [, profile = ''] = / --profile (\S+)/.exec(line) ?? [];
  const login = ['auth', 'login', '--profile', profile, '--base-url', sandbox.baseUrl, '--key-stdin'];
  const stored = await runCli(login, {
    input: sandbox.apiKey,
    env: { HOME: home, QRCTL_CONFIG_DIR: undefined },
  });
  expect(stored.code, stored.stderr).toBe(0);

  expect(await asCron(line, env)).toEqual({ code: 0, output: '' });
  sandbox.workspace.addScan(sandbox.codeId(), { ts: '2025-06-01T10:00:00.000Z' });
  expect(await asCron(line, env)).toEqual({ code: 0, output: '' });
  const rows = (await readFile(join(home, 'scans.csv'), 'utf8')).match(/^\d+,\d{4}-.*$/gm) ?? [];
  expect(rows.length).toBe(sandbox.scans(sandbox.codeId()).length);
  expect(rows.at(-1)).toContain('2025-06-01');

  sandbox.workspace.delete(sandbox.codeId());
  const gone = await asCron(line, env);
  expect(gone.code).toBe(4);
  expect(gone.output).toMatch(/^qrctl: .*404/);
});

const days: [string, string, string, string][] = [
  // The day the clocks go forward has 23 hours in Berlin, the one they go back 25.
  ['2026-03-29', '2026-03-30', '2026-03-28T23:00:00.000Z', '2026-03-29T21:59:59.999Z'],
  ['2026-10-25', '2026-10-26', '2026-10-24T22:00:00.000Z', '2026-10-25T22:59:59.999Z'],
];
test.each(firstRows(1, days))(
  "an export with --since %s, --until %s and --timezone Europe/Berlin has exactly that day's scans, even if the machine has another time zone",
  async (since, until, first, last) => {
    const sandbox = await useSandbox({ codes: 1, scans: 0 });
    const outside = [first, last].map((ts, i) => new Date(Date.parse(ts) + (i === 0 ? -1 : 1)).toISOString());
    for (const ts of [...outside, first, last]) sandbox.workspace.addScan(sandbox.codeId(), { ts });
    const words = argv`
      scans export ${sandbox.codeId()} --since ${since} --until ${until} --timezone Europe/Berlin
    `;
    const zones = firstRows(1, ['Asia/Kolkata', 'America/Los_Angeles', 'UTC']);
    const exports = await Promise.all(
      zones.map((TZ) =>
        runCli([...words, '--fields', 'ts', '--no-header', '-f', 'csv'], { env: { ...sandbox.env, TZ } }),
      ),
    );
    for (const { stdout } of exports) expect(stdout).toBe(`${first}\n${last}\n`);
  },
);
