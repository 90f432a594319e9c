/** The file of `scans tail --state`: locked for a run, checked against its workspace and codes, and replaced after each printed batch. */
import { UsageError } from '../../base/errors.ts';
import { asSentence } from '../../base/text/quote.ts';
import type { Clock } from '../../base/time/time.ts';
import { type Disk, ifPresent } from '../../files/durable/disk.ts';
import { acquireLock } from '../../files/durable/lock.ts';
import { nodeDisk } from '../../files/durable/node-disk.ts';
import { cannotOpen, cannotWrite } from '../../files/durable/path-errors.ts';
import { RECORD_BEGINS, RecordProblem, UnknownRecordError } from '../../files/durable/record-file.ts';
import { refuseMountPoint, replaceFile } from '../../files/durable/replace-file.ts';
import { readBack, realPath } from '../../files/durable/trusted-file.ts';
import { checkWorkspace, type Workspace } from '../../service/workspace.ts';
import { type CodesOfRun, codeDifference } from '../append/identity.ts';
import { formatTailState, parseTailState, type TailPosition, type TailState } from './tail-state.ts';

interface TailStart extends Pick<TailState, 'sinceMs' | 'positions'> {
  isContinued: boolean;
}

/** What this run follows. */
export interface TailRun {
  codes: CodesOfRun;
  workspace: Workspace;
  getCode(id: string): Promise<unknown>;
  movedFrom: string | undefined;
  sinceMs: number;
}

export interface TailStateFile {
  /** Checks that the state is of this run, and records its start. Throws UsageError like checkWorkspace, and for other codes. */
  begin(run: TailRun): Promise<TailStart>;
  /** Records positions durably. Throws LocalError; then the file has the positions before. */
  record(positions: Map<string, TailPosition>): Promise<void>;
  close(): Promise<void>;
}

interface StateFileJob {
  clock: Clock;
  signal: AbortSignal;
  disk?: Disk;
}

const ELSEWHERE = 'specify a different file with --state';
const MOST_BYTES = 256 * 2 ** 20;

/** Opens the file at `path`, which does not need to exist, exclusively until `close`. Throws UsageError if it can't be used. */
export async function openTailState(
  path: string,
  { clock, signal, disk = nodeDisk }: StateFileJob,
): Promise<TailStateFile> {
  const opening = <T>(work: Promise<T>) =>
    work.catch((error) => Promise.reject(cannotOpen(`use the state file ${path}`, error, ELSEWHERE)));
  const real = await opening(realPath(disk, path));
  await refuseMountPoint(disk, real);
  // S5: nothing is read before the lock is held.
  const lock = await acquireLock(real, { clock, signal });
  try {
    // D14: the path may lead to another file by now, whose lock is not held.
    if ((await opening(realPath(disk, path))) !== real)
      throw new UsageError(
        `cannot use the state file ${path}: the path now points to a different file than when the run started`,
        { hint: 'Run the same command again.' },
      );
    const before = await opening(readState(disk, path, real));
    let next: Omit<TailState, 'positions'> | undefined;
    const record = async (positions: Map<string, TailPosition>) => {
      if (!next) throw new Error('the state was not begun');
      // S1: the positions of printed scans only.
      await replaceFile(disk, real, formatTailState({ ...next, positions })).catch((error) =>
        Promise.reject(
          cannotWrite(`write the state file ${path}`, error, 'the last printed scans may be printed again'),
        ),
      );
    };
    return {
      async begin(run) {
        const isOwn = before && (await isOfRun(path, before, run));
        const workspace = isOwn ? before.workspace : await run.workspace.record();
        const sinceMs = before?.sinceMs ?? run.sinceMs;
        const positions = before?.positions ?? new Map<string, TailPosition>();
        next = { workspace, codes: run.codes, sinceMs };
        // S4: a run that is killed before its first batch is continued from its own start.
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

/** S7: a state that can't be read is not treated as missing: scans would be printed again, or skipped. */
async function readState(disk: Disk, path: string, real: string): Promise<TailState | undefined> {
  const bytes = await ifPresent(readBack(disk, real, MOST_BYTES));
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
      // Not to remove it: it may be the file of another program.
      hint: `${wayOn}, or ${ELSEWHERE} and start again with --since.`,
      cause,
    });
  }
}

/** S6: returns whether this key wrote the state. Throws UsageError if the state follows other codes, or is of another workspace. */
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
