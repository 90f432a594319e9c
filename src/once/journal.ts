/** The journal of one create file: bound to its rows and to the service, so that it is never believed about anything else. */
import { createHash } from 'node:crypto';
import { type InputRow, nameRow } from '../bulk/rows.ts';
import { type JournalFile, openJournalFile, readJournalFile } from '../durable/append-log.ts';
import { UsageError } from '../errors.ts';
import type { JournalRecord } from './records.ts';

const VERSION = 1;

/**
 * Opens the journal at `path` for these rows, making it where there is none. Hold its lock before.
 *
 * @throws UsageError when it is of another service, or when a row it knows has changed or is gone; rows may be added at the end.
 */
export async function openJournal(path: string, baseUrl: string, rows: readonly InputRow[]): Promise<JournalFile<JournalRecord>> {
  const journal = await openJournalFile<JournalRecord>(path);
  try {
    const added = check(path, baseUrl, rows, journal.found);
    const beginning: JournalRecord[] = journal.found.length === 0 ? [{ is: 'journal', version: VERSION, baseUrl }] : [];
    if (added.length) beginning.push({ is: 'rows', hashes: added });
    if (beginning.length) await journal.append(beginning);
    return journal;
  } catch (error) {
    await journal.close().catch(() => undefined);
    throw error;
  }
}

/** The same journal for reading only: what is recorded goes nowhere. Throws as `openJournal`. */
export async function peekJournal(path: string, baseUrl: string, rows: readonly InputRow[]): Promise<JournalFile<JournalRecord>> {
  const found = await readJournalFile<JournalRecord>(path);
  check(path, baseUrl, rows, found);
  return { found, append: async () => undefined, close: async () => undefined };
}

/** The fingerprints of rows that the journal does not know yet. */
function check(path: string, baseUrl: string, rows: readonly InputRow[], found: readonly JournalRecord[]): string[] {
  const hashes = rows.map(fingerprint);
  const known = found.flatMap((record) => (record.is === 'rows' ? record.hashes : []));
  refuseOtherService(path, baseUrl, found);
  refuseChangedRows(path, rows, hashes, known);
  return hashes.slice(known.length);
}

function refuseOtherService(path: string, baseUrl: string, found: readonly JournalRecord[]): void {
  const [first] = found;
  if (first === undefined) return;
  if (first.is === 'journal' && first.of === 'deletion') {
    throw new UsageError(`${path} records a deletion`, { hint: 'name other --results' });
  }
  if (first.is !== 'journal' || first.version !== VERSION) {
    throw new UsageError(`${path} was written by another version of qrctl`, {
      hint: 'finish with that version, or name other --results',
    });
  }
  if (first.baseUrl === baseUrl) return;
  throw new UsageError(`${path} records a run against ${first.baseUrl}, not ${baseUrl}`, {
    hint: `go on with --base-url ${first.baseUrl}, or name other --results to create the codes here as well`,
  });
}

function refuseChangedRows(path: string, rows: readonly InputRow[], hashes: readonly string[], known: readonly string[]): void {
  const at = known.findIndex((hash, index) => hash !== hashes[index]);
  if (at < 0) return;
  const row = rows[at];
  const what = row ? `${nameRow(row)} has changed` : `it had ${known.length} rows and now has ${rows.length}`;
  throw new UsageError(`the input is not the one that ${path} records: ${what}`, {
    hint: 'put changed rows in a file of their own and add rows only at the end; or name other --results to create every row anew',
  });
}

/** Equal for rows with the same values in the same columns, in whatever order, form or dialect the file keeps them. */
function fingerprint({ values }: InputRow): string {
  const entries = [...values].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const text = JSON.stringify(entries, (_, value) => (typeof value === 'bigint' ? `${value}n` : value));
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
