/** What becomes of each row of an edited spreadsheet, by the journal of the runs before. */
import { describe, expect, it } from 'vitest';
import { entriesRecords, seenOf, toRuns } from '../../../../src/codes/engine/creation/entries.ts';
import { changesOf, planInput, type Words } from '../../../../src/codes/engine/creation/input-plan.ts';
import type { JournalRecord } from '../../../../src/codes/engine/creation/journal-records.ts';
import type { NewRow } from '../../../../src/codes/engine/creation/new-row.ts';
import { type InputRecord, type RowStates, replay } from '../../../../src/codes/engine/creation/row-states.ts';

/** A sheet whose lines are `name host`, or `name host own`. */
function sheet(...lines: string[]): NewRow[] {
  return lines.map((line, place) => {
    const [name = '', host = '', sku = ''] = line.split(' ');
    const code = { name, destination: `https://${host}.example/` };
    return { row: place + 1, line: place + 2, values: new Map(Object.entries({ ...code, sku })), own: ['sku'], code };
  });
}

const stamp = { t: 0, w: 0, b: 0 };
const created = (row: number): JournalRecord => {
  return { is: 'created', row, id: `id-${row}`, slug: `slug-${row}`, at: '2026-10-01T00:00:00Z', ...stamp };
};
const intent = (row: number): JournalRecord => ({ is: 'intent', row, ...stamp });
const entriesOf = (rows: readonly NewRow[]) => entriesRecords(rows.map((row) => [row.row, seenOf(row)] as const));

/** The journal after a run that met this sheet; each row has a code, but for those that are only `sent`, and those `without`. */
function ran(rows: readonly NewRow[], { sent = [], without = [] }: { sent?: number[]; without?: number[] } = {}): RowStates {
  const ends = rows.flatMap(({ row }) => (without.includes(row) ? [] : sent.includes(row) ? [intent(row)] : [created(row)]));
  return replay([{ is: 'session', ...stamp }, ...entriesOf(rows), ...ends]);
}

/** The journal after a further run with this sheet, which gives each new row a code. */
function ranAgain(states: RowStates, rows: readonly NewRow[]): RowStates {
  const before = states.all().length;
  for (const record of planInput(rows, states).records) states.take(record);
  for (const { row, id } of states.all().slice(before)) if (id === undefined) states.take(created(row));
  return states;
}

/** Each row as the plan has it: the number of its entry, `edit of N`, or `edit of ?`. */
function plan(states: RowStates, rows: readonly NewRow[], words?: Words): (number | string)[] {
  return Array.from(planInput(rows, states, words).rows, ({ entry, edit }) => entry ?? `edit of ${edit?.of?.row ?? '?'}`);
}

function recordsOf(states: RowStates, rows: readonly NewRow[], words?: Words): readonly InputRecord[] {
  return planInput(rows, states, words).records;
}

const ABC = sheet('a x', 'b y', 'c z');

describe('rows that nobody edited', () => {
  it('are their entries, and the journal has nothing to learn', () => {
    expect(plan(ran(ABC), ABC)).toEqual([1, 2, 3]);
    expect(recordsOf(ran(ABC), ABC)).toEqual([]);
  });

  it('are their entries wherever they are, and what is added is new (O14)', () => {
    const rows = sheet('c z', 'new w', 'a x');
    expect(plan(ran(ABC), rows)).toEqual([3, 4, 1]);
    expect(recordsOf(ran(ABC), rows)).toEqual([
      { is: 'order', runs: toRuns([3, 4, 1]) },
      { is: 'entries', first: 4, seen: [seenOf(rows[1] as NewRow)] },
    ]);
  });

  it('are their entries again when they come back', () => {
    const states = ranAgain(ran(ABC), sheet('a x', 'c z'));
    expect(states.order()).toEqual([1, 3]);
    expect(plan(states, ABC)).toEqual([1, 2, 3]);
  });

  it('are all new at first, numbered in their order', () => {
    expect(plan(replay([]), ABC)).toEqual([1, 2, 3]);
    expect(recordsOf(replay([]), ABC)).toEqual(entriesOf(ABC));
  });

  it('are learned in full if the journal has only their fingerprints', () => {
    const states = replay([{ is: 'rows', hashes: ABC.map((row) => seenOf(row).all) }]);
    expect(plan(states, ABC)).toEqual([1, 2, 3]);
    expect(recordsOf(states, ABC)).toEqual(entriesOf(ABC));
  });

  it('may have other columns of the user’s own, which the journal learns', () => {
    const rows = sheet('a x', 'b y sku-1', 'c z');
    expect(plan(ran(ABC), rows)).toEqual([1, 2, 3]);
    expect(recordsOf(ran(ABC), rows)).toEqual([{ is: 'entries', first: 2, seen: [seenOf(rows[1] as NewRow)] }]);
  });
});

