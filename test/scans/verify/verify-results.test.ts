/** Errors, rows and closing lines of `scans verify`. */
import { expect, test } from 'vitest';
import type { ScanLog } from '#scans/verify/scan-log';
import { closingNotes, failureOf, rowsOf, type VerifiedCode } from '#scans/verify/verify-results';

const RANGE = { sinceMs: Date.UTC(2026, 9, 1), untilMs: Date.UTC(2026, 9, 3) };
const resultOf = (given: Partial<VerifiedCode> = {}): VerifiedCode => ({
  code: { id: 'a1', slug: 'menu' },
  outcome: 'equal',
  range: RANGE,
  logged: 10,
  days: [],
  missing: 0,
  added: 0,
  isAccepted: false,
  ...given,
});
const logOf = (given: Partial<ScanLog> = {}): ScanLog => ({
  place: 'scans.csv',
  paths: [],
  known: [],
  state: {} as ScanLog['state'],
  gone: [],
  isUnfinished: false,
  ...given,
});
const day = (missing: number, gone: number, twice: number) => ({ day: 20_727, missing, gone, twice });
const failure = (results: VerifiedCode[], logs = [logOf()], isRepair = false) => {
  const error = failureOf(results, { logs, isRepair }) as (Error & { hint?: string }) | undefined;
  return error && [error.message, error.hint];
};

const STAYS =
  'Rows that the service no longer has, and duplicate rows, are never removed. List them with --format csv.';

test('a verification fails with the number of scans for each kind of difference', () => {
  expect(failure([resultOf()])).toBeUndefined();
  expect(failure([resultOf({ outcome: 'different', days: [day(0, 1, 0)] })])).toEqual([
    'scans.csv differs from the service: 1 scan no longer on the service',
    STAYS,
  ]);
  const different = resultOf({ outcome: 'different', days: [day(2, 1, 0), day(0, 0, 1)] });
  expect(failure([different, resultOf()])).toEqual([
    'scans.csv differs from the service: 2 scans missing, 1 scan no longer on the service, 1 duplicate row',
    'To add the missing scans, run the command again with --repair.',
  ]);
  expect(failure([different, resultOf()], [logOf(), logOf({ state: undefined })])).toEqual([
    'the files of 1 code differ from the service: 2 scans missing, 1 scan no longer on the service, 1 duplicate row',
    'To get the missing scans, export again with `qrctl scans export`. Only files written with --append can be repaired.',
  ]);
});

test('a repair fails only with the differences that are left', () => {
  expect(failure([resultOf({ outcome: 'different', days: [day(2, 0, 0)], added: 2 })])).toBeUndefined();
  expect(
    failure([resultOf({ outcome: 'different', days: [day(2, 0, 1)], added: 2 })], [logOf()], true),
  ).toEqual(['scans.csv differs from the service: 1 duplicate row', STAYS]);
  const lacking = resultOf({ outcome: 'missing', missing: 3, logged: 0 });
  expect(failure([lacking], [logOf()], true)).toEqual([
    'scans.csv differs from the service: 3 scans missing',
    'To add a code that has no file yet, run `qrctl scans export --append`.',
  ]);
});

test('a verification fails for a deleted code until it is accepted', () => {
  const deleted = resultOf({ outcome: 'gone' });
  const message = 'scans.csv differs from the service: 1 code deleted (10 scans no longer on the service)';
  expect(failure([deleted])).toEqual([
    message,
    expect.stringContaining('run the command once with --accept-gone'),
  ]);
  expect(failure([deleted], [logOf()], true)).toEqual([message, STAYS]);
  expect(failure([{ ...deleted, isAccepted: true }])).toBeUndefined();
});

test('a verification states why a log could not be read, and how to replace it', () => {
  const reason = new Error('scans.csv has no IDs');
  const broken = resultOf({ outcome: 'different', reason });
  expect(failure([broken])).toEqual([
    'scans.csv has no IDs',
    'Export the scans again with `qrctl scans export`.',
  ]);
  const fault = { reason: 'scans.csv has no IDs', hint: 'Restore scans.csv from a backup.' };
  expect(failure([broken], [logOf(), logOf({ fault })])).toEqual([fault.reason, fault.hint]);
  expect(failure([broken], [logOf()], true)?.[0]).toBe('scans.csv has no IDs\nnothing was repaired');
  expect(failure([broken, resultOf({ added: 1 })], [logOf()], true)?.[0]).toBe('scans.csv has no IDs');
  expect(rowsOf(broken)).toMatchObject([{ error: 'scans.csv has no IDs' }]);
});

test('a verification that could not compare a code states the reason instead of the differences', () => {
  const unproven = resultOf({ outcome: 'unproven', reason: new Error('scans arrive') });
  expect(failure([resultOf({ outcome: 'gone' }), unproven])).toEqual([
    'menu could not be compared with the service: scans arrive',
    'When fewer scans arrive, run the same command again.',
  ]);
  expect(failure([{ ...unproven, range: undefined }, unproven])).toEqual([
    '2 codes could not be compared with the service: scans arrive',
    'Run the export again, or pass another range.',
  ]);
});

test('a row has the outcome `repaired` if the missing scans of its day were added and the day has no other difference', () => {
  const outcomesOf = (given: Partial<VerifiedCode>) =>
    rowsOf(resultOf({ outcome: 'different', ...given })).map(({ outcome }) => outcome);
  const days = [day(2, 0, 0), day(0, 1, 0), day(0, 0, 1)];
  expect(outcomesOf({ days, added: 2 })).toEqual(['repaired', 'different', 'different']);
  expect(outcomesOf({ days, added: 2, outcome: 'gone' })).toEqual(['gone', 'gone', 'gone']);
  expect(outcomesOf({ days, added: 0 })).toEqual(['different', 'different', 'different']);
  expect(rowsOf(resultOf({ days: [day(2, 0, 0)] }))[0]).toMatchObject({ day: '2026-10-01', missing: 2 });
  expect(rowsOf(resultOf({ outcome: 'gone' }))).toMatchObject([{ day: null, slug: 'menu', gone: 10 }]);
  expect(rowsOf(resultOf())).toMatchObject([{ day: null, outcome: 'equal', gone: 0 }]);
});

test('the closing line counts only codes that were compared, and follows notes about missing rotated files and files without a state', () => {
  const results = [resultOf({ added: 1 }), resultOf({ outcome: 'gone' }), resultOf({ outcome: 'unproven' })];
  const notes = (logs: ScanLog[]) => closingNotes(results, { logs, zone: 'UTC', requests: 4 });
  const closing =
    'Verified 10 scans of 1 code from 2026-10-01 00:00 to 2026-10-03 00:00 (UTC), added 1 missing scan (4 requests)';
  expect(notes([logOf()])).toEqual([closing]);
  const old = { gone: [{}] as unknown as ScanLog['gone'], state: undefined };
  expect(notes([logOf(old)])).toEqual([
    '1 rotated file of scans.csv is not in its directory. To compare the scans up to there too, add --input FILE',
    'scans.csv: compared by ID and time only, because no state of an append shows changed values',
    closing,
  ]);
  expect(notes([logOf({ gone: [{}, {}] as unknown as ScanLog['gone'] })])[0]).toBe(
    '2 rotated files of scans.csv are not in its directory. To compare the scans up to there too, add --input FILE',
  );
  expect(notes([logOf({ state: undefined }), logOf({ state: undefined })])[0]).toMatch(
    /^2 files: compared by ID/,
  );
  expect(closingNotes([], { logs: [], zone: 'UTC', requests: 1 })).toEqual([
    'Verified 0 scans of 0 codes (1 request)',
  ]);
});
