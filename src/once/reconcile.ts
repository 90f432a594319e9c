/**
 * Which codes of the listing did the rows of unknown outcome create? Decided only where there is one answer: as many codes as
 * could be theirs can be dealt out among the rows, each within its time. A code too many, and a person must decide.
 */

import { groupBy } from '../bulk/group-by.ts';
import type { NewCode, QrCode } from '../service/shapes.ts';
import { parseInstant } from '../time.ts';
import { valuesKey } from './same-values.ts';
import { resolutionMs, type Window } from './timeline.ts';

/** A row that was sent and whose answer did not say whether its code was created. */
export interface UnknownRow {
  row: number;
  code: NewCode;
  window: Window;
  /** Ids of codes with its values that are known not to be its own. */
  before: ReadonlySet<string>;
}

export interface Verdict {
  adopted: { row: number; code: QrCode }[];
  /** Certainly not created; `before` are the codes with its values all the same, older or of other rows. */
  absent: { row: number; before: string[] }[];
  undecided: { row: number; candidates: QrCode[] }[];
}

/**
 * @param unknown rows of unknown outcome
 * @param listing every code of the workspace, read after the last write could have landed
 * @param claimed ids that rows of this file already have
 */
export function reconcile(unknown: readonly UnknownRow[], listing: readonly QrCode[], claimed: ReadonlySet<string>): Verdict {
  const verdict: Verdict = { adopted: [], absent: [], undecided: [] };
  const byValues = groupBy(
    listing.filter(({ id }) => !claimed.has(id)),
    valuesKey,
  );
  for (const [key, rows] of groupBy(unknown, ({ code }) => valuesKey(code))) {
    const alike = byValues.get(key) ?? [];
    const left = connected(rows, alike).flatMap((group) => deal(group, alike, verdict));
    const taken = new Set(verdict.adopted.map(({ code }) => code));
    for (const row of left) judgeLeftOver(row, alike, taken, verdict);
  }
  return verdict;
}

type Fit = 'before' | 'doubtful' | 'candidate' | 'after';

function fitOf({ window, before }: UnknownRow, { id, created_at }: QrCode): Fit {
  if (before.has(id)) return 'before';
  const created = parseInstant(created_at);
  if (created === undefined) return 'doubtful';
  if (created > window.until) return 'after';
  const latest = created + resolutionMs(created_at) - 1;
  if (latest >= window.from && created <= window.to) return 'candidate';
  return latest >= window.doubtfulFrom ? 'doubtful' : 'before';
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
    groups.splice(0, groups.length, ...groups.filter((group) => !touching.includes(group)), merged);
  }
  return groups;
}

/** Adopts what can only be adopted in one way, and returns the rows that get nothing; or leaves the whole group undecided. */
function deal({ rows, candidates }: Group, alike: readonly QrCode[], verdict: Verdict): UnknownRow[] {
  const pairs = dealOut(rows, candidates);
  // A clock that was set would make strangers of the rows' own codes, and candidates of strangers.
  const strangers = rows.every(({ window }) => window.measured) ? [] : doubtfulFor(rows, alike);
  if (pairs.size < candidates.length || strangers.length > 0) {
    const possible = [...new Set([...candidates, ...strangers])];
    verdict.undecided.push(...rows.map(({ row }) => ({ row, candidates: possible })));
    return [];
  }
  const left = new Set(rows);
  for (const [code, row] of pairs) {
    verdict.adopted.push({ row: row.row, code });
    left.delete(row);
  }
  return [...left];
}

function judgeLeftOver(row: UnknownRow, alike: readonly QrCode[], taken: ReadonlySet<QrCode>, verdict: Verdict): void {
  const doubtful = doubtfulFor([row], alike).filter((code) => !taken.has(code));
  if (doubtful.length > 0) verdict.undecided.push({ row: row.row, candidates: doubtful });
  else verdict.absent.push({ row: row.row, before: alike.map(({ id }) => id) });
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
