import { expect, test } from 'vitest';
import { useBench } from '../../support/bench.ts';
import { useSandbox } from '../../support/sandbox.ts';

const FILE = 'key,name,type,destination\na,Alpha,url,https://example.com/a\n';

test.each([{ more: [] }, { more: ['--dry-run'] }])(
  'qr apply refuses the lock file of another workspace (flags: $more)',
  async ({ more }) => {
    const { sandbox, qr, write } = await useBench();
    await write('codes.csv', FILE);
    expect((await qr(['apply', '--from', 'codes.csv'])).code).toBe(0);
    const other = await useSandbox({ codes: 0, scans: 0 });
    const { code, stderr } = await qr(['apply', '--from', 'codes.csv', ...more], { env: other.env });
    expect([code, stderr.split('\n')]).toEqual([
      2,
      [
        `qrctl: codes.lock.json belongs to ${sandbox.baseUrl}, not to ${other.baseUrl}`,
        '  hint: Use the profile or the key of that service, or specify a different lock file with --lock.',
        '',
      ],
    ]);
  },
);
