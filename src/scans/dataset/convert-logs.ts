import { join } from 'node:path';
import { sum } from '#base/collections';
import { UnprovenError, UsageError } from '#base/errors';
import { formatClosing } from '#base/run/closing-line';
import type { RunFacts } from '#base/run/run-summary';
import { countOf, inShell } from '#base/text/quote';
import { createLocalTime } from '#base/time/local-time';
import { acquireLock, type Lock } from '#files/durable/lock';
import { nodeDisk } from '#files/durable/node-disk';
import { realPath } from '#files/durable/trusted-file';
import type { Row } from '#files/formats/row-sink';
import { checkOwnWorkspace, type Partitioning } from '#scans/append/identity';
import { type CodeOverlap, emptyOverlap, overlapOf } from '#scans/append/overlap';
import { countUnread, describeUnread, type LogState } from '#scans/append/recorded-log';
import { CODE_COLUMNS, LOCAL_TIME } from '#scans/export/added-columns';
import { type ExportPlan, openGrowing } from '#scans/export/export-plan';
import type { ScanRun } from '#scans/scan-run';
import { VALUE_DIMENSIONS } from '#scans/stats/dimensions';
import { createMemory } from '#scans/stats/input/distinct';
import { type FileSpan, readEveryRow } from '#scans/stats/input/read-scans';
import { keptRange, type ScanLog } from '#scans/verify/scan-log';
import type { Service } from '#service/service';
import { MANIFEST } from './manifest.ts';

type ConvertRun = ScanRun & { facts: RunFacts };

type DatasetPlan = ExportPlan & { directory: string; partition: Partitioning };

export async function convertLogs(
  run: ConvertRun,
  plan: DatasetPlan,
  logs: readonly ScanLog[],
  service: Service,
): Promise<void> {
  const locks = await lockAll(run, logs);
  try {
    // P17: refuses a damaged log, because rows from a deleted code can't be added later.
    for (const { place, fault, isUnfinished } of logs)
      if (fault && !isUnfinished)
        throw new UnprovenError(`cannot convert ${place}: ${fault.reason}`, { hint: fault.hint });
    await convert(run, plan, logs, service);
  } finally {
    for (const lock of locks) await lock.release();
  }
}

async function convert(
  run: ConvertRun,
  planned: DatasetPlan,
  logs: readonly ScanLog[],
  service: Service,
): Promise<void> {
  const { directory, partition } = planned;
  const kept = logs.flatMap(({ state }) => state ?? []);
  const own = { ...service, seen: new Set<string>() };
  for (const { place, state } of logs)
    if (state) await checkOwnWorkspace(place, state, own, 'use the profile of that workspace');
  const columns = columnsOf(planned, kept);
  const reading = { logs, columns: columns.map(({ name }) => name), zone: planned.localZone };
  // Reads all logs before writing, to find the first time in each file and any fault.
  const spans = await readScans(run, reading);
  const output = { ...planned.output, columns };
  const plan = { ...planned, all: allOf(kept), sinceMs: beginningOf(logs, spans), output };
  const codes = [...new Set(kept.flatMap(({ identity }) => identity.codes))].map((id) => ({ id }));
  const overlaps = positionsOf(kept);
  const unread = sum(kept.map(countUnread));
  if (unread > 0) run.console.warn(describeUnread(unread));
  const file = await openGrowing(run, plan, { directory }, codes, service, { overlaps });
  try {
    await readScans(run, reading, (code, rows, times) => file.addMissing(code, { rows, times }));
    for (const saved of kept)
      for (const [code, { watermarkMs }] of saved.overlaps)
        overlapOf(overlaps, code).watermarkMs ??= watermarkMs;
    await file.commit();
  } finally {
    await file.discard();
  }
  const { rows, added, watermarkMs } = file.contents();
  Object.assign(run.facts, { rows, added, watermarkMs, codes: overlaps.size, files: [directory] });
  const what = `${countOf(rows, 'scan')} of ${countOf(overlaps.size, 'code')} from ${countOf(spans.size, 'file')}`;
  const cost = [countOf(service.stats().requests, 'request')];
  run.console.note(formatClosing(`Converted ${what}`, cost, `Directory: ${directory}`));
  const which = plan.all === true ? '--all' : plan.all || codes.map(({ id }) => id).join(' ');
  const zone = partition.timezone === 'UTC' ? '' : ` --timezone ${inShell(partition.timezone)}`;
  const into = `--output-dir ${inShell(directory)} --partition-by ${partition.by}${zone} -f ${plan.output.format}`;
  run.console.note(`To add new scans, run \`qrctl scans export ${which} ${into} --append\``);
}

