/** `--append` against services whose clocks were set, and scans that are dated ahead. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { formatHttpDate } from '#base/time/time';
import { useDirectory } from '../support/cli.ts';
import { runByDay } from '../support/run-here.ts';
import { type TestSandbox, useSandbox } from '../support/sandbox.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const START = Date.UTC(2026, 0, 10);

async function useAppend(dateOf: () => number | undefined) {
  const sandbox = await useSandbox({
    codes: 1,
    scans: 10,
    limit: 1e6,
    async intercept({ apply, send, response }) {
      const answer = apply();
      const dateMs = dateOf();
      // Node would put its own in the place of one that is missing.
      response.sendDate = false;
      await send({
        ...answer,
        headers: { ...answer.headers, Date: dateMs === undefined ? '' : formatHttpDate(dateMs) },
      });
    },
  });
  const file = join(await useDirectory(), 'scans.csv');
  const append = (...more: string[]) =>
    runByDay(['scans', 'export', sandbox.codeId(), '-o', file, '--append', ...more], { env: sandbox.env });
  const add = (ms: number) => sandbox.workspace.addScan(sandbox.codeId(), { ts: new Date(ms).toISOString() });
  const times = async () =>
    [...(await readFile(file, 'utf8')).matchAll(/^\d+,([^,]+),/gm)].map(([, ts = '']) => Date.parse(ts));
  return { sandbox, append, add, times };
}

/** No range was asked for that ends before it begins. */
function expectRightRanges({ requests }: TestSandbox): void {
  for (const { url } of requests) {
    const { since, until } = Object.fromEntries(new URL(url, 'http://x').searchParams);
    if (since !== undefined && until !== undefined) expect(Date.parse(since)).toBeLessThan(Date.parse(until));
  }
}

test("--append loses no scan after the service's clock was set back, and notes that scans are later than this clock (A22)", async () => {
  let dateMs = START + DAY;
  const { sandbox, append, add, times } = await useAppend(() => dateMs);
  add(START + DAY - HOUR / 2);
  expect(await append()).toMatchObject({ code: 0 });
  dateMs = START;
  add(START - HOUR / 2);
  const { code, stderr } = await append();
  expect(code).toBe(0);
  expect(stderr).toContain("later than the service's clock");
  expect(await times()).toContain(START - HOUR / 2);
  expect(await times()).toHaveLength(12);
  dateMs = START + DAY + HOUR;
  expect(await append()).toMatchObject({ code: 0, stderr: expect.not.stringContaining('ahead of') });
  expect(await times()).toHaveLength(12);
  expectRightRanges(sandbox);
});

test('--append loses no scan while another scan is dated 300 days in the future (A22)', async () => {
  let dateMs = START;
  const { sandbox, append, add, times } = await useAppend(() => dateMs);
  add(START + 300 * DAY);
  expect(await append('--until', '2027-01-01')).toMatchObject({ code: 0 });
  dateMs = START + DAY;
  add(START + HOUR);
  expect(await append()).toMatchObject({ code: 0 });
  expect(await times()).toContain(START + HOUR);
  expect(await times()).toHaveLength(12);
  expectRightRanges(sandbox);
});

test('without a Date header, --append exits with 9 if the newest exported scan is dated after the local time (A23)', async () => {
  const { sandbox, append, add } = await useAppend(() => undefined);
  add(Date.now() + DAY);
  expect(await append('--until', new Date(Date.now() + 2 * DAY).toISOString())).toMatchObject({ code: 0 });
  expect(await append()).toMatchObject({ code: 9 });
  expectRightRanges(sandbox);
});
