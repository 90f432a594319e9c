/** The bytes of a bulk file to rows: its encoding, and its form, told by its name or else by its first character. */
import { UsageError } from '../errors.ts';
import type { Input } from './input.ts';

type Form = 'csv' | 'tsv' | 'json' | 'ndjson';

const FORM_OF_EXTENSION: Readonly<Record<string, Form>> = {
  csv: 'csv',
  tsv: 'tsv',
  json: 'json',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
};

/** Reads a bulk file. Throws UsageError with every fault of form, by line, or the signal's reason. */
export async function parseInput(bytes: Uint8Array, name: string, signal?: AbortSignal): Promise<Input> {
  const text = decodeText(bytes, name);
  const form = FORM_OF_EXTENSION[/\.([a-z]+)$/i.exec(name)?.[1]?.toLowerCase() ?? ''] ?? formOfContent(text);
  if (form === 'json' || form === 'ndjson') {
    const { parseJsonArray, parseNdjson } = await import('./json-input.ts');
    return form === 'json' ? parseJsonArray(text, name, signal) : parseNdjson(text, name, signal);
  }
  const { parseCsv } = await import('./csv-input.ts');
  return parseCsv(text, name, { separator: form === 'tsv' ? '\t' : undefined, signal });
}

function formOfContent(text: string): Form {
  const first = text.trimStart()[0];
  return first === '[' ? 'json' : first === '{' ? 'ndjson' : 'csv';
}

/**
 * The text of a file in UTF-8, or in UTF-16 as Excel's "Unicode Text" writes it, without its byte order mark.
 *
 * @throws UsageError for any other encoding: reading it as UTF-8 would print garbled names on posters.
 */
function decodeText(bytes: Uint8Array, name: string): string {
  const encoding = startsWith(bytes, 0xff, 0xfe) ? 'utf-16le' : startsWith(bytes, 0xfe, 0xff) ? 'utf-16be' : 'utf-8';
  const nul = encoding === 'utf-8' ? bytes.indexOf(0) : -1;
  if (nul >= 0) throw notText(name, 1 + bytes.subarray(0, nul).filter((byte) => byte === 0x0a).length, 'a NUL byte');
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw notText(
      name,
      encoding === 'utf-8' ? firstBrokenLine(bytes) : undefined,
      `bytes that are not ${encoding.toUpperCase()}`,
    );
  }
}

function startsWith(bytes: Uint8Array, first: number, second: number): boolean {
  return bytes[0] === first && bytes[1] === second;
}

function notText(name: string, line: number | undefined, what: string): UsageError {
  return new UsageError(`${name}: ${line === undefined ? '' : `line ${line} has `}${what}`, {
    hint: 'save it as UTF-8 ("CSV UTF-8 (comma delimited)" in Excel) and run this again; nothing was sent',
  });
}

/** Lines are decoded one by one only after the whole has failed. No byte of a longer UTF-8 character equals a line feed. */
function firstBrokenLine(bytes: Uint8Array): number | undefined {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for (let start = 0, line = 1; start < bytes.length; line++) {
    const end = bytes.indexOf(0x0a, start);
    const next = end < 0 ? bytes.length : end + 1;
    try {
      decoder.decode(bytes.subarray(start, next));
    } catch {
      return line;
    }
    start = next;
  }
  return undefined;
}
