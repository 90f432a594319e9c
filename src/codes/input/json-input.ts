/** Reads the rows of a JSON array or of NDJSON. Values keep their types, so that the user's own columns come back unchanged. */
import { checkBounds, ExcessiveJsonError } from '../../base/text/bounded-json.ts';
import { BrokenJsonError, elementsOf, type JsonElement } from '../../base/text/json-elements.ts';
import { letSignalsIn } from '../../base/time/time.ts';
import {
  type Fault,
  type Input,
  type InputRow,
  MOST_COLUMNS,
  MOST_FAULTS,
  refuseFaults,
  refuseMany,
} from '../../files/formats/read/input.ts';
import { MOST_RECORD, MOST_VALUES } from '../../files/formats/table-bounds.ts';
import { isObject, parseJson } from '../../service/json.ts';

/**
 * Parses NDJSON, one object per line; skips empty lines. Throws UsageError with every line that is not an object, or the signal's reason.
 */
export function parseNdjson(text: string, name: string, signal?: AbortSignal): Promise<Input> {
  return readPieces('ndjson', splitLines(text), name, signal);
}

function* splitLines(text: string): Generator<JsonElement> {
  for (let at = 0, line = 1; at < text.length; line++) {
    const end = text.indexOf('\n', at);
    const next = end < 0 ? text.length : end;
    const piece = text.slice(at, next);
    if (piece.trim() !== '') yield { line, text: piece };
    at = next + 1;
  }
}

/** Parses an array of JSON objects, or one object that is a code. Throws UsageError for anything else, or the signal's reason. */
export async function parseJsonArray(text: string, name: string, signal?: AbortSignal): Promise<Input> {
  const record = text.trimStart().startsWith('{') ? await readRecord(text, name, signal) : undefined;
  if (record) return record;
  if (!text.trimStart().startsWith('['))
    refuseFaults({ name }, [{ message: 'must be an array of objects: [{"name": "…"}, …]' }]);
  try {
    return await readPieces('json', numbered(elementsOf(text, '[')), name, signal);
  } catch (error) {
    if (error instanceof BrokenJsonError)
      refuseFaults({ name }, [{ line: error.line, message: error.message }]);
    throw error;
  }
}

/** Fields that every code has, and only a code has together. */
const OF_CODE = ['id', 'slug', 'name', 'type', 'created_at'];

async function readRecord(
  text: string,
  name: string,
  signal: AbortSignal | undefined,
): Promise<Input | undefined> {
  const value = await parsePiece(text).catch(() => undefined);
  if (!isObject(value) || OF_CODE.some((field) => !Object.hasOwn(value, field))) return undefined;
  return { ...(await readPieces('json', [{ text, line: 1 }], name, signal)), isRecord: true };
}

/** Gives the elements their number in place of their line, because all of them may be on one line. */
function* numbered(elements: Iterable<JsonElement>): Generator<JsonElement> {
  let line = 0;
  for (const { text } of elements) yield { text, line: ++line };
}

async function readPieces(
  is: 'json' | 'ndjson',
  pieces: Iterable<JsonElement>,
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
    const value = await parsePiece(text).catch((error: unknown) => error);
    if (!isObject(value) || value instanceof Error) {
      faults.push({
        line,
        message: value instanceof ExcessiveJsonError ? value.message : 'is not a JSON object',
      });
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
      refuseFaults({ name, form }, [
        { line, message: `exceeds the limit of ${MOST_VALUES} values per file` },
      ]);
  }
  return { name, columns: [...columns], headerLine: undefined, rows, form, faults };
}

/** A file may consist of millions of `{}`, and a map of each would take many times their text. */
const NO_VALUES: ReadonlyMap<string, unknown> = new Map();

const TOO_WIDE = `exceeds the limit of ${MOST_COLUMNS} columns per file`;

async function parsePiece(text: string): Promise<unknown> {
  if (text.length > MOST_RECORD) throw new ExcessiveJsonError(`is longer than ${MOST_RECORD / 2 ** 20} MiB`);
  checkBounds(text);
  return parseJson(text);
}
