import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { UnprovenError, UsageError } from '#base/errors';
import { countOf, inShellOr, quote } from '#base/text/quote';
import { stemOfLog } from '#files/formats/read/rotated-names';
import { checkOwnWorkspace, MOST_PASTED } from '#scans/append/identity';
import { foreignReason, type RotatedFile, rangeOfCode } from '#scans/append/log-range';
import type { LogService } from '#scans/append/open-log-file';
import { codesOfLogs, type LogPlace, type LogState, placeOf, readLogState } from '#scans/append/recorded-log';
import type { CodeLabel } from '#scans/export/export-codes';
import type { Range } from '#scans/export/range';
import type { ScanRun } from '#scans/scan-run';
import { cannotReadScans, type InputLog, lossOfInput, recordOf } from '#scans/stats/input/input-log';
import { listInputs } from '#scans/stats/input/list-inputs';
import { checkLogFiles, type LogFault } from './log-files.ts';

export interface ScanLog {
  place: string;
  paths: readonly string[];
  keptBy?: LogPlace;
  known: readonly string[];
  state?: LogState;
  gone: readonly RotatedFile[];
  fault?: LogFault;
  isUnfinished: boolean;
}

type KeptLog = InputLog & { keptBy: LogPlace };

export const WRONG_LOG = 'specify a different log with --input';

export async function listLogs(run: ScanRun, places: readonly string[]): Promise<ScanLog[]> {
  const listed = await listInputs(places, {
    rotated: true,
    note: () => undefined,
    warn: run.console.warn,
  });
  const kept: KeptLog[] = [];
  const plain: string[] = [];
  for (const { keptBy, paths } of listed) {
    if (!keptBy) for (const path of paths) plain.push(path);
    else if (await recordOf(keptBy)) kept.push({ keptBy, paths });
    else {
      const loss = (await lossOfInput(keptBy, paths)) ?? 'its state cannot be read';
      throw cannotReadScans(keptBy, loss, 'Restore it from a backup, then run the command again.');
    }
  }
  const logs: ScanLog[] = [];
  for (const log of kept) {
    const described = await describeLog(run, log, plain);
    // Reads a faulty log again, because an append may have committed meanwhile.
    logs.push(described.fault === undefined ? described : await describeLog(run, log, plain));
  }
  const used = new Set(logs.flatMap(({ known }) => known));
  const paths = plain.filter((path) => !used.has(path));
  const [place] = paths;
  if (place === undefined) return logs;
  // V10: a specified file is compared or refused, never ignored.
  const named = new Set(places.map((path) => resolve(path)));
  const foreign = logs.length > 0 ? paths.find((path) => named.has(resolve(path))) : undefined;
  if (foreign !== undefined) {
    const hint = `Restore it from a backup. To read the log without it, omit --input ${inShellOr('FILE', foreign)}.`;
    throw new UnprovenError(foreignReason(foreign, `${logs[0]?.place}`), { hint });
  }
  return [...logs, { place, paths, ...NOTHING_KEPT }];
}

const NOTHING_KEPT = { known: [], gone: [], isUnfinished: false };

async function describeLog(
  { signal }: ScanRun,
  { paths, keptBy }: KeptLog,
  others: readonly string[],
): Promise<ScanLog> {
  const place = placeOf(keptBy);
  const log = { place, paths, keptBy, ...NOTHING_KEPT };
  if ('directory' in keptBy) {
    const { inspectDataset } = await import('#scans/dataset/open-dataset');
    const state = await inspectDataset(place);
    const hint = 'Restore it from a backup, or export into a new directory with `qrctl scans export`.';
    return { ...log, state, fault: state?.fault === undefined ? undefined : { reason: state.fault, hint } };
  }
  const state = await readLogState(place);
  if (!state) return log;
  return { ...log, state, ...(await checkLogFiles(place, state, { own: paths, others, signal })) };
}

export function covers({ state }: ScanLog, code: string): boolean {
  if (state?.identity.all !== false) return true;
  return state.identity.codes.includes(code) || state.overlaps.has(code);
}

export function keptRange({ state, gone }: ScanLog, code: string): Range | undefined {
  return state && rangeOfCode(state, code, (file) => !gone.includes(file));
}

/** Returns the code for rows without code IDs: a log's only code, a file's slug, or the only code passed. */
export function codeOfRows(
  { state }: ScanLog,
  path: string,
  codes: readonly CodeLabel[],
): string | undefined {
  if (state) return state.identity.codes.length === 1 ? state.identity.codes[0] : undefined;
  const stem = stemOfLog(basename(path));
  return codes.find(({ slug }) => slug === stem)?.id ?? (codes.length === 1 ? codes[0]?.id : undefined);
}

/** Throws if a code is in two logs or unknown, or if a log is from another workspace. */
export async function checkCodesOfLogs(
  logs: readonly ScanLog[],
  codes: readonly CodeLabel[],
  places: readonly string[],
  service: LogService,
  movedFrom: string | undefined,
): Promise<void> {
  const seen = new Set(codes.filter(({ missing }) => !missing).map(({ id }) => id));
  const own = { ...service, seen, movedFrom };
  // V13: codes in another workspace are different codes, even if their IDs are equal.
  for (const { place, state } of logs) if (state) await checkOwnWorkspace(place, state, own, WRONG_LOG);
  const stats = await Promise.all(places.map((place) => stat(place).catch(() => undefined)));
  const isInDirectory = stats.some((found) => found?.isDirectory());
  for (const code of codes) checkLogsOf(code, logs, isInDirectory);
  const known = codesOfLogs(logs);
  const unknown = codes.find(
    ({ id, missing }) => missing && !known.has(id) && logs.every(({ state }) => state),
  );
  if (unknown) throw unknown.missing;
}

/** V12: throws if two logs have a code, or if only files with a state are specified and none has it. */
function checkLogsOf({ id, slug }: CodeLabel, logs: readonly ScanLog[], isInDirectory: boolean): void {
  const kept = logs.filter(({ state }) => state);
  const [one, other] = kept.filter((log) => covers(log, id));
  const which = quote(slug ?? id);
  if (one && other)
    throw new UsageError(`${one.place} and ${other.place} both have the scans of ${which}`, {
      hint: 'Verify one of them at a time.',
    });
  const [log] = kept;
  // In a directory, a new code may have no file yet.
  if (one || !log?.state || kept.length < logs.length || isInDirectory) return;
  const { codes } = log.state.identity;
  const those =
    codes.length > MOST_PASTED ? 'its codes' : codes.map((code) => inShellOr('CODE', code)).join(' ');
  throw new UsageError(
    `${log.place} was not exported with ${which}: it has the scans of ${countOf(codes.length, 'other code')}`,
    { hint: `Pass only ${those}.` },
  );
}
