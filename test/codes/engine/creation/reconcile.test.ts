import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RowToFind } from '../../../../src/codes/engine/creation/deal-out.ts';
import type { JournalRecord } from '../../../../src/codes/engine/creation/journal-records.ts';
import { findExisting, reconcile } from '../../../../src/codes/engine/creation/reconcile.ts';
import { replay } from '../../../../src/codes/engine/creation/row-states.ts';
import { valuesKey } from '../../../../src/codes/engine/creation/same-values.ts';
import { newCode, type QrCode } from '../../../../src/service/shapes.ts';
import { runs } from '../../../support/property-runs.ts';
import { pagesOf } from './world.ts';

const T0 = Date.UTC(2026, 0, 1);

function code(id: string, atMs: number, name = 'a', more: Partial<QrCode> = {}): QrCode {
  const at = new Date(T0 + atMs).toISOString();
  return {
    id,
    slug: `s-${id}`,
    name,
    type: 'url',
    destination: 'https://x.de',
    status: 'active',
    created_at: at,
    updated_at: at,
    ...more,
  };
}

/** A row sent at `from`, its answer lost a second later. */
function row(number: number, from: number, name = 'a', more: Partial<RowToFind['bounds']> = {}): RowToFind {
  const bounds = {
    doubtfulFromMs: T0 + from - 50,
    fromMs: T0 + from,
    toMs: T0 + from + 1000,
    doubtfulToMs: T0 + from + 2000,
    ...more,
  };
  return { row: number, code: { name, destination: 'https://x.de' }, bounds, foreign: [] };
}

async function inShort(unknown: RowToFind[], listing: QrCode[], claimed: string[] = [], rows: RowToFind[] = [], own = 'x') {
  const signal = new AbortController().signal;
  const resent = rows.map((one) => ({ ...one, ownId: own }));
  const { adopted, absent, undecided } = await reconcile({ unknown, resent, listing, claimedIds: new Set(claimed), signal });
  return {
    adopted: adopted.map((entry) => `${entry.row}=${entry.code.id}`).sort(),
    absent: absent.flatMap((entry) => entry.rows),
    undecided: undecided.map((entry) => `${entry.row}?${entry.candidates.map(({ id }) => id).join('|')}`),
  };
}

describe('the same values', () => {
  const key = (name: string, destination?: string, type?: string) =>
    valuesKey({ name, ...(destination !== undefined && { destination }), ...(type !== undefined && { type }) });

  it('are so with the defaults spelled out, and after tidying (O6)', () => {
    expect(key('a')).toBe(key('a', '', 'url'));
    expect(key(' a ', 'https://x.de')).toBe(key('a', 'HTTPS://X.de/'));
    // An address that is none.
    expect(key('a', ' 42 ')).toBe(key('a', '42'));
  });

  it('differ where people would say so', () => {
    const all = [
      key('a'),
      key('A'),
      key('a', 'https://x.de'),
      key('a', 'https://x.de/b'),
      key('a', 'https://x.de', 'menu'),
      key('a,b'),
    ];
    expect(new Set(all).size).toBe(all.length);
  });
});

