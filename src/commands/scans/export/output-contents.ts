/** Content of an export's outputs, for `--summary`: of appended files all their rows, of others the rows of this run. */
import { existsSync } from 'node:fs';
import type { CodeSink } from '../../../files/formats/row-sink.ts';
import type { AppendFile } from '../../../scans/append/append-file.ts';

export interface OutputContents {
  /**
   * Rows that the outputs have, those of them that this run added, the time of the newest one (ms since the epoch), and the files that are
   * done or at a committed point.
   */
  read(): { rows: number; added: number; watermarkMs: number | undefined; files: readonly string[] };
  /** A file that is appended to: it is at a committed point however the run ends. */
  appended(file: AppendFile): AppendFile;
  /** A sink of a document: its rows count once it is committed and in its place. `path`: of a file that is this sink's alone. */
  watched(sink: CodeSink, path?: string): CodeSink;
  /** The rows committed so far are in place: in a file, or with `undefined` on standard output. */
  committed(path: string | undefined): void;
}

/** `direct`: documents go to standard output, where printed rows can't be rolled back. */
export function createOutputContents({ direct }: { direct: boolean }): OutputContents {
  const appendedTo: AppendFile[] = [];
  const files: string[] = [];
  /** Of documents, in their place. */
  let written = NOTHING;
  /** Of sinks that are through, in a document that is not yet. */
  let pending = NOTHING;

  function committed(path: string | undefined): void {
    written = together(written, pending);
    pending = NOTHING;
    if (path !== undefined) files.push(path);
  }

  return {
    read() {
      const held = appendedTo.map((file) => file.contents());
      const all = held
        .map(({ rows, watermarkMs }) => ({ rows, newestMs: watermarkMs ?? NOTHING.newestMs }))
        .reduce(together, written);
      return {
        rows: all.rows,
        added: held.reduce((sum, { added }) => sum + added, written.rows),
        watermarkMs: all.newestMs === NOTHING.newestMs ? undefined : all.newestMs,
        // A file of a code without result, or one that another process moved, does not count.
        files: [...appendedTo.map(({ path }) => path), ...files].filter((path) => existsSync(path)),
      };
    },
    appended(file) {
      appendedTo.push(file);
      return file;
    },
    watched(sink, path) {
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
    committed,
  };
}

interface Written {
  rows: number;
  newestMs: number;
}

const NOTHING: Written = { rows: 0, newestMs: Number.NEGATIVE_INFINITY };

function together(one: Written, other: Written): Written {
  return { rows: one.rows + other.rows, newestMs: Math.max(one.newestMs, other.newestMs) };
}
