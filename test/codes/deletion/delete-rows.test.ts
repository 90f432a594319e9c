import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { NotFoundError } from '../../../src/base/errors.ts';
import { createDeleter, openDeleteJournal, readDeleteJournal } from '../../../src/codes/deletion/delete-rows.ts';
import type { TargetRow } from '../../../src/codes/input/check-rows.ts';
import { createWorkspace } from '../../../src/service/workspace.ts';
import { openAppendLog } from '../../support/logs.ts';

const ADVICE = { elsewhere: '', damaged: '' };
const BASE_URL = 'https://qr.example/api/v1';
const workspace = createWorkspace({ baseUrl: BASE_URL, apiKey: 'svc_live_a' });
const own = { workspace, getCode: async () => undefined, ids: [] };
const directory = mkdtempSync(join(tmpdir(), 'qrctl-delete-'));
afterAll(() => rmSync(directory, { recursive: true }));
let files = 0;
const freshPath = () => join(directory, `${files++}.journal`);

const target = (row: number, id?: string, slug?: string): TargetRow => ({ row, line: row + 1, values: new Map(), id, slug });

/** Codes that are there, and a run against them with the journal at `path`. */
function useCodes(...ids: string[]) {
  const there = new Set(ids);
  const sent: string[] = [];
  const service = {
    async deleteCode(id: string) {
      sent.push(id);
      if (!there.delete(id)) throw new NotFoundError(`no code ${id}`);
    },
  };
  const run = async (path: string, rows: readonly TargetRow[]) => {
    const journal = await openDeleteJournal(path, own);
    const remove = createDeleter(service, () => undefined, journal);
    const outcomes: string[] = [];
    for (const row of rows)
      outcomes.push(
        await remove(row).then(
          ({ outcome }) => outcome,
          (error) => error.message,
        ),
      );
    await journal.close();
    return outcomes;
  };
  return { there, sent, run };
}

describe('a deletion', () => {
  it('says of two rows about one code that it is gone, and of none that it never was', async () => {
    const { run, sent } = useCodes('a');
    expect(await run(freshPath(), [target(1, 'a'), target(2, 'a'), target(3, 'x')])).toEqual(['deleted', 'deleted', 'no code x']);
    expect(sent).toEqual(['a', 'x']);
  });

  it('can be run again: what an earlier run deleted is done, what was missing is still a fault', async () => {
    const { run, sent } = useCodes('a');
    const path = freshPath();
    await run(path, [target(1, 'a'), target(2, 'x')]);
    expect(await run(path, [target(1, 'a'), target(2, 'x')])).toEqual(['deleted', 'no code x']);
    expect(sent).toEqual(['a', 'x', 'x']);
  });

  it('believes that what it was deleting when it was killed is gone (B8)', async () => {
    const { run } = useCodes('b');
    const path = freshPath();
    const log = await openAppendLog<{ is: string; [key: string]: unknown }>(path, ADVICE);
    await log.append([
      { is: 'journal', version: 1, baseUrl: BASE_URL, of: 'deletion' },
      { is: 'deleting', id: 'a', slug: 'sa' },
      { is: 'deleting', id: 'b', slug: 'sb' },
    ]);
    await log.close();
    expect(await run(path, [target(1, undefined, 'sa'), target(2, undefined, 'sb')])).toEqual(['deleted', 'deleted']);
    expect(await run(path, [target(1, undefined, 'sc')])).toEqual(['no code has the slug sc']);
  });

  it.each([
    [{ is: 'journal', version: 1, baseUrl: BASE_URL }, 'is the journal of a create run, not of a deletion'],
    [{ is: 'journal', version: 1, baseUrl: BASE_URL, of: 'plan' }, 'is the journal of dated changes, not of a deletion'],
    [{ is: 'journal', version: 2, baseUrl: BASE_URL, of: 'deletion' }, 'was written by another version'],
    [{ is: 'deleting', id: 'a' }, 'its first line is missing'],
  ])('refuses the journal of anything else: %j', async (first, reason) => {
    const path = freshPath();
    const log = await openAppendLog<{ is: string; [key: string]: unknown }>(path, ADVICE);
    await log.append([first, { is: 'rows', hashes: ['a'] }]);
    await log.close();
    await expect(openDeleteJournal(path, own)).rejects.toMatchObject({
      name: 'UsageError',
      message: expect.stringContaining(reason),
    });
  });

  it('refuses a damaged journal, with a way out that a deletion has', async () => {
    const path = freshPath();
    const { run } = useCodes('a', 'b');
    await run(path, [target(1, 'a'), target(2, 'b')]);
    writeFileSync(path, readFileSync(path, 'utf8').replace('"id":"a"', '"id":"c"'));
    await expect(openDeleteJournal(path, own)).rejects.toMatchObject({
      name: 'UsageError',
      message: `${path} is damaged at line 2`,
      hint: 'Restore the journal from a backup. With a different --results file, rows whose codes are already deleted fail.',
    });
  });
});