describe('reconciling', () => {
  it('adopts the one code there is, and sends again what has none', async () => {
    expect(await inShort([row(1, 0), row(2, 0, 'b')], [code('x', 10)])).toEqual({ adopted: ['1=x'], absent: [2], undecided: [] });
  });

  it('deals as many codes as there are among rows with the same values', async () => {
    const twins = [row(1, 0), row(2, 0), row(3, 0)];
    expect(await inShort(twins, [code('x', 10), code('y', 20)])).toEqual({ adopted: ['1=x', '2=y'], absent: [3], undecided: [] });
  });

  it('asks where there is a code too many (O8)', async () => {
    expect((await inShort([row(1, 0)], [code('x', 10), code('y', 20)])).undecided).toEqual(['1?x|y']);
  });

  it.each([
    ['older', code('x', -51)],
    ['of another name', code('x', 10, 'b')],
    ['of another type and destination', code('x', 10, 'a', { type: 'menu', destination: null })],
    ['of another type, and older', code('x', -1, 'a', { type: 'menu' })],
    ['of another type, and younger', code('x', 1001, 'a', { type: 'menu' })],
  ])('leaves a code alone that is %s (O6)', async (_, other) => {
    expect(await inShort([row(1, 0)], [other])).toEqual({ adopted: [], absent: [1], undecided: [] });
  });

  it.each([
    ['of another type', code('x', 10, 'a', { type: 'menu' })],
    ['of another destination', code('x', 0, 'A!', { destination: 'https://y.de' })],
    ['without destination', code('x', 1000, 'a', { destination: null })],
  ])('asks about a code that is %s and else as sent (O30)', async (_, other) => {
    expect(await inShort([row(1, 0)], [other])).toEqual({ adopted: [], absent: [], undecided: ['1?x'] });
    const known = { ...row(1, 0), foreign: [new Set(['x'])] };
    expect(await inShort([known], [other])).toEqual({ adopted: [], absent: [1], undecided: [] });
    expect(await inShort([row(1, 0)], [other], ['x'])).toEqual({ adopted: [], absent: [1], undecided: [] });
  });

  it('asks so about no row that has its code, and gives no other up for it (O30)', async () => {
    const rows = [row(1, 0), row(2, 0, 'A!'), row(3, 0, 'b')];
    const listing = [code('x', 10), code('y', 20, 'a?')];
    const signal = new AbortController().signal;
    const said = await reconcile({ unknown: rows, resent: [], listing, claimedIds: new Set(), signal });
    expect(said).toEqual({
      adopted: [{ row: 1, code: listing[0] }],
      absent: [{ rows: [3], foreignIds: [] }],
      undecided: [{ row: 2, candidates: [listing[1]] }],
    });
  });

  it('tells which codes are not those of an absent row (O11)', async () => {
    const signal = new AbortController().signal;
    const listing = [code('x', -100_000), code('y', -90_000), code('z', 10, 'b')];
    const said = await reconcile({ unknown: [row(1, 0)], resent: [], listing, claimedIds: new Set(), signal });
    expect(said).toEqual({ adopted: [], absent: [{ rows: [1], foreignIds: ['x', 'y'] }], undecided: [] });
  });

  it('leaves codes alone that other rows have, or that are known not to be the row’s (O10, O11)', async () => {
    expect((await inShort([row(1, 0)], [code('x', 10)], ['x'])).absent).toEqual([1]);
    expect((await inShort([{ ...row(1, 0), foreign: [new Set(), new Set(['x'])] }], [code('x', 10)])).absent).toEqual([1]);
  });

  it('knows a code again that the service has tidied (O6)', async () => {
    const sent = { ...row(1, 0), code: { name: ' Cafe\u0301 ', destination: 'HTTPS://Example.com' } };
    expect((await inShort([sent], [code('x', 10, 'Caf\u00e9', { destination: 'https://example.com/' })])).adopted).toEqual([
      '1=x',
    ]);
  });

  it('prefers the row whose values a code has to the letter', async () => {
    const rows = [row(1, 0), { ...row(2, 0), code: { name: 'a', destination: 'https://x.de/' } }];
    expect(await inShort(rows, [code('x', 10, 'a', { destination: 'https://x.de/' })])).toMatchObject({
      adopted: ['2=x'],
      absent: [1],
    });
  });

  it('keeps apart what was sent at different times: a code too many in one hour says nothing about another', async () => {
    const hour = 3_600_000;
    const listing = [code('x', 10), code('y', 20), code('z', hour + 10)];
    expect(await inShort([row(1, 0), row(2, hour), row(3, 2 * hour)], listing)).toEqual({
      adopted: ['2=z'],
      absent: [3],
      undecided: ['1?x|y'],
    });
  });

  it('finds the one way to deal out codes that fit some rows only', async () => {
    const rows = [row(1, 0, 'a', { toMs: T0 + 5000 }), row(2, 0)];
    expect((await inShort(rows, [code('x', 10), code('y', 3000)])).adopted).toEqual(['1=y', '2=x']);
  });

  it('asks about a code that only a wrong clock, or a very late write, could make the row’s (O9)', async () => {
    for (const other of [code('x', -50), code('x', 1001), code('x', 10 ** 9), code('x', 10, 'a', { created_at: 'soon' })]) {
      expect((await inShort([row(1, 0)], [other])).undecided).toEqual(['1?x']);
      expect((await inShort([row(1, 0)], [other], ['x'])).absent).toEqual([1]);
    }
  });

  it('asks also where another code fits, unless the doubtful one is far later (O9)', async () => {
    for (const other of [code('x', -20), code('x', 2000), code('x', 10, 'a', { created_at: 'soon' })]) {
      const { adopted, undecided } = await inShort([row(1, 0)], [other, code('y', 10)]);
      expect([adopted, undecided.map((text) => text.split(/[?|]/).sort())]).toEqual([[], [['1', 'x', 'y']]]);
    }
    expect(await inShort([row(1, 0)], [code('x', 2001), code('y', 10)])).toEqual({ adopted: ['1=y'], absent: [], undecided: [] });
    expect(await inShort([row(1, 0)], [code('x', -51), code('y', 10)])).toEqual({ adopted: ['1=y'], absent: [], undecided: [] });
  });

  it('leaves nothing doubtful to one row that is another’s beyond doubt', async () => {
    const rows = [row(1, 0), row(2, 3000)];
    expect(await inShort(rows, [code('x', 3010)])).toEqual({ adopted: ['2=x'], absent: [1], undecided: [] });
  });

  it('spreads a doubt: codes that are taken back from one group may be another’s (O8)', async () => {
    const near = { doubtfulFromMs: T0 - 60_000 };
    const rows = [row(1, 0), row(2, 10_000, 'a', near), row(3, 20_000, 'a', near)];
    const listing = [code('x', 10), code('y', 20), code('z', 10_010), code('w', 20_010)];
    const { adopted, undecided } = await inShort(rows, listing);
    expect([adopted, undecided]).toEqual([[], ['1?x|y|z|w', '2?x|y|z|w', '3?x|y|z|w']]);
  });

  it('asks whether a row that was sent again has a second code (O20)', async () => {
    const twice = [row(1, 0), row(2, 0), row(3, 0, 'b')];
    expect((await inShort([], [code('own', 10)], ['own'], twice)).undecided).toEqual([]);
    const late = [code('own', 10), code('x', 50_000), code('old', -51), code('y', 10, 'b')];
    expect((await inShort([], late, ['own'], twice)).undecided).toEqual(['1?x', '2?x', '3?y']);
    const known = { ...row(1, 0), foreign: [new Set(['x'])] };
    expect((await inShort([], [code('x', 10)], [], [known])).undecided).toEqual([]);
    // As the one that it has, under whatever name; made in its time, no earlier and no later.
    const altered = ['x', 'y', 'z', 'w'].map((id, n) => code(id, [10, 500, -10, 2000][n] ?? 0, 'b'));
    expect((await inShort([], altered, ['x'], [row(1, 0)])).undecided).toEqual(['1?y']);
    expect((await inShort([], altered, ['v'], [row(1, 0)], 'v')).undecided).toEqual([]);
    // What a row of unknown outcome gets is nobody's second one; what it does not get may be.
    expect(await inShort([row(4, 0)], [code('x', 10)], [], [row(1, 0)])).toEqual({ adopted: ['4=x'], absent: [], undecided: [] });
    const both = await inShort([row(4, 0)], [code('x', 10), code('y', 5010)], [], [row(1, 5000)]);
    expect(both).toEqual({ adopted: ['4=x'], absent: [], undecided: ['1?y'] });
  });

  it('deals rows that were looked for before what was not there then (O11)', async () => {
    const before = { ...row(1, 0), foreign: [new Set(['x'])] };
    const rows = [before, row(2, 0)];
    expect((await inShort(rows, [code('x', 10), code('y', 20)])).adopted).toEqual(['1=y', '2=x']);
    expect((await inShort([before], [code('x', 10), code('y', 20)])).adopted).toEqual(['1=y']);
  });

  it('deals thousands that are alike', async () => {
    const many = 4000;
    const rows = Array.from({ length: many }, (_, n) => row(n + 1, n));
    const listing = Array.from({ length: many - 1 }, (_, n) => code(`c${n}`, n + 500));
    const claimed = new Set<string>();
    const question = { unknown: rows, resent: [], listing, claimedIds: claimed, signal: new AbortController().signal };
    const { adopted, absent, undecided } = await reconcile(question);
    expect([adopted.length, absent.flatMap((entry) => entry.rows).length, undecided.length]).toEqual([many - 1, 1, 0]);
    const tooMany = await reconcile({ ...question, unknown: rows.slice(1000) });
    expect(tooMany.undecided).toHaveLength(many - 1000);
    expect(new Set(tooMany.undecided.map(({ candidates }) => candidates)).size).toBeLessThan(many);
  });

  it('takes a time in whole seconds for any moment of its second', async () => {
    const at = new Date(T0 + 5000).toISOString().replace('.000', '');
    expect((await inShort([row(1, 5400)], [code('x', 0, 'a', { created_at: at })])).adopted).toEqual(['1=x']);
  });
});

