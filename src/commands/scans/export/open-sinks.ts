/** Which sinks the plan of an export opens: one for all codes or a file a code, made anew or appended to. */
import { join } from 'node:path';
import type { CodeLabel } from '../../../complete/export-codes.ts';
import type { Context } from '../../../context.ts';
import type { Partitioning } from '../../../dataset/partitions.ts';
import { UsageError } from '../../../errors.ts';
import { createFileNames } from '../../../file-names.ts';
import type { LocalTime } from '../../../local-time.ts';
import { createBufferedSink } from '../../../output/buffered-sink.ts';
import type { Column } from '../../../output/columns.ts';
import type { OutputPlan } from '../../../output/plan-output.ts';
import { makeOutputDirectory, OTHER_DIRECTORY } from '../../../output/whole-file.ts';
import type { CodeSink, Rewind, RowSink } from '../../../row-sink.ts';
import type { Service } from '../../../service/service.ts';
import { loadFormatter, openSink } from '../../output-options.ts';
import { addLabels, addLocalTime, LOCAL_TIME } from './added-columns.ts';
import { createOutputContents, type OutputContents } from './output-contents.ts';
import { DEFAULT_OVERLAP_MS, type ExportPlan } from './plan-export.ts';

/** The sinks of a whole export. */
export interface ExportSinks {
  open(code: CodeLabel): Promise<CodeSink>;
  /** Every code is through: the one output for all may appear. */
  commit(): Promise<void>;
  /** What is not committed must not appear. Idempotent, harmless after `commit`. */
  discard(): Promise<void>;
  /** What the outputs hold so far, and the files that are done or at a committed point. */
  contents: OutputContents['read'];
  /** What the summary calls the place; undefined for standard output. */
  place: string | undefined;
}

/** Opens what all codes share. A file of one code alone is opened with the code. Throws UsageError for a place that cannot be written. */
export async function openSinks(
  context: Context,
  plan: ExportPlan,
  codes: readonly CodeLabel[],
  service: Pick<Service, 'baseUrl' | 'nowMs'>,
): Promise<ExportSinks> {
  const { append, directory, labelled, output, sinceMs } = plan;
  const contents = createOutputContents({ direct: directory === undefined && output.path === undefined });
  const localTime = plan.localZone === undefined ? undefined : await loadLocalTime(plan.localZone);
  const withColumns = (code: CodeLabel, sink: CodeSink) => {
    const timed = localTime ? addLocalTime(localTime, sink) : sink;
    return labelled ? addLabels(code, timed) : timed;
  };
  if (directory !== undefined && plan.partition) {
    const file = contents.appended(
      await openPartitioned(context, plan, { directory, partition: plan.partition }, codes, service),
    );
    return { ...file, contents: contents.read, place: directory, open: async (code) => withColumns(code, file.sinkOf(code.id)) };
  }
  if (directory !== undefined) {
    await makeOutputDirectory(directory);
    const fileOf = filesOf(plan, codes);
    const open = async (code: CodeLabel) => {
      const path = fileOf(code);
      if (append) {
        const file = contents.appended(await openAppended(context, plan, path, [code], service));
        return withColumns(code, file.sinkOf(code.id, true));
      }
      const own = documentOf(await openRewindable(context, { ...output, path, elsewhere: OTHER_DIRECTORY }), sinceMs, true);
      return withColumns(code, contents.watched(own, path));
    };
    return { place: directory, contents: contents.read, open, commit: async () => undefined, discard: async () => undefined };
  }
  if (append) {
    const file = contents.appended(await openAppended(context, plan, append.path, codes, service));
    return { ...file, contents: contents.read, place: file.path, open: async (code) => withColumns(code, file.sinkOf(code.id)) };
  }
  const shared = await openRewindable(context, output);
  return {
    ...shared,
    contents: contents.read,
    place: output.path,
    open: async (code) => withColumns(code, contents.watched(documentOf(shared, sinceMs, false))),
    async commit() {
      await shared.commit();
      contents.committed(output.path);
    },
  };
}

/** Opens the file for appending that `path` names, for these codes. */
async function openAppended(
  context: Context,
  plan: ExportPlan,
  path: string,
  codes: readonly CodeLabel[],
  service: Pick<Service, 'baseUrl' | 'nowMs'>,
) {
  const { openAppendFile, readIdentity } = await import('../../../append/append-file.ts');
  const { format, chosen } = plan.output;
  const saved = chosen || plan.append?.restart ? undefined : await readIdentity(path);
  const columns = continued(plan.output.columns, saved?.columns);
  if (!plan.append || (format !== 'csv' && format !== 'ndjson')) throw new UsageError('--append is for CSV and NDJSON');
  return openAppendFile({
    ...growing(context, plan, columns, codes, service, path),
    path,
    formatter: (await loadFormatter(context, { ...plan.output, columns }))(),
    restart: plan.append.restart,
    rotated: plan.append.rotated,
    elsewhere: plan.directory === undefined ? undefined : OTHER_DIRECTORY,
  });
}

