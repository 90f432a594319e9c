/** Records of NDJSON and of JSON arrays, a piece of the file at a time. */
import type { Row } from '../../row-sink.ts';
import { isObject, parseJson } from '../../service/json.ts';
import { countEnds, notOurs, type TextPiece } from './input-text.ts';
import type { Records } from './records.ts';

/** One object a line. A last line that is cut off is left out, and told by `torn`. */
export async function* readNdjson(pieces: AsyncIterable<TextPiece>, path: string): AsyncGenerator<Records> {
  for await (const { text, line, isLast } of pieces) {
    const whole = text.endsWith('\n');
    const rows = await parseLines(text);
    if (rows) yield { rows, line, torn: false };
    else yield await lineByLine(text, line, path, isLast && !whole);
  }
}

/** All lines in one go, which is faster than one by one: no line end stands inside a value. Undefined where they are not one record each. */
async function parseLines(text: string): Promise<Row[] | undefined> {
  const body = text.trimEnd();
  try {
    const rows = await parseArray(`[${body.replaceAll('\n', ',')}]`);
    const lines = body === '' ? 0 : countEnds(body) + 1;
    return Array.isArray(rows) && rows.length === lines && rows.every(isObject) ? rows : undefined;
  } catch {
    return undefined;
  }
}

/** JSON.parse, and once more with all digits where an id has more than a number holds: looking for them first would take a fifth longer. */
async function parseArray(text: string): Promise<unknown> {
  const rows: unknown = JSON.parse(text);
  const isLong = (row: unknown) => isObject(row) && typeof row.id === 'number' && !Number.isSafeInteger(row.id);
  return Array.isArray(rows) && rows.some(isLong) ? parseJson(text) : rows;
}

async function lineByLine(text: string, line: number, path: string, mayBeTorn: boolean): Promise<Records> {
  const rows: Row[] = [];
  const lines = text.split('\n');
  for (const [at, source] of lines.entries()) {
    if (source.trim() === '') continue;
    const value = await parseJson(source).catch(() => undefined);
    if (isObject(value)) rows.push(value);
    else if (mayBeTorn && at === lines.length - 1) return { rows, line, torn: true };
    else throw notOurs(path, `line ${line + at} is not a JSON object`);
  }
  return { rows, line, torn: false };
}

/** An array of objects, each of which ends with its line, as `scans export` writes it; a smaller one in any form. */
export async function* readJsonArray(pieces: AsyncIterable<TextPiece>, path: string): AsyncGenerator<Records> {
  let rest = '';
  let restLine = 1;
  let isFirst = true;
  for await (const { text, line, isLast } of pieces) {
    if (rest === '') restLine = line;
    let body = (rest + text).trim();
    if (isFirst) body = body.slice(1).trimStart();
    if (isLast && !body.endsWith(']')) throw notOurs(path, 'it ends before its array does');
    if (isLast) body = body.slice(0, -1).trimEnd();
    isFirst = false;
    const rows = await parseArray(`[${body.replace(/,$/, '')}]`).catch(() => undefined);
    if (Array.isArray(rows)) {
      const bad = rows.findIndex((row) => !isObject(row));
      if (bad >= 0) throw notOurs(path, `from line ${restLine} on it has a value that is not an object`);
      rest = '';
      yield { rows, line: restLine, torn: false };
      continue;
    }
    rest = body;
    if (isLast || rest.length > LONGEST_REST) throw notOurs(path, `from line ${restLine} on it is not JSON`);
  }
}

/** So much of an array that is not a record a line is held to find where a record ends. */
const LONGEST_REST = 64 * 1024 * 1024;
