/** State of `scans tail --state`: the codes it follows, and for each of them which scans were printed, as far as they could be read again. */
import { formatRecord, parseRecord } from '../../files/durable/record-file.ts';
import { isObject } from '../../service/json.ts';
import { isRecordedWorkspace, type RecordedWorkspace } from '../../service/workspace.ts';
import { type CodesOfRun, isCodesOfRun } from '../append/identity.ts';
import type { ClockReading } from '../append/overlap.ts';
import { isClockReading, isTime } from '../append/positions.ts';

const VERSION = 1;

export interface TailPosition {
  /** All scans before were printed, ms since the epoch. */
  fromMs: number;
  at: ClockReading;
  /** Times of printed scans from then on, by ID. */
  printed: Map<number | bigint, number>;
}

export interface TailState {
  workspace: RecordedWorkspace;
  codes: CodesOfRun;
  /** When the first run began: codes without a position are printed from then on, ms since the epoch. */
  sinceMs: number;
  positions: Map<string, TailPosition>;
}

export function formatTailState({ workspace, codes, sinceMs, positions }: TailState): Buffer {
  const saved = [...positions].map(([code, { fromMs, at, printed }]): [string, SavedPosition] => [
    code,
    { fromMs, at, printed: [...printed].map(([id, ms]) => [`${id}`, ms]) },
  ]);
  const { codes: ids, all } = codes;
  return formatRecord({ version: VERSION, ...workspace, codes: ids, all, sinceMs, positions: saved });
}

/** Parses the bytes. Throws RecordProblem. */
export function parseTailState(bytes: Buffer): TailState {
  const saved = parseRecord(bytes, [VERSION], isSavedState);
  const { baseUrl, key, profile, codes, all, sinceMs } = saved;
  const positions = saved.positions.map(
    ([code, { printed, ...position }]) =>
      [code, { ...position, printed: new Map(printed.map(parseScan)) }] as const,
  );
  return {
    workspace: { baseUrl, key, profile },
    codes: { codes, all },
    sinceMs,
    positions: new Map(positions),
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

/** IDs beyond 2^53 keep their digits. */
function parseScan([text, ms]: [string, number]): [number | bigint, number] {
  const id = Number(text);
  return [Number.isSafeInteger(id) ? id : BigInt(text), ms];
}
