/**
 * Reconciles rows of unknown outcome with the listing. Decides only if the assignment is unique: as many codes as could be theirs can be
 * assigned to the rows, each within its time. With one code too many, the user must decide.
 */
import type { NewCode, QrCode } from '../service/shapes.ts';
import { letSignalsIn } from '../time/time.ts';
import { createAlteredSearch } from './altered-codes.ts';
import { judgeAlike, type RowToFind } from './deal-out.ts';
import type { NewRow } from './new-row.ts';
import { mayBeSent, type RowStates } from './row-states.ts';
import { valuesKey } from './same-values.ts';

export interface Reconciliation {
  adopted: { row: number; code: QrCode }[];
  /** Certainly not created; `foreignIds` are the codes with their values all the same, older or of other rows. */
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
  /** Rows that were sent, and whose answers did not say whether their codes were created. */
  unknown: readonly RowToFind[];
  /** Rows that have a code, and may have a second: they were sent again, by a run or by what is on the way. */
  resent: readonly ResentRow[];
  /** Every code of the workspace, read after the last write could have landed. */
  listing: readonly QrCode[];
  /** Of codes that rows of this file have. */
  claimedIds: ReadonlySet<string>;
  signal: AbortSignal;
}

/** So many are compared before whoever waits for a signal gets a turn. */
const AT_ONCE = 2000;

/** A function to be told of so many items that were compared; true when it is time to let signals in. */
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

/**
 * Finds, for `--skip-existing`, the rows that may be sent and already have a code with the same values, each its own: a row that occurs
 * three times needs three (O18: each code is removed when it is assigned).
 */
export async function findExisting(
  rows: readonly NewRow[],
  states: RowStates,
  { listing, signal }: { listing: readonly QrCode[]; signal?: AbortSignal },
): Promise<{ row: number; code: QrCode }[]> {
  const unclaimed = await unclaimedCodes(listing, states.claimedIds(), signal);
  for (const alike of unclaimed.values()) alike.reverse();
  const existing: { row: number; code: QrCode }[] = [];
  const isTurn = countTurns();
  for (const { row, code } of rows) {
    if (isTurn(1)) await letSignalsIn(signal);
    const state = states.of(row);
    if (!mayBeSent(state)) continue;
    const alike = unclaimed.get(valuesKey(code)) ?? [];
    const isForeign = ({ id }: QrCode) => state.foreign.some((ids) => ids.has(id));
    const found = takeLast(alike, (other) => !isForeign(other));
    if (found) existing.push({ row, code: found });
  }
  return existing;
}

/** Takes out the last that passes: mostly from the end, which is quick however many there are. */
function takeLast<T>(items: T[], passes: (item: T) => boolean): T | undefined {
  const at = items.findLastIndex(passes);
  return at < 0 ? undefined : items.splice(at, 1)[0];
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
    // O20: what is left over, and not there before the row was sent, may be the second code of any of them.
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

/** O30: a row is absent only where nothing is left that the service may have made of it. `left`: the codes that no row has. */
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
