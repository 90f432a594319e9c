/**
 * Opens and checks the journal of one create file: its lines, and its binding to its rows and its service, so that it is never used for
 * anything else. The keys and words of a line are a format on disk: journals of older versions contain them.
 */
import { type AppendLog, createVolatileLog, openAppendLog, readAppendLog, refuseOtherShapes } from '../durable/append-log.ts';
import type { Disk } from '../durable/disk.ts';
import { UsageError } from '../errors.ts';
import type { RecordedWorkspace } from '../service/workspace.ts';
import { quote } from '../text/quote.ts';
import type { JournalRecord } from './journal-records.ts';
import { shapesOf } from './journal-shapes.ts';
import { bindJournal, type JournalWorkspace, type WorkspaceLine } from './journal-workspace.ts';
import { idsIn } from './listed-rows.ts';
import { replay } from './row-states.ts';

/** What a journal is opened for. */
interface JournalOptions extends JournalWorkspace {
  disk: Disk;
  /** Undefined: nothing is kept. */
  path: string | undefined;
  /** Throws where the journal cannot be of this run: it lacks what the results list. */
  check: (found: readonly JournalRecord[]) => Promise<void>;
}

const VERSIONS: ReadonlySet<unknown> = new Set([1, 2]);

const ADVICE = {
  elsewhere: 'specify a different file with --results',
  damaged:
    'Restore the journal from a backup. To create only missing codes, specify a different file with --results and add --skip-existing.',
};

/**
 * Opens the journal, or creates it. Requires its lock.
 *
 * @throws UsageError if it is damaged (O15: the log refuses that), of another workspace or of another kind.
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

/** Returns the records of the journal without changing it; none if it does not exist. Throws as `openJournal`. */
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
    throw new UsageError(`${path} is the journal of ${kind}, not of a create run`, {
      hint: 'Specify a different file with --results.',
    });
  }
  if (first.is === 'journal' && VERSIONS.has(first.version)) return first;
  throw new UsageError(`${path} was written by another version of qrctl, or its first line is missing`, {
    hint: 'Use the latest version of qrctl. To create only missing codes, specify a different file with --results and add --skip-existing.',
  });
}
