/** State of `scans tail --state`: the codes it follows, and for each of them what was printed as far as it could be read again. */
import { isObject } from '../../service/json.ts';
import { isRecordedWorkspace, type RecordedWorkspace } from '../../service/workspace.ts';
import { formatChecksummed, parseChecksummed } from '../append/checksummed-state.ts';
import { type CodesOfRun, isCodesOfRun } from '../append/identity.ts';
import type { ClockReading } from '../append/overlap.ts';
import { isClockReading, isTimeOr } from '../append/positions.ts';

const VERSION = 1;

/** How far the scans of a code were printed. */
export interface TailPosition {
  /** All scans before were printed, ms since the epoch. */
  fromMs: number;
  /** The clocks when that time was set. */
  at: ClockReading;
  /** Times of printed scans from then on, by ID. */
  printed: Map<number | bigint, number>;
}

export interface TailState {
  workspace: RecordedWorkspace;
  codes: CodesOfRun;
  /** When the first run began: codes without a position are printed from then on, ms since the epoch. */
  sinceMs: number;
  /** By id of the code. */
  positions: Map<string, TailPosition>;
}

/** The bytes of the state file. */
export function formatTailState({ workspace, codes, sinceMs, positions }: TailState): Buffer {
  const saved = [...positions].map(([code, { fromMs, at, printed }]): [string, SavedPosition] => [
    code,
    { fromMs, at, printed: [...printed].map(([id, ms]) => [`${id}`, ms]) },
  ]);
  return formatChecksummed({
    version: VERSION,
    ...workspace,
    codes: codes.codes,
    all: codes.all,
    sinceMs,
    positions: saved,
  });
}

/** Parses the bytes. Throws StateProblem if they are truncated or changed, UnknownStateError for another version or form. */
export function parseTailState(bytes: Buffer): TailState {
  const { baseUrl, key, profile, codes, all, sinceMs, positions } = parseChecksummed(
    bytes,
    [VERSION],
    isSavedState,
  );
  return {
    workspace: { baseUrl, key, profile },
    codes: { codes, all },
    sinceMs,
    positions: new Map(
      positions.map(([code, { fromMs, at, printed }]) => [
        code,
        { fromMs, at, printed: new Map(printed.map(parseScan)) },
      ]),
    ),
  };
}

interface SavedPosition extends Pick<TailPosition, 'fromMs' | 'at'> {
  printed: [string, number][];
}

interface SavedState extends RecordedWorkspace, CodesOfRun {
  sinceMs: number;
  positions: [string, SavedPosition][];
}

/** S7: another program may have written a state with a correct checksum: every value is checked before it is used. */
function isSavedState(value: Record<string, unknown>): value is Record<string, unknown> & SavedState {
  const { sinceMs, positions } = value;
  const isPosition = (entry: unknown) =>
    Array.isArray(entry) && typeof entry[0] === 'string' && isSavedPosition(entry[1]);
  return (
    isRecordedWorkspace(value) &&
    isCodesOfRun(value) &&
    isTime(sinceMs) &&
    Array.isArray(positions) &&
    positions.every(isPosition)
  );
}

function isSavedPosition(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { fromMs, at, printed } = value;
  const isScan = (entry: unknown) =>
    Array.isArray(entry) && /^-?\d{1,40}$/.test(String(entry[0])) && isTime(entry[1]);
  return isTime(fromMs) && isClockReading(at) && Array.isArray(printed) && printed.every(isScan);
}

function isTime(value: unknown): boolean {
  return isTimeOr(undefined, value) && value !== undefined;
}

/** IDs beyond 2^53 keep their digits. */
function parseScan([text, ms]: [string, number]): [number | bigint, number] {
  const id = Number(text);
  return [Number.isSafeInteger(id) ? id : BigInt(text), ms];
}
