/** Files of a log, compared with the state that the last run wrote. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFileHash } from '#scans/append/file-hash';
import type { AppendState } from '#scans/append/state';
import { checkLogFiles } from '#scans/verify/log-files';

let directory: string;
let file: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'qrctl-log-files-'));
  file = join(directory, 'log.csv');
});
afterEach(() => rm(directory, { recursive: true, force: true }));

function digest(text: string) {
  const hash = createFileHash();
  hash.update(Buffer.from(text));
  return { bytes: Buffer.byteLength(text), ...hash.digests() };
}

const STAMP = { ino: '1', mtimeNs: '1', ctimeNs: '1' };
const stateOf = (text: string, ...rotated: string[]) =>
  ({
    ...digest(text),
    stamp: STAMP,
    rotated: rotated.map((old) => ({ ...digest(old), newestMs: {} })),
  }) as unknown as AppendState;

/** Writes files, and checks those of the log by their names, and `others`. */
async function check(
  files: Record<string, string | Buffer>,
  state: AppendState,
  others: readonly string[] = [],
) {
  for (const [name, content] of Object.entries(files)) await writeFile(join(directory, name), content);
  const paths = (names: readonly string[]) => names.map((name) => join(directory, name));
  const own = paths(Object.keys(files).filter((name) => !others.includes(name)));
  const found = await checkLogFiles(file, state, { own, others: paths(others) });
  return { ...found, paths: found.paths.map((path) => path.slice(directory.length + 1)) };
}

describe('a log file', () => {
  it.each([
    ['as it was committed', 'abc\n', undefined],
    ['truncated', 'ab', 'truncated'],
    ['empty', '', 'truncated'],
    ['with other bytes', 'abd\n', 'edited'],
    ['with data after the last commit', 'abc\nxyz', 'edited'],
  ])('that is %s (content: %j) has the fault: %s (V10)', async (_, content, word) => {
    const { fault, isUnfinished } = await check({ 'log.csv': content }, stateOf('abc\n'));
    expect(fault?.reason ?? 'nothing').toContain(word ?? 'nothing');
    expect(isUnfinished).toBe(false);
  });

  it('is reported as unfinished if a stopped run left data in it, but not if its committed bytes changed', async () => {
    const state = { ...stateOf('abc\n'), stamp: undefined };
    expect(await check({ 'log.csv': 'abc\nxyz' }, state)).toMatchObject({
      isUnfinished: true,
      fault: { reason: expect.any(String) },
    });
    expect(await check({ 'log.csv': 'abd\nxyz' }, state)).toMatchObject({
      isUnfinished: false,
      fault: { reason: expect.any(String) },
    });
  });

  it('is found under a rotated name, even if an empty file replaced it, and is reported if it is missing', async () => {
    expect((await check({}, stateOf('abc\n'))).fault?.reason).toContain('no longer exists');
    expect(await check({ 'log.csv.1': 'abc\n' }, stateOf('abc\n'))).toMatchObject({
      fault: undefined,
      paths: ['log.csv.1'],
    });
    expect((await check({ 'log.csv.1': 'abc\n', 'log.csv': '' }, stateOf('abc\n'))).fault).toBeUndefined();
    expect((await check({ 'log.csv.1': 'abx\n', 'log.csv': '' }, stateOf('abc\n'))).fault?.reason).toContain(
      'truncated',
    );
  });
});

describe('the hint for a log file', () => {
  const RESTORE = 'Restore log.csv from a backup';
  const RESTART = `${RESTORE}, or run its \`qrctl scans export\` command once with --restart.`;
  const OLDER =
    'If log.csv is an older copy, remove its state and run the export again, which reads only new scans. Then run `qrctl scans verify` with --repair. If not, restore both from a backup.';

  it.each([
    ['a missing file', {}, [], 'log.csv no longer exists, but its state file records 4 bytes', RESTART],
    ['an empty file', { 'log.csv': '' }, [], 'log.csv was truncated: 0 of 4 bytes remain', RESTART],
    ['a shorter file', { 'log.csv': 'abc' }, [], 'log.csv was truncated: 3 of 4 bytes remain', OLDER],
    [
      'an edited file',
      { 'log.csv': 'abd\n' },
      [],
      'log.csv was edited or replaced since the last run',
      RESTART,
    ],
    [
      'a shorter file after a rotation',
      { 'log.csv': 'abc' },
      ['old\n'],
      'log.csv was truncated: 3 of 4 bytes remain',
      `${RESTORE}.`,
    ],
  ])('states how to replace %s', async (_, files, rotated, reason, hint) => {
    expect((await check(files, stateOf('abc\n', ...rotated))).fault).toEqual({ reason, hint });
  });

  it('recommends --repair if a stopped run left data in the file', async () => {
    const state = { ...stateOf('abc\n'), stamp: undefined };
    expect((await check({ 'log.csv': 'abc\n' }, state)).fault).toBeUndefined();
    expect((await check({ 'log.csv': 'abc\nx' }, state)).fault).toEqual({
      reason: 'log.csv has 1 byte of a run that was stopped, or is still running',
      hint: 'When no export is running, run the command again with --repair.',
    });
  });
});

it('a log that was never written has no fault, and the known files of a log are its current and its recorded rotated files', async () => {
  expect(await check({}, stateOf(''))).toMatchObject({ fault: undefined, paths: [], known: [] });
  const { known, paths } = await check(
    { 'log.csv.1': 'one\n', 'log.csv': 'abc\n', 'other.csv': 'x\n' },
    stateOf('abc\n', 'one\n'),
    ['other.csv'],
  );
  expect({ known, paths }).toEqual({
    known: ['log.csv', 'log.csv.1'].map((name) => join(directory, name)),
    paths: ['log.csv.1', 'log.csv'],
  });
});

describe('rotated files', () => {
  it('are recognized by their bytes, even if compressed or under another name, and other files are not listed', async () => {
    const files = { 'log.csv.2.gz': gzipSync('one\n'), 'log.csv.1': 'two\n', 'log.csv': 'abc\n' };
    const whole = await check(files, stateOf('abc\n', 'one\n', 'two\n'));
    const expected = { gone: [], fault: undefined, paths: ['log.csv.2.gz', 'log.csv.1', 'log.csv'] };
    expect(whole).toMatchObject(expected);
    const state = stateOf('abc\n', 'zero\n', 'one\n', 'two\n');
    expect(
      await check({ ...files, archived: 'zero\n', 'log-20261031.csv': 'other\n' }, state, ['archived']),
    ).toMatchObject({
      gone: [],
      fault: undefined,
      paths: ['log.csv.2.gz', 'log.csv.1', 'log.csv', 'archived'],
    });
  });

  it('can be missing, but an unknown file in their place is reported', async () => {
    const state = stateOf('abc\n', 'one\n', 'two\n');
    const { gone, fault } = await check({ 'log.csv.1': 'two\n', 'log.csv': 'abc\n' }, state);
    expect({ gone, fault }).toEqual({ gone: [state.rotated[0]], fault: undefined });
    expect(
      (await check({ 'log.csv.2': 'onf\n', 'log.csv.1': 'two\n', 'log.csv': 'abc\n' }, state)).fault?.reason,
    ).toContain('log.csv.2');
  });
});
