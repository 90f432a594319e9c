/** The input of a run, as its journal knows it: what it learns from the service and from results, and how edits are applied. */
import { describe, expect, it } from 'vitest';
import { NotFoundError } from '../../../../src/base/errors.ts';
import { entriesRecords, seenOf } from '../../../../src/codes/engine/creation/entries.ts';
import { type ApplyEdits, openInput } from '../../../../src/codes/engine/creation/input-rows.ts';
import type { JournalRecord } from '../../../../src/codes/engine/creation/journal-records.ts';
import type { ListedRow } from '../../../../src/codes/engine/creation/listed-rows.ts';
import type { NewRow } from '../../../../src/codes/engine/creation/new-row.ts';
import { type InputRecord, replay } from '../../../../src/codes/engine/creation/row-states.ts';
import type { NewCode, QrCode } from '../../../../src/service/shapes.ts';

const stamp = { t: 0, w: 0, b: 0 };
const sheet = (...lines: string[]): NewRow[] =>
  lines.map((line, place) => {
    const [name = '', host = '', type] = line.split(' ');
    const code: NewCode = { name, destination: `https://${host}.example/`, ...(type !== undefined && { type }) };
    return { row: place + 1, line: place + 2, values: new Map(Object.entries(code)), code };
  });
const [A] = sheet('a x') as [NewRow];
const ABC = sheet('a x', 'b y', 'c z');

/** The journal of a run that gave each of these rows a code. */
const journalOf = (rows: readonly NewRow[], ...more: JournalRecord[]): JournalRecord[] => [
  { is: 'session', ...stamp },
  ...entriesRecords(rows.map((row) => [row.row, seenOf(row)] as const)),
  ...rows.map(({ row }): JournalRecord => ({ is: 'created', row, id: `id-${row}`, slug: `slug-${row}`, at: '', ...stamp })),
  ...more,
];

interface Opening {
  rows: readonly NewRow[];
  journal?: readonly JournalRecord[];
  /** The codes of the workspace, by their ids. */
  codes?: Readonly<Record<string, NewCode>>;
  results?: readonly ListedRow[];
  skipExisting?: boolean;
  looksFirst?: boolean;
  applyEdits?: ApplyEdits;
  asNew?: number[];
  adopt?: { line: number; id: string }[];
}

async function opened({
  rows,
  journal = [],
  codes = {},
  results = [],
  skipExisting = false,
  looksFirst = false,
  applyEdits,
  asNew = [],
  adopt = [],
}: Opening) {
  const states = replay(journal);
  const learned: InputRecord[][] = [];
  const learn = async (records: readonly InputRecord[]) => {
    for (const record of records) states.take(record);
    if (records.length > 0) learned.push([...records]);
  };
  const asked: string[] = [];
  const codeOf = (id: string) => ({ ...codes[id], id, slug: `slug of ${id}` }) as QrCode;
  const getCode = async (id: string) => {
    asked.push(id);
    if (!codes[id]) throw new NotFoundError('no such code');
    return codeOf(id);
  };
  const listed = results.flatMap(({ id }, place) => (id === undefined ? [] : [{ row: place + 1, id }]));
  const input = await openInput(
    {
      ...{ rows, skipExisting, applyEdits, looksFirst, listed, readListed: async () => results, service: { getCode } },
      decisions: { adopt, notCreated: [], asNew },
    },
    { ...states, learn },
    async () => {
      asked.push('listing');
      return Object.keys(codes).map(codeOf);
    },
  );
  const plan = () => Array.from(input.plan().rows, ({ entry, edit }) => entry ?? `edit of ${edit?.of?.row ?? '?'}`);
  return { input, states, learned, asked, plan };
}

describe('a code whose change a stopped run began (O35)', () => {
  const wanted = sheet('b y') as [NewRow];
  const begun = journalOf([A], { is: 'changing', entry: 1, seen: seenOf(wanted[0]) });
  const said = (code: NewCode | undefined) => opened({ rows: wanted, journal: begun, codes: code ? { 'id-1': code } : {} });

  it('is asked for once, and taken for what it is by now', async () => {
    const done = await said(wanted[0].code);
    expect([done.asked, done.plan()]).toEqual([['id-1'], [1]]);
    expect(done.states.of(1)).toMatchObject({ seen: { name: 'b' }, changing: undefined });
    const left = await said(A.code);
    expect(left.plan()).toEqual(['edit of 1']);
    expect(left.states.of(1)).toMatchObject({ seen: { name: 'a' }, changing: undefined });
  });

  it('is changed if all that was to be changed is, whatever else another user changed', async () => {
    const rename = sheet('b x') as [NewRow];
    const journal = journalOf([A], { is: 'changing', entry: 1, seen: seenOf(rename[0]) });
    const renamed = { name: 'b', destination: 'https://other.example/' };
    expect((await opened({ rows: rename, journal, codes: { 'id-1': renamed } })).plan()).toEqual([1]);
    const half = { name: 'b', destination: A.code.destination as string };
    expect((await said(half)).plan()).toEqual(['edit of 1']);
  });

  it('is as it was if it is gone', async () => {
    expect((await said(undefined)).plan()).toEqual(['edit of 1']);
  });

  it('is not asked for if no change was begun', async () => {
    expect((await opened({ rows: wanted, journal: journalOf([A]) })).asked).toEqual([]);
  });
});

