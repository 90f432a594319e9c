/**
 * Which codes of the listing did the rows of unknown outcome create? Decided only where there is one answer: as many codes as
 * could be theirs can be dealt out among the rows, each within its time. A code too many, and a person must decide.
 */
import type { NewCode, QrCode } from '../service/shapes.ts';
import { parseInstant } from '../time.ts';
import type { NewRow } from './journal.ts';
import type { RowStates } from './row-states.ts';
import { resolutionMs, type TimeBounds } from './time-bounds.ts';

/** A row that was sent and whose answer did not say whether its code was created. */
export interface UnknownRow {
  row: number;
  code: NewCode;
  bounds: TimeBounds;
  /** Ids of codes with its values that are known not to be its own. */
  foreignIds: ReadonlySet<string>;
}

export interface Reconciliation {
  adopted: { row: number; code: QrCode }[];
  /** Certainly not created; `foreignIds` are the codes with its values all the same, older or of other rows. */
  absent: { row: number; foreignIds: string[] }[];
  /** A person must decide which of the codes is the row's, if any. */
  undecided: { row: number; candidates: readonly QrCode[] }[];
}

/**
 * O6: when are two codes "the same"? A text that is equal for codes with the same name, type and destination. The service may tidy
 * what it is sent (trim a name, add the slash to https://example.com), and a row whose code came back tidied must still be
 * recognised, or it would be created twice.
 */
export function valuesKey({ name, type, destination }: NewCode | QrCode): string {
  return JSON.stringify([name.normalize('NFC').trim(), type ?? 'url', tidyAddress(destination ?? '')]);
}

function tidyAddress(destination: string): string {
  const trimmed = destination.normalize('NFC').trim();
  return URL.canParse(trimmed) ? new URL(trimmed).href : trimmed;
}

function groupByValues<T>(items: readonly T[], codeOf: (item: T) => NewCode | QrCode): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = valuesKey(codeOf(item));
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** O10: the codes that no row of the file has yet, by their values. */
function unclaimedCodes(listing: readonly QrCode[], claimedIds: ReadonlySet<string>): Map<string, QrCode[]> {
  const unclaimed = listing.filter(({ id }) => !claimedIds.has(id));
  return groupByValues(unclaimed, (code) => code);
}

/**
 * For `--skip-existing`: the rows that may be sent and have a code with the same values already, each its own: a row that occurs
 * three times needs three (O18: each code is taken out when it is given).
 */
export function findExisting(
  rows: readonly NewRow[],
  states: RowStates,
  listing: readonly QrCode[],
): { row: number; code: QrCode }[] {
  const unclaimed = unclaimedCodes(listing, states.claimedIds());
  return rows.flatMap(({ row, code }) => {
    const { state, foreignIds } = states.of(row);
    if (state !== 'open' && state !== 'rejected') return [];
    const alike = unclaimed.get(valuesKey(code)) ?? [];
    const at = alike.findIndex(({ id }) => !foreignIds.has(id));
    return at < 0 ? [] : alike.splice(at, 1).map((existing) => ({ row, code: existing }));
  });
}

/**
 * @param unknown rows of unknown outcome
 * @param listing every code of the workspace, read after the last write could have landed
 * @param claimedIds of codes that rows of this file already have
 */
export function reconcile(
  unknown: readonly UnknownRow[],
  listing: readonly QrCode[],
  claimedIds: ReadonlySet<string>,
): Reconciliation {
  const result: Reconciliation = { adopted: [], absent: [], undecided: [] };
  const unclaimed = unclaimedCodes(listing, claimedIds);
  for (const [key, rows] of groupByValues(unknown, ({ code }) => code)) {
    const alike = unclaimed.get(key) ?? [];
    const left = connected(rows, alike).flatMap((group) => adopt(group, alike, result));
    const taken = new Set(result.adopted.map(({ code }) => code));
    for (const row of left) judgeLeftOver(row, alike, taken, result);
  }
  return result;
}

type Fit = 'before' | 'doubtful' | 'candidate' | 'after';

