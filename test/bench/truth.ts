/** What an export must be, worked out from the sandbox's data alone and written by csv-stringify. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { parse } from 'csv-parse';
import { stringify } from 'csv-stringify/sync';
import { withDefaults } from '../../src/sandbox/options.ts';
import { createWorkspace } from '../../src/sandbox/workspace.ts';
import { SCAN_FIELDS } from '../../src/service/shapes.ts';

export const FORMATS = ['csv', 'json', 'ndjson'] as const;
type Format = (typeof FORMATS)[number];

/** SHA-256 of the right bytes; `raw`: CSV whose formulas are not defused, as no peer does. */
export type Truth = Readonly<Record<Format | 'raw', string>>;

const PIECE = 5000;

/** The truth about the only code of a sandbox with so many scans, and that code's id. */
export function truthOf(scans: number): { id: string; truth: Truth } {
  const workspace = createWorkspace(withDefaults({ codes: 1, scans, scanOrder: 'asc' }), () => 0);
  const id = workspace.codes()[0]?.id ?? '';
  const hashes = {
    csv: createHash('sha256'),
    raw: createHash('sha256'),
    json: createHash('sha256'),
    ndjson: createHash('sha256'),
  };
  hashes.csv.update(`${SCAN_FIELDS.join()}\n`);
  hashes.raw.update(`${SCAN_FIELDS.join()}\n`);
  for (let page = 1; (page - 1) * PIECE < scans; page++) {
    const query = { page, limit: PIECE, sinceMs: undefined, untilMs: undefined, nowMs: 0, turn: 0 };
    const lines = workspace.log(id)?.page(query).rows ?? [];
    const rows: unknown[] = lines.map((line) => JSON.parse(line));
    hashes.csv.update(
      stringify(rows, { columns: [...SCAN_FIELDS], escape_formulas: true, quoted_match: /[\r;\t]/ }),
    );
    hashes.raw.update(stringify(rows, { columns: [...SCAN_FIELDS] }));
    hashes.ndjson.update(lines.map((line) => `${line}\n`).join(''));
    hashes.json.update((page === 1 ? '[\n' : ',\n') + lines.join(',\n'));
  }
  hashes.json.update('\n]\n');
  const digest = (name: Format | 'raw') => hashes[name].digest('hex');
  return {
    id,
    truth: { csv: digest('csv'), raw: digest('raw'), json: digest('json'), ndjson: digest('ndjson') },
  };
}

/** Throws where a file is not the truth, byte for byte. */
export async function checkBytes(path: string, expected: string): Promise<void> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path)) hash.update(piece);
  if (hash.digest('hex') !== expected) throw new Error(`${path} is not what it should be`);
}

/** As `checkBytes`, for CSV that is quoted in another way: its cells must be the same. */
export async function checkCells(path: string, expected: string): Promise<void> {
  const hash = createHash('sha256');
  let rows: string[][] = [];
  for await (const row of createReadStream(path).pipe(parse())) {
    rows.push(row);
    if (rows.length < PIECE) continue;
    hash.update(stringify(rows));
    rows = [];
  }
  hash.update(stringify(rows));
  if (hash.digest('hex') !== expected) throw new Error(`${path} does not hold the cells it should`);
}
