/**
 * Finishes an interrupted run from its journal alone, and sends nothing: rows are those that it sent, as it sent them, whatever the input
 * says by now. For callers whose rows have keys.
 */
import type { Disk } from '../../../files/durable/disk.ts';
import { nodeDisk } from '../../../files/durable/node-disk.ts';
import type { Service } from '../../../service/service.ts';
import type { QrCode } from '../../../service/shapes.ts';
import type { RowState } from './apply-record.ts';
import { recordDecisions } from './decisions.ts';
import { openJournal, readJournal } from './journal.ts';
import { LAST_LOOK_SETTLES } from './landing-delay.ts';
import type { NewRow } from './new-row.ts';
import { type RoundsJob, sendAndAsk } from './rounds.ts';
import { isDoubtful, openStates, type RowStates } from './row-states.ts';

export interface FinishJob extends Omit<RoundsJob, 'rows' | 'listed' | 'failFast' | 'lookOnly'> {
  /** Path of the journal. Hold its lock. */
  journalPath: string;
  disk?: Disk;
  /** Value of `--moved-from`. */
  movedFrom?: string | undefined;
  /** Ids of codes that rows of other runs have: they are no candidates. */
  taken: ReadonlySet<string>;
  /** Decisions of the user, by key: the id of the row's code, or undefined if it created none. */
  decisions: ReadonlyMap<string, string | undefined>;
}

/** Row of the interrupted run. */
export interface FinishedRow extends Pick<RowState, 'id' | 'slug' | 'state'> {
  readonly key: string;
  readonly code: NonNullable<RowState['code']>;
  /** Codes that could be the row's, beside the one it has: the user must decide. */
  readonly candidates: readonly QrCode[];
}

/**
 * Looks up the rows whose outcome the journal does not record, once their requests must have taken effect.
 *
 * @throws UsageError if the journal is damaged or of another workspace, and the errors of the service.
 */
export async function finishRows(job: FinishJob): Promise<FinishedRow[]> {
  const { journalPath: path, disk = nodeDisk, service, movedFrom, clock, uptimeMs } = job;
  const { workspace, getCode, nowMs: serviceNowMs } = service;
  const journal = await openJournal({ path, disk, movedFrom, kind: 'apply', workspace, getCode, check: async () => undefined });
  try {
    const states = await openStates(journal, { clock, uptimeMs, serviceNowMs });
    const rows = keyedRows(states);
    const claimed = states.claimedIds();
    const listCodes = async () => (await job.listCodes()).filter(({ id }) => claimed.has(id) || !job.taken.has(id));
    const decided = [...rows.values()].flatMap(({ row, key = '' }) => {
      return job.decisions.has(key) && isDoubtful(states.of(row)) ? [{ row, id: job.decisions.get(key) }] : [];
    });
    const adopt = decided.flatMap(({ row, id }) => (id === undefined ? [] : [{ row, line: row, id }]));
    const notCreated = decided.flatMap(({ row, id }) => (id === undefined ? [row] : []));
    const warn = () => undefined; // that the values differ is in the plan
    await recordDecisions({ adopt, notCreated }, { states, getCode, listCodes, warn });
    const candidatesOf = new Map<number, readonly QrCode[]>();
    const look = async (isWanted: (state: RowState) => boolean, settleMs: number) => {
      const wanted = [...rows].filter(([row]) => isWanted(states.of(row)));
      if (wanted.length === 0) return;
      const looking = { ...job, settleMs, rows: new Map(wanted), listed: [], listCodes, failFast: false, lookOnly: true };
      const { stop, undecided } = await sendAndAsk(looking, states);
      if (stop !== undefined) throw stop;
      for (const { row, candidates } of undecided) candidatesOf.set(row, candidates);
    };
    // O20: the caller drops the journal, so that this is the last look for what was lost.
    await look(({ state }) => state === 'unknown', LAST_LOOK_SETTLES * job.settleMs);
    await look(({ id, attempts }) => id !== undefined && attempts.length > 0, job.settleMs);
    return [...rows.values()].map((row) => finishedOf(row, states, candidatesOf.get(row.row)));
  } finally {
    await journal.close().catch(() => undefined); // what it failed with was told to those who waited
  }
}

/** Returns the rows that a journal records, without changing it: those of unknown outcome as `unknown`. Throws as `finishRows`. */
export async function readFinished(
  job: Pick<FinishJob, 'journalPath' | 'disk' | 'movedFrom'> & { service: Pick<Service, 'workspace' | 'getCode'> },
): Promise<FinishedRow[]> {
  const { journalPath: path, disk = nodeDisk, service, movedFrom } = job;
  const { workspace, getCode } = service;
  const states = await readJournal({ path, disk, movedFrom, kind: 'apply', workspace, getCode, check: async () => undefined });
  return [...keyedRows(states).values()].map((row) => finishedOf(row, states));
}

function finishedOf({ row, key = '', code }: NewRow, states: RowStates, candidates: readonly QrCode[] = []): FinishedRow {
  const { id, slug, state } = states.of(row);
  return { key, code, id, slug, state, candidates };
}

/** The rows of the journal, by the numbers of their entries. */
function keyedRows(states: RowStates): Map<number, NewRow> {
  const rows = states.all().map(({ row, seen, code }): [number, NewRow] => {
    if (seen?.key === undefined || !code) throw new Error(`entry ${row} of the journal has no key`);
    return [row, { row, line: row, values: new Map(), code, key: seen.key }];
  });
  return new Map(rows);
}