describe('what a row says in other words is learned', () => {
  it('if it asks for the same code', () => {
    const [a] = sheet('a x') as [NewRow];
    const spaced = { ...a, values: new Map([...a.values, ['name', ' a']]), code: { ...a.code, name: ' a' } };
    expect(recordsOf(ran([a]), [spaced])).toEqual([{ is: 'entries', first: 1, seen: [seenOf(spaced)] }]);
  });

  it('if the journal did not know the columns of the user’s own', () => {
    const rows = sheet('a x sku-1');
    const { own: _, ...seen } = seenOf(rows[0] as NewRow);
    expect(recordsOf(replay(entriesRecords([[1, seen]])), rows)).toEqual(entriesOf(rows));
  });
});

describe('a row beside an entry that is gone is an edit of it, and not created (O31)', () => {
  it.each<[string, string[], (string | number)[]]>([
    ['the same name', ['c z', 'b new', 'a x'], [3, 'edit of 2', 1]],
    ['the same destination', ['c z', 'new y', 'a x'], [3, 'edit of 2', 1]],
    ['the same neighbors', ['a x', 'new w', 'c z'], [1, 'edit of 2', 3]],
    ['the beginning of the file and the next row', ['new w', 'b y', 'c z'], ['edit of 1', 2, 3]],
    ['the row before and the end of the file', ['a x', 'b y', 'new w'], [1, 2, 'edit of 3']],
  ])('if they share %s', (_, lines, expected) => {
    expect(plan(ran(ABC), sheet(...lines))).toEqual(expected);
  });

  it('if they share the columns of the user’s own, and no other row has these', () => {
    const before = sheet('a x 1', 'b y 2', 'c z 3');
    expect(plan(ran(before), sheet('c z 3', 'new w 2', 'a x 1'))).toEqual([3, 'edit of 2', 1]);
    expect(plan(ran(before), sheet('c z 3', 'new w 2', 'other v 2', 'a x 1'))).toEqual([3, 4, 5, 1]);
    expect(plan(ran(sheet('a x 2', 'b y 2', 'c z 3')), sheet('c z 3', 'new w 2', 'a x 2'))).toEqual([3, 4, 1]);
    expect(plan(ran(sheet('a x 2', 'b y 2', 'c z 3')), sheet('c z 3', 'new w 2', 'a x 5'))).toEqual([3, 4, 1]);
  });

  it('if their names differ in spaces and normal form only', () => {
    const named = (name: string, host: string) => [
      ...sheet('c z', 'a x'),
      ...sheet(`b ${host}`).map((row) => ({ ...row, row: 3, code: { ...row.code, name } })),
    ];
    const rows = named(' Cafe\u0301 ', 'new');
    expect(plan(ran(named('Caf\u00e9', 'y')), [rows[2], rows[0], rows[1]] as NewRow[])).toEqual(['edit of 3', 1, 2]);
  });

  it('not if they share nothing', () => {
    expect(plan(ran(ABC), sheet('c z', 'new w', 'a x'))).toEqual([3, 4, 1]);
    // Before the same row as the one that is gone, but behind another.
    const five = sheet('a x', 'b y', 'c z', 'd u', 'e v');
    expect(plan(ran(five), sheet('c z', 'a x', 'new w', 'e v', 'b y'))).toEqual([3, 1, 6, 5, 2]);
  });

  it('by its neighbors also if an equal row was edited before, and the journal took it for the other one', () => {
    const states = ran(sheet('a x', 'a x'));
    const once = sheet('a y', 'a x');
    expect(plan(states, once)).toEqual(['edit of 2', 1]);
    ranAgain(states, once).take({ is: 'entries', first: 2, seen: [seenOf(once[0] as NewRow)] });
    expect(plan(states, sheet('a y', 'b y'))).toEqual([2, 'edit of 1']);
  });

  it('by its neighbors also beside a row that came back', () => {
    const states = ranAgain(ran(sheet('a x', 'b y', 'c z', 'd v')), sheet('a x', 'c z', 'd v'));
    expect(plan(states, sheet('a x', 'b y', 'new w', 'd v'))).toEqual([1, 2, 'edit of 3', 4]);
  });

  it('also if nobody knows whether the entry has a code, but not if it has none', () => {
    const rows = sheet('a x', 'b new', 'c z');
    expect(plan(ran(ABC, { sent: [2] }), rows)).toEqual([1, 'edit of 2', 3]);
    expect(plan(ran(ABC, { without: [2] }), rows)).toEqual([1, 4, 3]);
  });

  it('and says what is edited, which codes come into question, and what is held', () => {
    const { rows, held } = planInput(sheet('a x', 'b new', 'c z'), ran(ABC));
    expect(rows.at(1)?.edit).toMatchObject({
      row: { row: 2 },
      of: { row: 2, id: 'id-2' },
      changes: [{ field: 'destination', old: 'https://y.example/', new: 'https://new.example/' }],
      candidates: [],
    });
    expect(held.map(({ row }) => row)).toEqual([2]);
    expect(rows.at(3)).toBeUndefined();
    const unclear = planInput(sheet('c z', 'new w', 'new v', 'a x', 'b y'), ran(sheet('a x', 'new y', 'b y', 'c z')));
    expect(unclear.rows.at(1)?.edit).toMatchObject({ of: undefined, candidates: [{ row: 2 }] });
  });

  it('also if only its fingerprint is known: what it said is not known', () => {
    const states = replay([{ is: 'rows', hashes: ABC.map((row) => seenOf(row).all) }, ...[1, 2, 3].map(created)]);
    const { rows } = planInput(sheet('c z', 'new w', 'a x'), states);
    expect(rows.at(1)?.edit).toMatchObject({ of: { row: 2 }, changes: undefined, candidates: [] });
    expect(plan(states, sheet('c z', 'new w', 'new v', 'a x'))).toEqual([3, 'edit of ?', 'edit of ?', 1]);
    expect(planInput(sheet('a x', 'c z'), states).held).toEqual([]);
    // Wherever it is.
    for (const record of entriesOf(ABC.filter(({ row }) => row !== 2))) states.take(record);
    expect(plan(states, sheet('a x', 'c z', 'new w'))).toEqual([1, 3, 'edit of ?']);
  });
});

