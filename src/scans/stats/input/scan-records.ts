import { UsageError } from '../../../base/errors.ts';
import { shown } from '../../../base/text/quote.ts';
import { readCsv } from '../../../files/formats/read/csv-records.ts';
import { readInputBytes } from '../../../files/formats/read/input-bytes.ts';
import {
  notOurs,
  type Records,
  readInputText,
  type TextPiece,
} from '../../../files/formats/read/input-text.ts';
import { readJsonArray, readNdjson } from '../../../files/formats/read/json-records.ts';
import { readParquet } from '../../../files/formats/read/parquet-records.ts';
import { CODE_COLUMNS } from '../../export/added-columns.ts';
import type { ValueDimension } from '../dimensions.ts';

/** An append adds to the file unless `isClosed`. Throws UsageError for another format or a missing column. */
export async function* readRecords(
  path: string,
  fields: readonly ValueDimension[],
  { isClosed, signal }: { isClosed: boolean; signal?: AbortSignal },
): AsyncGenerator<Records> {
  if (/\.parquet$/i.test(path)) return yield* readParquet(path, signal);
  const pieces = readInputText(refuseBinary(readInputBytes(path), path), path);
  const first = await pieces.next();
  if (first.done) return;
  const all = joined(first.value, pieces);
  const sign = first.value.text.trimStart()[0];
  if (sign === '[') yield* readJsonArray(all, path);
  else if (sign === '{') yield* readNdjson(all, path);
  else {
    const wanted = ['id', 'ts', ...fields, ...CODE_COLUMNS];
    let isFirst = true;
    for await (const records of readCsv(all, path, wanted, isClosed)) {
      if (isFirst) checkNames(records.columns, path, fields);
      isFirst = false;
      yield records;
    }
  }
}

async function* joined(first: TextPiece, rest: AsyncGenerator<TextPiece>): AsyncGenerator<TextPiece> {
  try {
    yield first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

const SIGNATURES = [
  { bytes: [0x50, 0x4b, 0x03, 0x04], is: 'a workbook or ZIP archive' },
  { bytes: [0x50, 0x41, 0x52, 0x31], is: 'Parquet, but its name lacks the .parquet extension' },
  { bytes: [0xff, 0xfe], is: 'text in UTF-16' },
  { bytes: [0xfe, 0xff], is: 'text in UTF-16' },
  { bytes: [0x1f, 0x8b], is: 'compressed twice' },
] as const;

async function* refuseBinary(pieces: AsyncIterable<Uint8Array>, path: string): AsyncGenerator<Uint8Array> {
  let isFirst = true;
  for await (const piece of pieces) {
    const found = isFirst
      ? SIGNATURES.find(({ bytes }) => bytes.every((byte, at) => piece[at] === byte))
      : undefined;
    if (found) throw notOurs(path, `the file is ${found.is}`);
    isFirst = false;
    yield piece;
  }
}

export function checkNames(names: readonly string[], path: string, fields: readonly ValueDimension[]): void {
  const missing = ['id', 'ts'].filter((name) => !names.includes(name));
  if (missing.length > 0) {
    throw notOurs(
      path,
      `missing column${missing.length === 1 ? '' : 's'} ${missing.join(' and ')} (found: ${shown(names.slice(0, 20).join(','))})`,
    );
  }
  const without = fields.find((field) => !names.includes(field));
  if (without) {
    throw new UsageError(`cannot read ${without} from ${path}: the file has no ${without} column`, {
      hint: `Omit ${without} from --by or --fields, or export the file again with all fields.`,
    });
  }
}