/** P17: locks all logs with a state, so that no run adds rows during the conversion. */
async function lockAll({ clock, signal, console }: ScanRun, logs: readonly ScanLog[]): Promise<Lock[]> {
  const locks: Lock[] = [];
  for (const { keptBy } of logs) {
    if (!keptBy) continue;
    const place = 'file' in keptBy ? keptBy.file : join(keptBy.directory, MANIFEST);
    const onWait = () => console.note(`Waiting for another run that is writing to ${place}`);
    locks.push(await acquireLock(await realPath(nodeDisk, place), { clock, signal, onWait }));
  }
  return locks;
}

function columnsOf({ output }: ExportPlan, [first]: readonly LogState[]): ExportPlan['output']['columns'] {
  const names: readonly string[] = [...CODE_COLUMNS, ...(first?.identity.columns ?? [])];
  return output.chosen || !first ? output.columns : output.columns.filter(({ name }) => names.includes(name));
}

function allOf(kept: readonly LogState[]): boolean | string {
  const [first, ...others] = kept.map(({ identity }) => identity.all);
  return first !== undefined && others.every((all) => all === first && all !== false) ? first : true;
}

function beginningOf(logs: readonly ScanLog[], spans: ReadonlyMap<string, FileSpan>): number | undefined {
  let latest = -Infinity;
  for (const log of logs) {
    if (log.state)
      for (const code of log.state.overlaps.keys())
        latest = Math.max(latest, keptRange(log, code)?.sinceMs ?? latest);
    else {
      const firsts = log.paths.map((path) => spans.get(path)?.firstMs ?? Infinity);
      latest = Math.max(latest, Math.min(...firsts));
    }
  }
  return Number.isFinite(latest) ? latest : undefined;
}

/** P17: returns, per code, the end of the verified range and the time to reread from, but no scan IDs. */
function positionsOf(kept: readonly LogState[]): Map<string, CodeOverlap> {
  const saved = kept.flatMap(({ overlaps }) => [...overlaps]);
  return new Map(
    saved.map(([code, { writtenAt, rereadFromMs, readUntilMs, isGone }]) => [
      code,
      { ...emptyOverlap(), writtenAt, rereadFromMs, readUntilMs, isGone },
    ]),
  );
}

async function readScans(
  { signal }: ScanRun,
  { logs, columns, zone }: { logs: readonly ScanLog[]; columns: readonly string[]; zone?: string },
  write?: (code: string, rows: Row[], times: number[]) => Promise<unknown>,
): Promise<Map<string, FileSpan>> {
  const fields = VALUE_DIMENSIONS.filter((field) => columns.includes(field));
  const local = zone === undefined ? undefined : createLocalTime(zone);
  // Copies a blank row, because objects that share a shape take a third of the memory.
  const blank = Object.fromEntries(columns.map((name) => [name, null]));
  const isNew = createMemory();
  const spans = new Map<string, FileSpan>();
  for (const { paths, state } of logs) {
    let batches: { code: string; rows: Row[]; times: number[] }[] = [];
    const [only, ...others] = state && !state.identity.all ? state.identity.codes : [];
    const take = (owner: string, id: number | bigint, ms: number, scan: Row) => {
      const code = owner === '' && others.length === 0 ? only : owner;
      if (!code) throw unnamed(paths);
      if (!isNew(code, id, ms) || !write) return;
      const last = batches.at(-1);
      const batch = last?.code === code ? last : { code, rows: [], times: [] };
      if (batch !== last) batches.push(batch);
      const row: Record<string, unknown> = { ...blank };
      for (const name of columns) row[name] = scan[name] ?? null;
      row.qr_id = code;
      row.id = id;
      if (local) row[LOCAL_TIME] = local.format(ms);
      batch.rows.push(row);
      batch.times.push(ms);
    };
    const onPiece = async () => {
      for (const { code, rows, times } of batches) await write?.(code, rows, times);
      batches = [];
    };
    const read = await readEveryRow({ paths, fields, note: () => undefined, signal, onPiece }, take);
    for (const [path, span] of read) spans.set(path, span);
  }
  return spans;
}

function unnamed([path = '']: readonly string[]): UsageError {
  return new UsageError(`cannot convert ${path}: its rows have no code IDs, and no append keeps it`, {
    hint: 'Rename the file to the ID of its code, such as ID.csv.',
  });
}
