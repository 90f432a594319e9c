import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { useDirectory } from '../../../support/cli.ts';
import { runHere } from '../../../support/run-here.ts';
import { useSandbox } from '../../../support/sandbox.ts';

it.each([
  ['create', 'codes.results.csv.journal'],
  ['apply', 'codes.lock.json.journal'],
])(
  'qr %s prints a note if a journal from an earlier version exists, and does not read it',
  async (verb, journal) => {
    const { env, workspace } = await useSandbox({ codes: 0, scans: 0 });
    const cwd = await useDirectory();
    writeFileSync(join(cwd, 'codes.csv'), 'key,name,destination\na,Menu,https://example.com/menu\n');
    writeFileSync(join(cwd, journal), '{"is":"journal","version":2}\n');
    const { code, stderr } = await runHere(['qr', verb, '--from', 'codes.csv'], { cwd, env });
    expect(stderr).toContain(
      `${journal} is the journal of an earlier version of qrctl and is not read. You can remove it.`,
    );
    expect([code, workspace.codes().length]).toEqual([0, 1]);
  },
);
