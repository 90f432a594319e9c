import { MOST_COLUMNS, MOST_RECORD, MOST_VALUES } from '#base/bounds';
import { checkBounds, ExcessiveJsonError } from '#base/text/bounded-json';
import { BrokenJsonError, elementsOf } from '#base/text/json-elements';
import { formatCount } from '#base/text/quote';
import { letSignalsIn } from '#base/time/time';
import {
  type Fault,
  type Input,
  type InputRow,
  MOST_FAULTS,
  refuseFaults,
  refuseMany,
} from '#files/formats/read/input';
import { countEnds, linesOf } from '#files/formats/read/input-text';
import { parseLines } from '#files/formats/read/json-records';
import { isObject, parseJson } from '#service/json';

/** Parses NDJSON. Skips blank lines. Any other line that is not a JSON object is a fault. */
export function parseNdjson(utf8: Buffer, name: string, signal?: AbortSignal): Promise<Input> {
  return readValues('ndjson', valuesOfLines(utf8), name, signal);
}

async function* valuesOfLines(utf8: Buffer): AsyncGenerator<JsonValue> {
  let line = 1;
  for (const text of linesOf(utf8)) {
    const { values, lineOf } = await parseLines(text, line, parsePiece);
    for (const [at, value] of values.entries()) yield { value, line: lineOf(at) };
    line += countEnds(text);
  }
}

/**
 * Parses a JSON array, or an object that is a code. Throws UsageError for any other text. An element that is
 * not an object is a fault.
 */
export async function parseJsonArray(utf8: Buffer, name: string, signal?: AbortSignal): Promise<Input> {
  const text = utf8.toString();
  const record = text.trimStart().startsWith('{') ? await readRecord(text, name, signal) : undefined;
  if (record) return record;
  if (text.trim() === '') refuseFaults({ name }, [{ message: 'the file is empty' }]);
  try {
    if (text.trimStart().startsWith('{')) await checkPairs(text);
    if (!text.trimStart().startsWith('['))
      refuseFaults({ name }, [{ message: 'must be an array of objects: [{"name": "…"}, …]' }]);
    return await readValues('json', valuesOfArray(text), name, signal);
  } catch (error) {
    if (error instanceof BrokenJsonError)
      refuseFaults({ name }, [{ line: error.line, message: error.message }]);
    throw error;
  }
}

/**
 * Throws BrokenJsonError with the line of the first invalid member of a JSON object. Ignores members that
 * exceed a limit.
 */
async function checkPairs(text: string): Promise<void> {
  for (const { text: pair, line } of elementsOf(text, '{'))
    await parsePiece(`{${pair}}`).catch((error: unknown) => {
      if (error instanceof ExcessiveJsonError) return;
      throw new BrokenJsonError(NOT_JSON, line);
    });
}

/** Yields an array's elements. `line` is the element's number, because all elements may be on one line. */
async function* valuesOfArray(text: string): AsyncGenerator<JsonValue> {
  let line = 0;
  for (const element of elementsOf(text, '[')) {
    const value = await parsePiece(element.text).catch((error: unknown) => error);
    yield { value, line: ++line };
  }
}

const NOT_JSON = 'is not valid JSON';

interface JsonValue {
  value: unknown;
  line: number;
}

const OF_CODE = ['id', 'slug', 'name', 'type', 'created_at'];

async function readRecord(
  text: string,
  name: string,
  signal: AbortSignal | undefined,
): Promise<Input | undefined> {
  const value = await parsePiece(text).catch(() => undefined);
  if (!isObject(value) || OF_CODE.some((field) => !Object.hasOwn(value, field))) return undefined;
  return { ...(await readValues('json', [{ value, line: 1 }], name, signal)), isRecord: true };
}

async function readValues(
  is: 'json' | 'ndjson',
  found: AsyncIterable<JsonValue> | Iterable<JsonValue>,
  name: string,
  signal: AbortSignal | undefined,
): Promise<Input> {
  const form = { is } as const;
  const refuse = (line: number, message: string) => refuseFaults({ name, form }, [{ line, message }]);
  const faults: Fault[] = [];
  const columns = new Set<string>();
  const rows: InputRow[] = [];
  let turns = 0;
  let count = 0;
  for await (const { line, value } of found) {
    if (turns++ % 1000 === 0) await letSignalsIn(signal);
    if (!isObject(value) || value instanceof Error) {
      const whyNot = value instanceof Error ? NOT_JSON : 'is not a JSON object';
      faults.push({
        line,
        message: value instanceof ExcessiveJsonError ? value.message : whyNot,
      });
      if (faults.length >= MOST_FAULTS) refuseFaults({ name, form }, faults);
      continue;
    }
    const entries = Object.entries(value);
    const values = entries.length === 0 ? NO_VALUES : new Map(entries);
    for (const column of values.keys()) columns.add(column);
    if (columns.size > MOST_COLUMNS) refuse(line, `exceeds the limit of ${MOST_COLUMNS} columns per file`);
    rows.push({ row: rows.length + 1, line, values });
    count += values.size;
    refuseMany(name, rows.length, 1);
    if (count > MOST_VALUES) refuse(line, `exceeds the limit of ${formatCount(MOST_VALUES)} values per file`);
  }
  return { name, columns: [...columns], headerLine: undefined, rows, form, faults };
}

/** Empty values, shared because a file may have millions of `{}`. */
const NO_VALUES: ReadonlyMap<string, unknown> = new Map();

async function parsePiece(text: string): Promise<unknown> {
  if (text.length > MOST_RECORD) throw new ExcessiveJsonError(`is longer than ${MOST_RECORD / 2 ** 20} MiB`);
  checkBounds(text);
  return parseJson(text);
}
