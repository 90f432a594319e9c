/** What a ledger says: which code is a row's, which requests have no known outcome, and what we changed. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isLedgerLine, type LedgerLine, type LedgerRecord } from '#codes/engine/plan/ledger-lines';
import { createReplay } from '#codes/engine/plan/ledger-view';
import { FIELDS, type LedgerView, type Sending, type Values } from '#codes/engine/plan/model';
import { runs } from '../../../support/property-runs.ts';

const replay = (...lines: readonly LedgerLine[]): LedgerView => {
  const { take, view } = createReplay();
  for (const line of lines) take(line);
  return view();
};

const run = (name: string, ids: readonly string[] = []): LedgerRecord => ({ is: 'run', run: name, ids });
const post = (n: number, more: Partial<Extract<LedgerRecord, { is: 'post' }>> = {}): LedgerRecord => ({
  is: 'post',
  run: 'r1',
  n,
  values: { name: 'Menu', destination: 'https://a.example/' },
  ...more,
});
const madeAs = (n: number, id: string, stored: Values): LedgerRecord => ({
  is: 'made',
  n,
  id,
  slug: id,
  stored,
});
const made = (n: number, id: string, name = 'Menu'): LedgerRecord => madeAs(n, id, { name });
const set = (n: number, stored: Values): LedgerRecord => ({ is: 'set', n, stored });
const patch = (n: number, more: Partial<Extract<LedgerRecord, { is: 'patch' }>> = {}): LedgerRecord => ({
  is: 'patch',
  run: 'r1',
  n,
  id: 'a',
  set: { name: 'New' },
  before: { name: 'Menu' },
  ...more,
});
const not = (n: number): LedgerRecord => ({ is: 'not', n });
const end = (name: string): LedgerRecord => ({ is: 'end', run: name });
/** Returns the lines of a ledger with these records after compaction. */
const compactedFrom = (...lines: readonly LedgerLine[]): LedgerLine[] => {
  const { take, kept } = createReplay();
  for (const line of lines) take(line);
  return JSON.parse(JSON.stringify([...kept()]));
};
const numbersOf = (sendings: readonly Sending[]) => sendings.map(({ n }) => n);

describe('a POST', () => {
  it('is unclear until its outcome is recorded, and keeps the IDs in the first listing of its run', () => {
    const view = replay(run('r1', ['x', 'y']), post(1, { key: 'K' }), post(2), not(2));
    expect(view.unclear).toMatchObject([{ n: 1, run: 'r1', key: 'K', decided: false }]);
    expect(view.unclear[0]?.rowCode).toBeUndefined();
    expect(view.unclear[0]?.firstIds).toEqual(new Set(['x', 'y']));
    expect(view.claims.size).toBe(0);
  });

  it('that created a code becomes a claim to that code, with the row and the key', () => {
    const view = replay(run('r1'), post(1, { key: 'K' }), made(1, 'a'));
    expect(view.unclear).toEqual([]);
    expect(view.claims.get('a')).toMatchObject({
      id: 'a',
      key: 'K',
      origin: 'made',
      run: 'r1',
      stored: { name: 'Menu' },
      isDeleted: false,
      rows: [{ name: 'Menu', destination: 'https://a.example/' }],
    });
    expect(view.claims.get('a')?.paused).toBeUndefined();
  });

  it('becomes a claim with the ID of the later run that found its code', () => {
    const view = replay(run('r1', ['x']), post(1), run('r2', ['x', 'a']), made(1, 'a'));
    expect(view.claims.get('a')?.run).toBe('r2');
  });

  it('stays unclear, and keeps the IDs listed in its own run, after runs that find no code for it (E14)', () => {
    const view = replay(run('r1', ['x']), post(1), end('r1'), run('r2', ['x', 'y']), end('r2'), run('r3'));
    expect(numbersOf(view.unclear)).toEqual([1]);
    expect(view.unclear[0]?.firstIds).toEqual(new Set(['x']));
  });

  it('is no longer unclear after the user decides', () => {
    expect(replay(run('r1'), post(1), { is: 'decided', n: 1 }).unclear).toEqual([]);
  });

  it('that replaces a code maps the ID of the old code to the ID of the new code', () => {
    const view = replay(
      run('r1'),
      post(1),
      made(1, 'old'),
      post(2, { replaces: 'old', decided: true }),
      made(2, 'new'),
    );
    expect([...view.replaced]).toEqual([['old', 'new']]);
    expect([...view.claims.keys()]).toEqual(['old', 'new']);
  });

  it('has no listed IDs if its run recorded none, even if an earlier run did', () => {
    const view = replay(run('r1', ['x']), end('r1'), { is: 'run', run: 'r2' }, post(1, { run: 'r2' }));
    expect(view.unclear[0]?.firstIds).toEqual(new Set());
  });

  it('leaves its status to be sent later only if the code was created with another status', () => {
    const paused = [run('r1'), post(1, { status: 'paused' })];
    const unsentOf = (...lines: LedgerLine[]) => replay(...paused, ...lines).claims.get('a')?.unsent;
    expect(unsentOf(madeAs(1, 'a', { name: 'Menu', status: 'active' }))).toBe('paused');
    expect(unsentOf(madeAs(1, 'a', { name: 'Menu', status: 'paused' }))).toBeUndefined();
  });

  it('leaves its status to be sent later until a PATCH of the status is applied', () => {
    const late = [run('r1'), post(1, { status: 'paused' }), madeAs(1, 'a', { status: 'active' })];
    const unsentOf = (...lines: LedgerLine[]) => replay(...late, ...lines).claims.get('a')?.unsent;
    const pause = patch(2, { set: { status: 'paused' }, before: { status: 'active' } });
    const again: LedgerRecord = { is: 'found', run: 'r2', id: 'a', row: { name: 'Menu' }, stored: {} };
    expect(unsentOf(run('r2'), again)).toBe('paused');
    expect(unsentOf(patch(2), set(2, { name: 'New' }))).toBe('paused');
    expect(unsentOf(pause)).toBe('paused');
    expect(unsentOf(pause, set(2, { status: 'paused' }))).toBeUndefined();
  });

  it('shares the set of listed IDs with other POSTs in its run', () => {
    const [one, other] = replay(run('r1', ['x']), post(1), post(2)).unclear;
    expect(one?.firstIds).toBe(other?.firstIds);
  });
});

