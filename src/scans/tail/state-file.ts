/** The file of `scans tail --state`: locked for a run, checked against its workspace and codes, and replaced after each printed batch. */
import { UsageError } from '../../base/errors.ts';
import { asSentence } from '../../base/text/sentence.ts';
import type { Clock } from '../../base/time/time.ts';
import { type Disk, ifPresent } from '../../files/durable/disk.ts';
import { readBack } from '../../files/durable/held-directory.ts';
import { acquireLock } from '../../files/durable/lock.ts';
import { refuseMountPoint } from '../../files/durable/mount-point.ts';
import { nodeDisk } from '../../files/durable/node-disk.ts';
import { cannotOpen, cannotWrite } from '../../files/durable/path-errors.ts';
import { replaceFile } from '../../files/durable/replace-file.ts';
import { realPath } from '../../files/durable/trusted-file.ts';
import { checkWorkspace, type RecordedWorkspace, type Workspace } from '../../service/workspace.ts';
import { STATE_BEGINS, StateProblem, UnknownStateError } from '../append/checksummed-state.ts';
import { type CodesOfRun, codeDifference } from '../append/identity.ts';
import { formatTailState, parseTailState, type TailPosition, type TailState } from './tail-state.ts';

/** The state of the runs before. */
interface TailStart {
  sinceMs: number;
  positions: Map<string, TailPosition>;
  /** An earlier run wrote it. */
  isContinued: boolean;
}

/** What this run follows. */
export interface TailRun {
  codes: CodesOfRun;
  workspace: Workspace;
  getCode(id: string): Promise<unknown>;
  movedFrom: string | undefined;
  /** Start of a first run, ms since the epoch. */
  sinceMs: number;
}

export interface TailStateFile {
  /** Checks that the state is of this run, and records its start. Throws UsageError like checkWorkspace, and for other codes. */
  begin(run: TailRun): Promise<TailStart>;
  /** Records positions, flushed. Throws LocalError; then the file has the positions before. */
  record(positions: Map<string, TailPosition>): Promise<void>;
  close(): Promise<void>;
}

interface StateFileJob {
  clock: Clock;
  signal: AbortSignal;
  disk?: Disk;
}

const ELSEWHERE = 'specify a different file with --state';
/** An hour of a million scans takes less. */
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
    // D14: while we waited, the path may have been made to lead to another file, of which we hold no lock.
    if ((await opening(realPath(disk, path))) !== real) throw moved(path);
    const before = await opening(readState(disk, path, real));
    let next: Omit<TailState, 'positions'> | undefined;
    const record = async (positions: Map<string, TailPosition>) => {
      if (!next) throw new Error('the state was not begun');
      // S1: the positions of printed scans only, and whole: flushed before the rename.
      await replaceFile(disk, real, formatTailState({ ...next, positions })).catch((error) =>
        Promise.reject(
          cannotWrite(`write the state file ${path}`, error, 'the last printed scans may be printed again'),
        ),
      );
    };
    return {
      async begin(run) {
        if (before) refuseOtherCodes(path, before.codes, run.codes);
        const workspace = before ? await workspaceOf(path, before, run) : await run.workspace.record();
        const { sinceMs, positions } = before ?? {
          sinceMs: run.sinceMs,
          positions: new Map<string, TailPosition>(),
        };
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

function moved(path: string): UsageError {
  return new UsageError(
    `cannot use the state file ${path}: the path now points to a different file than when the run started`,
    {
      hint: 'Run the same command again.',
    },
  );
}

/** S7: a state that can't be read is never taken for none: scans would be printed again, or skipped. */
async function readState(disk: Disk, path: string, real: string): Promise<TailState | undefined> {
  const bytes = await ifPresent(readBack(disk, real, MOST_BYTES));
  if (!bytes) return undefined;
  if (bytes.length > 0 && !bytes.toString('latin1', 0, STATE_BEGINS.length).startsWith(STATE_BEGINS)) {
    throw new UsageError(`cannot use the state file ${path}: it was not written by \`scans tail --state\``, {
      hint: `${asSentence(ELSEWHERE)} This file is unchanged.`,
    });
  }
  try {
    return parseTailState(bytes);
  } catch (error) {
    if (error instanceof UnknownStateError) throw unreadable(path, error.message, 'Update qrctl', error);
    if (error instanceof StateProblem)
      throw unreadable(path, `it ${error.message}`, 'Restore the state file from a backup', error);
    throw error;
  }
}

function unreadable(path: string, reason: string, wayOn: string, cause: Error): UsageError {
  return new UsageError(`cannot continue from ${path}: ${reason}`, {
    // Not to remove it: it may be the file of something else.
    hint: `${wayOn}, or ${ELSEWHERE} and start again with --since.`,
    cause,
  });
}

/** S6: a state of other codes would print scans that nobody asked for, and forget the others. */
function refuseOtherCodes(path: string, was: CodesOfRun, is: CodesOfRun): void {
  const difference = codeDifference(was, is, 'follows');
  if (!difference) return;
  throw new UsageError(`cannot continue from ${path}: it ${difference.reason}`, {
    hint: `${difference.wayOn}, or ${ELSEWHERE}.`,
  });
}

/** S6: ids of another workspace say nothing about scans of this one. */
async function workspaceOf(
  path: string,
  { workspace: recorded, positions, codes }: TailState,
  { workspace, getCode, movedFrom }: TailRun,
): Promise<RecordedWorkspace> {
  const knownIds = new Set([...codes.codes, ...positions.keys()]);
  const found = await checkWorkspace({
    path,
    recorded,
    workspace,
    knownIds,
    getCode,
    movedFrom,
    elsewhere: ELSEWHERE,
  });
  return found === 'same' ? recorded : workspace.record();
}
