/** Reads the rows of a JSON array or of NDJSON. Values keep their types, so that the user's own columns come back unchanged. */

import { MOST_RECORD, MOST_VALUES } from '../rows/table-bounds.ts';
import { isDigit, isObject, MOST_DIGITS, parseJson } from '../service/json.ts';
import { BACKSLASH, COMMA, LINE_FEED, QUOTE } from '../text/ascii.ts';
import { letSignalsIn } from '../time/time.ts';
import { type Fault, type Input, type InputRow, MOST_COLUMNS, MOST_FAULTS, refuseFaults, refuseMany } from './input.ts';

interface Piece {
  /** Of an array the number of the item, because all of them may be on one line. */
  line: number;
  text: string;
}

/**
 * Parses NDJSON, one object per line; skips empty lines. Throws UsageError with every line that is not an object, or the signal's reason.
 */
export function parseNdjson(text: string, name: string, signal?: AbortSignal): Promise<Input> {
  return readPieces('ndjson', splitLines(text), name, signal);
}

function* splitLines(text: string): Generator<Piece> {
  for (let at = 0, line = 1; at < text.length; line++) {
    const end = text.indexOf('\n', at);
    const next = end < 0 ? text.length : end;
    const piece = text.slice(at, next);
    if (piece.trim() !== '') yield { line, text: piece };
    at = next + 1;
  }
}

/** Parses an array of JSON objects. Throws UsageError for anything else, or the signal's reason. */
export async function parseJsonArray(text: string, name: string, signal?: AbortSignal): Promise<Input> {
  const { pieces, fault } = splitArray(text, name);
  if (fault) refuseFaults({ name }, [fault]);
  return readPieces('json', pieces, name, signal);
}

async function readPieces(
  is: 'json' | 'ndjson',
  pieces: Iterable<Piece>,
  name: string,
  signal: AbortSignal | undefined,
): Promise<Input> {
  const form = { is } as const;
  const faults: Fault[] = [];
  const columns = new Set<string>();
  const rows: InputRow[] = [];
  let found = 0;
  let count = 0;
  for (const { line, text } of pieces) {
    if (found++ % 1000 === 0) await letSignalsIn(signal);
    const beyond = beyondBounds(text);
    const value = beyond === undefined ? await parseJson(text).catch(() => undefined) : undefined;
    if (!isObject(value)) {
      faults.push({ line, message: beyond ?? 'is not a JSON object' });
      if (faults.length >= MOST_FAULTS) refuseFaults({ name, form }, faults);
      continue;
    }
    const entries = Object.entries(value);
    const values = entries.length === 0 ? NO_VALUES : new Map(entries);
    for (const column of values.keys()) columns.add(column);
    if (columns.size > MOST_COLUMNS) refuseFaults({ name, form }, [{ line, message: TOO_WIDE }]);
    rows.push({ row: rows.length + 1, line, values });
    count += values.size;
    refuseMany(name, rows.length, 1);
    if (count > MOST_VALUES)
      refuseFaults({ name, form }, [{ line, message: `exceeds the limit of ${MOST_VALUES} values per file` }]);
  }
  return { name, columns: [...columns], headerLine: undefined, rows, form, faults };
}

/** A file may consist of millions of `{}`, and a map of each would take many times their text. */
const NO_VALUES: ReadonlyMap<string, unknown> = new Map();

const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/** Deeper than any real data, and far from a stack overflow of the parser. */
const MOST_DEPTH = 100;

const TOO_WIDE = `exceeds the limit of ${MOST_COLUMNS} columns per file`;

/** Returns the reason not to parse a text, or undefined. One pass. */
function beyondBounds(text: string): string | undefined {
  if (text.length > MOST_RECORD) return `is longer than ${MOST_RECORD / 2 ** 20} MiB`;
  const isRecord = text.trimStart().startsWith('{');
  let depth = 0;
  let columns = 1;
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if ((code === COMMA || OPENING.has(code)) && ++values > MOST_VALUES) return `has more than ${MOST_VALUES} values`;
    if (isRecord && depth === 1 && code === COMMA && ++columns > MOST_COLUMNS) return TOO_WIDE;
    if (code === QUOTE) at = endOfString(text, at);
    else if (OPENING.has(code) && ++depth > MOST_DEPTH) return `is nested more than ${MOST_DEPTH} levels deep`;
    else if (CLOSING.has(code)) depth--;
    else if (isDigit(text, at)) {
      const start = at;
      while (isDigit(text, at + 1)) at++;
      if (at - start >= MOST_DIGITS) return `contains a number with more than ${MOST_DIGITS} digits`;
    }
  }
  return undefined;
}

/** Returns the position of the quote that ends the string which begins at `start`; the end of the text if there is none. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; ) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return text.length;
    let escapes = quote;
    while (text.charCodeAt(escapes - 1) === BACKSLASH) escapes--;
    if ((quote - escapes) % 2 === 0) return quote;
    at = quote + 1;
  }
}

/** Splits an array into its elements, unparsed; `fault`: it is not an array. One pass. */
function splitArray(text: string, name: string): { pieces: Piece[]; fault?: Fault } {
  const pieces: Piece[] = [];
  let depth = 0;
  let line = 1;
  let start: number | undefined;
  let ended = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === LINE_FEED) line++;
    if (code === LINE_FEED || /\s/.test(text.charAt(at))) continue;
    if (ended) return { pieces, fault: { line, message: 'is not valid JSON: unexpected text after the array' } };
    if (depth === 0 && text[at] !== '[') return { pieces, fault: { message: 'must be an array of objects: [{"name": "…"}, …]' } };
    const closes = CLOSING.has(code);
    if (depth === 1 && (code === COMMA || closes)) {
      if (start !== undefined) pieces.push({ line: pieces.length + 1, text: text.slice(start, at) });
      else if (code === COMMA || pieces.length > 0)
        return { pieces, fault: { line, message: 'is not valid JSON: unexpected comma' } };
      refuseMany(name, pieces.length, 1);
      start = undefined;
    } else if (depth === 1) start ??= at;
    if (code === QUOTE) at = endOfString(text, at);
    if (OPENING.has(code)) depth++;
    if (closes) depth--;
    ended = depth === 0;
  }
  if (!ended) return { pieces, fault: { line, message: 'is not valid JSON: the array is not closed' } };
  return { pieces };
}
