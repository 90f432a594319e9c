import { describe, expect, it } from 'vitest';
import { NotFoundError, UnavailableError, UsageError } from '#base/errors';
import { checkWorkspace, createWorkspace, isRecordedWorkspace } from '#service/workspace';

const KEY = 'svc_live_aaaabbbbccccdddd';
const here = createWorkspace({ baseUrl: 'https://one.example/api/v1', apiKey: KEY, profile: 'aaa' });
const other = createWorkspace({ baseUrl: here.baseUrl, apiKey: 'svc_live_other', profile: 'bbb' });

async function ask(
  options: Partial<Parameters<typeof checkWorkspace>[0]> & { exists?: readonly string[] } = {},
) {
  const requested: string[] = [];
  const getCode = async (id: string) => {
    requested.push(id);
    if (!options.exists?.includes(id)) throw new NotFoundError('not found');
  };
  const base = {
    path: 'FILE',
    recorded: await here.record(),
    workspace: here,
    knownIds: ['a', 'b', 'c', 'd'],
    getCode,
    elsewhere: 'use another',
  };
  return { requested, answer: checkWorkspace({ ...base, ...options }) };
}

describe('a recorded workspace', () => {
  it('contains no six consecutive characters of the key, and has a different value each time for the same key', async () => {
    const [first, second] = [await here.record(), await here.record()];
    expect(first.key).not.toBe(second.key);
    for (let at = 0; at + 6 <= KEY.length; at++)
      expect(JSON.stringify(first)).not.toContain(KEY.slice(at, at + 6));
  });

  it('is recognized only if its fields are valid', async () => {
    const first = await here.record();
    expect(isRecordedWorkspace(first)).toBe(true);
    expect(isRecordedWorkspace({ baseUrl: 'x' })).toBe(true);
    expect(isRecordedWorkspace({ ...first, profile: 'x' })).toBe(true);
    const invalid = [{ baseUrl: 5 }, { baseUrl: undefined }, { key: 'nonsense' }, { key: 5 }, { profile: 5 }];
    for (const fields of invalid) expect(isRecordedWorkspace({ ...first, ...fields })).toBe(false);
  });

  it('requires no request if base URL and key are the same', async () => {
    const { answer, requested } = await ask();
    expect(await answer).toBe('same');
    expect(requested).toEqual([]);
  });

  it('is renewed if a request with another key returns a known code', async () => {
    const { answer, requested } = await ask({ workspace: other, exists: ['b'] });
    expect(await answer).toBe('renew');
    expect(requested).toEqual(['a', 'b']);
  });

  it('is refused if ten known codes, from the first to the last, do not exist, with an error that contains both profiles', async () => {
    const knownIds = Array.from({ length: 28 }, (_, at) => `id-${at}`);
    const { answer, requested } = await ask({ workspace: other, knownIds, exists: ['id-1', 'id-26'] });
    const error = await answer.catch((thrown) => thrown);
    expect(error).toBeInstanceOf(UsageError);
    expect(error.message).toMatch(/aaa.*bbb/);
    expect(error.hint).toContain('--profile aaa');
    expect(requested).toEqual([0, 3, 6, 9, 12, 15, 18, 21, 24, 27].map((at) => `id-${at}`));
  });

  it('that has no key is renewed if a known code exists, and is refused otherwise', async () => {
    expect(await (await ask({ recorded: { baseUrl: here.baseUrl }, exists: ['a'] })).answer).toBe('renew');
    await expect((await ask({ recorded: { baseUrl: here.baseUrl } })).answer).rejects.toThrow(UsageError);
  });

  it('moves to another base URL only with --moved-from and an existing code', async () => {
    const recorded = { ...(await here.record()), baseUrl: 'https://old.example/api/v1' };
    const refused = async (flag: { movedFrom?: undefined }) =>
      (await ask({ recorded, exists: ['a'], ...flag })).answer.catch((thrown) => thrown);
    expect(await refused({ movedFrom: undefined })).toMatchObject({
      name: 'UsageError',
      hint: expect.stringContaining('--moved-from https://old.example/api/v1'),
    });
    expect(await refused({})).toMatchObject({
      name: 'UsageError',
      hint: 'Use --profile aaa, or use another.',
    });
    expect(await (await ask({ recorded, exists: ['a'], movedFrom: recorded.baseUrl })).answer).toBe('renew');
    await expect((await ask({ recorded, movedFrom: recorded.baseUrl })).answer).rejects.toThrow(UsageError);
  });

  it('is renewed even with another key if the file has no code', async () => {
    expect(await (await ask({ workspace: other, knownIds: [] })).answer).toBe('renew');
  });

  it('is refused with another key if no code in the file is known, but the file may have codes', async () => {
    const unknown = { workspace: other, knownIds: [], mayKnowMore: true };
    await expect((await ask(unknown)).answer).rejects.toMatchObject({
      message:
        'FILE may belong to another workspace: it was written with the key of profile aaa (https://one.example/api/v1), ' +
        'and it records no code that can be looked up with the key of profile bbb (https://one.example/api/v1)',
      hint: 'Use --profile aaa, or use another.',
    });
    expect(await (await ask({ ...unknown, recorded: { baseUrl: here.baseUrl } })).answer).toBe('renew');
    const moved = { recorded: { ...(await other.record()), baseUrl: 'https://old.example' } };
    expect(await (await ask({ ...unknown, ...moved, movedFrom: 'https://old.example' })).answer).toBe(
      'renew',
    );
  });

  it.each([
    [undefined, 'an API key', 'Use the key of that workspace, or use another.'],
    ['bbb', 'the key of profile bbb', 'Use the key of that workspace, or use another.'],
    ['ccc', 'the key of profile ccc', 'Use --profile ccc, or use another.'],
  ])('that was written by profile %s is refused with a hint on the key to use', async (profile, by, hint) => {
    const recorded = { ...(await here.record()), profile };
    await expect((await ask({ recorded, workspace: other })).answer).rejects.toMatchObject({
      message:
        `FILE belongs to another workspace: it was written with ${by} (https://one.example/api/v1), ` +
        'and no code in it (4 looked up) exists in the workspace of the key of profile bbb (https://one.example/api/v1)',
      hint,
    });
  });

  it('of another service is refused with the hint to use its profile or key, if no profile is recorded', async () => {
    await expect((await ask({ recorded: { baseUrl: 'https://old.example' } })).answer).rejects.toMatchObject({
      message: 'FILE belongs to https://old.example, not to https://one.example/api/v1',
      hint: 'Use the profile or the key of that service, or use another.',
    });
  });

  it('is neither renewed nor refused if a request fails: checkWorkspace rethrows the error', async () => {
    const getCode = async () => {
      throw new UnavailableError('no network');
    };
    await expect((await ask({ workspace: other, getCode })).answer).rejects.toThrow(UnavailableError);
  });
});
