/** Opens the sinks of an export's plan: one for all codes or one file per code, new or appended. */
import type { LocalTime } from '../../../base/time/local-time.ts';
import type { Context } from '../../../context.ts';
import { createBufferedSink } from '../../../files/formats/buffered-sink.ts';
import type { OutputPlan } from '../../../files/formats/plan-output.ts';
import type { CodeSink, Rewind, RowSink } from '../../../files/formats/row-sink.ts';
import { makeOutputDirectory, OTHER_DIRECTORY } from '../../../files/formats/whole-file.ts';
import type { CodeLabel } from '../../../scans/export/export-codes.ts';
import { openSink } from '../../output-options.ts';
import { addLabels, addLocalTime } from './added-columns.ts';
import { type Known, openAppended, openPartitioned } from './open-growing.ts';
import { createOutputContents, type OutputContents } from './output-contents.ts';
import { type ExportPlan, filesOf } from './plan-export.ts';

/** The sinks of a whole export. */
export interface ExportSinks {
  open(code: CodeLabel): Promise<CodeSink>;
  /** Records that a code was deleted; see AppendFile. Missing for outputs that are not appended to. */
  noteGone?(code: CodeLabel): Promise<boolean | undefined>;
  /** Every code is through: the one output for all may appear. */
  commit(): Promise<void>;
  /** Uncommitted rows must not appear. Idempotent, harmless after `commit`. */
  discard(): Promise<void>;
  /** Content of the outputs so far, and the files that are complete or at a committed point. */
  contents: OutputContents['read'];
  /** Notes for the end that must not be missed: files that a restart kept. */
  remarks: readonly string[];
  /** Name of the output in the summary; undefined for standard output. */
  place: string | undefined;
}

/**
 * Opens the sink that all codes share. The file of a single code is opened with the code. Throws UsageError if the path cannot be written.
 */
export async function openSinks(
  context: Context,
  plan: ExportPlan,
  codes: readonly CodeLabel[],
  service: Known,
): Promise<ExportSinks> {
  const { append, directory, labelled, output, sinceMs } = plan;
  const remarks: string[] = [];
  const remark = (line: string) => {
    remarks.push(line);
  };
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
    return {
      ...file,
      contents: contents.read,
      remarks,
      place: directory,
      open: async (code) => withColumns(code, file.sinkOf(code.id)),
      noteGone: async ({ id }) => file.noteGone(id),
    };
  }
  if (directory !== undefined) {
    await makeOutputDirectory(directory);
    const fileOf = filesOf(plan, codes);
    const open = async (code: CodeLabel) => {
      const path = fileOf(code);
      if (append) {
        const file = contents.appended(await openAppended(context, plan, path, [code], service, remark));
        return withColumns(code, file.sinkOf(code.id, true));
      }
      const own = documentOf(
        await openRewindable(context, replacing(plan, { ...output, path, elsewhere: OTHER_DIRECTORY })),
        sinceMs,
        true,
      );
      return withColumns(code, contents.watched(own, path));
    };
    const noteGone = async (code: CodeLabel) => {
      const file = await openAppended(context, plan, fileOf(code), [code], service, remark);
      try {
        const wasTold = file.noteGone(code.id);
        if (wasTold !== undefined) await file.commit();
        return wasTold;
      } finally {
        await file.discard();
      }
    };
    return {
      place: directory,
      contents: contents.read,
      remarks,
      open,
      ...(append && { noteGone }),
      commit: async () => undefined,
      discard: async () => undefined,
    };
  }
  if (append) {
    const file = contents.appended(await openAppended(context, plan, append.path, codes, service, remark));
    return {
      ...file,
      contents: contents.read,
      remarks,
      place: file.path,
      open: async (code) => withColumns(code, file.sinkOf(code.id)),
      noteGone: async ({ id }) => file.noteGone(id),
    };
  }
  const shared = await openRewindable(context, replacing(plan, output));
  return {
    ...shared,
    contents: contents.read,
    remarks,
    place: output.path,
    open: async (code) => withColumns(code, contents.watched(documentOf(shared, sinceMs, false))),
    async commit() {
      await shared.commit();
      contents.committed(output.path);
    },
  };
}

/** With `--overwrite` the state of an append goes with the file that it describes. */
function replacing({ overwrite }: ExportPlan, output: OutputPlan): OutputPlan {
  const { path } = output;
  if (!overwrite || path === undefined) return output;
  return {
    ...output,
    beforeReplace: async () => (await import('../../../scans/append/recorded-log.ts')).removeState(path),
  };
}

async function loadLocalTime(zone: string): Promise<LocalTime> {
  const { createLocalTime } = await import('../../../base/time/local-time.ts');
  return createLocalTime(zone);
}

async function openRewindable(context: Context, plan: OutputPlan): Promise<RowSink> {
  const sink = await openSink(context, plan);
  return sink.rewinds ? sink : createBufferedSink(sink);
}

/** The part of a document that is one code's. With `own` the document is this code's alone, and ends with it. */
function documentOf(document: RowSink, sinceMs: number | undefined, own: boolean): CodeSink {
  let added = 0;
  /** Rolls back to before this code's rows; undefined if there are none, and once they are committed. */
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
