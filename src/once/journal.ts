/**
 * Opens and checks the journal of one create file: its lines, and its binding to its rows and its service, so that it is never used for
 * anything else. The keys and words of a line are a format on disk: journals of older versions contain them.
 */
import { createVolatileLog, type LogWriter, openLog, readLog } from '../durable/append-log.ts';
import type { Disk } from '../durable/disk.ts';
import { createShapeGuard } from '../durable/log-lines.ts';
import { UsageError } from '../errors.ts';
import type { RecordedWorkspace } from '../service/workspace.ts';
import { quote } from '../text/quote.ts';
import type { JournalRecord } from './journal-records.ts';
import { createShapeCheck } from './journal-shapes.ts';
import { bindJournal, isWorkspaceLine, type JournalWorkspace, type WorkspaceLine } from './journal-workspace.ts';
import type { FoundJournal } from './listed-rows.ts';
import { type RowStates, replay } from './row-states.ts';

/** What a journal is opened for. */
interface JournalOptions extends JournalWorkspace {
  disk: Disk;
  /** Undefined: nothing is kept. */
  path: string | undefined;
  /** Throws where the journal cannot be of this run: it lacks what the results list. */
  check: (found: FoundJournal) => Promise<void>;
}

const VERSIONS: ReadonlySet<unknown> = new Set([1, 2]);

const ADVICE = {
  elsewhere: 'specify a different file with --results',
  damaged:
    'Restore the journal from a backup. To create only missing codes, specify a different file with --results and add --skip-existing.',
};

/** An open journal and the states it records. */
interface OpenJournal extends LogWriter<JournalRecord> {
  readonly states: RowStates;
}

/**
 * Opens the journal, or creates it. Requires its lock.
 *
 * @throws UsageError if it is damaged (O15: the log refuses that), of another workspace or of another kind.
 */
export async function openJournal(options: JournalOptions): Promise<OpenJournal> {
  const { path, disk } = options;
  const reader = createReader(path ?? '');
  const { states } = reader;
  if (path === undefined) return { ...createVolatileLog<JournalRecord>(), states };
  const journal = await openLog<JournalRecord>({ path, advice: ADVICE, disk, take: reader.take });
  try {
    const lines = await checkFound({ ...options, path }, reader);
    const beginning: JournalRecord[] = reader.first() ? lines : [await firstLine(options)];
    if (beginning.length > 0) await journal.append(beginning);
    return { ...journal, states };
  } catch (error) {
    await journal.close().catch(() => undefined);
    throw error;
  }
}

async function firstLine({ workspace }: JournalOptions): Promise<JournalRecord> {
  return { is: 'journal', version: 2, ...(await workspace.record()) };
}

/** Returns the states that the journal records, without changing it; none if it does not exist. Throws as `openJournal`. */
export async function readJournal(options: JournalOptions): Promise<RowStates> {
  const { path, disk } = options;
  const reader = createReader(path ?? '');
  if (path === undefined) return reader.states;
  await readLog<JournalRecord>({ path, advice: ADVICE, disk, take: reader.take });
  await checkFound({ ...options, path }, reader);
  return reader.states;
}

type Reader = ReturnType<typeof createReader>;

/** Replays the lines of a journal as they are read, and refuses a journal of another kind. */
function createReader(path: string) {
  const states = replay([]);
  const refuseOther = createShapeGuard(path, createShapeCheck(), ADVICE.damaged);
  let first: RecordedWorkspace | undefined;
  const rebound: WorkspaceLine[] = [];
  return {
    states,
    /** Binding of its first line; undefined if it is empty. `rebound`: later bindings. */
    first: () => first,
    rebound,
    take(record: JournalRecord): void {
      first ??= requireBeginning(path, record);
      refuseOther(record);
      if (isWorkspaceLine(record)) rebound.push(record);
      states.take(record);
    },
  };
}

/** Refuses a journal of another workspace. Returns the lines to add because the key was rotated or the service moved. */
async function checkFound(options: JournalOptions & { path: string }, reader: Reader): Promise<WorkspaceLine[]> {
  const { states, rebound } = reader;
  const first = reader.first();
  await options.check({ isNew: first === undefined, states });
  if (!first) return [];
  const knownIds = [...states.knownIds()].reverse();
  const mayKnowMore = knownIds.length === 0 && states.all().some(({ attempts }) => attempts.length > 0);
  return bindJournal(first, rebound, { ...options, knownIds, mayKnowMore });
}

/** What journals of other commands record, by their `of`: plan-journal.ts, deletion/delete-rows.ts. */
const OTHER_KINDS: ReadonlyMap<string, string> = new Map([
  ['plan', 'dated changes'],
  ['deletion', 'a deletion'],
]);

/** The first line of a journal of this command. */
function requireBeginning(path: string, first: JournalRecord): RecordedWorkspace {
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
