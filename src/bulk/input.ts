/** A bulk file of any of the three forms, told apart by its name, else by its first character. */
import { decodeText } from './decode.ts';
import type { Input } from './rows.ts';

type Form = 'csv' | 'tsv' | 'json' | 'ndjson';

const FORM_OF_EXTENSION: Readonly<Record<string, Form>> = {
  csv: 'csv',
  tsv: 'tsv',
  json: 'json',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
};

/** Reads a bulk file. Throws UsageError with every fault of form, by line. */
export async function parseInput(bytes: Uint8Array, name: string): Promise<Input> {
  const text = decodeText(bytes, name);
  const form = FORM_OF_EXTENSION[/\.([a-z]+)$/i.exec(name)?.[1]?.toLowerCase() ?? ''] ?? formOfContent(text);
  if (form === 'json' || form === 'ndjson') {
    const { parseJsonArray, parseNdjson } = await import('./json-input.ts');
    return form === 'json' ? parseJsonArray(text, name) : parseNdjson(text, name);
  }
  const { parseCsv } = await import('./csv-input.ts');
  return parseCsv(text, name, form === 'tsv' ? '\t' : undefined);
}

function formOfContent(text: string): Form {
  const first = text.trimStart()[0];
  return first === '[' ? 'json' : first === '{' ? 'ndjson' : 'csv';
}
