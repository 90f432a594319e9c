import { describe, expect, it } from 'vitest';
import type { LockEntry } from '#codes/engine/lock/lock-file';
import { baseOf } from '#codes/engine/plan/base';
import { describeBrakes } from '#codes/engine/plan/brakes';
import type { Row } from '#codes/engine/plan/model';
import type { QrCode } from '#service/shapes';
import { codeOf, decide, idOf, madeBefore, newRow, planOf, rowOf } from './make.ts';

const UPDATE = { verb: 'update' } as const;
const APPLY = { verb: 'apply' } as const;
const ADVICE = 'Sort whole rows, or restore the column.';
const UPPER = idOf(10).toUpperCase();

function shifted(message: string) {
  return [{ is: 'shifted', message, advice: ADVICE, flag: '--force' }];
}

function sortedBy(column: string, count: number) {
  return shifted(
    `the column ${column} may have been sorted by itself: ${count} rows have values that other rows had`,
  );
}

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

  it('is exactly the number or percentage (rounded down) that --max-changes specifies, even below 10', () => {
    const plan = (changed: number, maxChanges: { count: number } | { percent: number }) =>
      planOf(renamed(codes.slice(0, 7), changed), { codes, policy: { ...UPDATE, maxChanges } }).brakes;
    expect(plan(3, { percent: 50 })).toEqual([]);
    expect(plan(4, { percent: 50 })).toMatchObject([{ message: expect.stringContaining('only 3 are') }]);
    expect(plan(2, { count: 2 })).toEqual([]);
    expect(plan(1, { count: 0 })).toMatchObject([
      { message: 'the plan changes 1 code, but only 0 are allowed' },
    ]);
  });

  it('is 30% of the keys in the lock file if that is more, and keys missing from the file count as changes', () => {
    const lock = lockOf(codes);
    const plan = (count: number) =>
      planOf(keyedRows(codes.slice(0, count)), { codes, lock, policy: APPLY }).brakes;
    expect(plan(28)).toEqual([]);
    expect(plan(27)).toMatchObject([{ message: 'the plan changes 13 codes, but only 12 are allowed' }]);
  });

  it('is not used up by missing keys that an earlier run already reported', () => {
    const lock = new Map(
      [...lockOf(codes)].map(([key, entry]) => [key, { ...entry, removed: true as const }]),
    );
    expect(planOf(keyedRows(codes.slice(0, 20)), { codes, lock, policy: APPLY }).brakes).toEqual([]);
  });

  it('is 30% of the rows or of the keys in the lock file, not of both together', () => {
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

it('a deletion is not refused, even if it deletes all codes or no ID in the file exists', () => {
  const codes = codesOf(20);
  const rows = [...renamed(codes, 0), ...[31, 32, 33].map((number) => rowOf(number, { id: idOf(number) }))];
  const policy = { verb: 'delete' as const };
  expect(planOf(rows, { codes, policy }).brakes).toEqual([]);
  expect(planOf(rows.slice(-3), { policy }).brakes).toEqual([]);
});

describe('a file without any key from the lock file', () => {
  const codes = codesOf(2);

  it('is refused, with the number of keys in the message, unless --force is specified', () => {
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

  it('is not refused if the lock file is empty or missing', () => {
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

  it('is not refused with --force, or by `qr update`, which reports each missing code separately', () => {
    expect(planOf(rowsOf(1, 2, 3), { policy: { force: true } }).brakes).toEqual([]);
    expect(planOf(rowsOf(1, 2, 3), { policy: UPDATE }).brakes).toEqual([]);
  });

  it('is not assumed if the missing IDs are in the ledger or the lock file, because their codes were deleted', () => {
    const codes = codesOf(3);
    expect(planOf(rowsOf(1, 2, 3), { ledger: madeBefore(codes) }).brakes).toEqual([]);
    const ids = [1, 2, 3].map((number) => `abcdef${idOf(number).slice(6)}`);
    const lock = lockOf(ids.map((id, at) => codeOf(at + 1, { id: id.toUpperCase() })));
    const keyed = ids.map((id, at) => rowOf(at + 2, { id, key: `k${at + 1}` }));
    expect(planOf(keyed, { lock, policy: APPLY }).brakes).toEqual([]);
  });

  it('is recognized by the IDs in its earlier results only if it has no IDs itself and creates codes', () => {
    const earlierIds = new Set([idOf(7), idOf(8)]);
    expect(planOf([newRow(2, 'A', 'https://b.de/')], { earlierIds }).brakes).toMatchObject([
      { message: '2 of 2 IDs in its earlier results do not exist in this workspace' },
    ]);
    const codes = codesOf(2);
    const known = newRow(2, 'Code 1', 'https://example.com/1');
    expect(planOf([known], { codes, earlierIds }).brakes).toEqual([]);
    const both = [known, newRow(3, 'A', 'https://b.de/')];
    expect(planOf(both, { codes, earlierIds }).brakes).toMatchObject([{ is: 'other-workspace' }]);
    const named = [...rowsOf(1), newRow(5, 'A', 'https://b.de/')];
    expect(planOf(named, { codes, earlierIds }).brakes).toEqual([]);
    expect(planOf([newRow(2, 'A', 'https://b.de/')]).brakes).toEqual([]);
  });
});

it('several brakes are described by each message, and by a hint with each advice and then each flag once', () => {
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

describe('a column that was sorted by itself', () => {
  const codes = codesOf(4);
  const places = codes.map(({ destination }) => destination ?? '');
  /** Returns the rows of a saved list of the codes, with these destinations. */
  const listed = (cells: readonly (string | undefined)[], saved = codes) =>
    cells.map((destination, at) => {
      const { id = '', name = '' } = saved[at] ?? {};
      return rowOf(at + 2, {
        id: id.toLowerCase(),
        base: baseOf(saved[at] ?? {}),
        wish: { name, ...(destination !== undefined && { destination }) },
      });
    });
  const [a = '', b = '', c = '', d = ''] = places;

  it('is assumed if at least three rows have values that other rows had', () => {
    expect(planOf(listed([b, c, a, d]), { codes, policy: UPDATE }).brakes).toEqual(
      sortedBy('destination', 3),
    );
    expect(planOf(listed([b, a, c, d]), { codes, policy: UPDATE }).brakes).toEqual([]);
  });

  it('is assumed if two of the three rows have codes and the other row is new', () => {
    const added = (destination: string) => newRow(9, 'Added', destination);
    const brakesOf = (destination: string) =>
      planOf([...listed([b, a, 'https://new.test/']), added(destination)], {
        codes,
        policy: { applyEdits: true },
      }).brakes;
    expect(brakesOf(c)).toEqual(sortedBy('destination', 3));
    expect(brakesOf('https://b.de/')).toEqual([]);
  });

  it('may be the name column, even if some cells have additional spaces', () => {
    const names = ['Code 2', ' Code  3', 'Code 1 ', 'Code 4'];
    const rows = codes.map((code, at) =>
      rowOf(at + 2, { of: code, base: baseOf(code), wish: { name: names[at] ?? '' } }),
    );
    expect(planOf(rows, { codes, policy: UPDATE }).brakes).toEqual(sortedBy('name', 3));
  });

  it('is assumed even if a cell is empty, because its old value may be in another row now', () => {
    expect(planOf(listed([undefined, a, b, c]), { codes, policy: UPDATE }).brakes).toEqual(
      sortedBy('destination', 3),
    );
    expect(planOf(listed([a, a, b, c]), { codes, policy: UPDATE }).brakes).toEqual([]);
  });

  it('is recognized by the values in the saved list, even if another client changed all codes', () => {
    const theirs = codes.map((code, at) => ({ ...code, destination: `https://theirs.example/${at}` }));
    expect(planOf(listed([b, c, d, a]), { codes: theirs, policy: UPDATE }).brakes).toEqual(
      sortedBy('destination', 4),
    );
  });

  it('is not assumed if another client exchanged the values of the codes', () => {
    const theirs = codes.map((code, at) => ({ ...code, destination: places[(at + 1) % 4] ?? '' }));
    expect(planOf(listed([a, b, c, d]), { codes: theirs, policy: UPDATE }).brakes).toEqual([]);
  });

  it('is not assumed in a dated plan', () => {
    const policy = { ...UPDATE, isDated: true, maxChanges: { count: 9 } };
    expect(planOf(listed([b, c, d, a]), { codes, policy }).brakes).toEqual([]);
  });

  it('is recognized without IDs if the rows still have the names of their codes', () => {
    const ledger = madeBefore(codes);
    const sheet = (...cells: string[]) => cells.map((cell, at) => newRow(at + 2, `Code  ${at + 1}`, cell));
    expect(planOf(sheet(a, c, d, b), { codes, ledger }).brakes).toEqual(sortedBy('destination', 3));
    expect(planOf(sheet(a, b, d, c), { codes, ledger }).brakes).toEqual([]);
    const others = [c, d, b].map((cell, at) => newRow(at + 3, `Other ${at}`, cell));
    expect(planOf([...sheet(a), ...others], { codes, ledger }).brakes).toEqual([]);
  });

  it('is not assumed if only one code would change, because the codes of the other rows were deleted', () => {
    const rows = listed([b, c, a]);
    expect(planOf(rows, { codes: codes.slice(0, 1), policy: UPDATE }).brakes).toEqual([]);
    expect(planOf(rows, { codes: codes.slice(0, 2), policy: UPDATE }).brakes).toEqual(
      sortedBy('destination', 3),
    );
  });
});

describe('a status column', () => {
  const planWith = (from: readonly string[], to: readonly (string | undefined)[]) => {
    const codes = from.map((status, at) => codeOf(at + 1, { status }));
    const rows = codes.map((code, at) => {
      const status = to[at];
      return rowOf(at + 2, { id: code.id, base: baseOf(code), wish: status === undefined ? {} : { status } });
    });
    return planOf(rows, { codes, policy: UPDATE }).brakes;
  };
  const [on, off, old] = ['active', 'paused', 'expired'];

  it('counts as sorted by itself if it is in order and at least three rows exchanged their statuses', () => {
    expect(planWith([off, old, on], [on, off, old])).toEqual(sortedBy('"status"', 3));
    expect(planWith([on, off, on, off], [on, on, off, off])).toEqual([]);
    expect(planWith([off, off, on, on], [on, on, off, off])).toEqual(sortedBy('"status"', 4));
  });

  it('counts as sorted by itself even if another column of the rows was edited', () => {
    const codes = [off, old, on].map((status, at) => codeOf(at + 1, { status }));
    const sorted = [on, off, old];
    const rows = codes.map((code, at) =>
      rowOf(at + 2, { of: code, base: baseOf(code), wish: { name: `New ${at}`, status: sorted[at] ?? '' } }),
    );
    expect(planOf(rows, { codes, policy: UPDATE }).brakes).toEqual(sortedBy('"status"', 3));
  });

  it('counts as sorted by itself even if the codes of rows in between do not exist', () => {
    const codes = [off, old, on].map((status, at) => codeOf(at + 1, { status }));
    const [first, second, third] = codes.map((code, at) =>
      rowOf(at + 2, { id: code.id, base: baseOf(code), wish: { status: [on, off, old][at] ?? '' } }),
    );
    const gone = [8, 9].map((number) => rowOf(number, { id: idOf(number) }));
    const rows = [first, gone[0], second, gone[1], third].flatMap((row) => row ?? []);
    expect(planOf(rows, { codes, policy: UPDATE }).brakes).toEqual(sortedBy('"status"', 3));
  });

  it('does not count as sorted by itself if another client exchanged the statuses of the codes', () => {
    const saved = [on, off, old].map((status, at) => codeOf(at + 1, { status }));
    const codes = [off, old, on].map((status, at) => codeOf(at + 1, { status }));
    const rows = saved.map((code, at) => rowOf(at + 2, { of: code, base: baseOf(code) }));
    expect(planOf(rows, { codes, policy: UPDATE }).brakes).toEqual([]);
    expect(planOf(keyedRows(saved), { codes, lock: lockOf(saved), policy: APPLY }).brakes).toEqual([]);
  });

  it('does not count as sorted by itself if statuses were not only exchanged between rows, or if it is not in order', () => {
    expect(planWith([on, on, on, on], [off, off, off, off])).toEqual([]);
    expect(planWith([off, off, off, on], [on, on, on, off])).toEqual([]);
    expect(planWith([off, old, on, on, off], [on, off, old, on, off])).toEqual([]);
  });

  it('counts as sorted by itself even if a row with a status that qrctl set has an empty cell now', () => {
    const codes = [old, off, on].map((status, at) =>
      codeOf(at + 1, { status, ...(at === 0 && { id: UPPER }) }),
    );
    const [first, ...others] = codes.map(({ id }) => id.toLowerCase());
    const rows = [first, ...others].map((id, at) =>
      rowOf(at + 2, { id, wish: [{}, { status: on }, { status: old }][at] ?? {} }),
    );
    const set = { is: 'patch', run: 'before', n: 9, id: first ?? '', set: { status: old } } as const;
    const before = { status: on };
    const ledger = [{ is: 'run', run: 'before' } as const, { ...set, before }];
    const exchanged = [...rows, rowOf(5, { id: idOf(5), wish: { status: off } })];
    const all = [...codes, codeOf(5, { status: on })];
    expect(planOf(exchanged, { codes: all, ledger, policy: UPDATE }).brakes).toEqual(sortedBy('"status"', 4));
    expect(planOf(exchanged, { codes: all, policy: UPDATE }).brakes).toEqual([]);
  });
});

describe('a column of IDs that may have been sorted without the other columns', () => {
  const codes = codesOf(6);
  /** Returns a row that was saved from code `from` and has the ID of code `to`. */
  const moved = (from: number, to: number) => {
    const code = codeOf(from);
    return rowOf(from + 1, { id: idOf(to), base: baseOf(code), wish: { name: code.name } });
  };
  const plan = (rows: readonly Row[], current = codes) =>
    planOf(rows, { codes: current, policy: UPDATE }).brakes;

  it('stops the run if at least three rows have the ID of the code of another row', () => {
    const message =
      'the IDs may have been sorted by themselves: 3 rows were saved from the code of another row';
    expect(plan([moved(1, 2), moved(2, 3), moved(3, 1), moved(4, 4)])).toEqual(shifted(message));
    expect(plan([moved(1, 2), moved(2, 1), moved(4, 4)])).toEqual([]);
  });

  it('are not assumed if another client renamed codes, or if the rows lack a base', () => {
    const renamedCodes = codes.map((code, at) => ({ ...code, name: `Renamed ${at}` }));
    expect(plan([moved(1, 1), moved(2, 2), moved(3, 3)], renamedCodes)).toEqual([]);
    const bare = [moved(1, 2), moved(2, 3), moved(3, 1)].map((row) => ({
      ...row,
      base: undefined,
      wish: {},
    }));
    expect(plan(bare)).toEqual([]);
    const partly = bare.map((row) => ({ ...row, base: { status: baseOf(codeOf(1)).status } }));
    expect(plan(partly)).toEqual([]);
  });

  it('are not assumed if another client moved the saved names to codes whose rows lack a base', () => {
    const swapped = codes.map((code, at) => ({ ...code, name: `Code ${((at + 3) % 6) + 1}` }));
    const added = [4, 5, 6].map((number) => rowOf(number + 1, { id: idOf(number) }));
    expect(plan([moved(1, 1), moved(2, 2), moved(3, 3), ...added], swapped)).toEqual([]);
  });

  it('are not assumed for two exchanged IDs and a third row whose code was deleted', () => {
    expect(plan([moved(1, 2), moved(2, 1), moved(3, 9)])).toEqual([]);
  });
});

describe('keys that were sorted by themselves', () => {
  const codes = codesOf(3);
  const lower = codeOf(1, { id: UPPER.toLowerCase() });
  const withKeys = (keys: readonly string[], cells: 'id' | 'slug' = 'id') =>
    codes.map((code, at) =>
      rowOf(at + 2, { [cells]: code[cells], key: keys[at], base: baseOf(code), wish: { name: code.name } }),
    );
  const ledger = madeBefore(codes, withKeys(['a', 'b', 'c']));
  const message = "the keys may have been sorted by themselves: 3 rows have the key of another row's code";

  it.each(['id', 'slug'] as const)(
    'are assumed if three rows, identified by %s, have the keys of the codes of other rows',
    (cells) => {
      const plan = (...keys: string[]) => planOf(withKeys(keys, cells), { codes, ledger }).brakes;
      expect(plan('b', 'c', 'a')).toEqual(shifted(message));
      expect(plan('b', 'a', 'c')).toEqual([]);
      expect(plan('x', 'y', 'z')).toEqual([]);
      expect(plan('a', 'b', 'c')).toEqual([]);
    },
  );

  it('are not assumed if the file has no keys, even if the ledger has keys for some of its codes', () => {
    const rows = [...codes, codeOf(4)].map((code, at) => rowOf(at + 2, { of: code }));
    expect(planOf(rows, { codes: [...codes, codeOf(4)], ledger }).brakes).toEqual([]);
  });

  it('are assumed even if the service returns IDs in upper case', () => {
    const [, ...others] = codes;
    const known = madeBefore([lower, ...others], withKeys(['a', 'b', 'c']));
    const [first, ...rows] = withKeys(['b', 'c', 'a']);
    const row = { ...first, id: lower.id } as Row;
    const upper = { ...lower, id: UPPER };
    expect(planOf([row, ...rows], { codes: [upper, ...others], ledger: known }).brakes).toEqual(
      shifted(message),
    );
  });

  it('are not assumed for rows that have no IDs, but keys from the lock file', () => {
    const lock = lockOf(codes);
    const rows = keyedRows(codes);
    const other = madeBefore(codes, withKeys(['k2', 'k3', 'k1']));
    expect(planOf(rows, { codes, ledger: other, lock, policy: APPLY }).brakes).toEqual([]);
  });

  it('are not assumed if decisions assign the codes', () => {
    const adopt = new Map(codes.map(({ slug }, at) => [`line:${at + 2}`, slug]));
    const rows = withKeys(['b', 'c', 'a']).map((row) => ({ ...row, id: undefined }));
    expect(planOf(rows, { codes, ledger, policy: decide({ adopt }) }).brakes).toEqual([]);
  });
});
