/** Opens the journal of a create run and replays it into the states of its rows. */
import { createVolatileLog, type LogWriter } from '../../../files/durable/append-log.ts';
import type { Disk } from '../../../files/durable/disk.ts';
import { type JournalWorkspace, openEnvelope, readEnvelope } from './journal-envelope.ts';
import type { JournalRecord } from './journal-records.ts';
import { createShapeCheck } from './journal-shapes.ts';
import type { FoundJournal } from './listed-rows.ts';
import type { NewRow } from './new-row.ts';
import { type RowStates, replay } from './row-states.ts';
import { createTextSharing } from './shared-texts.ts';

/** Purpose for which a journal is opened. */
interface JournalOptions extends JournalWorkspace {
  disk: Disk;
  /** Undefined: nothing is kept. */
  path: string | undefined;
  /** Throws if the journal cannot be of this run: it lacks codes that the results list. */
  check: (found: FoundJournal) => Promise<void>;
  /** Command that owns the journal; default: `qr create`. */
  kind?: CreationKind | undefined;
  /** The input, whose texts the entries share. */
  rows?: readonly NewRow[] | undefined;
}

/** Commands that create codes from rows. */
export type CreationKind = 'creation' | 'apply';

/** An open journal and the states it records. */
interface OpenJournal extends LogWriter<JournalRecord> {
  readonly states: RowStates;
}

/** Opens the journal, or creates it. Requires its lock. Throws as `openEnvelope`. */
export async function openJournal({ path, ...options }: JournalOptions): Promise<OpenJournal> {
  const states = replay([]);
  if (path === undefined) return { ...createVolatileLog<JournalRecord>(), states };
  return { ...(await openEnvelope({ ...envelopeOf(options, states), path })), states };
}

/** Returns the states that the journal records, without changing it; none if it does not exist. Throws as `openJournal`. */
export async function readJournal({ path, ...options }: JournalOptions): Promise<RowStates> {
  const states = replay([]);
  if (path !== undefined) await readEnvelope({ ...envelopeOf(options, states), path });
  return states;
}

function envelopeOf({ check, kind = 'creation', rows = [], ...options }: Omit<JournalOptions, 'path'>, states: RowStates) {
  const withSharedTexts = createTextSharing(rows);
  return {
    ...options,
    kind,
    hasShape: createShapeCheck(),
    take: (record: JournalRecord) => states.take(withSharedTexts(record)),
    async known(isNew: boolean) {
      await check({ isNew, states });
      return {
        knownIds: [...states.knownIds()].reverse(),
        mayKnowMore: states.all().some(({ attempts }) => attempts.length > 0),
      };
    },
  };
}