describe('edits', () => {
  const edited = sheet('a x', 'b new', 'c z');

  it('are not applied if that was not asked for', async () => {
    const { input, plan } = await opened({ rows: edited, journal: journalOf(ABC) });
    expect(await input.applyEdits()).toEqual({ stop: undefined, failed: new Map(), done: new Map() });
    expect(plan()).toEqual([1, 'edit of 2', 3]);
  });

  it('are on disk before their requests leave, and their rows are entries afterwards', async () => {
    const steps: string[] = [];
    const applyEdits: ApplyEdits = async (edits, log) => {
      for (const edit of edits) {
        await log.begin(edit);
        steps.push(`${edit.entry} ${edit.id} ${edit.slug} ${states.of(2).changing?.destination}`);
        await log.done(edit);
      }
      return { stop: 'full', failed: new Map([[9, 'no']]) };
    };
    const { input, states, plan } = await opened({ rows: edited, journal: journalOf(ABC), applyEdits });
    const end = await input.applyEdits();
    expect(steps).toEqual(['2 id-2 slug-2 https://new.example/']);
    expect(end).toMatchObject({ stop: 'full', failed: new Map([[9, 'no']]) });
    expect([...end.done.keys()]).toEqual([2]);
    expect([plan(), [...input.entries().values()].map(({ row }) => row)]).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
    expect(states.of(2)).toMatchObject({ seen: { destination: 'https://new.example/' }, changing: undefined });
  });

  it('that failed stay edits', async () => {
    const applyEdits: ApplyEdits = async ([edit], log) => {
      if (edit) await log.begin(edit);
      return { stop: undefined, failed: new Map([[2, 'no']]) };
    };
    const { input, plan } = await opened({ rows: edited, journal: journalOf(ABC), applyEdits });
    expect((await input.applyEdits()).done.size).toBe(0);
    expect(plan()).toEqual([1, 'edit of 2', 3]);
  });

  it.each([
    ['of a type, which the service cannot change,', sheet('a x', 'b y menu', 'c z')],
    ['of which nobody knows what they are of', sheet('a x', 'b new', 'other y', 'c z')],
  ])('%s are not tried', async (_, rows) => {
    const applyEdits: ApplyEdits = async () => expect.unreachable();
    const { input } = await opened({ rows, journal: journalOf(ABC), applyEdits });
    expect((await input.applyEdits()).done.size).toBe(0);
  });
});

describe('rows of the input', () => {
  it('are their entries by number, whatever their places', async () => {
    const { input } = await opened({ rows: sheet('c z', 'a x'), journal: journalOf(ABC) });
    const entries = input.entries();
    expect([...entries.values()].map(({ row, line }) => [row, line])).toEqual([
      [3, 2],
      [1, 3],
    ]);
    expect([1, 2, 3].map((entry) => [entries.has(entry), entries.get(entry)?.line])).toEqual([
      [true, 3],
      [false, undefined],
      [true, 2],
    ]);
  });

  it('are planned by the user’s word, and stay so when they are planned again', async () => {
    const { input, plan } = await opened({ rows: sheet('a x', 'b new', 'c z'), journal: journalOf(ABC), asNew: [3] });
    expect(plan()).toEqual([1, 4, 3]);
    await input.replan();
    expect(plan()).toEqual([1, 4, 3]);
  });

  it('are new by the user’s word only when it is known whether removed rows were created (O34)', async () => {
    const rows = sheet('a x', 'b new', 'c new');
    const [session, entries] = journalOf(ABC) as [JournalRecord, JournalRecord];
    const [first, second, third] = journalOf(ABC).slice(2) as [JournalRecord, JournalRecord, JournalRecord];
    const sent: JournalRecord = { is: 'intent', row: 2, ...stamp };
    const given = { rows, journal: [session, entries, first, sent, third], asNew: [3] };
    expect((await opened(given)).plan()).toEqual([1, 4, 'edit of 3']);
    const { input, states, plan } = await opened({ ...given, looksFirst: true });
    expect(plan()).toEqual([1, 'edit of 2', 'edit of 3']);
    states.take(second);
    await input.replan();
    expect(plan()).toEqual([1, 4, 'edit of 3']);
    // Nothing is to be looked up.
    expect((await opened({ ...given, journal: journalOf(ABC), looksFirst: true })).plan()).toEqual([1, 4, 'edit of 3']);
    const bare: JournalRecord[] = [session, { is: 'rows', hashes: ABC.map((row) => seenOf(row).all) }, first, sent, third];
    expect((await opened({ rows: sheet('a x', 'new w', 'c z'), journal: bare, asNew: [3], looksFirst: true })).plan()).toEqual([
      1, 4, 3,
    ]);
  });

  it('that say the same keep their entries while they are sent', async () => {
    const twins = sheet('a x', 'a x');
    const { states, input, plan } = await opened({ rows: twins });
    expect(plan()).toEqual([1, 2]);
    states.take({ is: 'created', row: 2, id: 'id-2', slug: 's', at: '', ...stamp });
    await input.replan();
    expect(plan()).toEqual([1, 2]);
  });
});

