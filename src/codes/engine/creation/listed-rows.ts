/** Compares the results of an earlier run with the journal (O22), and reads from them the values that a journal of version 1 lacks. */
import { UsageError } from '../../../base/errors.ts';
import { formatCount } from '../../../base/text/quote.ts';
import type { QrCode } from '../../../service/shapes.ts';
import type { RowState } from './apply-record.ts';
import { codeOf, contentOf, entriesRecords, type Seen } from './entries.ts';
import type { ListedCode } from './journal-records.ts';
import type { InputRecord, RowStates } from './row-states.ts';
import { valuesKey } from './same-values.ts';

/** Row of the results of an earlier run. */
export interface ListedRow {
  readonly seen: Seen;
  /** Of its code. */
  readonly id: string | undefined;
  readonly slug: string | undefined;
  /** It was edited, and its code not changed: that has other values. */
  readonly isEdited: boolean;
}

/** A journal as a run finds it. */
export interface FoundJournal {
  /** It is not there, or empty. */
  readonly isNew: boolean;
  readonly states: RowStates;
}

export interface Listed {
  /** Codes that the results list; undefined if the file cannot be read. */
  listed: readonly ListedCode[] | undefined;
  /** All their rows; read only if needed. */
  readListed: () => Promise<readonly ListedRow[]>;
}

/**
 * O22: refuses results that list codes missing from the journal. Results are written after the journal, so it was lost or truncated, or
 * they belong to another run. A row of unknown outcome is an exception: its journal could not be written (O2). Unreadable results may list
 * any code.
 */
export async function refuseForgotten(
  path: string,
  { listed, readListed }: Listed,
  { isNew, states }: FoundJournal,
): Promise<void> {
  if (listed === undefined) {
    if (!isNew) return;
    throw new UsageError(`cannot read the results next to ${path}, and no journal records their codes`, {
      hint: 'Restore the journal or the results from a backup. To create only missing codes, add --skip-existing.',
    });
  }
  if (listed.every(({ id }) => states.knows(id))) return;
  const forgotten = createForgotten(states, await readListed());
  const ids = listed.filter(({ id }) => !states.knows(id) && !forgotten.isLost(id)).map(({ id }) => id);
  const [first] = ids;
  if (first === undefined) return;
  const codes = ids.length === 1 ? `code ${first}` : `${formatCount(ids.length)} codes (first: ${first})`;
  throw new UsageError(
    `the results contain ${codes}, but ${path} does not: the journal was lost or truncated, or belongs to another run`,
    {
      hint: 'Restore the journal from a backup, or add --skip-existing to create only missing codes.',
    },
  );
}

/** Which codes of the results a row of unknown outcome may have got. */
function createForgotten(states: RowStates, rows: readonly ListedRow[]) {
  const lost = new Map<string, number>();
  const textOf = (seen: Seen) => {
    const code = codeOf(seen);
    return code ? valuesKey(code) : seen.all;
  };
  const isLost = ({ id, attempts }: RowState) => id === undefined && attempts.length > 0;
  for (const { seen } of states.all().filter(isLost)) if (seen) lost.set(textOf(seen), (lost.get(textOf(seen)) ?? 0) + 1);
  const lostIds = new Set<string>();
  for (const { id, seen } of rows) {
    const text = [textOf(seen), seen.all].find((one) => (lost.get(one) ?? 0) > 0);
    if (id === undefined || text === undefined || states.ownerOf(id) !== undefined) continue;
    lost.set(text, (lost.get(text) ?? 0) - 1);
    lostIds.add(id);
  }
  return { isLost: (id: string) => lostIds.has(id) };
}

/** Returns whether the results can provide the values of entries of which the journal has only fingerprints. */
export function hasBareEntries(states: RowStates): boolean {
  return states.all().some(({ code }) => code === undefined);
}

/** Returns the values of entries for which the journal has only fingerprints, from rows of the results with the same fingerprint. */
export function contentsFrom(rows: readonly ListedRow[], states: RowStates): InputRecord[] {
  const byFingerprint = new Map(rows.map(({ seen }) => [seen.all, seen]));
  return entriesRecords(
    states.all().flatMap(({ row, seen, code }) => {
      const listed = code === undefined && seen ? byFingerprint.get(seen.all) : undefined;
      return listed ? [[row, listed] as const] : [];
    }),
  );
}

/**
 * Returns entries for existing codes that the results list and the journal lacks (`--skip-existing`). O22: they identify rows that were
 * edited since, and each row gets the code that the results list for it.
 */
export function entriesFrom(rows: readonly ListedRow[], states: RowStates, listing: readonly QrCode[]): InputRecord[] {
  const codes = new Map(listing.map((code) => [code.id, code]));
  const { isLost } = createForgotten(states, rows);
  let next = states.all().length;
  return entriesRecords(
    rows.flatMap(({ id = '', isEdited, seen }) => {
      const code = codes.get(id);
      if (!code || states.ownerOf(id) !== undefined || isLost(id)) return [];
      next += 1;
      const { all, own } = seen;
      const said = isEdited ? { ...contentOf(code), all, ...(own !== undefined && { own }) } : seen;
      return [[next, { ...said, id, slug: code.slug }] as const];
    }),
  );
}
