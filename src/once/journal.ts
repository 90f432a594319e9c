/**
 * The journal of one create file. What it says line by line, and what binds it to its rows and to its service, so that it is
 * never believed about anything else. The keys and words of a line are a format on disk: journals of older versions have them.
 */
import { type AppendLog, createVolatileLog, openAppendLog, readAppendLog, refuseOtherShapes } from '../durable/append-log.ts';
import type { Disk } from '../durable/disk.ts';
import { UsageError } from '../errors.ts';
import type { NewCode } from '../service/shapes.ts';
import type { RecordedWorkspace } from '../service/workspace.ts';
import { inQuotes, quote } from '../text/quote.ts';
import type { ChangingRecord, EntriesRecord, OrderRecord } from './entries.ts';
import { shapesOf } from './journal-shapes.ts';
import { bindJournal, type JournalWorkspace, type WorkspaceLine } from './journal-workspace.ts';
import { idsIn } from './listed-rows.ts';
import { replay } from './row-states.ts';

/** A row that is to become a code. */
export interface NewRow {
  /** Its place in the input, from 1; in the journal, and wherever rows are sent and looked for, the number of its entry. */
  readonly row: number;
  /** Line of the file where the row begins, 1-based: the number that users see and type. */
  readonly line: number;
  /** All it says, by column; what a change of the input is recognised by. */
  readonly values: ReadonlyMap<string, unknown>;
  /** The columns that only the user reads. */
  readonly own?: readonly string[] | undefined;
  readonly code: NewCode;
}

/** Names a row as users see it: `line 4`; one that is no longer in the file by the name of its code. */
export function nameRow({ line, code }: { line?: number | undefined; code?: NewCode | undefined }): string {
  if (line !== undefined) return `line ${line}`;
  return code ? `a row that is gone (${inQuotes(code.name)})` : 'a row that is gone';
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
  /** First line: what the journal is bound to; `of` in journals of other kinds only. Version 1 knows no key. */
  | ({ is: 'journal'; version: 1 | 2; of?: string } & RecordedWorkspace)
  /** From here on it is bound to this. */
  | WorkspaceLine
  /** In version 1: fingerprints of the next entries. */
  | { is: 'rows'; hashes: string[] }
  /** Entries from `first` on: new ones, or what known ones say now. */
  | EntriesRecord
  | ChangingRecord
  /** Which entries the input has, in its order; without this line it has all of them in theirs. */
  | OrderRecord
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
interface JournalOptions extends JournalWorkspace {
  disk: Disk;
  /** Undefined: nothing is kept. */
  path: string | undefined;
  /** Throws where the journal cannot be of this run: it lacks what the results list. */
  check: (found: readonly JournalRecord[]) => Promise<void>;
}

/** A row and its code, as results have them. */
export interface ListedCode {
  readonly row: number;
  readonly id: string;
}

const VERSIONS: ReadonlySet<unknown> = new Set([1, 2]);

const ADVICE = {
  elsewhere: 'specify a different file with --results',
  damaged:
    'restore the journal from a backup; to create only what is missing, specify a different file with --results and add --skip-existing',
};

/**
 * Opens the journal, making it where there is none. Hold its lock before.
 *
 * @throws UsageError when it is damaged (O15: the log refuses that), of another workspace or of something else.
 */
export async function openJournal(options: JournalOptions): Promise<AppendLog<JournalRecord>> {
  const { path } = options;
  if (path === undefined) return createVolatileLog();
  const journal = await openAppendLog<JournalRecord>(path, ADVICE, options.disk);
  try {
    const lines = await checkLines({ ...options, path }, journal.found);
    const isNew = journal.found.length === 0;
    const beginning: JournalRecord[] = isNew ? [{ is: 'journal', version: 2, ...(await options.workspace.record()) }] : lines;
    if (beginning.length > 0) await journal.append(beginning);
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
  await checkLines({ ...options, path }, found);
  return found;
}

/** Refuses a journal of anything else. Returns the lines to add because the key was rotated or the service moved. */
async function checkLines(options: JournalOptions & { path: string }, found: readonly JournalRecord[]): Promise<WorkspaceLine[]> {
  const { path, check } = options;
  const first = firstLine(path, found);
  refuseOtherShapes(path, found, shapesOf(found), ADVICE.damaged);
  await check(found);
  if (!first) return [];
  const knownIds = [...idsIn(found)].reverse();
  const mayKnowMore =
    knownIds.length === 0 &&
    replay(found)
      .all()
      .some(({ attempts }) => attempts.length > 0);
  return bindJournal(first, found, { ...options, knownIds, mayKnowMore });
}

/** What journals of other commands record, by their `of`: plan-journal.ts, deletion/delete-rows.ts. */
const OTHER_KINDS: ReadonlyMap<string, string> = new Map([
  ['plan', 'dated changes'],
  ['deletion', 'a deletion'],
]);

function firstLine(path: string, [first]: readonly JournalRecord[]): RecordedWorkspace | undefined {
  if (first === undefined) return undefined;
  if (first.is === 'journal' && first.of !== undefined) {
    const kind = OTHER_KINDS.get(first.of) ?? quote(String(first.of));
    throw new UsageError(`${path} records ${kind}, not codes to be created`, { hint: ADVICE.elsewhere });
  }
  if (first.is === 'journal' && VERSIONS.has(first.version)) return first;
  throw new UsageError(`${path} was written by another version of qrctl, or its first line is gone`, {
    hint: 'use the latest version of qrctl; to create only what is missing, specify a different file with --results and add --skip-existing',
  });
}
