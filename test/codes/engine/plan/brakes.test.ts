import { describe, expect, it } from 'vitest';
import type { LockEntry } from '#codes/engine/lock/lock-file';
import { baseOf } from '#codes/engine/plan/base';
import { describeBrakes } from '#codes/engine/plan/brakes';
import type { Row } from '#codes/engine/plan/model';
import type { QrCode } from '#service/shapes';
import { codeOf, idOf, madeBefore, newRow, patched, planOf, rowOf } from './make.ts';

const UPDATE = { verb: 'update' } as const;
const APPLY = { verb: 'apply' } as const;
const SHIFTED = [{ is: 'shifted' }];

/** Returns `count` codes with the numbers 1 to `count`. */
function codesOf(count: number): QrCode[] {
  return Array.from({ length: count }, (_, at) => codeOf(at + 1));
}

/** Returns the rows of a saved list of the codes. The first `count` rows get a new name. */
function renamed(codes: readonly QrCode[], count: number): Row[] {
  return codes.map((code, at) =>
    rowOf(at + 2, { of: code, base: baseOf(code), ...(at < count && { wish: { name: `New ${at}` } }) }),
  );
}

/** Returns a lock file with the key `kN` for the code with number N. */
function lockOf(codes: readonly QrCode[]): Map<string, LockEntry> {
  return new Map(codes.map((code, at) => [`k${at + 1}`, { ...code, key: `k${at + 1}` }]));
}

/** Returns rows for `qr apply` without changes, with the keys of {@link lockOf}. */
function keyedRows(codes: readonly QrCode[]): Row[] {
  return codes.map(({ name, destination }, at) =>
    newRow(at + 2, name, destination ?? '', { key: `k${at + 1}` }),
  );
}

describe('the maximum number of changes', () => {
  const codes = codesOf(40);

  it('is 30% of the rows that have codes, and the message says how many changes are allowed', () => {
    expect(planOf(renamed(codes, 12), { codes, policy: UPDATE }).brakes).toEqual([]);
    expect(planOf(renamed(codes, 13), { codes, policy: UPDATE }).brakes).toEqual([
      {
        is: 'max-changes',
        message: 'the plan changes 13 codes, but only 12 are allowed',
        flag: '--max-changes 13',
      },
    ]);
  });

  it('is at least 10, however few rows have codes, and new rows do not increase it', () => {
    const added = Array.from({ length: 30 }, (_, at) => newRow(at + 50, `Added ${at}`, `https://b.de/${at}`));
    const few = codes.slice(0, 20);
    expect(planOf(renamed(few, 10), { codes }).brakes).toEqual([]);
    const policy = { applyEdits: true };
    expect(planOf([...renamed(few, 11), ...added], { codes: few, policy }).brakes).toMatchObject([
      { message: 'the plan changes 11 codes, but only 10 are allowed' },
    ]);
  });

  it('does not apply to new codes, even if they are paused after their creation', () => {
    const rows = Array.from({ length: 20 }, (_, at) =>
      newRow(at + 2, `A ${at}`, `https://b.de/${at}`, { wish: { name: `A ${at}`, status: 'paused' } }),
    );
    expect(planOf(rows).brakes).toEqual([]);
  });

  it('is exactly the number or percentage that --max-changes specifies, rounded down', () => {
    const plan = (changed: number, maxChanges: { count: number } | { percent: number }) =>
      planOf(renamed(codes.slice(0, 7), changed), { codes, policy: { ...UPDATE, maxChanges } }).brakes;
    expect(plan(3, { percent: 50 })).toEqual([]);
    expect(plan(4, { percent: 50 })).toMatchObject([{ message: expect.stringContaining('only 3 are') }]);
    expect(plan(2, { count: 2 })).toEqual([]);
    expect(plan(1, { count: 0 })).toMatchObject([
      { message: 'the plan changes 1 code, but only 0 are allowed' },
    ]);
  });

  it('is 30% of the keys in the lock file if that is more, and counts keys that the file lacks', () => {
    const lock = lockOf(codes);
    const plan = (count: number) =>
      planOf(keyedRows(codes.slice(0, count)), { codes, lock, policy: APPLY }).brakes;
    expect(plan(28)).toEqual([]);
    expect(plan(27)).toMatchObject([{ message: 'the plan changes 13 codes, but only 12 are allowed' }]);
  });

  it('does not count a key that an earlier run reported as missing', () => {
    const lock = new Map(
      [...lockOf(codes)].map(([key, entry]) => [key, { ...entry, removed: true as const }]),
    );
    expect(planOf(keyedRows(codes.slice(0, 20)), { codes, lock, policy: APPLY }).brakes).toEqual([]);
  });

  it('is not increased by the codes of keys that the file lacks', () => {
    const [locked, others] = [codes.slice(0, 30), codes.slice(30).concat(codeOf(41))];
    const adopted = others.map((code, at) => rowOf(at + 60, { of: code, key: `new ${at}` }));
    const rows = [...keyedRows(locked.slice(0, 19)), ...adopted];
    const { brakes } = planOf(rows, { codes: [...locked, ...others], lock: lockOf(locked), policy: APPLY });
    expect(brakes).toMatchObject([{ message: 'the plan changes 11 codes, but only 10 are allowed' }]);
  });

  it('applies even with --force', () => {
    const { brakes } = planOf(renamed(codes, 13), { codes, policy: { ...UPDATE, force: true } });
    expect(brakes).toMatchObject([{ is: 'max-changes' }]);
  });

  it('applies to a dated plan only if --max-changes is specified', () => {
    const dated = { verb: 'update', isDated: true } as const;
    const rows = renamed(codes, 40);
    expect(planOf(rows, { codes, policy: dated }).brakes).toEqual([]);
    const limited = planOf(rows, { codes, policy: { ...dated, maxChanges: { count: 39 } } });
    expect(limited.brakes).toMatchObject([{ flag: '--max-changes 40' }]);
  });
});

