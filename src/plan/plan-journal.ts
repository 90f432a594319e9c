/**
 * Journal of a plan of dated changes: the rows that are done, and those that may be. Keyed by content, because a plan is edited between
 * runs.
 */
import { type AppendLog, openAppendLog, readAppendLog } from '../durable/append-log.ts';
import type { Disk } from '../durable/disk.ts';
import { refuseOtherShapes } from '../durable/log-lines.ts';
import { UsageError } from '../errors.ts';
import { bindJournal, isWorkspaceLine, type JournalWorkspace, type WorkspaceLine } from '../once/journal-workspace.ts';
import { isObject } from '../service/json.ts';
import type { CodeChanges } from '../service/shapes.ts';
import type { RecordedWorkspace } from '../service/workspace.ts';

/** A change of the code is about to be sent: what it is, and what stood there before. */
type Intent = { is: 'intent'; id: string; wanted: CodeChanges; before: CodeChanges };

type PlanRecord =
  | ({ is: 'journal'; version: 1; of: 'plan' } & RecordedWorkspace)
  | WorkspaceLine
  /** A name of the plan (an id or slug) has been looked up, and is this code's. */
  | { is: 'known'; name: string; id: string }
  | Intent
  /** These rows are done with; `outcome` is that of the rows in the results. */
  | { is: 'done'; id: string; keys: string[]; outcome: 'updated' | 'unchanged' };

export interface PlanJournal {
  isDone(key: string): 'updated' | 'unchanged' | undefined;
  /** The code of a name, where it was looked up before. */
  known(name: string): string | undefined;
  /** The changes of a code that were begun and have no known outcome, with the values before the first attempt. */
  open(id: string): Intent | undefined;
  /** Resolved when the records are on disk for good. */
  record(records: readonly PlanRecord[]): Promise<void>;
  close(): Promise<void>;
}

const ADVICE = {
  elsewhere: 'specify a different file with --results',
  damaged: 'Restore the journal from a backup. With a different --results file, all due rows are applied again.',
};

/** Opens or creates the journal; the caller holds its lock. Throws UsageError if it is damaged, or of another kind. */
export async function openPlanJournal(path: string, own: JournalWorkspace, disk?: Disk): Promise<PlanJournal> {
  const log = await openAppendLog<PlanRecord>(path, ADVICE, disk);
  try {
    const lines = await checkLines(path, own, log.found);
    const isNew = log.found.length === 0;
    if (isNew) await log.append([{ is: 'journal', version: 1, of: 'plan', ...(await own.workspace.record()) }]);
    else if (lines.length > 0) await log.append(lines);
  } catch (error) {
    await log.close().catch(() => undefined);
    throw error;
  }
  return stateOf(log.found, log);
}

/** Reads the journal without writing to it. */
export async function readPlanJournal(path: string, own: JournalWorkspace, disk?: Disk): Promise<PlanJournal> {
  const found = await readAppendLog<PlanRecord>(path, ADVICE, disk);
  await checkLines(path, own, found);
  return stateOf(found, { append: async () => undefined, close: async () => undefined });
}

/** Refuses a journal of anything else. Returns the lines to add because the key was rotated or the service moved. */
async function checkLines(path: string, own: JournalWorkspace, found: readonly PlanRecord[]): Promise<WorkspaceLine[]> {
  const [first] = found;
  if (first === undefined) return [];
  if (first.is !== 'journal' || first.of !== 'plan' || first.version !== 1) {
    throw new UsageError(`${path} is not the journal of a plan of dated changes`, {
      hint: 'Specify a different file with --results.',
    });
  }
  refuseOtherShapes(path, found, hasShape, ADVICE.damaged);
  const knownIds = new Set([...found].reverse().flatMap((record) => ('id' in record ? [record.id] : [])));
  return bindJournal(first, found, { ...own, path, knownIds, mayKnowMore: false });
}

/** O15: a line of another shape, whatever its checksum says, is damage as well. */
function hasShape(record: PlanRecord): boolean {
  const isText = (value: unknown) => typeof value === 'string';
  if (record.is === 'workspace') return isWorkspaceLine(record);
  if (record.is === 'known') return isText(record.name) && isText(record.id);
  if (record.is === 'intent') return isText(record.id) && isObject(record.wanted) && isObject(record.before);
  return record.is === 'done' && isText(record.id) && Array.isArray(record.keys) && isText(record.outcome);
}

function stateOf(found: readonly PlanRecord[], log: Pick<AppendLog<PlanRecord>, 'append' | 'close'>): PlanJournal {
  const done = new Map<string, 'updated' | 'unchanged'>();
  const names = new Map<string, string>();
  const intents = new Map<string, Intent>();
  const note = (record: PlanRecord) => {
    if (record.is === 'known') names.set(record.name, record.id);
    else if (record.is === 'intent') intents.set(record.id, mergeIntents(intents.get(record.id), record));
    else if (record.is === 'done') {
      intents.delete(record.id);
      for (const key of record.keys) done.set(key, record.outcome);
    }
  };
  for (const record of found) note(record);
  return {
    isDone: (key) => done.get(key),
    known: (name) => names.get(name),
    open: (id) => intents.get(id),
    async record(records) {
      if (records.length === 0) return;
      await log.append(records);
      for (const record of records) note(record);
    },
    close: log.close,
  };
}

/**
 * Merges two intents of one code, both without a known outcome. O27: the value that a field had before its first intent shows a later edit, and
 * the second intent may cover fewer fields or follow that edit.
 */
function mergeIntents(first: Intent | undefined, second: Intent): Intent {
  if (first === undefined) return second;
  const changed = Object.entries(second.before).filter(([name]) => {
    const field = name as keyof CodeChanges;
    return first.wanted[field] !== second.wanted[field];
  });
  return {
    ...second,
    wanted: { ...first.wanted, ...second.wanted },
    before: { ...first.before, ...Object.fromEntries(changed) },
  };
}