describe('rows that say the same', () => {
  const TWINS = sheet('t x', 'a x', 't x', 'b y', 't x');

  it('are neighbors to nobody if they are not as many as they were', () => {
    expect(plan(ran(TWINS), sheet('t x', 'a x', 'b y', 'new w'))).toEqual([1, 2, 4, 'edit of 5']);
    // Which of the three became the new row nobody knows.
    expect(plan(ran(TWINS), sheet('a x', 'b y', 'new w', 't x'))).toEqual([2, 4, 'edit of ?', 5]);
  });

  it('stand for those of them that are gone, and for no others', () => {
    const states = ran(sheet('t x', 'u y', 'a z', 't x', 'b v'));
    expect(plan(states, sheet('t x', 'new w', 'u y', 'a z', 'b v', 'u y'))).toEqual([1, 'edit of ?', 2, 3, 5, 6]);
    const others = ran(sheet('t x', 'a z', 'u y', 'b v'));
    expect(plan(others, sheet('a z', 'u y', 'new w', 'u y', 'b v'))).toEqual([2, 3, 5, 6, 4]);
  });

  it('are neighbors also if one of them was gone already when the last run came', () => {
    const states = ranAgain(ran(sheet('t x', 't x', 'a y', 'b z')), sheet('t x', 'a y', 'b z'));
    expect(plan(states, sheet('new w', 't x', 'b z'))).toEqual([5, 1, 4]);
  });

  it('are neighbors to nobody if one came back in the place of another', () => {
    const states = ranAgain(ran(sheet('t x 1', 't x 2', 'a y', 'b z')), sheet('t x 2', 'a y', 'b z'));
    expect(plan(states, sheet('t x 1', 'new w', 'b z'))).toEqual([1, 'edit of ?', 4]);
  });

  it('are in the order in which the last run had them', () => {
    const states = ranAgain(ran(sheet('t x 1', 't x 2', 't x 3')), sheet('t x 3', 't x 2', 't x 1'));
    expect(plan(states, sheet('t x', 't x', 't x'))).toEqual([3, 2, 1]);
  });

  it('are neighbors as all others if they are as many', () => {
    const before = sheet('t x', 'a v', 't x', 'b y');
    expect(plan(ran(before), sheet('t x', 'new w', 't x', 'b y'))).toEqual([1, 'edit of 2', 3, 4]);
  });

  it('are told apart by where the others are', () => {
    expect(plan(ran(TWINS), sheet('a x', 't x', 'b y', 't x'))).toEqual([2, 3, 4, 5]);
    expect(plan(ran(TWINS), sheet('t x', 'a x', 'b y', 't x'))).toEqual([1, 2, 4, 5]);
  });

  it('keep the entries that have codes (O14)', () => {
    expect(plan(ran(TWINS, { without: [1], sent: [3] }), sheet('a x', 't x', 'b y'))).toEqual([2, 5, 4]);
    expect(plan(ran(TWINS, { without: [1, 5], sent: [3] }), sheet('a x', 't x', 'b y'))).toEqual([2, 3, 4]);
  });
});

