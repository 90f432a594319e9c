import { expect, test } from 'vitest';
import { useBench } from '../../support/bench.ts';

test('qr create --explain prints the steps that match a row to a code and what a run would send, and sends no POST', async () => {
  const {
    run,
    write,
    sandbox: { requests },
  } = await useBench();
  const explain = async (row: string, ...more: string[]) => {
    const before = requests.length;
    const { code, stdout } = await run('qr', 'create', '--from', 'codes.csv', '--explain', row, ...more);
    expect(code).toBe(0);
    expect(requests.slice(before).map(({ method }) => method)).not.toContain('POST');
    return stdout;
  };
  const sheet = (tent: string) =>
    write(
      'codes.csv',
      `key,name,destination\n,Poster,https://example.com/p\nk2,${tent},https://example.com/t\n`,
    );
  await sheet('Tent');
  expect(await explain('2')).toMatch(
    /1\. ID and slug: the row has neither\n[\s\S]*Result: a new code is created\n$/,
  );
  await run('qr', 'create', '--from', 'codes.csv');
  expect(await explain('2')).toMatch(
    /3\. .*an earlier run created [\s\S]*Result \(step 3\): nothing is sent: row and code/,
  );
  await sheet('Tents');
  expect(await explain('k2')).toMatch(
    /Result \(step 2\): nothing is sent until you decide: differs from its code/,
  );
  expect(await explain('3', '--apply-edits')).toContain('the code is changed: name from Tent to Tents');
  expect(await explain('2', '--ledger', 'other.json')).toMatch(
    /5\. .*\([0-9a-f-]+\)\n[\s\S]*Result \(step 5\)/,
  );
  expect(await run('qr', 'create', '--from', 'codes.csv', '--explain', '9')).toMatchObject({ code: 2 });
});
