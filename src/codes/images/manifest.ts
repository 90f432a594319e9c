/** Reads and writes manifest.csv, which lists each image file and identifies those of earlier runs. */
import { join } from 'node:path';
import { systemCode, UsageError } from '../../base/errors.ts';
import type { Outcome } from '../../base/run/outcomes.ts';
import { nodeDisk } from '../../files/durable/node-disk.ts';
import { cannotOpen } from '../../files/durable/path-errors.ts';
import { replaceFile } from '../../files/durable/replace-file.ts';
import { readBack } from '../../files/durable/trusted-file.ts';
import type { Column } from '../../files/formats/columns.ts';
import { createFormatter } from '../../files/formats/create-formatter.ts';
import { textOf } from '../../files/formats/formatter.ts';
import type { Row } from '../../files/formats/row-sink.ts';
import { parseInput } from '../input/read-input.ts';

/** Column names are a contract: mail merge programs read them. */
const NAMES = [
  'id',
  'slug',
  'name',
  'url',
  'file',
  'format',
  'mm',
  'modules',
  'version',
  'ecc',
  'sha256',
  'outcome',
  'error',
] as const;

export const MANIFEST_COLUMNS: readonly Column[] = NAMES.map((name) => ({ name }));

/** Row of one image. `earlier`: an earlier run wrote it, and this run excludes its code. */
export interface ManifestRow extends Row {
  file: string;
  sha256: string | null;
  outcome: Extract<Outcome, 'created' | 'updated' | 'unchanged' | 'failed' | 'earlier'>;
}

export interface Manifest {
  readonly path: string;
  readonly rows: ReadonlyMap<string, ManifestRow>;
}

/** Maximum size in bytes; a code takes about 300. */
const MOST_BYTES = 128 * 2 ** 20;

/** Reads the manifest of a directory; empty if it is missing. Throws UsageError for another file. */
export async function readManifest(directory: string, overwrite: boolean): Promise<Manifest> {
  const path = join(directory, 'manifest.csv');
  const bytes = await readBack(nodeDisk, path, MOST_BYTES).catch((error) => {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return undefined;
    throw cannotOpen(`read ${path}`, error, 'specify a different directory with --output-dir');
  });
  const rows = bytes && (await parseRows(bytes, path));
  if (bytes && !rows && !overwrite) {
    throw new UsageError(`cannot overwrite ${path}: it was not written by an earlier run`, {
      hint: 'Specify a different directory with --output-dir, or add --overwrite to replace this file.',
    });
  }
  return { path, rows: new Map((rows ?? []).map((row) => [row.file, row])) };
}

async function parseRows(bytes: Uint8Array, path: string): Promise<ManifestRow[] | undefined> {
  const input = await parseInput(bytes, path).catch(() => undefined);
  if (input?.columns.join() !== NAMES.join()) return undefined;
  return input.rows.map(({ values }) => {
    const cells = NAMES.map((name) => [name, values.get(name) || null] as const);
    const row: Row = Object.fromEntries(cells);
    return {
      ...row,
      file: String(row.file ?? ''),
      sha256: String(row.sha256 ?? '') || null,
      outcome: 'earlier',
    };
  });
}

/** Replaces the manifest atomically: rows of this run, then those of earlier runs for other files. */
export async function writeManifest(
  { path, rows }: Manifest,
  written: readonly ManifestRow[],
): Promise<void> {
  const now = new Set(written.map(({ file }) => file));
  const all = [...written, ...[...rows.values()].filter(({ file }) => !now.has(file))];
  const style = { shape: 'list' as const, keepExtra: false, header: true, rawCells: false, excel: false };
  const formatter = createFormatter('csv', { columns: MANIFEST_COLUMNS, ...style });
  const text = formatter.begin() + textOf(formatter.rows(all)) + formatter.end();
  await replaceFile(nodeDisk, path, Buffer.from(text));
}