describe('among thousands', () => {
  const many = 5000;
  const rows = Array.from({ length: many }, (_, n) => row(n + 1, 0, `row ${n}`));
  const listing = rows.map((_, n) => code(`c${n}`, 10, `code ${n}`));
  const nothing = { unknown: [], resent: [], listing: [], claimedIds: new Set<string>() };
  const newRows = rows.map((unknown) => ({ ...unknown, line: unknown.row, values: new Map() }));

  it.each<[string, (signal: AbortSignal) => Promise<unknown>]>([
    ['reads a listing', (signal) => reconcile({ ...nothing, listing, signal })],
    ['looks for rows', (signal) => reconcile({ ...nothing, unknown: rows, signal })],
    [
      'looks for second codes',
      (signal) => reconcile({ ...nothing, resent: rows.map((one) => ({ ...one, ownId: 'x' })), signal }),
    ],
    ['looks for what exists', (signal) => findAll(newRows, replay([], many), { pages: pagesOf(async () => [])(), signal })],
  ])('lets signals in now and then while it %s', async (_, work) => {
    let turns = 0;
    const controller = new AbortController();
    const ended = work(controller.signal).finally(() => controller.abort());
    while (!controller.signal.aborted) {
      await new Promise((resolve) => setImmediate(resolve));
      turns += 1;
    }
    await ended;
    expect(turns).toBeLessThan(50);

    const interrupted = new AbortController();
    setImmediate(() => interrupted.abort(new Error('interrupted')));
    await expect(work(interrupted.signal)).rejects.toThrow('interrupted');
  });

  it.each(['unknown', 'resent'])('lets signals in also while it judges rows that are %s', async (which) => {
    const controller = new AbortController();
    const judged = new Set<number>();
    // Only who judges a row looks at its bounds.
    const watched = rows.map((one) => ({
      ...one,
      get bounds() {
        judged.add(one.row);
        controller.abort(new Error('interrupted'));
        return one.bounds;
      },
    }));
    await expect(reconcile({ ...nothing, [which]: watched, signal: controller.signal })).rejects.toThrow('interrupted');
    expect(judged.size).toBeLessThan(many);
  });
});

