/** The logs that `scans verify` compares: an appended file with its rotated files, a dataset, or files that no append keeps. */
import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { UnprovenError } from '../../../base/errors.ts';
import { inShellOr } from '../../../base/text/quote.ts';
import { letSignalsIn } from '../../../base/time/time.ts';
import type { Context } from '../../../context.ts';
import { stemOfLog } from '../../../files/formats/read/rotated-names.ts';
import type { LogState } from '../../../scans/append/append-file.ts';
import { foreignReason, type RotatedFile, rangeOfCode } from '../../../scans/append/log-range.ts';
import type { CodeLabel } from '../../../scans/export/export-codes.ts';
import type { Range } from '../../../scans/export/range.ts';
import type { InputLog } from '../../../scans/stats/input/input-log.ts';
import { listInputs } from '../../../scans/stats/input/list-inputs.ts';
import { recordOf } from '../../../scans/stats/input/record-of-log.ts';
import { checkLogFiles, type LogFault } from '../../../scans/verify/log-files.ts';

/** Files that one append keeps, or all files that none keeps. */
export interface ScanLog {
  /** The appended file, the directory of a dataset, or the first file. */
  place: string;
  /** The oldest first. */
  paths: readonly string[];
  keptBy: InputLog['keptBy'];
  /** Files of it, and copies of them, which are not read. */
  known: readonly string[];
  /** Undefined for files that no append keeps. */
  state: LogState | undefined;
  /** Rotated files that are not among the files. */
  gone: readonly RotatedFile[];
  /** What differs from the state. */
  fault: LogFault | undefined;
  /** The next append, or a repair, removes the fault. */
  isUnfinished: boolean;
}

type KeptLog = InputLog & { keptBy: NonNullable<InputLog['keptBy']> };

/** Lists the logs at these files and directories. Throws UsageError if one is not there, or has no scans. */
export async function listLogs(context: Context, places: readonly string[]): Promise<ScanLog[]> {
  const listed = await listInputs(places, {
    rotated: true,
    note: () => undefined,
    warn: context.console.warn,
  });
  const kept: KeptLog[] = [];
  const plain: string[] = [];
  for (const { keptBy, paths } of listed) {
    if (!keptBy) for (const path of paths) plain.push(path);
    else if (await recordOf(keptBy)) kept.push({ keptBy, paths });
    else await refuseUnreadable(keptBy, paths);
  }
  const logs: ScanLog[] = [];
  for (const log of kept) {
    const described = await describeLog(context, log, plain);
    // An append that was committing meanwhile has changed both.
    logs.push(described.fault === undefined ? described : await describeLog(context, log, plain));
  }
  const used = new Set(logs.flatMap(({ known }) => known));
  const paths = plain.filter((path) => !used.has(path));
  const [place] = paths;
  if (place === undefined) return logs;
  // V10: what a flag specifies is compared or refused, never ignored.
  const named = new Set(places.map((path) => resolve(path)));
  const foreign = logs.length > 0 ? paths.find((path) => named.has(resolve(path))) : undefined;
  if (foreign !== undefined) {
    const hint = `Restore it from a backup. To read the log without it, omit --input ${inShellOr('FILE', foreign)}.`;
    throw new UnprovenError(foreignReason(foreign, `${logs[0]?.place}`), { hint });
  }
  return [...logs, { place, paths, ...NOTHING_KEPT, keptBy: undefined }];
}

/** V10: without its state, nothing shows which rows a log lacks. */
async function refuseUnreadable(keptBy: KeptLog['keptBy'], paths: readonly string[]): Promise<never> {
  const isFile = 'file' in keptBy;
  const place = isFile ? keptBy.file : keptBy.directory;
  const loss = isFile
    ? await (await import('../../../scans/append/recorded-log.ts')).lossOfLog(place, paths)
    : await (await import('../../../scans/dataset/open-dataset.ts')).lossOfDataset(place);
  throw new UnprovenError(`cannot read the scans of ${place}: ${loss ?? 'its state cannot be read'}`, {
    hint: 'Restore it from a backup, then run the command again.',
  });
}

const NOTHING_KEPT = { known: [], state: undefined, gone: [], fault: undefined, isUnfinished: false };

export async function isDirectory(place: string): Promise<boolean> {
  return (await stat(place).catch(() => undefined))?.isDirectory() ?? false;
}

/** `others`: files that no append keeps; rotated ones may be among them. */
async function describeLog(
  { signal }: Context,
  { paths, keptBy }: KeptLog,
  others: readonly string[],
): Promise<ScanLog> {
  if ('directory' in keptBy) {
    const { inspectDataset } = await import('../../../scans/dataset/open-dataset.ts');
    const state = await inspectDataset(keptBy.directory);
    const hint = 'Restore it from a backup, or export into a new directory with `qrctl scans export`.';
    const fault = state?.fault === undefined ? undefined : { reason: state.fault, hint };
    return { place: keptBy.directory, paths, keptBy, ...NOTHING_KEPT, state, fault };
  }
  const log = { place: keptBy.file, paths, keptBy, ...NOTHING_KEPT };
  const state = await (await import('../../../scans/append/append-file.ts')).readLogState(log.place);
  if (!state) return log;
  return {
    ...log,
    state,
    ...(await checkLogFiles(log.place, state, { own: paths, others, pause: () => letSignalsIn(signal) })),
  };
}

/** Returns whether a log has the scans of a code, as far as its state shows. */
export function covers({ state }: ScanLog, code: string): boolean {
  if (state?.identity.all !== false) return true;
  return state.identity.codes.includes(code) || state.overlaps.has(code);
}

/** Returns the range of a code that an appended log covers; undefined for files that no append keeps. */
export function keptRange({ state, gone }: ScanLog, code: string): Range | undefined {
  return state && rangeOfCode(state, code, (file) => !gone.includes(file));
}

/** Returns the ID of the code of rows without one: of a log of one code, of a file that is named by the code's slug, or of the only code. */
export function codeOfRows(
  { state }: ScanLog,
  path: string,
  codes: readonly CodeLabel[],
): string | undefined {
  if (state) return state.identity.codes.length === 1 ? state.identity.codes[0] : undefined;
  const stem = stemOfLog(basename(path));
  return codes.find(({ slug }) => slug === stem)?.id ?? (codes.length === 1 ? codes[0]?.id : undefined);
}
