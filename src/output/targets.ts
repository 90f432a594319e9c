/** Where formatted rows go: standard output as they come, or a file that appears whole. */
import type { Printable } from './columns.ts';
import type { Console } from './console.ts';
import type { Formatter } from './formats.ts';
import type { WholeFile } from './whole-file.ts';

export interface Output {
  /** Adds rows, in order. */
  write(rows: readonly Printable[]): Promise<void>;
  /** All is there: ends the document, and puts a file in its place. */
  finish(): Promise<void>;
  /** Something failed: a file stays as it was. Idempotent, harmless after `finish`, never throws. */
  abort(): Promise<void>;
  /** Throws away what was written and begins anew. Absent where bytes cannot be taken back. */
  restart?: () => Promise<void>;
}

/** Rows to standard output. Nothing is printed before the first rows or the end, so that an early failure prints none. */
export function toStdout(console: Console, createFormatter: () => Formatter): Output {
  const write = (text: string) => (text === '' ? Promise.resolve() : console.write(text));
  return { ...formatted(write, createFormatter()), abort: async () => undefined };
}

/** Rows to a file. */
export function toFile(file: WholeFile, createFormatter: () => Formatter): Output {
  let output = formatted(file.write, createFormatter());
  const { restart } = file;
  return {
    write: (rows) => output.write(rows),
    async finish() {
      await output.finish();
      await file.commit();
    },
    abort: file.discard,
    ...(restart && {
      async restart() {
        await restart();
        output = formatted(file.write, createFormatter());
      },
    }),
  };
}

function formatted(put: (text: string) => Promise<void>, formatter: Formatter): Pick<Output, 'write' | 'finish'> {
  let begin: string | undefined = formatter.begin();
  const begun = (text: string) => {
    const whole = (begin ?? '') + text;
    begin = undefined;
    return whole;
  };
  return {
    write: (rows) => put(begun(formatter.rows(rows))),
    finish: () => put(begun(formatter.end())),
  };
}