/** All chunks together. */
async function findAll(...given: Parameters<typeof findExisting>) {
  const found = [];
  for await (const some of findExisting(...given)) found.push(...some);
  return found;
}

describe('what exists already', () => {
  it('is no code that is known not to be the row’s (O11, O18)', async () => {
    const [first] = [row(1, 0)].map((unknown) => ({ ...unknown, line: 2, values: new Map() }));
    const stamp = { t: 0, w: 0, b: 0 };
    const states = replay(
      [
        { is: 'session', ...stamp },
        { is: 'intent', row: 1, ...stamp },
        { is: 'absent', row: 1, before: ['x'], word: true, ...stamp },
      ],
      1,
    );
    const find = (listing: readonly QrCode[]) => findAll(first ? [first] : [], states, { pages: pagesOf(async () => listing)() });
    const existing = await find([code('y', 0), code('x', 10)]);
    expect(existing.map(({ id }) => id)).toEqual(['y']);
    expect(await find([code('x', 10)])).toEqual([]);
  });
});

it('what exists comes in chunks of at least 10,000 rows, except for the last', async () => {
  const rows = Array.from({ length: 20_002 }, (_, i) => ({
    ...{ row: i + 1, line: i + 2, values: new Map() },
    code: { name: `row ${i}` },
  }));
  const codes = rows.map((one, i) => code(`c${i}`, 0, one.code.name, { destination: null }));
  const chunks = async (...ends: number[]) => {
    const pages = async function* () {
      for (const [at, end] of ends.entries()) yield codes.slice(ends[at - 1] ?? 0, end);
    };
    const found: number[][] = [];
    for await (const some of findExisting(rows, replay([], rows.length), { pages: pages() }))
      found.push(some.map((one) => one.row));
    expect(found.flat()).toEqual(rows.slice(0, ends.at(-1)).map((one) => one.row));
    return found.map(({ length }) => length);
  };
  expect(await chunks(9999, 10_000, 20_002)).toEqual([10_000, 10_002]);
  expect(await chunks(1, 2)).toEqual([2]);
  expect(await chunks(0)).toEqual([]);
});

