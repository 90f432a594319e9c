/** Tells how each row of the input ended. */
import type { QrCode } from '../../../service/shapes.ts';
import type { RowState } from './apply-record.ts';
import type { Edits } from './create-job.ts';
import type { Edit, PlannedRow } from './input-plan.ts';
import type { InputRows } from './input-rows.ts';
import type { RoundsEnd } from './rounds.ts';
import type { RecordedStates } from './row-states.ts';

export interface RowEnd extends Pick<RowState, 'id' | 'slug' | 'error'> {
  /** Its place in the input, from 1. */
  row: number;
  line: number;
  /** `edited`: it is, or may be, an edit of a row that is gone; nothing was sent for it. `updated`: its code was changed in this run. */
  state: RowState['state'] | 'edited' | 'updated';
  /** A request of this run may have reached the service, and its response was lost. */
  sentNow: boolean;
  /** It had its code when this run began. */
  before: boolean;
  /** It met the reason why rows were left unsent. */
  stopped: boolean;
  /** If the user must decide: the candidates for the row, in addition to its own code. */
  candidates: readonly QrCode[];
  /** Details of a row with the outcome `edited`. */
  edit: Edit | undefined;
}

export interface CreateEnd {
  /** Why rows were left unsent: a failure that would have met every row, or undefined. */
  stop: unknown;
  /** The row that met it, if one was sent. */
  stopRow: number | undefined;
}

export type TakeEnd = (end: RowEnd) => void;

interface RunFacts {
  states: RecordedStates;
  input: InputRows;
  /** The ids of the codes that entries had, by their numbers from 0. */
  before: readonly (string | undefined)[];
  edits: Edits;
}

const NONE: readonly never[] = [];

/** Calls `take` with the end of each row, in the order of the input. Returns why rows were left unsent. */
export function tellEnds(
  { stop, stopRow, undecided }: RoundsEnd,
  { states, input, before, edits }: RunFacts,
  take: TakeEnd,
): CreateEnd {
  const candidatesOf = new Map(undecided.map((entry) => [entry.row, entry.candidates]));
  let stopPlace: number | undefined;
  for (const planned of input.plan().rows) take(endOf(planned));
  return { stop, stopRow: stopPlace };

  function endOf({ row: { row, line }, entry = 0, edit }: PlannedRow): RowEnd {
    const none = { row, line, sentNow: false, before: false, stopped: false, candidates: NONE, edit };
    if (edit) return { ...none, state: 'edited', id: edit.of?.id, slug: edit.of?.slug, error: edits.failed.get(row) };
    const { state, id, slug, error, attempts } = states.of(entry);
    if (edits.done.has(row)) return { ...none, state: 'updated', id, slug, error: undefined };
    const stopped = entry === stopRow;
    if (stopped) stopPlace = row;
    const sentNow = attempts.some(({ session }) => session === states.evidence.session());
    const had = id !== undefined && before[entry - 1] === id;
    const candidates = candidatesOf.get(entry) ?? NONE;
    return { row, line, state, id, slug, error, sentNow, before: had, stopped, candidates, edit };
  }
}
