/** Decodes bytes to text in pieces that end with a line, or in a JSON array with a comma: no record is longer than one MiB. */
import { isAscii, isUtf8 } from 'node:buffer';
import { UsageError } from '../../../base/errors.ts';
import { COMMA, LINE_FEED } from '../../../base/text/ascii.ts';

export interface TextPiece {
  /** Whole lines with their ends; only in the last piece the last line may lack its own. Of a JSON array that is one line, a part that ends with a comma. */
  text: string;
  /** Number of its first line, from 1. */
  line: number;
  isLast: boolean;
}

const MIB = 1024 * 1024;
/** F11: far above any record of a file of scans. At most this much is buffered to find the end of one. */
export const LONGEST_RECORD = MIB;

/** The text of a file in UTF-8, without its byte order mark. Throws UsageError for another encoding and for lines that are too long. */
export async function* readInputText(
  bytes: AsyncIterable<Uint8Array>,
  path: string,
): AsyncGenerator<TextPiece> {
  /** Incomplete line. It is joined once: joining at each piece would be quadratic in its length. */
  let rest: Buffer[] = [];
  let length = 0;
  /** A JSON array may be one line. */
  let isArray: boolean | undefined;
  let line = 1;
  let isFirst = true;
  /** The piece before, until it is known whether another follows. */
  let waiting: TextPiece | undefined;

  const piece = (part: Buffer): TextPiece => {
    const text = decode(part, path, line);
    const made = { text: isFirst ? text.replace(/^\ufeff/, '') : text, line, isLast: false };
    isFirst = false;
    line += countLines(part);
    return made;
  };
  for await (const chunk of bytes) {
    isArray ??= beginsArray(chunk);
    const isLong = isArray && !chunk.includes(LINE_FEED);
    const last = isLong ? COMMA : LINE_FEED;
    const end = chunk.lastIndexOf(last) + 1;
    const firstEnd = end === 0 ? chunk.length : chunk.indexOf(last);
    if (length + firstEnd > LONGEST_RECORD)
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

/** Returns the bracket of an array, after a byte order mark and blanks. */
function beginsArray(start: Uint8Array): boolean {
  return /^(?:\xef\xbb\xbf)?\s*\[/.test(Buffer.from(start).toString('latin1'));
}

/** Pieces end with a single-byte character, so each is valid UTF-8. Checking and copying takes a third of the time of TextDecoder. */
function decode(bytes: Buffer, path: string, line: number): string {
  if (isAscii(bytes)) return bytes.toString('latin1');
  if (isUtf8(bytes)) return bytes.toString('utf8');
  throw notOurs(path, `invalid UTF-8 in or after line ${line}`);
}

/** Line ends of a text. */
export function countEnds(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

function countLines(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) count += 1;
  return count;
}

/** A file that nothing can be counted from. */
export function notOurs(path: string, why: string): UsageError {
  return new UsageError(`cannot read scans from ${path}: ${why}`, {
    hint: 'With --input, pass a file that `qrctl scans export` wrote: CSV, NDJSON, JSON (also .gz) or Parquet.',
  });
}