describe('what exists, of rows with the same values (O18)', () => {
  const alike = (count: number) =>
    Array.from({ length: count }, (_, i) => {
      const values = { name: 'a', destination: 'https://x.de' };
      return { row: i + 1, line: i + 2, values: new Map(), code: values };
    });
  const seen = { all: 'a', name: 'a', destination: 'https://x.de' };
  const stamp = { t: 0, w: 0, b: 0 };
  const find = async (count: number, records: readonly JournalRecord[], ...ids: string[]) => {
    const states = replay([{ is: 'session', ...stamp }, { is: 'entries', first: 1, seen: Array(count).fill(seen) }, ...records]);
    const pages = pagesOf(async () => ids.map((id) => code(id, 0)))();
    const found = await findAll(alike(count), states, { pages });
    return found.map(({ row: n, id }) => `${n}=${id}`);
  };

  it('is each code of one row, in their order', async () => {
    expect(await find(3, [], 'x', 'y', 'z', 'more')).toEqual(['1=x', '2=y', '3=z']);
  });

  it('is no code that another row has, but one that a row no longer has (O10)', async () => {
    const has = (id: string): JournalRecord => ({ is: 'adopted', row: 1, id, slug: 's', ...stamp });
    expect(await find(2, [has('x')], 'x', 'y')).toEqual(['2=y']);
    expect(await find(2, [has('x'), has('z')], 'x')).toEqual(['2=x']);
  });

  it('leaves the rows before and behind the one whose code it is (O11)', async () => {
    const absent = (row: number): JournalRecord => ({ is: 'absent', row, before: ['x'], word: false, ...stamp });
    expect(await find(3, [absent(1)], 'x', 'y', 'z')).toEqual(['2=x', '1=y', '3=z']);
    expect(await find(4, [absent(1), absent(2)], 'x', 'y', 'z', 'w')).toEqual(['3=x', '1=y', '2=z', '4=w']);
    expect(await find(1, [absent(1)], 'x')).toEqual([]);
  });
});

