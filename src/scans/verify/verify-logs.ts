import { UsageError } from '#base/errors';
import { addFile, addRows, type RunFacts } from '#base/run/run-summary';
import { countOf } from '#base/text/quote';
import { createLocalTime } from '#base/time/local-time';
import type { TimedRows } from '#files/formats/row-sink';
import { openLogFile } from '#scans/append/open-log-file';
import { addColumns, LOCAL_TIME } from '#scans/export/added-columns';
import type { CodeLabel } from '#scans/export/export-codes';
import type { Bounds } from '#scans/export/range';
import { formatLocalRange } from '#scans/format-local-range';
import type { ScanRun } from '#scans/scan-run';
import type { Service } from '#service/service';
import { type CoveredIndex, indexLogs, type LogIndex, readLogs } from './log-index.ts';
import { covers, keptRange, listLogs, type ScanLog, WRONG_LOG } from './scan-log.ts';
import { verifyCodes } from './verify-codes.ts';
import type { VerifiedCode } from './verify-results.ts';

export interface LogsJob {
  logs: readonly ScanLog[];
  codes: readonly CodeLabel[];
  isAll: boolean;
  range: Bounds & { zone(): string };
  movedFrom?: string;
  service: Service;
  fetchUnlisted(listed: readonly CodeLabel[], ids: Iterable<string>): Promise<CodeLabel[]>;
  isRepair: boolean;
  accepts: boolean;
}

type VerifyRun = ScanRun & { facts: RunFacts };

export async function verifyLogs(run: VerifyRun, job: LogsJob): Promise<VerifiedCode[]> {
  const { logs, codes, isRepair, accepts } = job;
  if (!isRepair && !accepts) return compareLogs(run, job);
  const results: VerifiedCode[] = [];
  for (const log of logs) {
    const own = codes.filter(({ id }) => covers(log, id));
    for (const result of await changeLog(run, log, { ...job, codes: own })) results.push(result);
  }
  const others = codes.filter(({ id }) => !logs.some((log) => covers(log, id)));
  if (others.length === 0) return results;
  return [...results, ...(await compareLogs(run, { ...job, codes: others, isAll: false }))];
}

/** V8: changes a log under its lock, so that no other run adds the same scans. */
async function changeLog(run: VerifyRun, log: ScanLog, job: LogsJob): Promise<VerifiedCode[]> {
  if (log.fault && !log.isUnfinished) return compareLogs(run, { ...job, logs: [log] });
  const file = await openLog(run, log, job);
  try {
    const silent = { ...run, console: { ...run.console, warn: () => undefined } };
    const logs = log.paths.length === 0 ? [log] : await listLogs(silent, [log.place, ...log.paths]);
    const results = await compareLogs(run, { ...job, logs }, job.isRepair ? file.add : undefined);
    // A43: if every code is missing, the service may be broken, so deletions need `accepts`.
    const mayAccept = job.accepts || job.codes.some(({ missing }) => !missing);
    if (mayAccept) for (const { code, outcome } of results) if (outcome === 'gone') file.noteGone(code.id);
    await file.commit();
    if (results.some(({ added }) => added > 0)) addFile(run.facts, file.path);
    return results;
  } finally {
    await file.discard();
    addRows(run.facts, file.contents().added);
  }
}

async function compareLogs(
  { console, signal }: ScanRun,
  job: LogsJob,
  repair?: (code: CodeLabel, batch: TimedRows) => Promise<number>,
): Promise<VerifiedCode[]> {
  const { logs, codes, range, isAll, isRepair, accepts, service } = job;
  const reading = { logs, codes, signal };
  const covered = await indexLogs(reading, range);
  const states = logs.flatMap(({ state }) => state ?? []);
  const logged = [...covered.index.codes(), ...states.flatMap(({ overlaps }) => [...overlaps.keys()])];
  // V7: includes codes that the service no longer lists.
  const others = isAll ? await job.fetchUnlisted(codes, logged) : [];
  refuseForeign(job, covered.index);
  if (!isRepair && !accepts) refuseOutside(job, covered);
  const progress = console.progress('codes');
  try {
    const results = await verifyCodes({
      ...covered,
      codes: [...codes, ...others],
      service,
      repair,
      readRows: (take) => readLogs(reading, take),
      note: console.note,
      progress: (done) => progress.update({ done, total: codes.length }),
    });
    const wasReported = (id: string) => states.some(({ overlaps }) => overlaps.get(id)?.isGone);
    return results.map((result) => ({ ...result, isAccepted: accepts || wasReported(result.code.id) }));
  } finally {
    progress.stop();
  }
}

export async function planVerify({ signal }: ScanRun, job: LogsJob) {
  const covered = await indexLogs({ logs: job.logs, codes: job.codes, signal }, job.range);
  refuseOutside(job, covered);
  return job.codes.flatMap((code) => {
    const range = covered.rangeOf(code.id);
    return range ? [{ code, logged: covered.index.of(code.id)?.rows ?? 0, range }] : [];
  });
}

/** V13: refuses files if all their scans are of codes that were not specified. */
function refuseForeign({ logs, codes }: LogsJob, index: LogIndex): void {
  const [log] = logs;
  const found = [...index.codes()];
  if (!log || found.length === 0 || logs.some(({ state }) => state) || codes.some(({ id }) => index.of(id)))
    return;
  throw new UsageError(
    `cannot verify ${log.place}: it has scans of ${countOf(found.length, 'other code')} only`,
    { hint: 'Specify the codes of the file, and the --profile of their workspace.' },
  );
}

function refuseOutside({ logs, codes, range }: LogsJob, covered: CoveredIndex): void {
  const [log] = logs;
  if (!log || codes.length === 0 || codes.some(({ id, missing }) => missing || covered.rangeOf(id))) return;
  const kept = codes.flatMap(({ id }) => keptRange(log, id) ?? [])[0];
  const of = kept ? `the scans ${formatLocalRange(kept, range.zone())}` : 'no scans';
  throw new UsageError(`cannot verify ${log.place}: it has ${of}, and none of the range to compare`, {
    hint: kept
      ? 'Pass a range that the file covers, or omit it.'
      : 'Export the scans first with `qrctl scans export`.',
  });
}

async function openLog(
  run: ScanRun,
  { keptBy, state, paths, place }: ScanLog,
  { codes, movedFrom, service }: LogsJob,
) {
  if (!keptBy || !state) {
    throw new UsageError(`cannot change ${paths.at(-1)}: it has no state of an export with --append`, {
      hint: 'No changes were made. To rebuild a lost state, run the export with --append again.',
    });
  }
  const { identity } = state;
  const seen = new Set(codes.map(({ id }) => id));
  const options = {
    identity,
    own: { ...service, seen, movedFrom },
    elsewhere: WRONG_LOG,
    // Accepts a log with rotated files or without its file, which may just have been rotated.
    rotated: paths.length > 1 || !paths.includes(place),
  };
  const file = await openLogFile(run, keptBy, options, service);
  const { columns, dialect } = identity;
  const zone = columns.includes(LOCAL_TIME) ? dialect.timezone : undefined;
  const localTime = zone === undefined ? undefined : createLocalTime(zone);
  const added = { labeled: columns.includes('qr_id'), localTime };
  return {
    ...file,
    add(code: CodeLabel, batch: TimedRows): Promise<number> {
      const sink = { ...file.sinkOf(code.id), write: (rows: TimedRows) => file.addMissing(code.id, rows) };
      return addColumns(code, sink, added).write(batch);
    },
  };
}
