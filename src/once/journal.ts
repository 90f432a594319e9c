/**
 * The journal of one create file. What it says line by line, and what binds it to its rows and to its service, so that it is
 * never believed about anything else. The keys and words of a line are a format on disk: journals of older versions have them.
 */
import { createHash } from 'node:crypto';
import { type AppendLog, createVolatileLog, openAppendLog, readAppendLog, refuseOtherShapes } from '../durable/append-log.ts';
import type { Disk } from '../durable/disk.ts';
import { UsageError } from '../errors.ts';
import { inShellOr, quote } from '../quote.ts';
import type { NewCode } from '../service/shapes.ts';

/** A row that is to become a code. */
export interface NewRow {
  /** 1-based, counting rows of data. What `--adopt` and `--not-created` take. */
  readonly row: number;
  /** Line of the file where the row begins, 1-based. */
  readonly line: number;
  /** All it says, by column; what a change of the input is recognised by. */
  readonly values: ReadonlyMap<string, unknown>;
  readonly code: NewCode;
}

/** `row 3 (line 4)`, everywhere the same, because people type the first number back. */
export function nameRow({ row, line }: Pick<NewRow, 'row' | 'line'>): string {
  return `row ${row} (line ${line})`;
}

/** When a line was written, on three clocks, because none of them can be trusted across a kill, a sleep or a wrong setting. */
export interface Stamp {
  /** Ms since this session began, monotonic; stands still while the machine sleeps. */
  t: number;
  /** The machine's wall clock, ms since the epoch; may be wrong or be set meanwhile. */
  w: number;
  /** Ms since the machine was started: counts its sleep, knows no settings, and goes on from one run to the next. */
  b: number;
  /** The service's clock, ms since the epoch: a lower bound from its Date headers, where one was seen yet. */
  s?: number | undefined;
}

export type JournalRecord =
  /** First line: what the journal is bound to; `of` in journals of other kinds only. */
  | { is: 'journal'; version: 1; baseUrl: string; of?: string }
  /** Fingerprints of the input's rows, in order; a further line where rows were added later. */
  | { is: 'rows'; hashes: string[] }
  /** A run begins; `t` of the lines below counts from here. Whoever wrote the lines above is dead by now: we hold the lock. */
  | ({ is: 'session' } & Stamp)
  /** POST for this row is about to be sent. */
  | ({ is: 'intent'; row: number } & Stamp)
  /** The service answered with this code; `at` is its `created_at`. */
  | ({ is: 'created'; row: number; id: string; slug: string; at: string } & Stamp)
  /**
   * This code of the listing is the row's: found again after an unknown outcome, or named by a person, who was shown others as well
   * (`before`) that are not.
   */
  | ({ is: 'adopted'; row: number; id: string; slug: string; before?: string[] } & Stamp)
  /** This code of the listing is the row's: it was there before (--skip-existing). */
  | ({ is: 'exists'; row: number; id: string; slug: string } & Stamp)
  /** The service rejected the row's values. */
  | ({ is: 'rejected'; row: number; error: string } & Stamp)
  /** Certainly not created, for a reason that is not the row's. */
  | ({ is: 'refused'; row: number; error: string } & Stamp)
  /** The answer did not say whether the code was created. */
  | ({ is: 'unknown'; row: number; error: string } & Stamp)
  /**
   * The row, and `more` with the same values, created no code: a listing after the landing delay has none, or (`word`) a person says
   * so. `before`: ids of codes with its values that are not its own.
   */
  | ({ is: 'absent'; row: number; before: string[]; word: boolean; more?: number[] } & Stamp)
  /** A person was shown these codes: they could be the row's, and that of `more` with the same values. */
  | ({ is: 'asked'; row: number; candidates: string[]; more?: number[] } & Stamp)
  /** The service was asked for nothing but its clock, or for the listing. */
  | ({ is: 'clock' } & Stamp);

export type RowRecord = Extract<JournalRecord, { row: number }>;

