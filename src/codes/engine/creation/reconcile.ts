/**
 * Reconciles rows of unknown outcome with the listing. Decides only if the assignment is unique: as many codes as could be theirs can be
 * assigned to the rows, each within its time. With one code too many, the user must decide.
 */
import { letSignalsIn } from '../../../base/time/time.ts';
import type { NewCode, QrCode } from '../../../service/shapes.ts';
import { createAlteredSearch } from './altered-codes.ts';
import { judgeAlike, type RowToFind } from './deal-out.ts';
import type { NewRow } from './new-row.ts';
import { mayBeSent, type RowStates } from './row-states.ts';
import { createCodeNumbering, valuesKey } from './same-values.ts';

export interface Reconciliation {
  adopted: { row: number; code: QrCode }[];
  /** Certainly not created; `foreignIds` are the codes with their values that are older or of other rows. */
  absent: { rows: number[]; foreignIds: string[] }[];
  /** A person must decide which of the codes is the row's, if any, or, of a row that has one, whether these are its own as well. */
  undecided: { row: number; candidates: readonly QrCode[] }[];
}

/** `ownId`: of the code that it has. */
export interface ResentRow extends RowToFind {
  ownId: string;
}

/** Input of a reconciliation: the rows to decide about, and the listing. */
export interface Question {
  /** Rows that were sent, and whose responses did not show whether their codes were created. */
  unknown: readonly RowToFind[];
  /** Rows that have a code, and may have a duplicate: they were sent again, by a run or by an intermediary. */
  resent: readonly ResentRow[];
  /** Every code of the workspace, read after the last write could have taken effect. */
  listing: readonly QrCode[];
  /** Of codes that rows of this file have. */
  claimedIds: ReadonlySet<string>;
  signal: AbortSignal;
}

/** Number of comparisons before signals are handled. */
const AT_ONCE = 2000;

/** Creates a function that counts compared items; it returns true when signals should be handled. */
function countTurns(): (items: number) => boolean {
  let compared = 0;
  return (items) => {
    compared += items;
    if (compared < AT_ONCE) return false;
    compared = 0;
    return true;
  };
}

