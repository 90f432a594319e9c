import { MOST_BYTES } from '#base/bounds';
import { parseBounded } from '#base/text/bounded-json';
import type { Row } from '#files/formats/row-sink';
import { isObject, parseJson } from '#service/json';
import { countEnds, notOurs, type Records, type TextPiece } from './input-text.ts';

/** Parses NDJSON at once or, if a line is not one object, by line. Invalid JSON becomes an Error. */
export async function parseLines(
  text: string,
  firstLine: number,
  parse: (text: string) => Promise<unknown>,
): Promise<{ values: unknown[]; lineOf(at: number): number }> {
  const body = text.trimEnd();
  const all = await parse(`[${body.replaceAll('\n', ',')}]`).catch(() => undefined);
  if (Array.isArray(all) && all.length === countEnds(body) + 1 && all.every(isObject))
    return { values: all, lineOf: (at) => firstLine + at };
  const values: unknown[] = [];
  const lines: number[] = [];
  for (const [at, source] of text.split('\n').entries()) {
    if (source.trim() === '') continue;
    values.push(await parse(source).catch((error: unknown) => error));
    lines.push(firstLine + at);
  }
  return { values, lineOf: (at) => lines[at] ?? firstLine };
}

export async function* readNdjson(pieces: AsyncIterable<TextPiece>, path: string): AsyncGenerator<Records> {
  for await (const { text, line, isLast } of pieces) {
    const { values, lineOf } = await parseLines(text, line, parseArray);
    const broken = values.findIndex((value) => !isObject(value) || value instanceof Error);
    const isOfLastLine = lineOf(broken) === line + countEnds(text);
    const torn = broken >= 0 && isLast && isOfLastLine && !text.endsWith('\n');
    if (broken >= 0 && !torn) throw notOurs(path, `line ${lineOf(broken)} is not a JSON object`);
    yield { rows: (torn ? values.slice(0, -1) : values) as Row[], line, torn };
  }
}

/** Parses JSON. If an ID is not a safe integer, parses the text again with all digits. */
async function parseArray(text: string): Promise<unknown> {
  const rows: unknown = parseBounded(text);
  const isLong = (row: unknown) =>
    isObject(row) && typeof row.id === 'number' && !Number.isSafeInteger(row.id);
  return (Array.isArray(rows) ? rows : [rows]).some(isLong) ? parseJson(text) : rows;
}

/** Yields the rows of a JSON array. Throws UsageError if it is invalid or a row is too long. */
export async function* readJsonArray(
  pieces: AsyncIterable<TextPiece>,
  path: string,
): AsyncGenerator<Records> {
  const findComma = createCommaFinder();
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
    if (rest.length > MOST_BYTES.scanRecord)
      throw notOurs(path, `a record in or after line ${restLine} is longer than 1 MiB`);
  }
}

async function parseRows(text: string): Promise<unknown[] | undefined> {
  const rows = await parseArray(`[${text.trim().replace(/,$/, '')}]`).catch(() => undefined);
  return Array.isArray(rows) ? rows : undefined;
}

function withoutEnd(text: string, path: string): string {
  const body = text.trimEnd();
  if (!body.endsWith(']')) throw notOurs(path, 'the JSON array is incomplete');
  return body.slice(0, -1);
}

/** Returns a function that finds the end of the last comma between values in successive texts; 0 if none. */
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
