/** The files that `scans verify` compares: a file with its rotated files, a directory of files, or a dataset. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { LogState } from '../../../append/append-file.ts';
import type { CodeLabel } from '../../../complete/export-codes.ts';
import type { Range } from '../../../complete/range.ts';
import type { Context } from '../../../context.ts';
import { UsageError } from '../../../errors.ts';
import { stemOfLog } from '../../../rows/read/rotated-names.ts';
import { keepMemoryFlat } from '../../../service/v8-flags.ts';
import type { InputLog } from '../../../stats/input/input-log.ts';
import { listInputs } from '../../../stats/input/list-inputs.ts';
import { readEveryRow } from '../../../stats/input/read-scans.ts';
import { letSignalsIn } from '../../../time/time.ts';
import { createLogIndex, type LogIndex } from '../../../verify/log-index.ts';

/** Files that one export wrote, and what it recorded about them. */
export interface ScanLog {
  /** The oldest first. */
  paths: readonly string[];
  keptBy: InputLog['keptBy'];
  /** Undefined for files that no append keeps. */
  state: LogState | undefined;
  /** Rows from before are not in the files: the oldest files were deleted. */
  isShortened: boolean;
  /** ID of the code of rows without one; undefined if it is unknown. */
  codeId: string | undefined;
}

/** Lists the logs at a place. Throws UsageError if there are none. */
export async function listLogs(context: Context, place: string, codes: readonly CodeLabel[]): Promise<ScanLog[]> {
  const { note, warn } = context.console;
  const isDirectory = (await stat(place).catch(() => undefined))?.isDirectory() ?? false;
  const logs = await listInputs([place], { rotated: true, note, warn });
  return Promise.all(logs.map((log) => describeLog(log, codes, isDirectory)));
}

async function describeLog({ paths, keptBy }: InputLog, codes: readonly CodeLabel[], isInDirectory: boolean): Promise<ScanLog> {
  if (keptBy && 'directory' in keptBy) {
    const { readDatasetState } = await import('../../../dataset/open-dataset.ts');
    const state = await readDatasetState(keptBy.directory);
    const there = new Set(paths);
    const isShortened = !state?.parts.every(({ partition, name }) => there.has(join(keptBy.directory, partition, name)));
    return { paths, keptBy, state, isShortened, codeId: undefined };
  }
  const { readLogState } = await import('../../../append/append-file.ts');
  const state = keptBy && (await readLogState(keptBy.file));
  const [only, ...others] = state && !state.identity.all ? state.identity.codes : [];
  return {
    ...{ paths, keptBy, state },
    isShortened: state?.isRotated ?? false,
    codeId: only !== undefined && others.length === 0 ? only : codeOfFile(paths, codes, isInDirectory),
  };
}

/** `--file-names slug` names files by slug; a single file has the scans of the only code. */
function codeOfFile(paths: readonly string[], codes: readonly CodeLabel[], isInDirectory: boolean): string | undefined {
  if (!isInDirectory) return codes.length === 1 ? codes[0]?.id : undefined;
  const stem = stemOfLog((paths.at(-1) ?? '').split(/[\\/]/).at(-1) ?? '');
  return codes.find(({ slug }) => slug === stem)?.id;
}

/** Calls `take` for each row of the logs: the ID of its code, its own ID, and its time in ms since the epoch. Throws UsageError for other files. */
export async function readLogs(
  context: Context,
  logs: readonly ScanLog[],
  take: (code: string, id: number | bigint, ms: number) => void,
): Promise<void> {
  const keepFlat = keepMemoryFlat();
  for (const { paths, codeId } of logs) {
    const pause = async () => {
      keepFlat();
      await letSignalsIn(context.signal);
    };
    await readEveryRow({ paths, note: () => undefined, signal: context.signal, pause }, (owner, id, ms) => {
      const code = owner === '' ? codeId : owner;
      if (code === undefined) throw unnamed(paths);
      take(code, id, ms);
    });
  }
}

function unnamed(paths: readonly string[]): UsageError {
  return new UsageError(`cannot verify ${paths[0]}: its rows have no code IDs`, {
    hint: 'Specify the code of the file: `qrctl scans verify CODE -o FILE`.',
  });
}

/** Index of logs, and the range of each code that they cover. */
export interface CoveredIndex {
  index: LogIndex;
  rangeOf(code: string): Range | undefined;
}

/**
 * Reads the logs once. A log that an append keeps covers each of its codes from the lower bound of its first run to the newest row of the code,
 * because the next run reads on from there. Other files cover all codes from their first row to their last, or the requested range.
 */
export async function indexLogs(
  context: Context,
  logs: readonly ScanLog[],
  { sinceMs: fromMs = Number.NEGATIVE_INFINITY, untilMs: toMs = Number.POSITIVE_INFINITY }: Partial<Range>,
): Promise<CoveredIndex> {
  const kept = new Map(logs.flatMap(keptCoverage));
  const isKept = logs.every(({ state }) => state !== undefined);
  const isWanted = (code: string, ms: number) =>
    ms >= fromMs && ms < toMs && ms < (kept.get(code)?.untilMs ?? Number.POSITIVE_INFINITY);
  const index = createLogIndex(isWanted);
  await readLogs(context, logs, index.add);
  const { firstMs, lastMs } = index.span();
  const isBounded = Number.isFinite(fromMs) || Number.isFinite(toMs);
  const plain: Coverage | undefined = isKept
    ? undefined
    : { sinceMs: isBounded ? fromMs : undefined, untilMs: Number.isFinite(toMs) ? toMs : lastMs + 1 };
  return {
    index,
    rangeOf(code) {
      const covered = kept.get(code) ?? plain;
      if (!covered) return undefined;
      // Rows before the first one were in files that are gone, or were never exported.
      const beginMs = covered.sinceMs ?? firstMs;
      const [sinceMs, untilMs] = [Math.max(fromMs, beginMs), Math.min(toMs, covered.untilMs)];
      if (!(sinceMs < untilMs)) return undefined;
      return { sinceMs: sinceMs === Number.NEGATIVE_INFINITY ? undefined : sinceMs, untilMs };
    },
  };
}

/** `sinceMs`: undefined for the first row of all, whenever that is. */
interface Coverage {
  sinceMs: number | undefined;
  untilMs: number;
}

function keptCoverage({ state, isShortened }: ScanLog): [string, Coverage][] {
  if (!state) return [];
  const sinceMs = isShortened ? undefined : (state.sinceMs ?? Number.NEGATIVE_INFINITY);
  return [...state.newestMs].map(([code, newestMs]) => [code, { sinceMs, untilMs: newestMs + 1 }]);
}