/** What a journal is opened for. */
interface JournalOptions {
  disk: Disk;
  /** Undefined: nothing is kept. */
  path: string | undefined;
  baseUrl: string;
  rows: readonly NewRow[];
  /** What the results of an earlier run list; undefined where what stands there cannot be read. */
  listed: readonly ListedCode[] | undefined;
}

/** A row and its code, as results have them. */
export interface ListedCode {
  readonly row: number;
  readonly id: string;
}

const VERSION = 1;

const ADVICE = {
  elsewhere: 'name another place with --results',
  damaged: 'name another place with --results; to create only what is missing, add --skip-existing',
};

/**
 * Opens the journal for these rows, making it where there is none. Hold its lock before.
 *
 * @throws UsageError when it is damaged (O15: the log refuses that), of another service, or when a row it knows has changed or is
 * gone; rows may be added at the end.
 */
export async function openJournal(options: JournalOptions): Promise<AppendLog<JournalRecord>> {
  const { path } = options;
  if (path === undefined) return createVolatileLog();
  const journal = await openAppendLog<JournalRecord>(path, ADVICE, options.disk);
  try {
    const added = check({ ...options, path }, journal.found);
    const beginning: JournalRecord[] = [];
    if (journal.found.length === 0) beginning.push({ is: 'journal', version: VERSION, baseUrl: options.baseUrl });
    if (added.length) beginning.push({ is: 'rows', hashes: added });
    if (beginning.length) await journal.append(beginning);
    return journal;
  } catch (error) {
    await journal.close().catch(() => undefined);
    throw error;
  }
}

/** What the journal holds, without touching it; nothing where there is none. Throws as `openJournal`. */
export async function readJournal(options: JournalOptions): Promise<readonly JournalRecord[]> {
  const { path } = options;
  if (path === undefined) return [];
  const found = await readAppendLog<JournalRecord>(path, ADVICE, options.disk);
  check({ ...options, path }, found);
  return found;
}

/** O14: refuses a journal of anything else. Returns the fingerprints of rows that it does not know yet. */
function check({ path, baseUrl, rows, listed }: JournalOptions & { path: string }, found: readonly JournalRecord[]): string[] {
  const hashes = rows.map(fingerprint);
  refuseOtherKind(path, baseUrl, found);
  const known = found.flatMap((record) => (record.is === 'rows' ? record.hashes : []));
  refuseOtherShapes(path, found, (record) => hasShape(record, known.length), ADVICE.damaged);
  refuseForgotten(path, listed, found);
  refuseChangedRows(path, rows, hashes, known);
  return hashes.slice(known.length);
}

/** What journals of other commands record, by their `of`: plan-journal.ts, bulk/delete-rows.ts. */
const OTHER_KINDS: ReadonlyMap<string, string> = new Map([
  ['plan', 'dated changes'],
  ['deletion', 'a deletion'],
]);

function refuseOtherKind(path: string, baseUrl: string, [first]: readonly JournalRecord[]): void {
  if (first === undefined) return;
  if (first.is === 'journal' && first.of !== undefined) {
    const kind = OTHER_KINDS.get(first.of) ?? quote(String(first.of));
    throw new UsageError(`${path} records ${kind}, not codes to be created`, { hint: 'name other --results' });
  }
  if (first.is !== 'journal' || first.version !== VERSION) {
    throw new UsageError(`${path} was written by another version of qrctl, or its first line is gone`, {
      hint: 'finish with that version; or name other --results, and add --skip-existing to create only what is missing',
    });
  }
  if (first.baseUrl === baseUrl) return;
  throw new UsageError(`${path} records a run against ${quote(first.baseUrl)}, not ${baseUrl}`, {
    hint: `go on with --base-url ${inShellOr('URL', first.baseUrl)}, or name other --results to create the codes here as well`,
  });
}

type FieldKind = 'string' | 'number' | 'boolean' | 'strings';