describe('an entry that was gone already when the last run came', () => {
  const gone = () => ranAgain(ran(ABC), sheet('a x', 'c z'));

  it('may be a row that has its name or destination, if no other row has these (O31)', () => {
    expect(plan(gone(), sheet('a x', 'c z', 'b new'))).toEqual([1, 3, 'edit of 2']);
    expect(plan(gone(), sheet('a x', 'c z', 'new y'))).toEqual([1, 3, 'edit of 2']);
    const named = ranAgain(ran(sheet('a x', 'b y', 'b z')), sheet('a x', 'b z'));
    expect(plan(named, sheet('a x', 'b z', 'b new'))).toEqual([1, 3, 4]);
    const led = ranAgain(ran(sheet('a x', 'b y', 'c y')), sheet('a x', 'c y'));
    expect(plan(led, sheet('a x', 'c y', 'new y'))).toEqual([1, 3, 4]);
  });

  it('is none by its neighbors', () => {
    expect(plan(gone(), sheet('a x', 'new w', 'c z'))).toEqual([1, 4, 3]);
  });

  it('is forgotten if it has no code; what says the same is new', () => {
    const states = ran(ABC, { without: [2] });
    for (const record of recordsOf(states, sheet('a x', 'c z'))) states.take(record);
    expect(plan(states, ABC)).toEqual([1, 4, 3]);
  });

  it('may be what says the same if nobody knows whether it has a code', () => {
    const states = ran(ABC, { sent: [2] });
    for (const record of recordsOf(states, sheet('a x', 'c z'))) states.take(record);
    expect(plan(states, ABC)).toEqual([1, 'edit of 2', 3]);
    const twins = ran(sheet('a x', 'b y', 'b y', 'c z'), { sent: [2, 3] });
    for (const record of recordsOf(twins, sheet('a x', 'c z'))) twins.take(record);
    expect(plan(twins, sheet('a x', 'b y', 'b y', 'c z'))).toEqual([1, 'edit of 2', 'edit of 3', 4]);
  });
});