describe('a POST that is repeated', () => {
  const twice = [run('r1', ['x']), post(1), post(2, { again: 1 })];

  it('is unclear while its repetition is unclear', () => {
    const view = replay(...twice);
    expect([numbersOf(view.unclear), view.repeated]).toEqual([[1, 2], []]);
  });

  it('is listed as repeated once its repetition has created a code', () => {
    const view = replay(...twice, made(2, 'b'));
    expect([view.unclear, numbersOf(view.repeated)]).toEqual([[], [1]]);
    expect(view.repeated[0]).toMatchObject({ rowCode: 'b', firstIds: new Set(['x']) });
  });

  it('stays unclear if its repetition was refused', () => {
    const view = replay(...twice, not(2));
    expect([numbersOf(view.unclear), view.repeated]).toEqual([[1], []]);
  });

  it('that created a code leaves its unclear repetition in the list of repeated requests', () => {
    const view = replay(...twice, made(1, 'a'));
    expect([view.unclear, numbersOf(view.repeated)]).toEqual([[], [2]]);
    expect(view.repeated[0]?.rowCode).toBe('a');
  });

  it('results in two claims if both requests created codes', () => {
    const view = replay(...twice, made(2, 'b'), made(1, 'a'));
    expect([view.unclear, view.repeated, [...view.claims.keys()]]).toEqual([[], [], ['b', 'a']]);
  });

  it('is listed as repeated, like every other earlier request for its row, if the last request created a code', () => {
    const view = replay(...twice, post(3, { again: 2 }), made(3, 'c'));
    expect([view.unclear, numbersOf(view.repeated)]).toEqual([[], [1, 2]]);
  });

  it('is dropped from the list of repeated requests at the end of the next run', () => {
    const own = [...twice, made(2, 'b'), end('r1')];
    expect(numbersOf(replay(...own).repeated)).toEqual([1]);
    expect(replay(...own, run('r2'), end('r2')).repeated).toEqual([]);
  });

  it('whose run was killed is dropped from the list of repeated requests only after two more runs', () => {
    const killed = [...twice, made(2, 'b'), run('r2'), end('r2')];
    expect(numbersOf(replay(...killed).repeated)).toEqual([1]);
    expect(replay(...killed, run('r3'), end('r3')).repeated).toEqual([]);
  });

  it('is still listed as repeated at the end of the run that created a code for its row', () => {
    const view = replay(...twice, run('r2'), post(3, { run: 'r2', again: 2 }), made(3, 'c'), end('r2'));
    expect(numbersOf(view.repeated)).toEqual([1, 2]);
  });

  it('is listed with the first code that was created for its row', () => {
    const view = replay(...twice, post(3, { again: 2 }), made(3, 'c'), made(2, 'b'));
    expect(view.repeated).toMatchObject([{ n: 1, rowCode: 'c' }]);
  });

  it('passes the decision for a new code on to the repetition that creates it', () => {
    const decidedFor = (...decisions: [boolean, boolean]) => {
      const [one, other] = decisions.map((decided) => ({ decided }));
      const { claims } = replay(run('r1'), post(1, one), post(2, { again: 1, ...other }), made(2, 'b'));
      return claims.get('b')?.isDecided;
    };
    expect([decidedFor(true, false), decidedFor(false, true), decidedFor(false, false)]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('is no longer listed as repeated after the user decides', () => {
    expect(replay(...twice, made(2, 'b'), { is: 'decided', n: 1 }).repeated).toEqual([]);
  });
});

describe('a PATCH', () => {
  const code = [run('r1'), post(1, { key: 'K' }), made(1, 'a')];

  it('that was applied is recorded as a change to each of its fields', () => {
    const { claims } = replay(...code, patch(2), { is: 'set', n: 2, stored: { name: 'NEW' } });
    expect(claims.get('a')).toMatchObject({ key: 'K', origin: 'made', stored: { name: 'NEW' } });
    expect(claims.get('a')?.changes).toEqual({
      destination: [],
      status: [],
      name: [{ from: 'Menu', sent: 'New', stored: 'NEW' }],
    });
  });

  it('for an unknown code creates a claim', () => {
    const { claims } = replay(run('r1'), patch(1), { is: 'set', n: 1, stored: { name: 'New' } });
    expect(claims.get('a')).toMatchObject({
      origin: 'changed',
      rows: [],
      key: undefined,
      stored: { name: 'New' },
    });
  });

  it('without an outcome records the value before the request as the stored value', () => {
    const { claims } = replay(...code, patch(2, { before: { name: 'Seen' } }));
    expect(claims.get('a')?.stored.name).toBe('Seen');
    expect(claims.get('a')?.changes.name).toEqual([{ from: 'Seen', sent: 'New', stored: 'New' }]);
  });

  it('whose response lacks a field keeps the earlier value of that field as the stored value', () => {
    const both = { set: { name: 'New', status: 'paused' }, before: { name: 'Menu', status: 'active' } };
    const { claims } = replay(...code, patch(2, both), { is: 'set', n: 2, stored: { name: 'New' } });
    expect(claims.get('a')?.stored).toMatchObject({ name: 'New', status: 'active' });
  });

  it('does not change the stored values of other fields', () => {
    const lines = [run('r1'), post(1), madeAs(1, 'a', { name: 'Menu', status: 'active' })];
    expect(replay(...lines, patch(2)).claims.get('a')?.stored).toEqual({ name: 'Menu', status: 'active' });
    const all = { name: 'New', status: 'expired', destination: 'https://b.example/' };
    const { claims } = replay(...lines, patch(2), set(2, all));
    expect(claims.get('a')?.stored).toEqual({ name: 'New', status: 'active' });
  });

  it('for a field whose earlier value is unknown records the stored value, but no change', () => {
    const lines = [...code, patch(2), set(2, { name: 'New' })];
    const newer = patch(3, { set: { name: 'Newer', status: 'paused' }, before: {} });
    const before = replay(...lines).claims.get('a');
    expect(replay(...lines, newer).claims.get('a')).toMatchObject({
      stored: before?.stored,
      changes: before?.changes,
    });
    const after = replay(...lines, newer, set(3, { name: 'NEWER', status: 'paused' }));
    expect(after.claims.get('a')).toMatchObject({
      stored: { name: 'NEWER', status: 'paused' },
      changes: before?.changes,
    });
  });

  it('records no change to a field that it does not send', () => {
    const { claims } = replay(...code, patch(2, { before: { name: 'Menu', status: 'active' } }));
    expect(claims.get('a')?.changes.status).toEqual([]);
    expect(claims.get('a')?.stored).toEqual({ name: 'Menu' });
  });

  it('that was not applied adds the values of its row to the claim, and changes nothing else', () => {
    const row = { name: 'New' };
    const before = replay(...code).claims.get('a');
    const after = replay(
      ...code,
      patch(2, { row, pause: 'backup', before: { name: 'Menu', status: 'active' } }),
      not(2),
    );
    expect(after.claims.get('a')).toMatchObject({
      stored: before?.stored,
      changes: before?.changes,
      paused: undefined,
    });
    expect(after.claims.get('a')?.rows[0]).toEqual(row);
  });

  it('overwrites the recorded change from an earlier PATCH that started from the same value', () => {
    const { claims } = replay(...code, patch(2), patch(3, { set: { name: 'Newer' } }), {
      is: 'set',
      n: 3,
      stored: {},
    });
    expect(claims.get('a')?.changes.name).toEqual([{ from: 'Menu', sent: 'Newer', stored: 'Newer' }]);
  });

  it('puts the values of its row first in the claim, and removes earlier copies of these values', () => {
    const row = (name: string) => ({ row: { name } });
    const { claims } = replay(...code, patch(2, row('B')), patch(3, row('C')), patch(4, row('B')));
    expect(claims.get('a')?.rows.map(({ name }) => name)).toEqual(['B', 'C', 'Menu']);
  });

  it('adds its row to the claim even if other rows differ only in type or destination', () => {
    const rows = [
      { name: 'B' },
      { name: 'B', type: 'wifi' },
      { name: 'B', type: 'wifi', destination: 'https://b.example/' },
    ];
    const patches = rows.map((row, at) => patch(at + 2, { row }));
    expect(replay(run('r1'), ...patches).claims.get('a')?.rows).toEqual(rows.toReversed());
  });

  it('leaves at most twenty rows and twenty changes in the claim to its code', () => {
    const many = Array.from({ length: 50 }, (_, i) =>
      patch(i + 2, { row: { name: `${i}` }, set: { name: `${i + 1}` }, before: { name: `${i}` } }),
    );
    const claim = replay(...code, ...many).claims.get('a');
    expect([claim?.rows.length, claim?.changes.name.length]).toEqual([20, 20]);
    expect(claim?.changes.name.at(-1)?.sent).toBe('50');
  });

  it('that pauses a code records the previous status until a later PATCH to the status succeeds', () => {
    const pause = { set: { status: 'paused' }, before: { status: 'active' }, pause: 'backup' } as const;
    const paused = [...code, patch(2, pause)];
    const expected = { why: 'backup', status: 'active' };
    expect(replay(...paused).claims.get('a')?.paused).toEqual(expected);
    const again = [...paused, patch(3, { ...pause, before: { status: 'paused' } })];
    expect(replay(...again).claims.get('a')?.paused).toEqual(expected);
    const resume = patch(4, { set: { status: 'active' }, before: { status: 'paused' } });
    expect(replay(...again, resume).claims.get('a')?.paused).toEqual(expected);
    expect(replay(...again, resume, { is: 'set', n: 4, stored: {} }).claims.get('a')?.paused).toBeUndefined();
  });

  it('that pauses a code keeps the previous status after it succeeds, and after later changes of other fields', () => {
    const pause = { set: { status: 'paused' }, before: { status: 'active' }, pause: 'removed' } as const;
    const paused = [...code, patch(2, pause), set(2, { status: 'paused' })];
    const expected = { why: 'removed', status: 'active' };
    expect(replay(...paused).claims.get('a')?.paused).toEqual(expected);
    const renamed = [...paused, patch(3), set(3, { name: 'New' })];
    expect(replay(...renamed).claims.get('a')?.paused).toEqual(expected);
  });

  it('that pauses a code records its latest known status, but `paused` only if no other is known', () => {
    const pausedOf = (...before: Values[]) => {
      const pauses = before.map((values, at) =>
        patch(at + 2, { set: { status: 'paused' }, before: values, pause: 'backup' }),
      );
      return replay(...code, ...pauses).claims.get('a')?.paused?.status;
    };
    expect(pausedOf({ status: 'active' }, { status: 'expired' })).toBe('expired');
    expect(pausedOf({ status: 'paused' })).toBe('paused');
    expect(pausedOf({ status: 'active' }, {})).toBe('active');
    expect(
      replay(...code, patch(2, { pause: 'backup', before: {} })).claims.get('a')?.paused,
    ).toBeUndefined();
  });
});

describe('dated changes', () => {
  const due = (atMs: number, says: string) => ({ due: { name: { atMs, says } } });
  const marks = (...lines: readonly LedgerLine[]) => replay(run('r1'), ...lines).claims.get('a')?.due?.name;

  it('are recorded with their PATCH, unless the PATCH was not applied', () => {
    expect(marks(patch(1, due(10, 'New')))).toEqual([{ atMs: 10, says: 'New' }]);
    expect(marks(patch(1, due(10, 'New')), patch(2, due(20, 'Newer')), not(2))).toEqual([
      { atMs: 10, says: 'New' },
    ]);
  });

  it('are recorded with the current values if nothing was sent for them', () => {
    const kept: LedgerRecord = { is: 'due', run: 'r1', id: 'a', ...due(10, 'New'), stored: { name: 'new' } };
    expect(marks(kept)).toEqual([{ atMs: 10, says: 'New' }]);
    expect(replay(run('r1'), kept).claims.get('a')).toMatchObject({
      origin: 'changed',
      stored: { name: 'new' },
    });
  });

  it('are kept for the 20 newest changes of a code, as are its rows and earlier values', () => {
    const lines = Array.from({ length: 30 }, (_, at) => [
      patch(at, {
        row: { name: `N${at}`, destination: 'https://a.example/' },
        set: { name: `N${at + 1}` },
        before: { name: `N${at}` },
        ...due(at, `N${at + 1}`),
      }),
      set(at, { name: `N${at + 1}` }),
    ]).flat();
    const newest = Array.from({ length: 20 }, (_, at) => at + 10);
    const { rows, changes, due: dated } = replay(run('r1'), ...lines).claims.get('a') ?? expect.fail();
    expect(rows.map(({ name }) => name)).toEqual(newest.toReversed().map((at) => `N${at}`));
    expect(changes.name.map(({ from }) => from)).toEqual(newest.map((at) => `N${at}`));
    expect(dated?.name?.map(({ atMs }) => atMs)).toEqual(newest);
  });

  it('are recorded per field', () => {
    const status: LedgerRecord = patch(2, { due: { status: { atMs: 10, says: 'paused' } } });
    expect(replay(run('r1'), patch(1, due(10, 'New')), status).claims.get('a')?.due).toEqual({
      name: [{ atMs: 10, says: 'New' }],
      status: [{ atMs: 10, says: 'paused' }],
    });
  });

  it('are reduced to the last change per time, and to twenty changes at most', () => {
    expect(marks(patch(1, due(10, 'A')), patch(2, due(20, 'B')), patch(3, due(10, 'C')))).toEqual([
      { atMs: 20, says: 'B' },
      { atMs: 10, says: 'C' },
    ]);
    const many = Array.from({ length: 50 }, (_, n) => patch(n + 1, due(n, 'A')));
    expect(marks(...many)).toHaveLength(20);
  });
});

describe('a code', () => {
  const found = (more = {}): LedgerRecord => ({
    is: 'found',
    run: 'r2',
    id: 'a',
    row: { name: 'Found' },
    stored: { name: 'Found' },
    ...more,
  });

  it('that was found for a row becomes a claim', () => {
    const { claims } = replay(run('r2'), found({ key: 'K' }));
    expect(claims.get('a')).toMatchObject({
      origin: 'found',
      key: 'K',
      run: 'r2',
      stored: { name: 'Found' },
      isDecided: false,
    });
  });

  it('that qrctl created keeps its origin `made` and its key if a later run finds it, and has its newest row first', () => {
    const { claims } = replay(run('r1'), post(1, { key: 'K' }), made(1, 'a'), run('r2'), found());
    expect(claims.get('a')).toMatchObject({ origin: 'made', key: 'K', run: 'r2' });
    expect(claims.get('a')?.rows.map(({ name }) => name)).toEqual(['Found', 'Menu']);
  });

  it('that was found as the replacement of another code replaces that code, and counts as decided', () => {
    const plain = replay(run('r2'), found());
    expect([plain.claims.get('a')?.isDecided, [...plain.replaced]]).toEqual([false, []]);
    const replacing = replay(run('r2'), found({ replaces: 'old' }));
    expect([replacing.claims.get('a')?.isDecided, [...replacing.replaced]]).toEqual([true, [['old', 'a']]]);
  });

  it('that qrctl created keeps the number of its POST and its decision if a later run finds it', () => {
    const view = replay(run('r1'), post(7, { decided: true }), made(7, 'a'), run('r2'), found());
    expect(view.claims.get('a')).toMatchObject({ n: 7, isDecided: true });
  });

  it('is marked as ended only after the last run that created or found it has ended', () => {
    const isEnded = (...lines: LedgerLine[]) =>
      [...replay(...lines).claims.values()].map((claim) => claim.isEnded);
    const killed = [run('r1'), post(1), made(1, 'a'), run('r2'), post(2), made(2, 'b')];
    expect(isEnded(...killed)).toEqual([false, false]);
    expect(isEnded(...killed, end('r2'))).toEqual([false, true]);
    expect(isEnded(...killed, end('r2'), run('r3'), found({ id: 'b', run: 'r3' }))).toEqual([false, false]);
  });

  it('is marked as deleted only if the service confirmed the deletion', () => {
    const sent: LedgerRecord[] = [run('r1'), { is: 'delete', run: 'r1', n: 1, id: 'a' }];
    expect(replay(...sent).claims.get('a')).toBeUndefined();
    expect(replay(...sent, not(1)).claims.get('a')).toBeUndefined();
    expect(replay(...sent, { is: 'deleted', n: 1 }).claims.get('a')?.isDeleted).toBe(true);
  });

  it('has a greater order number than codes whose last record is older', () => {
    const { claims } = replay(run('r1'), post(1), made(1, 'a'), post(2), made(2, 'b'), run('r2'), found());
    expect(claims.get('a')?.order).toBeGreaterThan(claims.get('b')?.order ?? 0);
  });
});

describe('the stored form of a value', () => {
  it('is known from a response whose value differs from the value that was sent', () => {
    const view = replay(run('r1'), post(1), made(1, 'a', 'MENU'), patch(2), {
      is: 'set',
      n: 2,
      stored: { name: 'NEW' },
    });
    expect([view.storedOf('name', 'Menu'), view.storedOf('name', 'New')]).toEqual(['MENU', 'NEW']);
    expect([view.storedOf('destination', 'Menu'), view.storedOf('name', 'Other')]).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('is unknown again after the service stored the value unchanged', () => {
    const lines = [run('r1'), post(1), made(1, 'a', 'MENU'), post(2), made(2, 'b', 'Menu')];
    expect(replay(...lines).storedOf('name', 'Menu')).toBeUndefined();
  });

  it('stays known after a response without that field', () => {
    const lines = [run('r1'), post(1), made(1, 'a', 'MENU'), post(2), madeAs(2, 'b', {})];
    expect(replay(...lines).storedOf('name', 'Menu')).toBe('MENU');
  });
});

describe('a compacted ledger', () => {
  it('has only lines that a later run can read, even if requests or responses lacked fields', () => {
    const lines = compactedFrom(
      run('r1'),
      post(1, { values: { name: 'Menu' } }),
      madeAs(1, 'a', { name: 'MENU', destination: '' }),
      post(2),
      madeAs(2, 'b', {}),
      patch(3, { set: { status: 'paused' }, before: {}, pause: 'backup' }),
      set(3, { name: 'Menu', destination: '' }),
    );
    expect(lines.filter((line) => !isLedgerLine(line))).toEqual([]);
  });

  it('records changes only for changed codes, and the IDs of each first listing only once', () => {
    const sent = [patch(3, { id: 'b' }), post(4), post(5), run('r2', ['y']), post(6)];
    const lines = compactedFrom(run('r1', ['x']), post(1), made(1, 'a'), post(2), made(2, 'b'), ...sent);
    const changed = lines.flatMap((line) => (line.is === 'claim' ? [line.claim.changes !== undefined] : []));
    expect(changed).toEqual([false, true]);
    expect(lines.filter(({ is }) => is === 'first')).toEqual([
      { is: 'first', ids: ['x'] },
      { is: 'first', ids: ['y'] },
    ]);
  });

  it('keeps the changes of a code whose fields all changed', () => {
    const sent = { name: 'B', destination: 'https://b.example/', status: 'paused' };
    const before = { name: 'A', destination: 'https://a.example/', status: 'active' };
    const lines = [run('r1'), patch(1, { set: sent, before }), set(1, sent)];
    expect(replay(...compactedFrom(...lines)).claims.get('a')?.changes).toEqual(
      replay(...lines).claims.get('a')?.changes,
    );
  });

  it('drops repeated requests as early as the ledger would have without compaction (E14)', () => {
    const lines = [run('r1'), post(1), post(2, { again: 1 }), made(2, 'b'), end('r1')];
    const kept = compactedFrom(...lines);
    expect(numbersOf(replay(...kept).repeated)).toEqual([1]);
    expect(replay(...kept, run('r2'), end('r2')).repeated).toEqual([]);
  });
});

it('request numbers increase across runs', () => {
  expect(replay().next).toBe(1);
  expect(replay(run('r1'), post(4), not(4), run('r2')).next).toBe(5);
});

/** A run of arbitrary records, which may end anywhere. */
const anyRun = fc.record({
  ids: fc.subarray(['a', 'b', 'c']),
  steps: fc.array(
    fc.record({ kind: fc.nat(11), which: fc.nat(9), text: fc.constantFrom('A', 'B', 'C', '\ud800') }),
    {
      maxLength: 15,
    },
  ),
});

/** Returns the records of the runs; each array is one run. A request of a PATCH or DELETE has its outcome in its own run or never. */
function historyOf(
  all: readonly { ids: string[]; steps: { kind: number; which: number; text: string }[] }[],
): LedgerRecord[][] {
  let n = 0;
  const posts: number[] = [];
  return all.map(({ ids, steps }, index) => {
    const name = `r${index}`;
    const others: number[] = [];
    const of = (numbers: number[], which: number) =>
      numbers.at(-1 - (which % Math.max(numbers.length, 1))) ?? 0;
    const records = steps.map(({ kind, which, text }): LedgerRecord => {
      const id = `code-${which}`;
      const values = { name: text, ...(which > 5 && { destination: `https://${text}/` }) };
      const key = which % 3 === 0 ? { key: text } : {};
      switch (kind) {
        case 0:
        case 1:
          posts.push(++n);
          return {
            is: 'post',
            run: name,
            n,
            values,
            ...key,
            ...(which === 1 && { replaces: id, decided: true, status: text }),
          };
        case 2:
          posts.push(++n);
          return { is: 'post', run: name, n, values, again: of(posts, which + 1) };
        case 3:
          return {
            is: 'made',
            n: of(posts, which),
            id,
            slug: 's',
            stored: { name: text.toLowerCase(), status: 'active' },
          };
        case 4:
          others.push(++n);
          return {
            is: 'patch',
            run: name,
            n,
            id,
            set: { [FIELDS[which % 3] ?? 'name']: text },
            before: { name: 'A', status: 'B' },
            ...(which > 5 && {
              row: values,
              pause: 'removed' as const,
              due: { name: { atMs: which % 8, says: text } },
            }),
          };
        case 5:
          others.push(++n);
          return { is: 'delete', run: name, n, id };
        case 6:
          return { is: 'found', run: name, id, row: values, stored: { name: text }, ...key };
        case 7:
          return {
            is: which % 2 ? 'set' : 'deleted',
            n: of(others, which),
            stored: { name: text.toLowerCase() },
          } as LedgerRecord;
        case 8:
          return { is: 'not', n: of(which % 2 ? others : posts, which) };
        case 9:
          return { is: 'decided', n: of(posts, which) };
        case 10:
          return {
            is: 'due',
            run: name,
            id,
            due: { name: { atMs: which % 2, says: text } },
            stored: { name: text },
          };
        default:
          return { is: 'end', run: name };
      }
    });
    return [{ is: 'run', run: name, ids }, ...records];
  });
}

/** Everything that a view says. */
function contentOf(view: LedgerView) {
  const values = ['A', 'B', 'C', '\ud800', 'https://A/'];
  return {
    claims: [...view.claims],
    unclear: view.unclear,
    repeated: view.repeated,
    replaced: [...view.replaced],
    next: view.next,
    stored: FIELDS.flatMap((field) => values.map((value) => view.storedOf(field, value))),
  };
}

it('a compacted ledger gives the same view as before, immediately and after further runs (E14)', () => {
  const property = fc.property(fc.array(anyRun, { minLength: 1, maxLength: 6 }), fc.nat(6), (all, at) => {
    const history = historyOf(all);
    const [earlier, later] = [history.slice(0, at).flat(), history.slice(at).flat()];
    const before = createReplay();
    for (const record of earlier) before.take(record);
    const kept: LedgerLine[] = JSON.parse(JSON.stringify([...before.kept()]));
    expect(contentOf(replay(...kept))).toEqual(contentOf(replay(...earlier)));
    expect(contentOf(replay(...kept, ...later))).toEqual(contentOf(replay(...earlier, ...later)));
  });
  fc.assert(property, runs(40, 15_000));
});