async function groupByValues<T>(
  items: Iterable<T>,
  codeOf: (item: T) => NewCode | QrCode,
  signal?: AbortSignal,
): Promise<Map<string, T[]>> {
  const groups = new Map<string, T[]>();
  const isTurn = countTurns();
  for (const item of items) {
    if (isTurn(1)) await letSignalsIn(signal);
    const key = valuesKey(codeOf(item));
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** O10: the codes that no row of the file has yet, by their values. */
function unclaimedCodes(listing: readonly QrCode[], claimedIds: ReadonlySet<string>, signal?: AbortSignal) {
  const unclaimed = listing.filter(({ id }) => !claimedIds.has(id));
  return groupByValues(unclaimed, (code) => code, signal);
}

/** Row that may be sent, and the code with its values that it gets in place of a request. */
export interface ExistingCode {
  readonly row: number;
  readonly id: string;
  readonly slug: string;
}

/** Number of rows that are recorded together: all of them would be as large as the codes. */
const RECORDED_AT_ONCE = 10_000;

/**
 * Finds, for `--skip-existing`, the rows that may be sent and already have a code with the same values, each its own: a row that occurs
 * three times needs three (O18: each code is assigned once). Yields them in chunks while the pages arrive.
 *
 * @param pages every code of the workspace; only matching ones of a page are kept, because a workspace may be as large as the largest file
 */
export async function* findExisting(
  rows: Iterable<NewRow>,
  states: RowStates,
  { pages, signal }: { pages: AsyncIterable<readonly QrCode[]>; signal?: AbortSignal },
): AsyncGenerator<readonly ExistingCode[]> {
  const wanting = await indexRows(rows, states, signal);
  let existing: ExistingCode[] = [];
  const isTurn = countTurns();
  for await (const page of pages) {
    for (const code of page) {
      if (isTurn(1)) await letSignalsIn(signal);
      const { id, slug } = code;
      // O10: a code that a row of the file has is not another row's.
      if (hasCode(states, id)) continue;
      const row = wanting.take(code, (other) => !states.of(other).foreign.some((ids) => ids.has(id)));
      if (row !== undefined) existing.push({ row, id, slug });
    }
    if (existing.length < RECORDED_AT_ONCE) continue;
    yield existing;
    existing = [];
  }
  if (existing.length > 0) yield existing;
}

/** The rows that may be sent, by their values: those with the same values in chains of their numbers, because arrays take more memory. */
async function indexRows(rows: Iterable<NewRow>, states: RowStates, signal: AbortSignal | undefined) {
  const { numberOf, find } = createCodeNumbering();
  /** By the number of their values, the first row and the last; 0 if none is left. */
  const first: number[] = [];
  const last: number[] = [];
  /** By row, the next with the same values; 0 behind the last. */
  const next = new Uint32Array(states.all().length + 1);

  const isTurn = countTurns();
  for (const { row, code } of rows) {
    if (isTurn(1)) await letSignalsIn(signal);
    if (!mayBeSent(states.of(row))) continue;
    const values = numberOf(code);
    const before = last[values];
    if (before === undefined) first[values] = row;
    else next[before] = row;
    last[values] = row;
  }
  return {
    /** Takes the first row with the values of this code that passes, so that it is not found again. */
    take(code: QrCode, passes: (row: number) => boolean): number | undefined {
      const values = find(code);
      if (values === undefined) return undefined;
      let before = 0;
      for (let row = first[values] ?? 0; row > 0; row = next[row] ?? 0) {
        if (passes(row)) {
          const after = next[row] ?? 0;
          if (before > 0) next[before] = after;
          else first[values] = after;
          return row;
        }
        before = row;
      }
      return undefined;
    },
  };
}

/** Returns whether a row of the file has this code. */
export function hasCode(states: RowStates, id: string): boolean {
  const owner = states.ownerOf(id);
  return owner !== undefined && states.of(owner).id === id;
}

/** Throws the signal's reason. */
export async function reconcile({ unknown, resent, listing, claimedIds, signal }: Question): Promise<Reconciliation> {
  const result: Reconciliation = { adopted: [], absent: [], undecided: [] };
  const unclaimed = await unclaimedCodes(listing, claimedIds, signal);
  const codeOf = ({ code }: RowToFind) => code;
  const isTurn = countTurns();
  for (const [key, rows] of await groupByValues(unknown, codeOf, signal)) {
    if (isTurn(rows.length)) await letSignalsIn(signal);
    const codes = unclaimed.get(key) ?? [];
    const { adopted, absent, undecided, left } = judgeAlike(rows, codes);
    for (const pair of adopted) result.adopted.push(pair);
    for (const entry of undecided) result.undecided.push(entry);
    result.absent.push({ rows: absent, foreignIds: codes.map(({ id }) => id) });
    unclaimed.set(key, left);
  }
  leaveAlteredToAPerson(result, unknown, [...unclaimed.values()].flat());
  let secondOf: ReturnType<typeof createSecondSearch> | undefined;
  for (const [key, rows] of await groupByValues(resent, codeOf, signal)) {
    if (isTurn(rows.length)) await letSignalsIn(signal);
    // O20: a remaining code that did not exist before the row was sent may be a duplicate code of any of them.
    const { undecided, absent } = judgeAlike(rows.map(withoutFit), unclaimed.get(key) ?? []);
    for (const entry of undecided) result.undecided.push(entry);
    secondOf ??= createSecondSearch(listing, [...unclaimed.values()].flat());
    const others = new Set(absent);
    for (const row of rows) {
      const candidates = others.has(row.row) ? secondOf(row) : [];
      if (candidates.length > 0) result.undecided.push({ row: row.row, candidates });
    }
  }
  return result;
}

/** O20: as its first code, a second may have other values than were sent: those that the first has, or others that may be the row's. */
function createSecondSearch(listing: readonly QrCode[], left: readonly QrCode[]): (row: ResentRow) => readonly QrCode[] {
  const alteredOf = createAlteredSearch(left);
  const byId = new Map(listing.map((code) => [code.id, code]));
  return (row) => alteredOf(row, byId.get(row.ownId));
}

/** O30: a row counts as absent only if no remaining code may be its altered form. `left`: the codes that no row has. */
function leaveAlteredToAPerson(result: Reconciliation, unknown: readonly RowToFind[], left: readonly QrCode[]): void {
  if (result.absent.length === 0) return;
  const absent = new Set(result.absent.flatMap(({ rows }) => rows));
  const alteredOf = createAlteredSearch(left);
  for (const row of unknown) {
    if (!absent.has(row.row)) continue;
    const candidates = alteredOf(row);
    if (candidates.length === 0) continue;
    result.undecided.push({ row: row.row, candidates });
    absent.delete(row.row);
  }
  for (const entry of result.absent) entry.rows = entry.rows.filter((row) => absent.has(row));
  result.absent = result.absent.filter(({ rows }) => rows.length > 0);
}

/** A row that needs no code: its time never begins, and all that could be its own are doubtful. */
function withoutFit(row: RowToFind): RowToFind {
  return { ...row, bounds: { ...row.bounds, fromMs: Number.POSITIVE_INFINITY } };
}