describe('by the user’s word', () => {
  const edited = sheet('a x', 'b new', 'c z');

  it('a row is one of its own, and stays so (--as-new)', () => {
    const words = { asNew: new Set([1]), pins: new Map() };
    const states = ran(ABC);
    expect(plan(states, edited, words)).toEqual([1, 4, 3]);
    const records = recordsOf(states, edited, words);
    expect(records).toEqual([
      { is: 'order', runs: toRuns([1, 4, 3]) },
      { is: 'entries', first: 4, seen: [{ ...seenOf(edited[1] as NewRow), word: true }] },
    ]);
    for (const record of records) states.take(record);
    expect(recordsOf(states, edited)).toEqual([]);
    const again = sheet('a x', 'b new sku-1', 'c z');
    expect(recordsOf(states, again)).toEqual([
      { is: 'entries', first: 4, seen: [{ ...seenOf(again[1] as NewRow), word: true }] },
    ]);
  });

  it('a row is an edit of this entry, whatever it says', () => {
    const rows = sheet('c z', 'new w', 'a x');
    expect(plan(ran(ABC), rows, { asNew: new Set(), pins: new Map([[1, 2]]) })).toEqual([3, 'edit of 2', 1]);
    expect(plan(ran(ABC), rows, { asNew: new Set(), pins: new Map([[1, 1]]) })).toEqual([3, 4, 1]);
  });
});

describe('what the next input is compared with', () => {
  const orderAfter = (states: RowStates, rows: readonly NewRow[]) => ranAgain(states, rows).order();

  it('has an edit as the entry that it was, and others that rows may be edits of behind the rows that they were behind', () => {
    expect(orderAfter(ran(ABC), sheet('a x', 'b new', 'c z'))).toEqual([1, 2, 3]);
    expect(orderAfter(ran(ABC), sheet('a new', 'b new', 'c z'))).toEqual([1, 2, 3]);
    expect(orderAfter(ran(ABC), sheet('c z', 'b new', 'a x'))).toEqual([3, 2, 1]);
    expect(orderAfter(ran(ABC), sheet('c z', 'b new', 'new y', 'a x'))).toEqual([3, 1, 2]);
    expect(orderAfter(ran(ABC), sheet('a x', 'b z', 'c y', 'new w'))).toEqual([1, 2, 3]);
    expect(orderAfter(ran(ABC), sheet('a y', 'b x', 'new w', 'c z'))).toEqual([1, 2, 3]);
  });

  it('lacks those that are gone for good', () => {
    expect(orderAfter(ran(ABC), sheet('a x', 'c z'))).toEqual([1, 3]);
    const states = ranAgain(ran(ABC), sheet('a x', 'c z'));
    expect(plan(states, sheet('a x', 'b new', 'c z'))).toEqual([1, 'edit of 2', 3]);
    expect(orderAfter(states, sheet('a x', 'b new', 'c z'))).toEqual([1, 3]);
  });

  it('is the same after a run that changed nothing', () => {
    const edited = sheet('a x', 'b new', 'c z');
    expect(recordsOf(ranAgain(ran(ABC), edited), edited)).toEqual([]);
  });

  it('has nothing in it of a file without rows', () => {
    expect(recordsOf(replay([]), [])).toEqual([]);
    expect(recordsOf(ran(ABC), [])).toEqual([{ is: 'order', runs: [] }]);
  });
});

describe('changes', () => {
  const code = { name: 'Menu', destination: 'https://a.example/' };

  it('are those that the service would not tidy away', () => {
    expect(changesOf({ ...code, all: '' }, { name: ' Menu ', type: 'url', destination: 'https://a.example' })).toEqual([]);
    expect(changesOf({ name: 'Menu', all: '' }, { name: 'Menu', destination: '' })).toEqual([]);
  });

  it('are told field by field, by their defaults where nothing is said', () => {
    expect(changesOf({ ...code, all: '' }, { name: 'Card', type: 'menu' })).toEqual([
      { field: 'name', old: 'Menu', new: 'Card' },
      { field: 'type', old: 'url', new: 'menu' },
      { field: 'destination', old: 'https://a.example/', new: '' },
    ]);
  });

  it('are not known if only a fingerprint is', () => {
    expect(changesOf({ all: 'f' }, code)).toBeUndefined();
  });
});
