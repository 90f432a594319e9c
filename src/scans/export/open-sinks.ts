import { existsSync } from 'node:fs';
import { createLocalTime } from '../../base/time/local-time.ts';
import { createBufferedSink } from '../../files/formats/buffered-sink.ts';
import type { DocumentSink } from '../../files/formats/document-sink.ts';
import type { OutputPlan } from '../../files/formats/plan-output.ts';
import type { CodeSink, Rewind, RowSink } from '../../files/formats/row-sink.ts';
import { makeOutputDirectory, OTHER_DIRECTORY } from '../../files/formats/whole-file.ts';
import type { AppendFile } from '../append/add-rows.ts';
import type { LogService } from '../append/open-log-file.ts';
import type { ScanRun } from '../scan-run.ts';
import { addLabels, addLocalTime } from './added-columns.ts';
import type { CodeLabel } from './export-codes.ts';
import type { ExportPlan } from './export-plan.ts';
import { openGrowing } from './open-growing.ts';

export interface ExportSinks {
  open(code: CodeLabel): Promise<CodeSink>;
  noteGone?: (code: CodeLabel) => Promise<boolean | undefined>;
  commit(): Promise<void>;
  discard(): Promise<void>;
  contents: ReturnType<typeof createOutputContents>['read'];
  remarks: readonly string[];
  place: string | undefined;
}

interface SinkJob {
  codes: readonly CodeLabel[];
  service: LogService;
  openDocument(output: OutputPlan): Promise<DocumentSink>;
}

/**
 * Opens the shared output, or files per code as they are needed. Throws UsageError for a path that can't be
 * written.
 */
export async function openSinks(
  run: ScanRun,
  plan: ExportPlan,
  { codes, service, openDocument }: SinkJob,
): Promise<ExportSinks> {
  const { append, directory, labelled, localZone, output, partition, sinceMs } = plan;
  const remarks: string[] = [];
  const contents = createOutputContents({ direct: directory === undefined && output.path === undefined });
  const common = { contents: contents.read, remarks };
  const localTime = localZone === undefined ? undefined : createLocalTime(localZone);
  const withColumns = (code: CodeLabel, sink: CodeSink) => {
    const timed = localTime ? addLocalTime(localTime, sink) : sink;
    return labelled ? addLabels(code, timed) : timed;
  };
  const openLog = async (keptBy: Parameters<typeof openGrowing>[2], of = codes) => {
    const remark = (line: string) => void remarks.push(line);
    return contents.appended(await openGrowing(run, plan, keptBy, of, service, { remark }));
  };
  const sharedLog = (file: AppendFile, place: string): ExportSinks => ({
    ...common,
    place,
    open: async (code) => withColumns(code, file.sinkOf(code.id)),
    noteGone: async ({ id }) => file.noteGone(id),
    commit: file.commit,
    discard: file.discard,
  });
  if (directory !== undefined && partition) {
    return sharedLog(await openLog({ directory }), directory);
  }
  if (directory !== undefined) {
    await makeOutputDirectory(directory);
    const fileOf = plan.filesOf(codes);
    const open = async (code: CodeLabel) => {
      const path = fileOf(code);
      if (append) return withColumns(code, (await openLog({ file: path }, [code])).sinkOf(code.id, true));
      const own = await openDocument(replacing(plan, { ...output, path, elsewhere: OTHER_DIRECTORY }));
      return withColumns(code, contents.watched(partOf(rewindable(own), sinceMs, true), path));
    };
    const noteGone = async (code: CodeLabel) => {
      const file = await openLog({ file: fileOf(code) }, [code]);
      try {
        const wasReported = file.noteGone(code.id);
        if (wasReported !== undefined) await file.commit();
        return wasReported;
      } finally {
        await file.discard();
      }
    };
    const commit = async () => undefined;
    const perCode = { place: directory, open, commit, discard: commit };
    return { ...common, ...perCode, noteGone: append ? noteGone : undefined };
  }
  if (append) {
    const file = await openLog({ file: append.path });
    return sharedLog(file, file.path);
  }
  const shared = rewindable(await openDocument(replacing(plan, output)));
  return {
    ...common,
    place: output.path,
    open: async (code) => withColumns(code, contents.watched(partOf(shared, sinceMs, false))),
    async commit() {
      await shared.commit();
      contents.committed(output.path);
    },
    discard: shared.discard,
  };
}

/** Removes the state of an append with the file that `--overwrite` replaces. */
function replacing({ overwrite }: ExportPlan, output: OutputPlan): OutputPlan {
  const { path } = output;
  if (!overwrite || path === undefined) return output;
  return {
    ...output,
    beforeReplace: async () => (await import('../append/recorded-log.ts')).removeState(path),
  };
}

function rewindable(sink: DocumentSink): RowSink {
  return sink.rewinds ? sink : createBufferedSink(sink);
}

/** `isOwn`: the document ends with the code. */
function partOf(document: RowSink, sinceMs: number | undefined, isOwn: boolean): CodeSink {
  let added = 0;
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
        const isRewound = await rewind();
        if (isRewound) added = before;
        return isRewound;
      };
    },
    async commit() {
      if (isOwn) await document.commit();
      undo = undefined;
    },
    async discard() {
      const rewind = undo;
      undo = undefined;
      if (isOwn) await document.discard();
      if (isOwn ? rewind : await rewind?.()) added = 0;
    },
  };
}

interface Written {
  rows: number;
  newestMs: number;
}

const NOTHING: Written = { rows: 0, newestMs: -Infinity };

function together(one: Written, other: Written): Written {
  return { rows: one.rows + other.rows, newestMs: Math.max(one.newestMs, other.newestMs) };
}

/** Rows on standard output (`direct`) stay. */
function createOutputContents({ direct }: { direct: boolean }) {
  const appendedTo: AppendFile[] = [];
  const files: string[] = [];
  let written = NOTHING;
  /** Rows of finished codes in a document that is not committed. */
  let pending = NOTHING;

  function committed(path: string | undefined): void {
    written = together(written, pending);
    pending = NOTHING;
    if (path !== undefined) files.push(path);
  }

  return {
    committed,
    read() {
      const held = appendedTo.map((file) => file.contents());
      const { rows, newestMs } = held
        .map(({ rows, watermarkMs }) => ({ rows, newestMs: watermarkMs ?? NOTHING.newestMs }))
        .reduce(together, written);
      return {
        rows,
        added: held.reduce((sum, { added }) => sum + added, written.rows),
        watermarkMs: newestMs === NOTHING.newestMs ? undefined : newestMs,
        // Omits files of codes without result, and files that another process moved.
        files: [...appendedTo.map(({ path }) => path), ...files].filter((path) => existsSync(path)),
      };
    },
    appended(file: AppendFile): AppendFile {
      appendedTo.push(file);
      return file;
    },
    /** Counts rows when they are committed. */
    watched(sink: CodeSink, path?: string): CodeSink {
      let { newestMs } = NOTHING;
      return {
        ...sink,
        async write(batch) {
          const count = await sink.write(batch);
          for (const time of batch.times) newestMs = Math.max(newestMs, time);
          return count;
        },
        async commit() {
          await sink.commit();
          pending = together(pending, { rows: sink.added(), newestMs });
          if (path !== undefined || direct) committed(path);
        },
      };
    },
  };
}
