import { expect, it } from 'vitest';
import { PartialError, UnavailableError, UsageError } from '#base/errors';
import { explainFailure } from '#scans/export/code-failures';

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