it('what exists is, for each code in turn, the first row left with its values (O6, O18)', async () => {
  const values = fc.record({
    name: fc.constantFrom('a', ' a', 'b', 'c', 'd'),
    type: fc.constantFrom(undefined, 'url', 'menu'),
    destination: fc.constantFrom(undefined, '', 'https://x.de', 'https://x.de/', 'https://y.de'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(values, { maxLength: 8 }), fc.array(values, { maxLength: 8 }), async (wanted, made) => {
      const newRows = wanted.map((one, i) => ({
        row: i + 1,
        line: i + 2,
        values: new Map(),
        code: newCode(one.name, one.type, one.destination),
      }));
      const listing = made.map((one, i): QrCode => {
        return { ...code(`c${i}`, 0), name: one.name, type: one.type ?? 'url', destination: one.destination ?? null };
      });
      const left = [...newRows];
      const expected = listing.flatMap((values) => {
        const at = left.findIndex((one) => valuesKey(one.code) === valuesKey(values));
        return at < 0 ? [] : left.splice(at, 1).map(({ row: n }) => `${n}=${values.id}`);
      });
      const found = await findAll(newRows, replay([], wanted.length), { pages: pagesOf(async () => listing)() });
      expect(found.map(({ row: n, id }) => `${n}=${id}`)).toEqual(expected);
    }),
    runs(500),
  );
});

describe('whatever the rows and codes', () => {
  const names = fc.constantFrom('a', 'b');
  const rows = fc.array(fc.tuple(fc.integer({ min: 0, max: 4000 }), names), { maxLength: 7 });
  const codes = fc.array(fc.tuple(fc.integer({ min: -1000, max: 6000 }), names, fc.boolean()), { maxLength: 7 });

  it('says one thing of each row, gives no code twice, and none to a row it cannot be of', async () => {
    await fc.assert(
      fc.asyncProperty(rows, codes, async (sent, made) => {
        const unknown = sent.map(([from, name], index) => row(index + 1, from, name));
        const listing = made.map(([at, name], index) => code(`c${index}`, at, name));
        const claimed = new Set(listing.filter((_, index) => made[index]?.[2]).map(({ id }) => id));
        const question = { unknown, resent: [], listing, claimedIds: claimed, signal: new AbortController().signal };
        const { adopted, absent, undecided } = await reconcile(question);
        const decided = [...adopted, ...undecided].map((entry) => entry.row);
        const said = [...decided, ...absent.flatMap((entry) => entry.rows)].sort((a, b) => a - b);
        expect(said).toEqual(unknown.map((entry) => entry.row));
        expect(new Set(adopted.map((entry) => entry.code.id)).size).toBe(adopted.length);
        for (const entry of adopted) {
          const of = unknown[entry.row - 1];
          expect(claimed.has(entry.code.id)).toBe(false);
          expect(of && valuesKey(of.code)).toBe(valuesKey(entry.code));
          const at = Date.parse(entry.code.created_at);
          expect(of && at >= of.bounds.fromMs && at <= of.bounds.toMs).toBe(true);
        }
        // Nobody is asked who has nothing to choose from.
        for (const { candidates } of undecided) expect(candidates.length).toBeGreaterThan(0);
      }),
    );
  });

  it('adopts exactly what was created when nobody else creates anything', async () => {
    const sent = fc.array(fc.tuple(fc.integer({ min: 0, max: 4000 }), names, fc.option(fc.integer({ min: 0, max: 1000 }))), {
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(sent, async (posts) => {
        const unknown = posts.map(([from, name], index) => row(index + 1, from, name));
        const listing = posts.flatMap(([from, name, late], index) =>
          late === null ? [] : [code(`c${index}`, from + late, name)],
        );
        const signal = new AbortController().signal;
        const { adopted, undecided } = await reconcile({ unknown, resent: [], listing, claimedIds: new Set(), signal });
        expect(undecided).toEqual([]);
        expect(adopted.map((entry) => entry.code.id).sort()).toEqual(listing.map(({ id }) => id).sort());
      }),
    );
  });
});
