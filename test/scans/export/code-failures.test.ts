import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { NotFoundError, PartialError, UnavailableError, UnprovenError, UsageError } from '#base/errors';
import {
  explainFailure,
  notRebuilt,
  partly,
  separateDeleted,
  wereDeleted,
} from '#scans/export/code-failures';
import { useDirectory } from '../../support/cli.ts';

const RUN = {
  profile: 'shop',
  key: 'svc_live_ab…',
  place: '/nonexistent/scans.csv',
  isAppend: true,
  added: 0,
  files: 0,
  isPerCode: false,
};

async function hintOf(error: Error & { hint?: string }, run: Partial<typeof RUN> = {}): Promise<string[]> {
  await explainFailure(error, { ...RUN, ...run });
  return error.hint?.split('\n') ?? [];
}

it('the hint of an export from an unavailable service contains the profile, the output, the number of added scans, --retry-for and the original hint', async () => {
  expect(await hintOf(new UnavailableError('down', { hint: 'Try later.' }))).toEqual([
    expect.stringContaining('profile shop'),
    expect.stringContaining('no scans were added'),
    expect.stringContaining('--retry-for'),
    'Try later.',
  ]);
  expect(await hintOf(new UnavailableError('down'), { added: 2, files: 1 })).toEqual([
    expect.stringContaining(RUN.place),
    expect.stringContaining('2 scans were added'),
    expect.stringContaining('--retry-for'),
  ]);
});

it('the hint of a partly failed export has only the line with the profile, and the hint of a usage error is unchanged', async () => {
  expect(await hintOf(new PartialError('2 codes failed'))).toEqual([expect.stringContaining('profile shop')]);
  expect(await hintOf(new UsageError('wrong', { hint: 'Correct it.' }))).toEqual(['Correct it.']);
});

it('the hint of a failed export states whether scans or files were written', async () => {
  const outcomeOf = async (run: Partial<typeof RUN>) => (await hintOf(new UnprovenError('down'), run))[1];
  expect(await outcomeOf({ added: 1, files: 1 })).toBe(
    'No data was lost: 1 scan was added. The next run resumes from there.',
  );
  expect(await outcomeOf({ added: 1 })).toBeUndefined();
  const whole = { isAppend: false, added: 9 };
  expect(await outcomeOf({ ...whole, files: 2, isPerCode: true })).toBe(
    'Wrote 2 complete files. Existing files of the other codes are unchanged.',
  );
  const nothing = 'No data was written. Any existing file is unchanged.';
  expect(await outcomeOf({ ...whole, isPerCode: true })).toBe(nothing);
  expect(await outcomeOf({ ...whole, files: 1 })).toBe(nothing);
});

it('a partly failed export names up to five codes, and how to export them again', () => {
  const failures = Array.from({ length: 6 }, (_, at) => ({
    code: { id: `id${at}`, slug: at === 0 ? 'menu' : undefined },
    error: new UnavailableError('down'),
  }));
  const five = partly(failures.slice(0, 5), 8, false);
  expect(five.message.split('\n').slice(0, 3)).toEqual([
    '5 of 8 codes failed; the others were exported',
    'menu: down',
    'id1: down',
  ]);
  expect(five.message).not.toContain('more');
  expect(five.hint).toBe('Export these codes again with `qrctl scans export id0 id1 id2 id3 id4`.');
  const six = partly(failures, 8, false);
  expect(six.message.split('\n').slice(5)).toEqual(['id4: down', 'and 1 more']);
  expect(six.hint).toBe('Export these codes again with `qrctl scans export id0 id1 id2 id3 id4 …`.');
  expect(partly(failures, 8, true).hint).toBe('Run the same command again.');
});

it('the error for deleted codes counts the codes, and its hint states that their scans stay in the file', () => {
  const failures = ['a', 'b'].map((id) => ({ code: { id }, error: new NotFoundError('not found') }));
  expect(wereDeleted(failures.slice(0, 1), 8).message).toContain('1 of 8 codes was deleted');
  expect(wereDeleted(failures, 8).message).toContain('2 of 8 codes were deleted');
  expect(wereDeleted(failures, 8).hint).toContain('stay in the file. The next run leaves these codes out.');
});

it('the hint of a failed export names any output path, and states the outcome only for a regular file', async () => {
  const first = 'profile shop, key svc_live_ab…';
  const hint = (run: Partial<Omit<typeof RUN, 'place'>> & { place?: string }) =>
    hintOf(new UnprovenError('down'), { ...run } as Partial<typeof RUN>);
  expect(await hint({ place: undefined })).toEqual([first]);
  expect(await hint({ place: '/dev/null', isAppend: false })).toEqual([`${first}, writing /dev/null`]);
  const place = join(await useDirectory(), 'scans.csv');
  await writeFile(place, 'id\n');
  expect(await hint({ place, isAppend: false })).toEqual([
    `${first}, writing ${place}`,
    'No data was written. Any existing file is unchanged.',
  ]);
  expect(await hint({ place })).toEqual([
    `${first}, appending to ${place}`,
    'No data was lost: no scans were added. The next run resumes from there.',
  ]);
});

it('a code whose scans are not found counts as deleted only if the service lacks it and a log recorded it, and is reported once', async () => {
  const gone = new NotFoundError('not found');
  const failureOf = (id: string, error: Error = gone) => ({ code: { id }, error });
  const [down, exists, fresh, known, unknown] = [
    failureOf('down', new UnavailableError('down')),
    failureOf('exists'),
    failureOf('fresh'),
    failureOf('known'),
    failureOf('unknown'),
  ];
  const listed = { code: { id: 'listed', missing: gone }, error: gone };
  const noted: string[] = [];
  const reported: Record<string, boolean | undefined> = { fresh: false, known: true, listed: false };
  const noteGone = async ({ id }: { id: string }) => {
    noted.push(id);
    return reported[id];
  };
  const getCode = async (id: string) => {
    if (id !== 'exists') throw id === 'listed' ? new Error('not asked for') : gone;
    return undefined as never;
  };
  const all = [down, exists, fresh, known, unknown, listed];
  expect(await separateDeleted(all, { noteGone }, { getCode })).toEqual({
    failed: [down, exists, unknown],
    deleted: [fresh, listed],
  });
  expect(noted).toEqual(['fresh', 'known', 'unknown', 'listed']);
  expect(await separateDeleted(all, {}, { getCode })).toEqual({ failed: all, deleted: [] });
});

it('a log that was not rebuilt is reported with the failed codes and as unchanged', () => {
  const failures = [{ code: { id: 'a' }, error: new UnavailableError('down') }];
  const error = notRebuilt(failures, 2, 'scans.csv');
  expect(error.message).toBe('1 of 2 codes failed, so scans.csv was not rebuilt\na: down');
  expect(error.hint).toMatch(/^The file is unchanged\. Run the command again\./);
  expect(error.cause).toBe(failures[0]?.error);
});
