import { describe, expect, it } from 'vitest';
import { AuthError, NotFoundError, PartialError, RejectedError, UnavailableError } from '../../../src/base/errors.ts';
import { type ChangeJob, changeRows, createUpdater, differences } from '../../../src/codes/engine/change-rows.ts';
import { findCodes, groupByCode, type Lookup, requireCode } from '../../../src/codes/engine/find-codes.ts';
import { changeFailure, changeResults } from '../../../src/codes/engine/results.ts';
import type { TargetRow, UpdateRow } from '../../../src/codes/input/check-rows.ts';
import type { CodeChanges, QrCode } from '../../../src/service/shapes.ts';
import { createSlugMemory, NO_SLUG_STORE } from '../../../src/service/slug-memory.ts';

const at = '2026-01-01T00:00:00Z';
const code = (n: number): QrCode => {
  const more = { type: 'url', destination: 'https://x.de', status: 'active', created_at: at, updated_at: at };
  return { id: `id-${n}`, slug: `s${n}`, name: `Code ${n}`, ...more };
};
const target = (row: number, id?: string, slug?: string): TargetRow => ({ row, line: row + 1, values: new Map(), id, slug });
const lookup: Lookup = ({ id, slug }) => [code(1), code(2)].find((found) => found.id === id || found.slug === slug);

type Job = ChangeJob<{ row: number }>;
const change = (rows: number, job: Partial<Job>) =>
  changeRows({
    groups: Array.from({ length: rows }, (_, index) => [{ row: index + 1 }]),
    apply: async () => ({ outcome: 'updated' }),
    concurrency: 1,
    failFast: false,
    signal: new AbortController().signal,
    onEvent: () => undefined,
    ...job,
  });
/** Rows named here fail so; the others are done. */
const failing =
  (errors: Record<number, unknown>): Job['apply'] =>
  async ({ row }) => {
    if (errors[row]) throw errors[row];
    return { outcome: 'updated' };
  };
const outcomes = (rows: number, end: Awaited<ReturnType<typeof change>>) =>
  changeResults(
    Array.from({ length: rows }, (_, index) => ({ row: index + 1 })),
    end,
  ).map(({ outcome }) => outcome);

describe('changing rows', () => {
  it('fails a row for its own fault and does the others (8)', async () => {
    const missing = new NotFoundError('no code');
    const end = await change(3, { apply: failing({ 2: missing }) });
    expect(outcomes(3, end)).toEqual(['updated', 'failed', 'updated']);
    expect([end.stop, end.firstError]).toEqual([undefined, missing]);
    const results = changeResults([{ row: 1 }, { row: 2 }, { row: 3 }], end);
    expect(changeFailure(end, results, 'r.csv')).toMatchObject({ name: 'PartialError', message: '1 of 3 rows failed' });
    expect(changeFailure(end, results)).toMatchObject({ message: '1 of 3 codes failed' });
  });

  it('stops at the first such row when told to, and it is a failed row like others', async () => {
    const rejected = new RejectedError('bad');
    const end = await change(3, { failFast: true, apply: failing({ 2: rejected }) });
    expect(outcomes(3, end)).toEqual(['updated', 'failed', 'not-attempted']);
    expect(end.stop).toBe(rejected);
    expect(changeFailure(end, [{ outcome: 'failed' }])).toBeInstanceOf(PartialError);
  });

  it('stops for what would meet every row, which is the command’s failure', async () => {
    const auth = new AuthError('bad key');
    const end = await change(3, { apply: failing({ 2: auth }) });
    expect(outcomes(3, end)).toEqual(['updated', 'not-attempted', 'not-attempted']);
    expect(changeFailure(end, [])).toBe(auth);
  });

  it('stops after three rows in a row that the service did not answer', async () => {
    const gone = new UnavailableError('down');
    const all = await change(9, { apply: failing({ 1: gone, 3: gone, 4: gone, 5: gone }) });
    expect(outcomes(9, all).slice(0, 6)).toEqual(['failed', 'updated', 'failed', 'failed', 'failed', 'not-attempted']);
    expect(all.stop).toBe(gone);
    const mixed = await change(9, { apply: failing({ 1: gone, 2: gone, 3: new NotFoundError('x'), 4: gone, 5: gone }) });
    expect(mixed.stop).toBeUndefined();
  });

  it('stops at an interruption, with its reason', async () => {
    const controller = new AbortController();
    const reason = new Error('interrupted');
    const apply: Job['apply'] = async () => {
      controller.abort(reason);
      throw new UnavailableError('aborted');
    };
    const end = await change(3, { apply, signal: controller.signal });
    expect([end.stop, end.results.size]).toEqual([reason, 0]);
  });

  it('says nothing failed where nothing did', async () => {
    const end = await change(2, {});
    expect(changeFailure(end, changeResults([{ row: 1 }, { row: 2 }], end))).toBeUndefined();
  });
});