it('a deletion is not refused, even if most IDs do not exist or most codes go', () => {
  const codes = codesOf(20);
  const rows = [...renamed(codes, 0), ...[31, 32, 33].map((number) => rowOf(number, { id: idOf(number) }))];
  const policy = { verb: 'delete' as const };
  expect(planOf(rows, { codes, policy }).brakes).toEqual([]);
  expect(planOf(rows.slice(-3), { policy }).brakes).toEqual([]);
});

describe('a file without any key from the lock file', () => {
  const codes = codesOf(2);

  it('is refused, with the number of keys, unless --force is specified', () => {
    const asked = { codes, lock: lockOf(codes) };
    expect(planOf([], { ...asked, policy: APPLY }).brakes).toEqual([
      {
        is: 'all-removed',
        message: 'the file has none of the 2 keys in the lock file',
        advice: 'Check the file and the flag --lock.',
        flag: '--force',
      },
    ]);
    expect(planOf([], { ...asked, policy: { ...APPLY, force: true } }).brakes).toEqual([]);
    expect(planOf(keyedRows(codes).slice(1), { ...asked, policy: APPLY }).brakes).toEqual([]);
  });

  it('is planned if the lock file is empty or missing', () => {
    expect(planOf([], { codes, lock: new Map(), policy: APPLY }).brakes).toEqual([]);
    expect(planOf([], { codes, policy: APPLY }).brakes).toEqual([]);
  });
});

describe('a file from another workspace', () => {
  const rowsOf = (...numbers: number[]) =>
    numbers.map((number) => rowOf(number + 1, { id: idOf(number), wish: { name: `Code ${number}` } }));

  it('is refused if more than half of its IDs, and at least two, do not exist', () => {
    const codes = codesOf(2);
    expect(planOf(rowsOf(1, 2, 3, 4, 5), { codes }).brakes).toEqual([
      {
        is: 'other-workspace',
        message: '3 of 5 IDs in the file do not exist in this workspace',
        advice: 'Check --profile and the API key.',
        flag: '--force',
      },
    ]);
    expect(planOf(rowsOf(1, 2, 3, 4), { codes }).brakes).toEqual([]);
    expect(planOf(rowsOf(3)).brakes).toEqual([]);
    expect(planOf(rowsOf(3, 4)).brakes).toMatchObject([{ is: 'other-workspace' }]);
  });

  it('is planned with --force, or with `qr update`, which reports each row', () => {
    expect(planOf(rowsOf(1, 2, 3), { policy: { force: true } }).brakes).toEqual([]);
    expect(planOf(rowsOf(1, 2, 3), { policy: UPDATE }).brakes).toEqual([]);
  });

  it('is not assumed if the ledger or the lock file has the IDs, because the codes were deleted', () => {
    const codes = codesOf(3);
    expect(planOf(rowsOf(1, 2, 3), { ledger: madeBefore(codes) }).brakes).toEqual([]);
    const ids = [1, 2, 3].map((number) => `abcdef${idOf(number).slice(6)}`);
    const lock = lockOf(ids.map((id, at) => codeOf(at + 1, { id: id.toUpperCase() })));
    const keyed = ids.map((id, at) => rowOf(at + 2, { id, key: `k${at + 1}` }));
    expect(planOf(keyed, { lock, policy: APPLY }).brakes).toEqual([]);
  });

  it('is recognized by the IDs of its earlier results only if it has no IDs and creates codes', () => {
    const earlierIds = new Set([idOf(7), idOf(8)]);
    expect(planOf([newRow(2, 'A', 'https://b.de/')], { earlierIds }).brakes).toMatchObject([
      { message: '2 of 2 IDs in its earlier results do not exist in this workspace' },
    ]);
    const codes = codesOf(2);
    expect(planOf([newRow(2, 'Code 1', 'https://example.com/1')], { codes, earlierIds }).brakes).toEqual([]);
    const named = [...rowsOf(1), newRow(5, 'A', 'https://b.de/')];
    expect(planOf(named, { codes, earlierIds }).brakes).toEqual([]);
    expect(planOf([newRow(2, 'A', 'https://b.de/')]).brakes).toEqual([]);
  });
});

it('the hint of several brakes names each flag once, after the advice of each brake', () => {
  const codes = codesOf(12);
  const shifted = codes.map((code, at) =>
    rowOf(at + 2, {
      of: code,
      base: baseOf(code),
      wish: { destination: codes[(at + 1) % 12]?.destination ?? '' },
    }),
  );
  const gone = Array.from({ length: 13 }, (_, at) => rowOf(at + 20, { id: idOf(at + 20) }));
  const { brakes } = planOf([...shifted, ...gone], { codes, policy: { applyEdits: true } });
  expect(describeBrakes(brakes)).toEqual({
    message:
      'the column destination may have been sorted by itself: 12 rows have values that other rows had; ' +
      '13 of 25 IDs in the file do not exist in this workspace; ' +
      'the plan changes 12 codes, but only 10 are allowed',
    hint:
      'Sort whole rows, or restore the column. Check --profile and the API key. ' +
      'If the plan is correct, add --force --max-changes 12.',
  });
});
