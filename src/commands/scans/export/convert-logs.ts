/** `scans export --input`: turns logs into a dataset that a later `--append` continues. Reads files only: no request is sent. */
import { join } from 'node:path';
import { UnprovenError, UsageError } from '../../../base/errors.ts';
import { countOf, inShell } from '../../../base/text/quote.ts';
import { createLocalTime } from '../../../base/time/local-time.ts';
import type { Context } from '../../../context.ts';
import { acquireLock, type Lock } from '../../../files/durable/lock.ts';
import { nodeDisk } from '../../../files/durable/node-disk.ts';
import { realPath } from '../../../files/durable/trusted-file.ts';
import type { Row } from '../../../files/formats/row-sink.ts';
import type { LogState } from '../../../scans/append/append-file.ts';
import { type CodeOverlap, emptyOverlap, overlapOf } from '../../../scans/append/overlap.ts';
import { checkOwnWorkspace } from '../../../scans/append/own-workspace.ts';
import { MANIFEST } from '../../../scans/dataset/manifest.ts';
import type { Partitioning } from '../../../scans/dataset/partitions.ts';
import type { CodeLabel } from '../../../scans/export/export-codes.ts';
import { VALUE_DIMENSIONS } from '../../../scans/stats/dimensions.ts';
import { createMemory } from '../../../scans/stats/input/distinct.ts';
import { type FileSpan, readEveryRow } from '../../../scans/stats/input/read-scans.ts';
import { LABELS } from '../labels.ts';
import { createPause } from '../pause.ts';
import { keptRange, listLogs, type ScanLog } from '../verify/scan-log.ts';
import { LOCAL_TIME } from './added-columns.ts';
import type { ExportFlags } from './flags.ts';
import { openPartitioned } from './open-growing.ts';
import { type ExportPlan, planExport } from './plan-export.ts';
import { refuseKept } from './refuse-kept.ts';

/**
 * Writes each scan of the logs once, in one commit. Throws UsageError, with nothing written, for files that are not logs or that belong to
 * another workspace, UnprovenError for logs that differ from their states, and as listed in errors.ts.
 */
export async function convertLogs(
  context: Context,
  names: readonly string[],
  flags: ExportFlags,
): Promise<void> {
  const plan = await planExport(context, names, flags);
  await refuseKept(plan, names, flags);
  const logs = await listLogs(context, [...(flags.input ?? []), ...names]);
  for (const { paths } of logs)
    context.files.use(...paths.map((path) => ({ flag: '--input', path, writes: false })));
  const locks = await lockAll(context, logs);
  try {
    // P17: only whole logs: rows that are missing could not be added again after a code was deleted.
    for (const { place, fault, isUnfinished } of logs)
      if (fault && !isUnfinished)
        throw new UnprovenError(`cannot convert ${place}: ${fault.reason}`, { hint: fault.hint });
    await convert(context, plan, logs);
  } finally {
    for (const lock of locks) await lock.release();
  }
}

async function convert(context: Context, planned: ExportPlan, logs: readonly ScanLog[]): Promise<void> {
  const { directory = '', partition } = planned;
  if (!partition) throw new UsageError('--input requires --partition-by');
  const kept = logs.flatMap(({ state }) => state ?? []);
  const service = await context.service();
  const own = { workspace: service.workspace, getCode: service.getCode, seen: new Set<string>() };
  for (const { place, state } of logs)
    if (state) await checkOwnWorkspace(place, state, own, 'use the profile of that workspace');
  const columns = columnsOf(planned, kept);
  const reading = { logs, columns: columns.map(({ name }) => name), zone: planned.localZone };
  // The first reading finds where the logs begin, and every fault before anything is written.
  const spans = await readScans(context, reading);
  const plan: ExportPlan = {
    ...planned,
    all: allOf(kept),
    sinceMs: beginningOf(logs, spans),
    output: { ...planned.output, columns },
  };
  const codes = [...new Set(kept.flatMap(({ identity }) => identity.codes))].map((id) => ({ id }));
  const overlaps = positionsOf(kept);
  const file = await openPartitioned(context, plan, { directory, partition, overlaps }, codes, service);
  try {
    await readScans(context, reading, (code, rows, times) => file.addMissing(code, { rows, times }));
    for (const saved of kept) keepWatermarks(overlaps, saved.overlaps);
    await file.commit();
  } finally {
    await file.discard();
  }
  const { rows, added, watermarkMs } = file.contents();
  Object.assign(context.facts, { rows, added, watermarkMs, codes: overlaps.size, files: [directory] });
  const from = `${countOf(spans.size, 'file')} to ${directory} (${countOf(service.stats().requests, 'request')})`;
  context.console.note(
    `Converted ${countOf(rows, 'scan')} of ${countOf(overlaps.size, 'code')} from ${from}`,
  );
  context.console.note(`To add new scans, run \`${nextCommand(plan, directory, partition, codes)}\``);
}

