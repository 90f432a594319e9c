/** Checks exported files against the sandbox's own data, written by csv-stringify. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { parse } from 'csv-parse';
import { stringify } from 'csv-stringify/sync';
import { withDefaults } from '#sandbox/options';
import { createWorkspace } from '#sandbox/workspace';
import { SCAN_FIELDS } from '#service/shapes';

const PIECE = 5000;

/** Hashes of the right CSV: of its bytes, and of its cells without escaped formulas, as peers write them. */
export interface Truth {
  bytes: string;
  cells: string;
}

/** Returns the truth about the only code of a sandbox with so many scans, and the ID of that code. */
export function truthOf(scans: number): { id: string; truth: Truth } {
  const workspace = createWorkspace(withDefaults({ codes: 1, scans, scanOrder: 'asc' }), () => 0);
  const id = workspace.codes()[0]?.id ?? '';
  const [bytes, cells] = [createHash('sha256'), createHash('sha256')];
  const columns = [...SCAN_FIELDS];
  bytes.update(`${columns.join()}\n`);
  cells.update(`${columns.join()}\n`);
  for (let page = 1; (page - 1) * PIECE < scans; page++) {
    const query = { page, limit: PIECE, sinceMs: undefined, untilMs: undefined, nowMs: 0, turn: 0 };
    const rows = (workspace.log(id)?.page(query).rows ?? []).map((line) => JSON.parse(line));
    bytes.update(stringify(rows, { columns, escape_formulas: true, quoted_match: /[\r;\t]/ }));
    cells.update(stringify(rows, { columns }));
  }
  return { id, truth: { bytes: bytes.digest('hex'), cells: cells.digest('hex') } };
}

export async function checkBytes(path: string, { bytes }: Truth): Promise<void> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path)) hash.update(piece);
  if (hash.digest('hex') !== bytes) throw new Error(`${path} is not what it should be`);
}

export async function checkCells(path: string, { cells }: Truth): Promise<void> {
  const hash = createHash('sha256');
  let rows: string[][] = [];
  for await (const row of createReadStream(path).pipe(parse())) {
    rows.push(row);
    if (rows.length < PIECE) continue;
    hash.update(stringify(rows));
    rows = [];
  }
  hash.update(stringify(rows));
  if (hash.digest('hex') !== cells) throw new Error(`${path} does not have the cells it should`);
}
