import { crc32 } from 'node:zlib';
import { MOST_BYTES } from '#base/bounds';
import { sum } from '#base/collections';
import { orUndefined, UsageError } from '#base/errors';
import { LINE_FEED } from '#base/text/ascii';
import { parseBounded } from '#base/text/bounded-json';

export class DamagedLogError extends UsageError {
  path: string;

  constructor(path: string, what: string, hint: string) {
    super(`${path} ${what}`, { hint });
    this.path = path;
  }
}

export function formatLine(record: object): string {
  const text = JSON.stringify(record).slice(0, -1);
  return `${text},"crc":"${checksum(text)}"}\n`;
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}

const LINE = /^(.*),"crc":"([0-9a-f]{8})"}$/s;

function parseLine<R extends object>(line: string): R | undefined {
  const [, text, crc] = LINE.exec(line) ?? [];
  if (text === undefined || checksum(text) !== crc) return undefined;
  return orUndefined(() => parseBounded(`${text}}`) as R);
}

const BEGINNING = Buffer.from('{"is":');

/** Creates a line reader. D10: refuses a damaged line before a valid one, because a record could be lost. */
export function createLineReader<R extends object>(
  path: string,
  { damaged: hint, noun }: { damaged: string; noun: string },
  take: (record: R) => void,
) {
  let length = 0;
  let records = 0;
  let read = 0;
  let lines = 0;
  let brokenAtLine = 0;
  let open: Buffer[] = [];

  function takeLine(line: Buffer): void {
    lines += 1;
    read += line.length + 1;
    const record = parseLine<R>(line.toString());
    if (record && brokenAtLine > 0)
      throw new DamagedLogError(path, `is damaged at line ${brokenAtLine}`, hint);
    if (record) {
      take(record);
      records += 1;
      length = read;
    } else if (brokenAtLine === 0) brokenAtLine = lines;
  }

  return {
    add(piece: Buffer): void {
      let start = 0;
      for (let end = piece.indexOf(LINE_FEED); end >= 0; end = piece.indexOf(LINE_FEED, start)) {
        const line = piece.subarray(start, end);
        takeLine(open.length > 0 ? Buffer.concat([...open, line]) : line);
        open = [];
        start = end + 1;
      }
      if (start === piece.length) return;
      open.push(Buffer.from(piece.subarray(start)));
      if (sum(open.map((part) => part.length)) <= MOST_BYTES.logLine) return;
      const reason = `line ${lines + 1} is longer than ${MOST_BYTES.logLine / 2 ** 20} MiB`;
      throw new DamagedLogError(path, `is not a qrctl ${noun}: ${reason}`, hint);
    },
    /** Returns the end of the last record in bytes. Throws DamagedLogError if the file is not a log. */
    end(): number {
      const isOurs = records > 0 || (brokenAtLine === 0 && isBeginning(Buffer.concat(open)));
      if (!isOurs) throw new DamagedLogError(path, `is not a qrctl ${noun}`, hint);
      return length;
    },
  };
}

/** Returns whether bytes may be a partial first line, or zeros after a power cut. */
function isBeginning(bytes: Buffer): boolean {
  const found = bytes.subarray(0, BEGINNING.length);
  return found.every((byte, i) => byte === BEGINNING[i] || byte === 0);
}
