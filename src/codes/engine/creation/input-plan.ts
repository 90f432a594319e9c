/**
 * Plans each row of the input before anything is sent: it is an entry of the journal, an edit of one, or new. Pure, so that a dry run
 * prints exactly the plan of a run.
 */
import { numberSet } from '../../../base/collections/number-set.ts';
import type { NewCode, QrCode } from '../../../service/shapes.ts';
import type { RowState } from './apply-record.ts';
import { cluesOf, type GoneRow } from './edit-clues.ts';
import { codeOf, entriesRecords, type Seen, seenOf, toRuns } from './entries.ts';
import { findEdits } from './find-edits.ts';
import type { NewRow } from './new-row.ts';
import { type ComparedRow, type Recognized, recognizeRows } from './recognize-rows.ts';
import type { InputRecord, RowStates } from './row-states.ts';
import { differingFields, type ValueField } from './same-values.ts';

/** Decisions of the user about rows, by their places (from 0). */
export interface Words {
  /** Each is a row of its own. */
  readonly asNew: ReadonlySet<number>;
  /** It is an edit of this entry. */
  readonly pins: ReadonlyMap<number, number>;
}

export const NO_WORDS: Words = { asNew: new Set(), pins: new Map() };

export interface FieldChange {
  readonly field: ValueField;
  readonly old: string;
  readonly new: string;
}

/** Row that is, or may be, the new form of a removed entry. */
export interface Edit {
  readonly row: NewRow;
  /** The entry that it was; undefined if several come into question. */
  readonly of: RowState | undefined;
  /** Differences from the last values of the entry; undefined if they are unknown. */
  readonly changes: readonly FieldChange[] | undefined;
  /** If it is not clear which entry it was: those that come into question, not all if they are many. */
  readonly candidates: readonly RowState[];
}

/** Planned row: an entry, or an edit. */
export interface PlannedRow {
  readonly row: NewRow;
  /** Its number, also if `records` is about to add it to the journal. */
  readonly entry: number | undefined;
  readonly edit: Edit | undefined;
}

/** The planned rows, in the order of the input. Put together when they are asked for: all of them would be as large as the rows. */
export class PlannedRows implements Iterable<PlannedRow> {
  readonly #rows: readonly NewRow[];
  readonly #entries: ArrayLike<number>;
  readonly #edits: ReadonlyMap<number, Pick<Edit, 'of' | 'candidates'>>;

  /** `entries`: the numbers of the rows, and anything for those that `edits` has, by their places. */
  constructor(
    rows: readonly NewRow[],
    entries: ArrayLike<number>,
    edits: ReadonlyMap<number, Pick<Edit, 'of' | 'candidates'>> = new Map(),
  ) {
    this.#rows = rows;
    this.#entries = entries;
    this.#edits = edits;
  }

  at(place: number): PlannedRow | undefined {
    const row = this.#rows[place];
    return row && this.#plan(row, place);
  }

  #plan(row: NewRow, place: number): PlannedRow {
    const found = this.#edits.get(place);
    if (!found) return { row, entry: this.#entries[place], edit: undefined };
    const { of, candidates } = found;
    return { row, entry: undefined, edit: { row, of, candidates, changes: of?.seen && changesOf(of.seen, row.code) } };
  }

