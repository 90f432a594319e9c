/** Records of NDJSON and of JSON arrays, a piece of the file at a time. */
import { parseBounded } from '../../../base/text/bounded-json.ts';
import { isObject, parseJson } from '../../../service/json.ts';
import type { Row } from '../row-sink.ts';
import { countEnds, LONGEST_RECORD, notOurs, type TextPiece } from './input-text.ts';
import type { Records } from './records.ts';

/** Reads one object per line. An incomplete last line is skipped, and reported by `torn`. */
export async function* readNdjson(pieces: AsyncIterable<TextPiece>, path: string): AsyncGenerator<Records> {
  for await (const { text, line, isLast } of pieces) {
    const whole = text.endsWith('\n');
    const rows = await parseLines(text);
    if (rows) yield { rows, line, torn: false };
    else yield await lineByLine(text, line, path, isLast && !whole);
  }
}

/**
 * Parses all lines at once, which is faster than one by one: there is no line end inside a value. Undefined if they are not one record
 * each.
 */
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

/** Parses quickly, and again with all digits if an ID has more than a number can hold: searching for them first would take a fifth longer. */
async function parseArray(text: string): Promise<unknown> {
  const rows: unknown = parseBounded(text);
  const isLong = (row: unknown) =>
    isObject(row) && typeof row.id === 'number' && !Number.isSafeInteger(row.id);
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

/** An array of objects, wherever its lines end. Where each object ends with its line, as `scans export` writes it, nothing is looked for. */
export async function* readJsonArray(
  pieces: AsyncIterable<TextPiece>,
  path: string,
): AsyncGenerator<Records> {
  const findComma = createCommaFinder();
  /** Incomplete object: its end was not read yet. */
  let rest = '';
  let restLine = 1;
  let isFirst = true;
  for await (const { text, line, isLast } of pieces) {
    const added = isFirst ? text.trimStart().slice(1) : text;
    isFirst = false;
    if (rest === '') restLine = line;
    const isClosed = rest === '' && !isLast && added.trimEnd().endsWith(',');
    let rows = isClosed ? await parseRows(added) : undefined;
    const end = rows || isLast ? added.length : findComma(added);
    if (end > 0) {
      const body = rest + added.slice(0, end);
      rows ??= await parseRows(isLast ? withoutEnd(body, path) : body);
      if (!rows) throw notOurs(path, `invalid JSON in or after line ${restLine}`);
      if (!rows.every(isObject)) throw notOurs(path, `a value in or after line ${restLine} is not an object`);
      yield { rows, line: restLine, torn: false };
      rest = added.slice(end).trimStart();
      restLine = line + countEnds(added.slice(0, added.length - rest.length));
    } else rest += added;
    if (rest.length > LONGEST_RECORD)
      throw notOurs(path, `a record in or after line ${restLine} is longer than 1 MiB`);
  }
}

/** Parses values with commas between them, and possibly after them. Undefined if they are not JSON. */
async function parseRows(text: string): Promise<unknown[] | undefined> {
  const rows = await parseArray(`[${text.trim().replace(/,$/, '')}]`).catch(() => undefined);
  return Array.isArray(rows) ? rows : undefined;
}

function withoutEnd(text: string, path: string): string {
  const body = text.trimEnd();
  if (!body.endsWith(']')) throw notOurs(path, 'the JSON array is incomplete');
  return body.slice(0, -1);
}

/**
 * Returns where the last comma between two values of the array ends, 0 if there is none. Each text continues the one before: nothing is
 * scanned twice.
 */
function createCommaFinder(): (lines: string) => number {
  let depth = 0;
  let inString = false;
  return (lines) => {
    let end = 0;
    for (let at = 0; at < lines.length; at++) {
      const unit = lines[at];
      if (unit === '"') inString = !inString;
      else if (inString) at += unit === '\\' ? 1 : 0;
      else if (unit === '{' || unit === '[') depth += 1;
      else if (unit === '}' || unit === ']') depth -= 1;
      else if (unit === ',' && depth === 0) end = at + 1;
    }
    return end;
  };
}
