import { join } from 'node:path';
import { MOST_BYTES } from '#base/bounds';
import { systemCode, UsageError } from '#base/errors';
import type { Outcome } from '#base/run/outcomes';
import { parseInput } from '#codes/input/read-input';
import { nodeDisk } from '#files/durable/node-disk';
import { cannotOpen } from '#files/durable/path-errors';
import { replaceFile } from '#files/durable/replace-file';
import { readBack } from '#files/durable/trusted-file';
import type { Column } from '#files/formats/columns';
import { createFormatter } from '#files/formats/create-formatter';
import { textOf } from '#files/formats/formatter';
import type { Row } from '#files/formats/row-sink';

/** Columns of the manifest: a contract, because mail merge programs read them. */
const NAMES = 'id slug name url file format mm modules version ecc sha256 outcome error'.split(' ');

export const MANIFEST_COLUMNS: readonly Column[] = NAMES.map((name) => ({ name }));

export interface ManifestRow extends Row {
  file: string;
  sha256: string | null;
  outcome: Extract<Outcome, 'created' | 'updated' | 'unchanged' | 'failed' | 'earlier'>;
}

export interface Manifest {
  path: string;
  rows: ReadonlyMap<string, ManifestRow>;
}

/** Reads the manifest of a directory; empty if missing. Throws UsageError for an unrelated file. */
export async function readManifest(directory: string, overwrite: boolean): Promise<Manifest> {
  const path = join(directory, 'manifest.csv');
  const bytes = await readBack(nodeDisk, path, MOST_BYTES.rowsFile).catch((error) => {
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
    const file = String(values.get('file') ?? '');
    const sha256 = String(values.get('sha256') ?? '') || null;
    return { ...Object.fromEntries(cells), file, sha256, outcome: 'earlier' };
  });
}

export async function writeManifest(
  { path, rows }: Manifest,
  written: readonly ManifestRow[],
): Promise<void> {
  const now = new Set(written.map(({ file }) => file));
  const all = [...written, ...[...rows.values()].filter(({ file }) => !now.has(file))];
  const formatter = createFormatter('csv', { columns: MANIFEST_COLUMNS });
  const text = formatter.begin() + textOf(formatter.rows(all)) + formatter.end();
  await replaceFile(nodeDisk, path, Buffer.from(text));
}
