import { MOST_BYTES } from '#base/bounds';
import { UsageError } from '#base/errors';
import { asSentence } from '#base/text/quote';
import type { Clock } from '#base/time/time';
import { type Disk, ifPresent } from '#files/durable/disk';
import { acquireLock } from '#files/durable/lock';
import { nodeDisk } from '#files/durable/node-disk';
import { cannotOpen, cannotWrite } from '#files/durable/path-errors';
import {
  formatRecord,
  parseRecord,
  RECORD_BEGINS,
  RecordProblem,
  UnknownRecordError,
} from '#files/durable/record-file';
import { refuseMountPoint, replaceFile } from '#files/durable/replace-file';
import { readBack } from '#files/durable/trusted-file';
import { type CodesOfRun, codeDifference, isCodesOfRun } from '#scans/append/identity';
import type { ClockReading } from '#scans/append/overlap';
import { isClockReading, isTime } from '#scans/append/positions';
import { lockRealPath } from '#scans/append/recorded-log';
import { isObject } from '#service/json';
import {
  checkWorkspace,
  isRecordedWorkspace,
  type RecordedWorkspace,
  type Workspace,
} from '#service/workspace';

export interface TailRun {
  codes: CodesOfRun;
  workspace: Workspace;
  getCode(id: string): Promise<unknown>;
  movedFrom?: string;
  sinceMs: number;
}

export type TailStateFile = Awaited<ReturnType<typeof openTailState>>;

const ELSEWHERE = 'specify a different file with --state';

export async function openTailState(
  path: string,
  { clock, signal, disk = nodeDisk }: { clock: Clock; signal: AbortSignal; disk?: Disk },
) {
  const refuse = (error: unknown) =>
    Promise.reject(cannotOpen(`use the state file ${path}`, error, ELSEWHERE));
  // S5: takes the lock before it reads anything.
  const take = (real: string) => acquireLock(real, { clock, signal });
  const { real, lock } = await lockRealPath(disk, path, take).catch(refuse);
  try {
    await refuseMountPoint(disk, real);
    const before = await readState(disk, path, real).catch(refuse);
    let next: Omit<TailState, 'positions'> | undefined;
    const record = async (positions: Map<string, TailPosition>) => {
      if (!next) throw new Error('the state was not begun');
      await replaceFile(disk, real, formatTailState({ ...next, positions })).catch((error) =>
        Promise.reject(
          cannotWrite(`write the state file ${path}`, error, 'the last printed scans may be printed again'),
        ),
      );
    };
    return {
      async begin(run: TailRun) {
        const isOwn = before && (await isOfRun(path, before, run));
        const workspace = isOwn ? before.workspace : await run.workspace.record();
        const sinceMs = before?.sinceMs ?? run.sinceMs;
        const positions = before?.positions ?? new Map<string, TailPosition>();
        next = { workspace, codes: run.codes, sinceMs };
        // S4: records the start, so that the next run continues from it after a kill before the first batch.
        await record(positions);
        return { sinceMs, positions, isContinued: before !== undefined };
      },
      record,
      close: () => lock.release(),
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** S7: throws for a damaged or unknown state, because scans would be repeated or skipped without one. */
async function readState(disk: Disk, path: string, real: string): Promise<TailState | undefined> {
  const bytes = await ifPresent(readBack(disk, real, MOST_BYTES.recordFile));
  if (!bytes) return undefined;
  if (bytes.length > 0 && !bytes.toString('latin1', 0, RECORD_BEGINS.length).startsWith(RECORD_BEGINS)) {
    throw new UsageError(`cannot use the state file ${path}: it was not written by \`scans tail --state\``, {
      hint: `${asSentence(ELSEWHERE)} This file is unchanged.`,
    });
  }
  try {
    return parseTailState(bytes);
  } catch (cause) {
    if (!(cause instanceof RecordProblem)) throw cause;
    const wayOn =
      cause instanceof UnknownRecordError ? 'Update qrctl' : 'Restore the state file from a backup';
    throw new UsageError(`cannot continue from ${path}: it ${cause.message}`, {
      hint: `${wayOn}, or ${ELSEWHERE} and start again with --since.`,
      cause,
    });
  }
}

/** S6: returns whether this key wrote the state. Throws UsageError if codes or workspace differ. */
async function isOfRun(path: string, before: TailState, run: TailRun): Promise<boolean> {
  const { workspace: recorded, positions, codes } = before;
  const difference = codeDifference(codes, run.codes, 'follows');
  if (difference)
    throw new UsageError(`cannot continue from ${path}: it ${difference.reason}`, {
      hint: `${difference.wayOn}, or ${ELSEWHERE}.`,
    });
  const { workspace, getCode, movedFrom } = run;
  const knownIds = new Set([...codes.codes, ...positions.keys()]);
  const question = { path, recorded, workspace, knownIds, getCode, movedFrom, elsewhere: ELSEWHERE };
  return (await checkWorkspace(question)) === 'same';
}

const VERSION = 1;

export interface TailPosition {
  fromMs: number;
  at: ClockReading;
  printed: Map<number | bigint, number>;
}

export interface TailState {
  workspace: RecordedWorkspace;
  codes: CodesOfRun;
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

export function parseTailState(bytes: Buffer): TailState {
  const saved = parseRecord<SavedState>(bytes, [VERSION], isSavedState);
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

function isSavedState(value: Record<string, unknown>): boolean {
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

function parseScan([text, ms]: [string, number]): [number | bigint, number] {
  const id = Number(text);
  return [Number.isSafeInteger(id) ? id : BigInt(text), ms];
}
