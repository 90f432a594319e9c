import { existsSync } from 'node:fs';
import { sum } from '#base/collections';
import { createLocalTime } from '#base/time/local-time';
import { createBufferedSink } from '#files/formats/buffered-sink';
import type { DocumentSink } from '#files/formats/document-sink';
import type { OutputPlan } from '#files/formats/plan-output';
import type { CodeSink, Rewind, RowSink } from '#files/formats/row-sink';
import { makeOutputDirectory, OTHER_DIRECTORY } from '#files/formats/whole-file';
import type { AppendFile } from '#scans/append/add-rows';
import type { LogService } from '#scans/append/open-log-file';
import { contentsOf } from '#scans/append/overlap';
import { type LogPlace, removeState } from '#scans/append/recorded-log';
import type { ScanRun } from '#scans/scan-run';
import { addColumns } from './added-columns.ts';
import type { CodeLabel } from './export-codes.ts';
import { type ExportPlan, openGrowing } from './export-plan.ts';

export interface ExportSinks {
  open(code: CodeLabel): Promise<CodeSink>;
  noteGone?: (code: CodeLabel) => Promise<boolean | undefined>;
  commit(): Promise<void>;
  discard(): Promise<void>;
  contents: ReturnType<typeof createOutputContents>['read'];
  remarks: readonly string[];
  place?: string;
}

interface SinkJob {
  codes: readonly CodeLabel[];
  service: LogService;
  openDocument(output: OutputPlan): Promise<DocumentSink>;
}

export async function openSinks(
  run: ScanRun,
  plan: ExportPlan,
  { codes, service, openDocument }: SinkJob,
): Promise<ExportSinks> {
  const { append, directory, labeled, localZone, output, partition } = plan;
  const remarks: string[] = [];
  const contents = createOutputContents(plan);
  const common = { contents: contents.read, remarks };
  const localTime = localZone === undefined ? undefined : createLocalTime(localZone);
  const withColumns = (code: CodeLabel, sink: CodeSink) => addColumns(code, sink, { labeled, localTime });
  const openLog = async (keptBy: LogPlace, of = codes) => {
    const remark = (line: string) => void remarks.push(line);
    return contents.appended(await openGrowing(run, plan, keptBy, of, service, { remark }));
  };
  const openRewindable = async (document: OutputPlan): Promise<RowSink> => {
    const { path } = document;
    const beforeReplace = plan.overwrite && path !== undefined ? () => removeState(path) : undefined;
    const sink = await openDocument({ ...document, beforeReplace });
    return sink.rewinds ? sink : createBufferedSink(sink);
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
      const own = await openRewindable({ ...output, path, elsewhere: OTHER_DIRECTORY });
      return withColumns(code, contents.partOf(own, path));
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
  const shared = await openRewindable(output);
  return {
    ...common,
    place: output.path,
    open: async (code) => withColumns(code, contents.partOf(shared)),
    async commit() {
      await shared.commit();
      contents.committed(output.path);
    },
    discard: shared.discard,
  };
}

function createOutputContents({ directory, output, sinceMs }: ExportPlan) {
  // On standard output, finished codes count as committed, because rows can't be removed.
  const direct = directory === undefined && output.path === undefined;
  const appendedTo: AppendFile[] = [];
  const files: string[] = [];
  let written = contentsOf([]);
  let pending = contentsOf([]);

  function committed(path: string | undefined): void {
    written = contentsOf([written, pending]);
    pending = contentsOf([]);
    if (path !== undefined) files.push(path);
  }

  return {
    committed,
    read() {
      const held = appendedTo.map((file) => file.contents());
      const { rows, watermarkMs } = contentsOf([written, ...held]);
      return {
        rows,
        added: written.rows + sum(held.map(({ added }) => added)),
        watermarkMs,
        // Omits files that were never created or that another process moved.
        files: [...appendedTo.map(({ path }) => path), ...files].filter((path) => existsSync(path)),
      };
    },
    appended(file: AppendFile): AppendFile {
      appendedTo.push(file);
      return file;
    },
    partOf(document: RowSink, ownPath?: string): CodeSink {
      const isOwn = ownPath !== undefined;
      let added = 0;
      let watermarkMs: number | undefined;
      let undo: Rewind | undefined;
      return {
        sinceMs,
        added: () => added,
        async write({ rows, times }) {
          const written = await document.write(rows);
          for (const time of times) watermarkMs = Math.max(watermarkMs ?? time, time);
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
          pending = contentsOf([pending, { rows: added, watermarkMs }]);
          if (isOwn || direct) committed(ownPath);
        },
        async discard() {
          const rewind = undo;
          undo = undefined;
          if (isOwn) await document.discard();
          if (isOwn ? rewind : await rewind?.()) added = 0;
        },
      };
    },
  };
}
