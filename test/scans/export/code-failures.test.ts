import { expect, it } from 'vitest';
import { PartialError, UnavailableError, UnprovenError, UsageError } from '#base/errors';
import { explainFailure, partly, wereDeleted } from '#scans/export/code-failures';

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

it('the hint of a failed export contains the profile, the output, the number of added scans, and the original hint', async () => {
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

it('the hint of a partly failed export contains only the profile, and the hint of a usage error is unchanged', async () => {
  expect(await hintOf(new PartialError('2 codes failed'))).toEqual([expect.stringContaining('profile shop')]);
  expect(await hintOf(new UsageError('wrong', { hint: 'Correct it.' }))).toEqual(['Correct it.']);
});

it('the hint of a failed export states which files were written or changed', async () => {
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
  expect(wereDeleted(failures.slice(0, 1), 8).message).toContain('1 of 8 codes was deleted');
  expect(wereDeleted(failures, 8).message).toContain('6 of 8 codes were deleted');
});
