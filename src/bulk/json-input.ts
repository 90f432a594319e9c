/** Rows of a JSON array or of NDJSON. Values stay what they are, so that other people's columns come back untouched. */
import { isObject, parseJson } from '../service/json.ts';
import { type Fault, type Input, type InputRow, refuseFaults } from './input.ts';

interface Piece {
  line: number;
  text: string;
}

/** One JSON object a line; empty lines are skipped. Throws UsageError with every line that is not an object. */
export function parseNdjson(text: string, name: string): Promise<Input> {
  const lines = text.split(/\r?\n/).map((line, index): Piece => ({ line: index + 1, text: line }));
  return readPieces(
    lines.filter((piece) => piece.text.trim() !== ''),
    name,
  );
}

/** An array of JSON objects. Throws UsageError where it is not one. */
export async function parseJsonArray(text: string, name: string): Promise<Input> {
  const whole = await parseJson(text).catch((error: Error) => error);
  if (whole instanceof Error) refuseFaults(name, [{ message: `is not JSON: ${whole.message}` }]);
  if (!Array.isArray(whole)) refuseFaults(name, [{ message: 'must be an array of objects: [{"name": "…"}, …]' }]);
  return readPieces(splitArray(text), name);
}

async function readPieces(pieces: readonly Piece[], name: string): Promise<Input> {
  const faults: Fault[] = [];
  const columns = new Set<string>();
  const rows: InputRow[] = [];
  for (const { line, text } of pieces) {
    const value = await parseJson(text).catch(() => undefined);
    if (!isObject(value)) {
      faults.push({ line, message: 'is not a JSON object' });
      continue;
    }
    const values = new Map(Object.entries(value));
    for (const column of values.keys()) columns.add(column);
    rows.push({ row: rows.length + 1, line, values });
  }
  refuseFaults(name, faults);
  return { name, columns: [...columns], headerLine: undefined, rows };
}

/** The elements of an array that is known to be valid JSON, with the lines they begin on. */
function splitArray(text: string): Piece[] {
  const pieces: Piece[] = [];
  let depth = 0;
  let line = 1;
  let piece: { line: number; start: number } | undefined;
  const close = (end: number) => {
    if (piece) pieces.push({ line: piece.line, text: text.slice(piece.start, end) });
    piece = undefined;
  };
  // By hand: the stack of a regular expression ends within a string of megabytes.
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '\n') line++;
    if (BLANKS.includes(character)) continue;
    if (depth === 1 && (character === ',' || character === ']')) close(at);
    else if (depth === 1) piece ??= { line, start: at };
    if (character === '"') at = endOfString(text, at);
    if (character === '[' || character === '{') depth++;
    if (character === ']' || character === '}') depth--;
  }
  return pieces;
}

const BLANKS = ' \t\r\n';

/** Where the string that begins at `start` has its closing quote. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charAt(at) !== '"') at += text.charAt(at) === '\\' ? 2 : 1;
  return at;
}
