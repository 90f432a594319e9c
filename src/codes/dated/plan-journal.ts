/**
 * Journal of a plan of dated changes: the rows that are done, and those that may be. Keyed by content, because a plan is edited between
 * runs.
 */
import { createVolatileLog, type LogWriter } from '../../files/durable/append-log.ts';
import type { Disk } from '../../files/durable/disk.ts';
import { isObject } from '../../service/json.ts';
import type { CodeChanges } from '../../service/shapes.ts';
import { type JournalWorkspace, openEnvelope, readEnvelope } from '../engine/creation/journal-envelope.ts';

/** A change of the code is about to be sent: the new values, and the previous ones. */
type Intent = { is: 'intent'; id: string; wanted: CodeChanges; before: CodeChanges };

/** These rows are done with; `outcome` is that of the rows in the results. */
export type DoneRecord = { is: 'done'; id: string; keys: string[]; outcome: 'updated' | 'unchanged' };

type PlanRecord =
  /** A name of the plan (an id or slug) has been looked up, and is this code's. */
  { is: 'known'; name: string; id: string } | Intent | DoneRecord;

export interface PlanJournal {
  isDone(key: string): 'updated' | 'unchanged' | undefined;
  /** ID of a slug that was looked up before. */
  known(name: string): string | undefined;
  /** The changes of a code that were begun and have no known outcome, with the values before the first attempt. */
  open(id: string): Intent | undefined;
  /** Resolved when the records are on disk for good. */
  record(records: readonly PlanRecord[]): Promise<void>;
  close(): Promise<void>;
}

/** Opens or creates the journal; the caller holds its lock. Throws as `openEnvelope`. */
export async function openPlanJournal(path: string, own: JournalWorkspace, disk?: Disk): Promise<PlanJournal> {
  const { envelope, journalOn } = createReplay(path, own, disk);
  return journalOn(await openEnvelope(envelope));
}

/** Reads the journal without writing to it. */
export async function readPlanJournal(path: string, own: JournalWorkspace, disk?: Disk): Promise<PlanJournal> {
  const { envelope, journalOn } = createReplay(path, own, disk);
  await readEnvelope(envelope);
  return journalOn(createVolatileLog());
}

function createReplay(path: string, own: JournalWorkspace, disk: Disk | undefined) {
  const done = new Map<string, 'updated' | 'unchanged'>();
  const names = new Map<string, string>();
  const intents = new Map<string, Intent>();
  const ids = new Set<string>();
  const take = (record: PlanRecord) => {
    ids.delete(record.id);
    ids.add(record.id);
    if (record.is === 'known') names.set(record.name, record.id);
    else if (record.is === 'intent') intents.set(record.id, mergeIntents(intents.get(record.id), record));
    else {
      intents.delete(record.id);
      for (const key of record.keys) done.set(key, record.outcome);
    }
  };
  const journalOn = (log: LogWriter<PlanRecord>): PlanJournal => ({
    isDone: (key) => done.get(key),
    known: (name) => names.get(name),
    open: (id) => intents.get(id),
    async record(records) {
      if (records.length === 0) return;
      await log.append(records);
      for (const record of records) take(record);
    },
    close: log.close,
  });
  const known = () => ({ knownIds: [...ids].reverse(), mayKnowMore: false });
  return { journalOn, envelope: { ...own, kind: 'plan' as const, path, disk, hasShape, take, known } };
}

/** O15: a line of another shape is damage as well, whatever its checksum is. */
function hasShape(record: PlanRecord): boolean {
  const isText = (value: unknown) => typeof value === 'string';
  if (record.is === 'known') return isText(record.name) && isText(record.id);
  if (record.is === 'intent') return isText(record.id) && isObject(record.wanted) && isObject(record.before);
  return record.is === 'done' && isText(record.id) && Array.isArray(record.keys) && isText(record.outcome);
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