describe('an update', () => {
  it('sends only what differs; no destination is the same as an empty one', () => {
    const empty = { ...code(1), destination: null };
    expect(differences(code(1), { name: 'Code 1', destination: 'https://y.de', status: 'paused' })).toEqual({
      destination: 'https://y.de',
      status: 'paused',
    });
    expect(differences(empty, { destination: '', status: 'active' })).toEqual({});
    expect(differences(code(1), { name: '', destination: '' })).toEqual({ name: '', destination: '' });
    // As spreadsheets write line breaks and NULs, and as a CSV that became a workbook has its apostrophes.
    const [sale, lines] = [
      { ...code(1), name: '-20%' },
      { ...code(1), name: 'a\r\nb\0' },
    ];
    expect(differences(lines, { name: 'a\nb' }, 'csv')).toEqual({});
    expect(differences(lines, { name: 'a\nb' })).toEqual({ name: 'a\nb' });
    expect(differences(sale, { name: "'-20%" }, 'xlsx')).toEqual({});
    expect(differences(sale, { name: "'-20%" }, 'csv')).toEqual({ name: "'-20%" });
    expect(differences(sale, { name: "'-30%" }, 'xlsx')).toEqual({ name: "'-30%" });
    // As UTF-8 has half a character of the service's.
    expect(differences({ ...code(1), name: 'a\ud800' }, { name: 'a\ufffd' })).toEqual({});
  });

  it('is not believed where the service answers that it did, and left everything as it was', async () => {
    const answering = (after: Partial<QrCode>) => createUpdater({ updateCode: async () => ({ ...code(1), ...after }) }, lookup);
    const row = (changes: CodeChanges): UpdateRow => ({ ...target(1, 'id-1'), changes });
    await expect(answering({})(row({ name: 'New' }))).rejects.toThrow('the service reported success but did not change the name');
    await expect(answering({ name: 'New' })(row({ name: 'New', destination: 'https://y.de' }))).rejects.toThrow(
      'did not change the destination',
    );
    const updated = { outcome: 'updated' };
    // Tidied, or cut: that it was taken is all that can be known.
    expect(await answering({})(row({ name: ' Code 1 ' }))).toMatchObject(updated);
    expect(await answering({})(row({ destination: 'https://x.de/' }))).toMatchObject(updated);
    expect(await answering({ name: 'Ne' })(row({ name: 'New' }))).toMatchObject(updated);
  });

  it('is none where a spreadsheet saved a long number as it shows it', () => {
    const named = (name: string) => ({ ...code(1), name });
    const change = (present: string, text: string, through?: 'csv' | 'xlsx') =>
      differences(named(present), { name: text }, through);
    expect(change('12345678901234567890', '1.23457E+19', 'csv')).toEqual({});
    expect(change('12345678901234567890', '1,23457E+19', 'csv')).toEqual({});
    expect(change('1e5', '1.00E+05', 'csv')).toEqual({});
    const other = { name: '1.23457E+19' };
    expect(change('12345678901234567890', '1.23457E+19', 'xlsx')).toEqual(other);
    expect(change('12345678901234567890', '1.23457E+19')).toEqual(other);
    expect(change('12355678901234567890', '1.23457E+19', 'csv')).toEqual(other);
    expect(change('Plan 9', '1.23457E+19', 'csv')).toEqual(other);
    // No spreadsheet writes it so: somebody typed it.
    expect(change('14000000', '1.2E7', 'csv')).toEqual({ name: '1.2E7' });
    expect(change('12', '1', 'csv')).toEqual({ name: '1' });
  });

  it('remembers what earlier rows of the file changed', async () => {
    const sent: CodeChanges[] = [];
    const updateCode = async (id: string, changes: CodeChanges) => {
      sent.push(changes);
      return { ...code(1), id, ...changes };
    };
    const update = createUpdater({ updateCode }, lookup);
    const row = (changes: CodeChanges): UpdateRow => ({ ...target(1, 'id-1'), changes });
    expect(await update(row({ name: 'New' }))).toEqual({ id: 'id-1', slug: 's1', outcome: 'updated' });
    expect(await update(row({ name: 'New' }))).toMatchObject({ outcome: 'unchanged' });
    expect(await update(row({ name: 'Code 1' }))).toMatchObject({ outcome: 'updated' });
    expect(sent).toEqual([{ name: 'New' }, { name: 'Code 1' }]);
    await expect(update({ ...target(2, 'id-9'), changes: {} })).rejects.toThrow('no code has the ID id-9');
  });
});