describe('edits that are decided, or cannot be applied', () => {
  const none: ApplyEdits = async () => ({ stop: undefined, failed: new Map() });

  it('are changes of the codes that were chosen, which needs --apply-edits; others are new rows (O12)', async () => {
    const rows = sheet('a x', 'n1 y', 'n2 z');
    const words = { adopt: [{ line: 3, id: 'id-2' }], asNew: [4] };
    const { plan } = await opened({ rows, journal: journalOf(ABC), applyEdits: none, ...words });
    expect(plan()).toEqual([1, 'edit of 2', 4]);
    await expect(opened({ rows, journal: journalOf(ABC), ...words })).rejects.toMatchObject({
      hint: expect.stringContaining('--apply-edits'),
    });
  });

  it('are not applied to a code that is unknown, nor if the type is to be changed too', async () => {
    const asked: unknown[] = [];
    const applyEdits: ApplyEdits = async (edits) => {
      asked.push(...edits);
      return { stop: undefined, failed: new Map() };
    };
    const [session, entries] = journalOf([A]) as [JournalRecord, JournalRecord];
    const lost: JournalRecord[] = [session, entries, { is: 'intent', row: 1, ...stamp }];
    for (const given of [
      { rows: sheet('b x'), journal: lost },
      { rows: sheet('b x menu'), journal: journalOf([A]) },
    ]) {
      const { input, plan } = await opened({ ...given, applyEdits });
      expect(plan()).toEqual(['edit of 1']);
      await input.applyEdits();
    }
    expect(asked).toEqual([]);
  });

  it('are applied also if only the fingerprint of the removed row is known', async () => {
    const asked: unknown[] = [];
    const applyEdits: ApplyEdits = async (edits) => {
      asked.push(...edits.map(({ id, changes }) => [id, changes]));
      return { stop: undefined, failed: new Map() };
    };
    const [session, , created] = journalOf([A]) as [JournalRecord, JournalRecord, JournalRecord];
    const journal: JournalRecord[] = [session, { is: 'rows', hashes: [seenOf(A).all] }, created];
    const { input } = await opened({ rows: sheet('b y'), journal, applyEdits });
    await input.applyEdits();
    expect(asked).toEqual([['id-1', undefined]]);
  });

  it('are what the journal has of their rows afterwards (O35)', async () => {
    const applyEdits: ApplyEdits = async (edits, log) => {
      for (const edit of edits) await log.done(edit);
      // Already now: the process may be killed before the next change.
      expect(states.of(1).seen).toMatchObject({ name: 'b' });
      return { stop: undefined, failed: new Map() };
    };
    const { input, states, learned } = await opened({ rows: sheet('b x'), journal: journalOf([A]), applyEdits });
    await input.applyEdits();
    expect(states.of(1).seen).toMatchObject({ name: 'b' });
    expect(learned[0]).toMatchObject([{ is: 'entries', first: 1, seen: [{ name: 'b' }] }]);
  });
});

it('keeps the entries of rows that say the same when another of them gets its code', async () => {
  const twins = (count: number) => sheet(...Array(count).fill('a x'));
  const [session, entries] = journalOf(twins(3)) as [JournalRecord, JournalRecord];
  const sent = [1, 2, 3].map((row): JournalRecord => ({ is: 'intent', row, ...stamp }));
  const { input, plan, states } = await opened({ rows: twins(2), journal: [session, entries, ...sent] });
  const before = plan();
  const [other = 0] = [1, 2, 3].filter((row) => !before.includes(row));
  states.take({ is: 'created', row: other, id: 'id', slug: 's', at: '', ...stamp });
  await input.replan();
  expect(plan()).toEqual(before);
});