  *entries(): Generator<[place: number, PlannedRow]> {
    for (const [place, row] of this.#rows.entries()) yield [place, this.#plan(row, place)];
  }

  *[Symbol.iterator](): Generator<PlannedRow> {
    for (const [, planned] of this.entries()) yield planned;
  }
}

export interface InputPlan {
  readonly rows: PlannedRows;
  /** Entries that are gone and that rows may be edits of. */
  readonly held: readonly RowState[];
  /** Records for the journal before anything of this is sent. */
  readonly records: readonly InputRecord[];
}

/**
 * Plans the input from the journal and the user's decisions. `kept` holds the entries of rows, by place, from an earlier plan of this run.
 * Takes time linear in the number of rows and entries.
 */
export function planInput(
  input: readonly NewRow[],
  states: RowStates,
  { asNew, pins }: Words = NO_WORDS,
  kept: ReadonlyMap<number, number> = new Map(),
): InputPlan {
  const recognized = recognizeRows(input, states, kept);
  const { rows, order, found } = recognized;
  const clues = cluesOf(states, recognized);
  const fresh = clues.fresh.filter(({ place }) => !asNew.has(place));
  const byEntry = new Map(clues.gone.map((gone) => [gone.state.row, gone]));
  const pinned = fresh.flatMap((row) => {
    const gone = byEntry.get(pins.get(row.place) ?? 0);
    return gone ? [[row, gone] as const] : [];
  });
  const { edits, held } = findEdits(fresh, clues.gone, new Map(pinned), clues.alsoIn);
  const editOf = new Map(
    [...edits].map(([{ place }, { of, candidates }]) => {
      return [place, { of: of?.state, candidates: candidates.map(({ state }) => state) }];
    }),
  );

  let next = states.all().length;
  const entries = Int32Array.from(rows, (_, place) => (editOf.has(place) ? 0 : (found[place] ?? ++next)));
  const seenNow = rows.flatMap((read, place) => news(entries[place], read, states, asNew.has(place)));
  const runs = toRuns(orderOf(entries, editOf, { order, found }, held));
  const isKnown = isRecorded(runs, states, next);
  return {
    rows: new PlannedRows(input, entries, editOf),
    held: [...held].map(({ state }) => state),
    // The order first: if power fails between the two, the new entries were never sent, and their numbers mean nothing.
    records: [...(isKnown ? [] : [{ is: 'order' as const, runs }]), ...entriesRecords(seenNow)],
  };
}

/** Returns whether the journal contains this order (see `toRuns`) of the input, given the number of its entries. */
export function isRecorded(runs: readonly number[], states: RowStates, entries = states.all().length): boolean {
  return String(runs) === String(states.runs() ?? (entries > 0 ? [1, entries] : []));
}

/** Records about a row for the journal: a new entry, or changed values of a known one; none of an edit. */
function news(entry = 0, { row }: ComparedRow, states: RowStates, isWord: boolean): (readonly [number, Seen])[] {
  if (entry === 0) return [];
  const seen = seenOf(row);
  if (entry > states.all().length) return [[entry, isWord ? { ...seen, word: true } : seen]];
  const before = states.of(entry).seen;
  if (before && before.name !== undefined && before.all === seen.all && before.own === seen.own) return [];
  return [[entry, before?.word ? { ...seen, word: true } : seen]];
}

/**
 * Order to compare the next input with: that of this one, in which an edit is the entry that it was. Other entries that rows may be edits of
 * are behind the row that they were behind. An entry that was gone from the last input already stays out.
 */
function orderOf(
  entries: Int32Array,
  edits: ReadonlyMap<number, Pick<Edit, 'of'>>,
  { order, found }: Pick<Recognized, 'order' | 'found'>,
  held: ReadonlySet<GoneRow>,
): number[] {
  const recent = numberSet(order);
  const now = [...entries].map((entry, place) => {
    const was = edits.get(place)?.of?.row ?? 0;
    return recent.has(was) ? was : entry;
  });
  const placed = numberSet(now);
  const present = numberSet(found);
  const heldRows = new Set([...held].map(({ state }) => state.row));
  const after = new Map<number, number[]>();
  let left = 0;
  for (const row of order) {
    if (present.has(row)) left = row;
    else if (heldRows.has(row) && !placed.has(row)) {
      const held = after.get(left);
      if (held) held.push(row);
      else after.set(left, [row]);
    }
  }
  const next: number[] = [];
  const add = (row: number) => {
    if (row > 0) next.push(row);
    for (const gone of after.get(row) ?? []) next.push(gone);
  };
  add(0);
  for (const row of now) if (row > 0) add(row);
  return next;
}

/** Returns how a row differs from the sent values; undefined if they are unknown. Normalization by the service is not a difference. */
export function changesOf(before: Seen | QrCode, code: NewCode): FieldChange[] | undefined {
  const old = 'all' in before ? codeOf(before) : before;
  if (!old) return undefined;
  const texts = ({ name, type, destination }: NewCode | QrCode) => ({
    name,
    type: type ?? 'url',
    destination: destination ?? '',
  });
  const [was, is] = [texts(old), texts(code)];
  return differingFields(old, code).map((field) => ({ field, old: was[field], new: is[field] }));
}
