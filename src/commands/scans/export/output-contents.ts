/** What an export has put out, for `--summary`: of appended files all that they hold, of others what this run wrote. */
import type { AppendFile } from '../../../append/append-file.ts';
import type { CodeSink } from '../../../row-sink.ts';

export interface OutputContents {
  /**
   * Rows of the outputs, the time of the newest one (ms since the epoch), and the files that are done or at a committed point. `unkept`: rows
   * that were added to a file and did not come to a commit.
   */
  read(): { rows: number; watermarkMs: number | undefined; files: readonly string[]; unkept: number };
  /** A file that is appended to: it is at a committed point however the run ends. */
  appended(file: AppendFile): AppendFile;
  /** A sink of a document: its rows count once it is committed. `path`: of a file that is this sink's alone. */
  watched(sink: CodeSink, path?: string): CodeSink;
  /** The document of all sinks is in its place. */
  committed(path: string | undefined): void;
}

export function createOutputContents(): OutputContents {
  const appendedTo: AppendFile[] = [];
  const files: string[] = [];
  let rows = 0;
  let newestMs = Number.NEGATIVE_INFINITY;
  const later = (ms: number | undefined) => {
    if (ms !== undefined && ms > newestMs) newestMs = ms;
  };

  return {
    read() {
      const held = appendedTo.map((file) => file.contents());
      for (const { watermarkMs } of held) later(watermarkMs);
      return {
        rows: held.reduce((sum, file) => sum + file.rows, rows),
        watermarkMs: newestMs === Number.NEGATIVE_INFINITY ? undefined : newestMs,
        unkept: held.reduce((sum, file) => sum + file.unkept, 0),
        files: [...appendedTo.map(({ path }) => path), ...files],
      };
    },
    appended(file) {
      appendedTo.push(file);
      return file;
    },
    watched(sink, path) {
      return {
        ...sink,
        async write(batch) {
          const written = await sink.write(batch);
          for (const time of batch.times) later(time);
          return written;
        },
        async commit() {
          await sink.commit();
          rows += sink.added();
          if (path !== undefined) files.push(path);
        },
      };
    },
    committed(path) {
      if (path !== undefined) files.push(path);
    },
  };
}
