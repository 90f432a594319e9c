import { isAscii, isUtf8 } from 'node:buffer';
import { MOST_BYTES } from '#base/bounds';
import { UsageError } from '#base/errors';
import { COMMA, LINE_FEED } from '#base/text/ascii';
import type { Row } from '#files/formats/row-sink';

export interface TextPiece {
  /** Whole lines, unless `isLast`. In a JSON array with long lines, may be a part that ends in a comma. */
  text: string;
  line: number;
  isLast: boolean;
}

export interface Records {
  rows: Row[];
  line: number;
  torn: boolean;
}

/** Yields UTF-8 text without a byte order mark. Throws UsageError for other encodings and long lines. */
export async function* readInputText(
  bytes: AsyncIterable<Uint8Array>,
  path: string,
): AsyncGenerator<TextPiece> {
  /** Parts of a line to join once, because joining each would take quadratic time. */
  let rest: Buffer[] = [];
  let length = 0;
  let isArray: boolean | undefined;
  let line = 1;
  let isFirst = true;
  let waiting: TextPiece | undefined;

  const piece = (part: Buffer): TextPiece => {
    const text = decode(part, path, line);
    const made = { text: isFirst ? text.replace(/^\ufeff/, '') : text, line, isLast: false };
    isFirst = false;
    line += countEnds(part);
    return made;
  };
  for await (const chunk of bytes) {
    isArray ??= beginsArray(chunk);
    const isLong = isArray && !chunk.includes(LINE_FEED);
    const last = isLong ? COMMA : LINE_FEED;
    const end = chunk.lastIndexOf(last) + 1;
    const firstEnd = end === 0 ? chunk.length : chunk.indexOf(last);
    if (length + firstEnd > MOST_BYTES.scanRecord)
      throw notOurs(path, `${isArray ? 'a record in ' : ''}line ${line} is longer than 1 MiB`);
    if (end === 0) {
      rest.push(Buffer.from(chunk));
      length += chunk.length;
      continue;
    }
    const whole = Buffer.concat([...rest, chunk.subarray(0, end)]);
    rest = [Buffer.from(chunk.subarray(end))];
    length = chunk.length - end;
    if (waiting) yield waiting;
    waiting = piece(whole);
  }
  if (length > 0) {
    if (waiting) yield waiting;
    waiting = piece(Buffer.concat(rest));
  }
  if (waiting) yield { ...waiting, isLast: true };
}

function beginsArray(start: Uint8Array): boolean {
  return /^(?:\xef\xbb\xbf)?\s*\[/.test(Buffer.from(start).toString('latin1'));
}

/** Decodes a piece in a third of TextDecoder's time. Throws UsageError for invalid UTF-8. */
function decode(bytes: Buffer, path: string, line: number): string {
  if (isAscii(bytes)) return bytes.toString('latin1');
  if (isUtf8(bytes)) return bytes.toString('utf8');
  throw notOurs(path, `invalid UTF-8 in or after line ${line}`);
}

const PIECE_BYTES = 2 ** 17;

export function* linesOf(bytes: Buffer): Generator<string> {
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(LINE_FEED, at + PIECE_BYTES) + 1 || bytes.length;
    yield bytes.toString('utf8', at, end);
    at = end;
  }
}

export function countEnds(text: string | Buffer): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

export function notOurs(path: string, why: string): UsageError {
  return new UsageError(`cannot read scans from ${path}: ${why}`, {
    hint: 'With --input, pass a file that `qrctl scans export` wrote: CSV, NDJSON, JSON (also .gz) or Parquet.',
  });
}