/** O6: what its time says about a code with the row's values. */
function fitOf({ bounds, foreignIds }: UnknownRow, { id, created_at }: QrCode): Fit {
  if (foreignIds.has(id)) return 'before'; // O11: never again
  const createdMs = parseInstant(created_at);
  if (createdMs === undefined) return 'doubtful';
  if (createdMs > bounds.untilMs) return 'after';
  const latestMs = createdMs + resolutionMs(created_at) - 1;
  if (latestMs >= bounds.fromMs && createdMs <= bounds.toMs) return 'candidate';
  return latestMs >= bounds.doubtfulFromMs ? 'doubtful' : 'before';
}

interface Group {
  rows: UnknownRow[];
  candidates: QrCode[];
}

/** Rows that share candidates stand or fall together; a row without any is a group of its own. */
function connected(rows: readonly UnknownRow[], codes: readonly QrCode[]): Group[] {
  const groups: Group[] = [];
  for (const row of rows) {
    const own = codes.filter((code) => fitOf(row, code) === 'candidate');
    const touching = groups.filter(({ candidates }) => candidates.some((code) => own.includes(code)));
    const merged: Group = {
      rows: [...touching.flatMap((group) => group.rows), row],
      candidates: [...new Set([...touching.flatMap((group) => group.candidates), ...own])],
    };
    for (const group of touching) groups.splice(groups.indexOf(group), 1);
    groups.push(merged);
  }
  return groups;
}

/** Adopts what can only be adopted in one way, and returns the rows that get nothing; or leaves the whole group undecided. */
function adopt({ rows, candidates }: Group, alike: readonly QrCode[], result: Reconciliation): UnknownRow[] {
  const pairs = dealOut(rows, candidates);
  // O9: a clock that was set would make the rows' own codes doubtful, and candidates of others.
  const doubtful = rows.every(({ bounds }) => bounds.measured) ? [] : doubtfulFor(rows, alike);
  // O8: a code too many.
  if (pairs.size < candidates.length || doubtful.length > 0) {
    const possible = [...new Set([...candidates, ...doubtful])];
    for (const { row } of rows) result.undecided.push({ row, candidates: possible });
    return [];
  }
  const left = new Set(rows);
  for (const [code, row] of pairs) {
    result.adopted.push({ row: row.row, code });
    left.delete(row);
  }
  return [...left];
}

/** O9: a row without a code was not created, unless a doubtful one is left over. */
function judgeLeftOver(row: UnknownRow, alike: readonly QrCode[], taken: ReadonlySet<QrCode>, result: Reconciliation): void {
  const left = doubtfulFor([row], alike).filter((code) => !taken.has(code));
  if (left.length > 0) result.undecided.push({ row: row.row, candidates: left });
  else result.absent.push({ row: row.row, foreignIds: alike.map(({ id }) => id) });
}

function doubtfulFor(rows: readonly UnknownRow[], alike: readonly QrCode[]): QrCode[] {
  return alike.filter((code) => rows.some((row) => fitOf(row, code) === 'doubtful'));
}

/** A largest matching of codes to rows (Kuhn's augmenting paths); a row whose values a code has to the letter comes first. */
function dealOut(rows: readonly UnknownRow[], codes: readonly QrCode[]): Map<QrCode, UnknownRow> {
  const rowOf = new Map<QrCode, UnknownRow>();
  const codeOf = new Map<UnknownRow, QrCode>();
  const place = (code: QrCode, tried: Set<UnknownRow>): boolean => {
    const fitting = rows.filter((row) => !tried.has(row) && fitOf(row, code) === 'candidate');
    const rank = (row: UnknownRow) => (hasExactly(code, row.code) ? 0 : 2) + (codeOf.has(row) ? 1 : 0);
    fitting.sort((a, b) => rank(a) - rank(b));
    for (const row of fitting) {
      tried.add(row);
      const holder = codeOf.get(row);
      if (holder && !place(holder, tried)) continue;
      codeOf.set(row, code);
      rowOf.set(code, row);
      return true;
    }
    return false;
  };
  for (const code of codes) place(code, new Set());
  return rowOf;
}

function hasExactly(code: QrCode, { name, destination }: NewCode): boolean {
  return code.name === name && (code.destination ?? '') === (destination ?? '');
}