describe('the codes that rows name', () => {
  function reader(total: number, seen: QrCode[] = []) {
    const asked: string[] = [];
    const slugs = createSlugMemory(NO_SLUG_STORE);
    slugs.note(seen);
    const all = Array.from({ length: total }, (_, at) => code(at + 1));
    return {
      asked,
      concurrency: 2,
      service: {
        slugs,
        async listCodes({ page, limit }: { page: number; limit: number }) {
          asked.push(`page ${page} of ${limit}`);
          return { rows: all.slice((page - 1) * limit, page * limit), total, serviceTimeMs: Date.UTC(2026, 6, 1) };
        },
        async getCode(id: string) {
          asked.push(id);
          if (id === 'id-9') throw new NotFoundError('gone');
          return code(Number(id.slice(3)));
        },
      },
    };
  }

  it('are read one by one where they are few, and a missing one is no failure', async () => {
    const few = reader(5);
    const find = await findCodes([target(1, 'id-1'), target(2, 'id-9'), target(3, 'id-1')], few);
    expect([find({ id: 'id-1', slug: undefined })?.slug, find({ id: 'id-9', slug: 's1' })]).toEqual(['s1', undefined]);
    expect(few.asked.sort()).toEqual(['id-1', 'id-9']);
  });

  it('are read by the listing where a slug needs it, or where that costs less', async () => {
    const slug = reader(5);
    const find = await findCodes([target(1, undefined, 's2')], slug);
    expect([find({ id: undefined, slug: 's2' })?.id, find({ id: undefined, slug: 'x' })]).toEqual(['id-2', undefined]);
    expect(slug.asked).toEqual(['page 1 of 100']);
  });

  it('are listed no further than to the last that is wanted, but to the end where one is not there', async () => {
    const asked = async (...rows: TargetRow[]) => {
      const pages = reader(290);
      await findCodes(rows, pages);
      return pages.asked.map((page) => page.slice(5, 6)).join('');
    };
    expect(await asked(target(1, undefined, 's1'), target(2, undefined, 's100'), target(3, 'id-2'))).toBe('1');
    expect(await asked(target(1, undefined, 's1'), target(2, undefined, 's101'))).toBe('12');
    expect(await asked(target(1, undefined, 's1'), target(2, 'id-290'))).toBe('123');
    expect(await asked(target(1, undefined, 's1'), target(2, undefined, 'x'))).toBe('123');
    // Its slug may be of another code.
    expect(await asked(target(1, undefined, 's1'), target(2, 'id-2', 's201'))).toBe('123');
  });

  it('by ids, are asked for one by one beside page 1 of the listing, where those that are not on it are fewer than the other pages', async () => {
    const rows = (...numbers: number[]) => numbers.map((n, at) => target(at + 1, `id-${n}`));
    const asked = async (total: number, ...numbers: number[]) => {
      const some = reader(total);
      const find = await findCodes(rows(...numbers), some);
      expect(numbers.map((n) => find({ id: `id-${n}`, slug: undefined })?.slug)).toEqual(numbers.map((n) => `s${n}`));
      return some.asked;
    };
    expect(await asked(401, 1, 2, 3, 4)).toEqual(['page 1 of 100']);
    expect(await asked(401, 1, 2, 101, 102, 401)).toEqual(['page 1 of 100', 'id-101', 'id-102', 'id-401']);
    expect(await asked(401, 1, 101, 102, 103, 201)).toEqual(['page 1 of 100', 'page 2 of 100', 'page 3 of 100']);
  });

  it('are asked for by the ids that their slugs had, where those are known and cost less than the listing', async () => {
    const known = reader(5, [code(2)]);
    const find = await findCodes([target(1, undefined, 's2')], known);
    expect(find({ id: undefined, slug: 's2' })?.id).toBe('id-2');
    expect(known.asked).toEqual(['id-2']);
  });

  it('are listed where a known slug is of another code now, or its code is gone', async () => {
    for (const other of [code(3), code(9)]) {
      const stale = reader(5, [{ ...other, slug: 's2' }]);
      const find = await findCodes([target(1, undefined, 's2')], stale);
      expect(find({ id: undefined, slug: 's2' })?.id).toBe('id-2');
      expect(stale.asked).toEqual([other.id, 'page 1 of 100']);
    }
  });

  it('stay together and in order', () => {
    const rows = [target(1, 'id-1'), target(2, 'id-2'), target(3, undefined, 's1'), target(4, 'id-9'), target(5, undefined, 'x')];
    expect(groupByCode(rows, lookup).map((group) => group.map(({ row }) => row))).toEqual([[1, 3], [2], [4], [5]]);
  });

  it('must be there', () => {
    expect(() => requireCode(target(1, undefined, 'nope'), lookup)).toThrow('no code has the slug nope');
  });
});