/** What a line must hold beside its time. */
const FIELDS: Readonly<Record<Exclude<JournalRecord['is'], 'journal'>, Readonly<Record<string, FieldKind>>>> = {
  rows: { hashes: 'strings' },
  session: {},
  clock: {},
  intent: { row: 'number' },
  created: { row: 'number', id: 'string', slug: 'string', at: 'string' },
  adopted: { row: 'number', id: 'string', slug: 'string' },
  exists: { row: 'number', id: 'string', slug: 'string' },
  rejected: { row: 'number', error: 'string' },
  refused: { row: 'number', error: 'string' },
  unknown: { row: 'number', error: 'string' },
  absent: { row: 'number', before: 'strings', word: 'boolean' },
  asked: { row: 'number', candidates: 'strings' },
};
const TIME_FIELDS: Readonly<Record<string, FieldKind>> = { t: 'number', w: 'number', b: 'number' };

/** By what a line is: all that it must hold. */
const SHAPES: ReadonlyMap<string, readonly (readonly [string, FieldKind])[]> = new Map(
  Object.entries(FIELDS).map(([is, fields]) => [is, Object.entries({ ...fields, ...(is !== 'rows' && TIME_FIELDS) })]),
);

/** O15: a line of another shape, whatever its checksum says, is damage as well: nothing is concluded from it. */
function hasShape(record: JournalRecord, rows: number): boolean {
  const values: Readonly<Record<string, unknown>> = { ...record };
  const numbers = [values.row, ...(Array.isArray(values.more) ? values.more : [])].filter((row) => row !== undefined);
  const isRow = (row: unknown) => Number.isInteger(row) && Number(row) >= 1 && Number(row) <= rows;
  return (SHAPES.get(record.is)?.every(([name, kind]) => isOf(kind, values[name])) ?? false) && numbers.every(isRow);
}

function isOf(kind: FieldKind, value: unknown): boolean {
  if (kind === 'strings') return Array.isArray(value) && value.every((text) => typeof text === 'string');
  return typeof value === kind;
}

/**
 * O22: the results were written after the journal, so it has what they list, unless it was lost or cut, or they are of another run. A row of
 * unknown outcome is different: there the journal could not be written (O2). Results that cannot be read may list anything.
 */
function refuseForgotten(path: string, listed: readonly ListedCode[] | undefined, found: readonly JournalRecord[]): void {
  if (listed === undefined) {
    if (found.length > 0) return;
    throw new UsageError(`the results beside ${path} cannot be read, and there is no journal that knows what they list`, {
      hint: 'put the journal back or mend the results; to create only what is missing, add --skip-existing; or name other --results',
    });
  }
  const known = new Set(found.map((record) => ('id' in record ? record.id : undefined)));
  const lastOf = new Map(found.flatMap((record) => ('row' in record ? [[record.row, record.is]] : [])));
  const isLost = ({ row }: ListedCode) => lastOf.get(row) === 'intent' || lastOf.get(row) === 'unknown';
  const forgotten = listed.filter((code) => !known.has(code.id) && !isLost(code));
  const [first] = forgotten;
  if (first === undefined) return;
  const codes = forgotten.length === 1 ? `code ${first.id}` : `${forgotten.length} codes, the first of them ${first.id},`;
  throw new UsageError(`the results list ${codes} of which ${path} knows nothing: it was lost or cut, or is of another run`, {
    hint: 'put the journal back, or add --skip-existing to create only what is missing, or name other --results to create every row anew',
  });
}

function refuseChangedRows(path: string, rows: readonly NewRow[], hashes: readonly string[], known: readonly string[]): void {
  const at = known.findIndex((hash, index) => hash !== hashes[index]);
  if (at < 0) return;
  const row = rows[at];
  const what = row ? `${nameRow(row)} has changed` : `it had ${known.length} rows and now has ${rows.length}`;
  throw new UsageError(`the input is not the one that ${path} records: ${what}`, {
    hint: 'put changed rows in a file of their own and add rows only at the end; or name other --results to create every row anew',
  });
}

/** Equal for rows with the same values in the same columns, in whatever order, form or dialect the file keeps them. */
function fingerprint({ values }: NewRow): string {
  const entries = [...values].sort(([a], [b]) => (a < b ? -1 : 1));
  const text = JSON.stringify(entries, (_, value) => (typeof value === 'bigint' ? `${value}n` : value));
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