/** P17: locks the logs that an append keeps: no run adds rows while they are read. Throws like `acquireLock`. */
async function lockAll({ clock, signal, console }: Context, logs: readonly ScanLog[]): Promise<Lock[]> {
  const locks: Lock[] = [];
  for (const { keptBy } of logs) {
    if (!keptBy) continue;
    const place = 'file' in keptBy ? keptBy.file : join(keptBy.directory, MANIFEST);
    const onWait = () => console.note(`Waiting for another run that is writing to ${place}`);
    locks.push(await acquireLock(await realPath(nodeDisk, place), { clock, signal, onWait }));
  }
  return locks;
}

/** Without --fields: the columns of the codes, and those that the logs have. */
function columnsOf({ output }: ExportPlan, [first]: readonly LogState[]): ExportPlan['output']['columns'] {
  const names: readonly string[] = [...LABELS, ...(first?.identity.columns ?? [])];
  return output.chosen || !first ? output.columns : output.columns.filter(({ name }) => names.includes(name));
}

/** One log continues with its own codes. Several logs, and files that no append keeps, continue with all codes. */
function allOf(kept: readonly LogState[]): boolean | string {
  const [first, ...others] = kept.map(({ identity }) => identity.all);
  return first !== undefined && others.every((all) => all === first && all !== false) ? first : true;
}

/** Returns the time from which on the logs have every scan, ms since the epoch; undefined: from the first scan on. */
function beginningOf(logs: readonly ScanLog[], spans: ReadonlyMap<string, FileSpan>): number | undefined {
  const begins = logs.flatMap((log): (number | undefined)[] =>
    log.state
      ? [...log.state.overlaps.keys()].map((code) => keptRange(log, code)?.sinceMs)
      : [Math.min(...log.paths.map((path) => spans.get(path)?.firstMs ?? Number.POSITIVE_INFINITY))],
  );
  const latest = begins.reduce<number>(
    (found, begin) => Math.max(found, begin ?? found),
    Number.NEGATIVE_INFINITY,
  );
  return Number.isFinite(latest) ? latest : undefined;
}

/** P17: returns up to when each code was read, and which periods are to be read again, without rows. */
function positionsOf(kept: readonly LogState[]): Map<string, CodeOverlap> {
  const saved = kept.flatMap(({ overlaps }) => [...overlaps]);
  return new Map(
    saved.map(([code, { writtenAt, rereadFromMs, readUntilMs, isGone }]) => [
      code,
      { ...emptyOverlap(), writtenAt, rereadFromMs, readUntilMs, isGone },
    ]),
  );
}

/** A code whose rows are in files elsewhere is still read from where its log ended. */
function keepWatermarks(positions: Map<string, CodeOverlap>, saved: ReadonlyMap<string, CodeOverlap>): void {
  for (const [code, { watermarkMs }] of saved) overlapOf(positions, code).watermarkMs ??= watermarkMs;
}

interface Reading {
  logs: readonly ScanLog[];
  columns: readonly string[];
  /** Time zone of `ts_local`, if it is among the columns. */
  zone: string | undefined;
}

/** Checks the scans, and calls `write` with each of them once, in batches of one code. Throws UsageError if a row lacks its code or a column. */
async function readScans(
  context: Context,
  { logs, columns, zone }: Reading,
  write?: (code: string, rows: Row[], times: number[]) => Promise<unknown>,
): Promise<Map<string, FileSpan>> {
  const fields = VALUE_DIMENSIONS.filter((field) => columns.includes(field));
  const local = zone === undefined ? undefined : createLocalTime(zone);
  // All rows have the same keys in the same order: objects of one shape take a third of the memory.
  const blank = Object.fromEntries(columns.map((name) => [name, null]));
  const isNew = createMemory();
  const letIn = createPause(context.signal);
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
    const pause = async () => {
      for (const { code, rows, times } of batches) await write?.(code, rows, times);
      batches = [];
      await letIn();
    };
    const read = await readEveryRow(
      { paths, fields, note: () => undefined, signal: context.signal, pause },
      take,
    );
    await pause();
    for (const [path, span] of read) spans.set(path, span);
  }
  return spans;
}

function unnamed([path = '']: readonly string[]): UsageError {
  return new UsageError(`cannot convert ${path}: its rows have no code IDs, and no append keeps it`, {
    hint: 'Rename the file to the ID of its code, such as ID.csv.',
  });
}

/** Returns the command that continues the dataset. */
function nextCommand(
  { all, output }: ExportPlan,
  directory: string,
  { by, timezone }: Partitioning,
  codes: readonly CodeLabel[],
) {
  const which = all === true ? '--all' : all || codes.map(({ id }) => id).join(' ');
  const zone = timezone === 'UTC' ? '' : ` --timezone ${inShell(timezone)}`;
  return `qrctl scans export ${which} --output-dir ${inShell(directory)} --partition-by ${by}${zone} -f ${output.format} --append`;
}
