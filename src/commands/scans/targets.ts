/** Where the rows of each code go: one output for all, a file a code, or files that are appended to. */
import { join } from 'node:path';
import type { AppendFile } from '../../append/append-file.ts';
import type { Batch } from '../../complete/batch.ts';
import type { CodeLabel, CodeTarget } from '../../complete/export-codes.ts';
import type { Context } from '../../context.ts';
import { describeSystemError } from '../../durable/path-errors.ts';
import { makeDirectories } from '../../durable/write.ts';
import { UsageError } from '../../errors.ts';
import { heldBack } from '../../output/buffered-sink.ts';
import type { OutputPlan } from '../../output/plan.ts';
import type { Row, Sink } from '../../row-sink.ts';
import { isUuid } from '../../service/checks.ts';
import { openPlanned } from '../output-options.ts';

/** The targets of a whole export. */
export interface Targets {
  open(code: CodeLabel): Promise<CodeTarget>;
  /** Every code is through: the output may appear. */
  finish(): Promise<void>;
  /** Nothing may appear that is not committed. Idempotent, harmless after `finish`. */
  abort(): Promise<void>;
  /** What the summary calls the place; undefined for standard output. */
  place: string | undefined;
}

export type Lay = (code: CodeLabel, batch: Batch) => readonly Row[];

/** Rows as the service gave them, or with the code's label in front, where several codes share one output. */
export function laidOut(labelled: boolean): Lay {
  if (!labelled) return (_, { rows }) => rows as readonly object[] as readonly Row[];
  return ({ id, slug, name }, { rows }) => {
    const label = { qr_id: id, qr_slug: slug ?? null, qr_name: name ?? null };
    return rows.map((row) => ({ ...label, ...row, ...label }));
  };
}

/** One output for all codes. */
export async function oneOutput(context: Context, plan: OutputPlan, sinceMs: number | undefined, lay: Lay): Promise<Targets> {
  const output = await openPlanned(context, plan);
  const { mark } = output;
  const sink: Sink = mark ? { ...output, mark } : heldBack(output);
  return {
    place: plan.path,
    open: async (code) => sinkTarget(code, sink, sinceMs, lay),
    finish: sink.finish,
    abort: sink.abort,
  };
}

/** One file a code in a directory, each whole or not at all. */
export async function filePerCode(
  context: Context,
  plan: OutputPlan,
  directory: string,
  sinceMs: number | undefined,
  lay: Lay,
): Promise<Targets> {
  makeDirectory(directory);
  return {
    place: directory,
    async open(code) {
      const output = await openPlanned(context, { ...plan, path: fileOf(directory, code, plan) });
      const sink: Sink = output.mark ? { ...output, mark: output.mark } : heldBack(output);
      const target = sinkTarget(code, sink, sinceMs, lay);
      return {
        ...target,
        async finish() {
          await sink.finish();
          await target.finish();
        },
        async abort() {
          await target.abort();
          await sink.abort();
        },
      };
    },
    finish: async () => undefined,
    abort: async () => undefined,
  };
}

/** Codes are opened ahead, while another still writes: a code's place in the output is where its own first rows go. */
function sinkTarget(code: CodeLabel, sink: Sink, sinceMs: number | undefined, lay: Lay): CodeTarget {
  let takeBack: (() => Promise<boolean>) | undefined;
  let rows = 0;
  let finished = false;
  const startOver = async () => {
    const taken = takeBack === undefined || (await takeBack());
    if (taken) rows = 0;
    return taken;
  };
  return {
    sinceMs,
    rows: () => rows,
    async write(batch) {
      takeBack ??= await sink.mark();
      await sink.write(lay(code, batch));
      rows += batch.rows.length;
    },
    startOver,
    async finish() {
      finished = true;
    },
    async abort() {
      if (!finished && rows > 0) await startOver();
    },
  };
}

/** Opens the file for appending that `path` names, for these codes. */
export type OpenAppend = (path: string, codes: readonly CodeLabel[]) => Promise<AppendFile>;

/** One file that all codes are appended to. */
export async function oneAppended(open: OpenAppend, path: string, codes: readonly CodeLabel[], lay: Lay): Promise<Targets> {
  const file = await open(path, codes);
  return {
    place: file.path,
    open: async (code) => {
      const finish = async () => file.reread(code.id, undefined);
      return { ...appendTarget(code, file, lay), finish, abort: async () => undefined };
    },
    finish: file.finish,
    abort: file.abort,
  };
}

/** One appended file a code in a directory. */
export async function appendedPerCode(open: OpenAppend, plan: OutputPlan, directory: string, lay: Lay): Promise<Targets> {
  makeDirectory(directory);
  return {
    place: directory,
    open: async (code) => appendTarget(code, await open(fileOf(directory, code, plan), [code]), lay),
    finish: async () => undefined,
    abort: async () => undefined,
  };
}

function appendTarget(code: CodeLabel, file: AppendFile, lay: Lay): CodeTarget {
  const { fromMs } = file.position(code.id);
  let rows = 0;
  return {
    sinceMs: fromMs,
    rows: () => rows,
    async write(batch) {
      rows += await file.append(code.id, lay(code, batch), batch.times);
    },
    // Rows that are handed over again are dropped by the file; until they all were, a killed run must read from here again.
    async startOver() {
      file.reread(code.id, fromMs ?? Number.NEGATIVE_INFINITY);
      return true;
    },
    async finish() {
      file.reread(code.id, undefined);
      await file.finish();
    },
    abort: file.abort,
  };
}

/** Only an id that is a uuid becomes a file's name: slugs and names are written by others. */
export function fileOf(directory: string, { id }: CodeLabel, { format }: OutputPlan): string {
  if (!isUuid(id)) throw new UsageError(`the id ${JSON.stringify(id)} cannot be a file's name`);
  return join(directory, `${id.toLowerCase()}.${format === 'ids' ? 'txt' : format}`);
}

function makeDirectory(path: string): void {
  try {
    makeDirectories(path);
  } catch (cause) {
    const hint = 'choose another directory with --output-dir';
    throw new UsageError(`cannot make the directory ${path}: ${describeSystemError(cause)}`, { hint, cause });
  }
}