/** Opens the dataset in a directory, for these codes. */
async function openPartitioned(
  context: Context,
  plan: ExportPlan,
  { directory, partition }: { directory: string; partition: Partitioning },
  codes: readonly CodeLabel[],
  service: Pick<Service, 'baseUrl' | 'nowMs'>,
) {
  const { openDataset, readDatasetColumns } = await import('../../../dataset/open-dataset.ts');
  const saved = plan.output.chosen ? undefined : await readDatasetColumns(directory);
  const columns = continued(plan.output.columns, saved);
  const growth = growing(context, plan, columns, codes, service, directory);
  return openDataset({
    ...growth,
    directory,
    identity: { ...growth.identity, partition },
    createFormatter: await loadFormatter(context, { ...plan.output, columns }),
    append: plan.append !== undefined,
    compact: plan.compact,
  });
}

/** What a file that is appended to and a dataset have in common. */
function growing(
  context: Context,
  plan: ExportPlan,
  columns: readonly Column[],
  codes: readonly CodeLabel[],
  service: Pick<Service, 'baseUrl' | 'nowMs'>,
  place: string,
) {
  const { format, header, excel, rawCells, delimiter, chosen } = plan.output;
  if (format !== 'csv' && format !== 'ndjson' && format !== 'parquet') throw new UsageError(`${format} cannot be added to`);
  const isLocal = columns.some(({ name }) => name === LOCAL_TIME);
  return {
    identity: {
      ...{ baseUrl: service.baseUrl, format },
      codes: codes.map((code) => code.id),
      all: (plan.directory === undefined || plan.partition !== undefined) && plan.all,
      columns: columns.map((column) => column.name),
      dialect: {
        ...{ header, excel, rawCells, keepExtra: !chosen },
        timezone: isLocal ? plan.localZone : undefined,
        delimiter: format === 'csv' && delimiter !== ',' ? delimiter : undefined,
      },
    },
    overlapMs: plan.append?.overlapMs ?? DEFAULT_OVERLAP_MS,
    sinceMs: plan.sinceMs,
    untilMs: plan.untilMs,
    serviceNow: () => service.nowMs(),
    clock: context.clock,
    signal: context.signal,
    note: context.console.note,
    warn: (line: string) => context.console.warn(line, true),
    onWait: () => context.console.note(`another run is writing ${place}: waiting for it`),
  };
}

/** Where nobody chose columns a file goes on with those it has, as far as we know them: a later qrctl may have more by itself. */
function continued(columns: readonly Column[], saved: readonly string[] | undefined): readonly Column[] {
  const kept = saved?.map((name) => columns.find((column) => column.name === name));
  return kept?.every((column) => column !== undefined) ? kept : columns;
}

async function loadLocalTime(zone: string): Promise<LocalTime> {
  const { createLocalTime } = await import('../../../local-time.ts');
  return createLocalTime(zone);
}

async function openRewindable(context: Context, plan: OutputPlan): Promise<RowSink> {
  const sink = await openSink(context, plan);
  return sink.rewinds ? sink : createBufferedSink(sink);
}

/** The part of a document that is one code's. With `own` the document is this code's alone, and ends with it. */
function documentOf(document: RowSink, sinceMs: number | undefined, own: boolean): CodeSink {
  let added = 0;
  /** Goes back to before this code's rows; undefined where there are none, and once they are to stay. */
  let undo: Rewind | undefined;
  return {
    sinceMs,
    added: () => added,
    async write({ rows }) {
      const written = await document.write(rows);
      added += written;
      return written;
    },
    async checkpoint() {
      const before = added;
      const rewind = await document.checkpoint();
      undo ??= rewind;
      return async () => {
        const rewound = await rewind();
        if (rewound) added = before;
        return rewound;
      };
    },
    async commit() {
      if (own) await document.commit();
      undo = undefined;
    },
    async discard() {
      const rewind = undo;
      undo = undefined;
      if (own) await document.discard();
      if (own ? rewind : await rewind?.()) added = 0;
    },
  };
}

/** The file of each code in `--output-dir`. */
export function filesOf(
  { directory = '', fileNames, output }: ExportPlan,
  codes: readonly CodeLabel[],
): (code: CodeLabel) => string {
  const nameOf = createFileNames(codes, fileNames);
  const extension = output.format === 'ids' ? 'txt' : output.format;
  return (code) => join(directory, `${nameOf(code)}.${extension}`);
}