describe('the journal of a deletion', () => {
  const deleted = { is: 'deleted', id: 'a', slug: 'sa' };
  const beginning = { is: 'journal', version: 1, baseUrl: BASE_URL, of: 'deletion' };
  const journalWith = async (...records: { is: string; [key: string]: unknown }[]) => {
    const path = freshPath();
    const log = await openAppendLog<{ is: string; [key: string]: unknown }>(path, ADVICE);
    await log.append(records);
    await log.close();
    return path;
  };

  it('is read without being written', async () => {
    const path = await journalWith(beginning, deleted, { is: 'missing', id: 'b' });
    const before = readFileSync(path, 'utf8');
    const { find } = await readDeleteJournal(path, own);
    expect([find(target(1, 'a')), find(target(1, undefined, 'sa')), find(target(1, 'c')), find(target(1))]).toMatchObject([
      deleted,
      deleted,
      ...[undefined, undefined],
    ]);
    expect(readFileSync(path, 'utf8')).toBe(before);
  });

  it.each([
    { is: 'removed', id: 'a' },
    { is: 'deleted', id: 7 },
    { is: 'deleted', id: 'a', slug: 7 },
  ])('is damaged if it has the line %j (O15)', async (line) => {
    await expect(openDeleteJournal(await journalWith(beginning, deleted, line), own)).rejects.toMatchObject({
      name: 'UsageError',
      message: expect.stringContaining('is damaged at line 3'),
    });
  });

  it('is of another workspace unless one of its rows exists with this key; deleted ones are no proof (O33)', async () => {
    const path = freshPath();
    const { run } = useCodes('a');
    await run(path, [target(1, 'a')]);
    const requested: string[] = [];
    const openWith = (...ids: string[]) => {
      const other = createWorkspace({ baseUrl: BASE_URL, apiKey: 'svc_live_b' });
      return openDeleteJournal(path, { workspace: other, getCode: async (id) => void requested.push(id), ids });
    };
    await expect(openWith('a')).rejects.toThrow('may belong to another workspace');
    expect(requested).toEqual([]);
    await (await openWith('a', 'b')).close();
    expect(requested).toEqual(['b']);
    const empty = freshPath();
    await run(empty, []);
    const other = createWorkspace({ baseUrl: BASE_URL, apiKey: 'svc_live_b' });
    await (await openDeleteJournal(empty, { ...own, workspace: other })).close();
  });

  it('has the intent of a DELETE whose response was lost, so that the code counts as deleted (B8)', async () => {
    const path = freshPath();
    const journal = await openDeleteJournal(path, own);
    const lost = createDeleter({ deleteCode: () => Promise.reject(new Error('no response')) }, () => undefined, journal);
    await expect(lost(target(1, 'a'))).rejects.toThrow('no response');
    await journal.close();
    const { run } = useCodes();
    expect(await run(path, [target(1, 'a')])).toEqual(['deleted']);
    const again = await openDeleteJournal(path, own);
    const done = createDeleter({ deleteCode: () => Promise.reject(new Error('a request')) }, () => undefined, again);
    expect(await done(target(1, 'a'))).toEqual({ id: 'a', slug: undefined, outcome: 'deleted', before: true });
    await again.close();
  });

  it('is not needed for a deletion that cannot be repeated', async () => {
    const { there } = useCodes('a');
    const service = {
      async deleteCode(id: string) {
        if (!there.delete(id)) throw new NotFoundError(`no code ${id}`);
      },
    };
    const remove = createDeleter(service, () => undefined);
    expect(await remove(target(1, 'a'))).toMatchObject({ outcome: 'deleted' });
    await expect(remove(target(2, 'b'))).rejects.toThrow('no code b');
  });
});