describe('a new row in the place of a removed one', () => {
  const before = journalOf(sheet('a 1', 'x 2', 'b 3', 'c 4', 'd 5'));

  it.each([
    ['between the same rows', ['a 1', 'y 9', 'b 3', 'c 4', 'd 5'], 'edit of 2'],
    ['before another row', ['a 1', 'y 9', 'c 4', 'b 3', 'd 5'], 6],
    ['behind another row', ['d 5', 'y 9', 'b 3', 'c 4', 'a 1'], 6],
  ])('is an edit of it only if it is between the same rows: %s (O31)', async (_, lines, planned) => {
    const { plan } = await opened({ rows: sheet(...lines), journal: before });
    expect(plan()[1]).toBe(planned);
  });
});

describe('entries', () => {
  it('keep what was sent first, if they were changed since', async () => {
    const [, B] = ABC as [NewRow, NewRow, NewRow];
    const journal = journalOf([A], { is: 'entries', first: 1, seen: [seenOf(B)] });
    const { states } = await opened({ rows: sheet('b y'), journal });
    expect(states.of(1)).toMatchObject({ code: { name: 'a' }, seen: { name: 'b' } });
  });
});

describe('results of an earlier run', () => {
  const result = (row: NewRow, id?: string, isEdited = false): ListedRow => ({ seen: seenOf(row), id, slug: 's', isEdited });

  it('tell what a journal says that has only fingerprints', async () => {
    const bare: JournalRecord[] = [{ is: 'rows', hashes: ABC.map((row) => seenOf(row).all) }];
    const { states, asked } = await opened({ rows: sheet('a x'), journal: bare, results: ABC.map((row) => result(row)) });
    expect(states.of(2).seen).toMatchObject({ name: 'b', destination: 'https://y.example/' });
    expect(asked).toEqual([]);
  });

  it('tell which codes rows have, without the journal (--skip-existing)', async () => {
    const codes = { 'id-a': A.code, 'id-b': { name: 'old', destination: 'https://y.example/' } };
    const [, B] = ABC as [NewRow, NewRow, NewRow];
    const results = [result(A, 'id-a'), result(B, 'id-b', true), result(A, 'id-gone'), result(A)];
    const { states, asked, plan } = await opened({ rows: sheet('a x', 'b y'), codes, results, skipExisting: true });
    expect(asked).toEqual(['listing']);
    expect(states.all().slice(0, 2)).toMatchObject([
      { state: 'exists', id: 'id-a', slug: 'slug of id-a', seen: { name: 'a' } },
      { state: 'exists', id: 'id-b', seen: { name: 'old' } },
    ]);
    expect(plan()).toEqual([1, 'edit of 2']);
  });

  it('tell only what a journal does not say itself', async () => {
    const [, B] = ABC as [NewRow, NewRow, NewRow];
    const own = { ...seenOf(A), name: 'changed' };
    const mixed: JournalRecord[] = [
      { is: 'rows', hashes: [A, B].map((row) => seenOf(row).all) },
      { is: 'entries', first: 1, seen: [own] },
    ];
    const { states } = await opened({ rows: [A], journal: mixed, results: [result(A), result(B)] });
    expect(states.all().slice(0, 2)).toMatchObject([{ seen: { name: 'changed' } }, { seen: { name: 'b' } }]);
  });

  it('add only the codes that a journal lacks, with the user’s own columns (--skip-existing)', async () => {
    const [, B] = ABC as [NewRow, NewRow, NewRow];
    const own = { ...B, own: ['name'] };
    const codes = { 'id-1': A.code, 'id-b': { name: 'old', destination: 'https://y.example/' } };
    for (const [row, isEdited] of [
      [own, true],
      [B, true],
      [own, false],
    ] as const) {
      const results = [result(A, 'id-1'), result(row, 'id-b', isEdited)];
      const { states } = await opened({ rows: [A], journal: journalOf([A]), codes, results, skipExisting: true });
      expect(states.all().map(({ id }) => id)).toEqual(['id-1', 'id-b']);
      const { all, own: known } = seenOf(row);
      const said = isEdited ? { name: 'old', destination: 'https://y.example/', all, ...(known && { own: known }) } : seenOf(row);
      expect(states.of(2).seen).toEqual({ ...said, id: 'id-b', slug: 'slug of id-b' });
    }
  });

  it('are not looked up if the journal knows their codes, or nothing is to be skipped', async () => {
    const results = [result(A, 'id-1')];
    expect((await opened({ rows: [A], journal: journalOf([A]), results, skipExisting: true })).asked).toEqual([]);
    expect((await opened({ rows: [A], results })).asked).toEqual([]);
  });
});
