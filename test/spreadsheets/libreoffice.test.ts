/** `npm run test:spreadsheets`: lists out of qrctl, opened and saved by LibreOffice (soffice must be there), and given back. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCli, useDirectory } from '../support/cli.ts';
import { HOSTILE } from '../support/hostile-strings.ts';
import { useSandbox } from '../support/sandbox.ts';

const NAMES = [
  ...[
    '-20% Sale',
    "'-20% Sale",
    "''=1",
    "'til dawn",
    '007',
    '1/2',
    '12345678901234567890',
    'TRUE',
    '2026-03-01',
    '_x0041_',
  ],
  ...['line\nbreak', 'a\r\nb', ...Object.values(HOSTILE)],
];
/** All eight columns as text: what a person says in the dialogue that opens a CSV. */
const AS_TEXT = '--infilter=CSV:44,34,76,1,1/2/2/2/3/2/4/2/5/2/6/2/7/2/8/2';
const SEMICOLONS = 'csv:Text - txt - csv (StarCalc):59,34,76,1,,0,false,true,false';

describe.runIf(process.env.QRCTL_TEST_SPREADSHEETS)('a list that LibreOffice opened and saved', () => {
  test.each([
    ['codes.xlsx', [], 'xlsx', 'xlsx'],
    ['codes.csv', [AS_TEXT], SEMICOLONS, 'csv'],
    ['codes.csv', [AS_TEXT], 'xlsx', 'xlsx'],
  ])(
    'leads to no change if it is imported (%s %j as %s)',
    async (file, flags, filter, extension) => {
      const names = NAMES.filter((name) => name.trim() !== '' && name.length < 10_000);
      const sandbox = await useSandbox({ codes: 0, scans: 0, limit: 100_000 });
      for (const name of names) sandbox.workspace.create({ name, destination: 'https://example.com/' });
      const cwd = await useDirectory();
      const qr = (...args: string[]) => runCli(['qr', ...args], { env: sandbox.env, cwd });
      expect(await qr('list', '-o', file)).toMatchObject({ code: 0 });
      const profile = `-env:UserInstallation=file://${join(cwd, 'office')}`;
      execFileSync(
        'soffice',
        ['--headless', '--norestore', profile, ...flags, '--convert-to', filter, '--outdir', 'saved', file],
        {
          cwd,
          stdio: 'ignore',
        },
      );
      const { code, stderr } = await qr('update', '--from', `saved/codes.${extension}`);
      expect([code, stderr]).toEqual([
        0,
        expect.stringContaining(`${names.length} rows: ${names.length} unchanged`),
      ]);
      expect(sandbox.requests.filter(({ method }) => method === 'PATCH')).toEqual([]);
    },
    120_000,
  );
});
