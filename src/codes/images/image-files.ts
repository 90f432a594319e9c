import { join } from 'node:path';
import { MOST_BYTES } from '#base/bounds';
import { systemCode, UsageError } from '#base/errors';
import { inParallel } from '#base/parallel';
import type { Outcome, Planned } from '#base/run/outcomes';
import { parseInput } from '#codes/input/read-input';
import { createFileNames, type FileNames } from '#codes/listing/file-names';
import { nodeDisk } from '#files/durable/node-disk';
import { cannotOpen } from '#files/durable/path-errors';
import { replaceFile } from '#files/durable/replace-file';
import { inDirectory, readBack, realPath } from '#files/durable/trusted-file';
import type { Column } from '#files/formats/columns';
import { createFormatter } from '#files/formats/create-formatter';
import { textOf } from '#files/formats/formatter';
import type { Row } from '#files/formats/row-sink';
import { drawImage, hashOf } from './draw-image.ts';
import type { EncodedCode, EncodedCodes } from './encode-codes.ts';
import { formatNumber, type ImageFormat, type ImageStyle } from './image-style.ts';

/** Names of the manifest columns. Mail merge programs rely on them. */
const NAMES = 'id slug name url file format mm modules version ecc sha256 outcome error'.split(' ');

export const MANIFEST_COLUMNS: readonly Column[] = NAMES.map((name) => ({ name }));
export const PLAN_COLUMNS = MANIFEST_COLUMNS.filter(({ name }) => name !== 'sha256');

export interface ManifestRow extends Row {
  file: string;
  sha256: string | null;
  outcome: Extract<Outcome, 'created' | 'updated' | 'unchanged' | 'failed' | 'earlier'>;
}

export interface Manifest {
  path: string;
  rows: ReadonlyMap<string, ManifestRow>;
}

/**
 * Reads a directory's manifest, if any. Throws UsageError if `manifest.csv` is unrelated, unless `overwrite`
 * is set.
 */
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

export interface ImageFile {
  encoded: EncodedCode;
  format: ImageFormat;
  file: string;
}

export function nameFiles(encoded: readonly EncodedCode[], formats: readonly ImageFormat[], by: FileNames) {
  const codes = encoded.map(({ code }) => code);
  const nameOf = createFileNames(codes, by);
  const files = encoded.flatMap((one) =>
    formats.map((format) => ({ encoded: one, format, file: `${nameOf(one.code)}.${format}` })),
  );
  return { files, unsafe: by === 'slug' ? codes.filter((code) => nameOf(code) !== code.slug).length : 0 };
}

export async function hashFiles(
  directory: string,
  files: readonly ImageFile[],
): Promise<Map<string, string>> {
  const wanted = new Set(files.map(({ file }) => file));
  const hashes = new Map<string, string>();
  try {
    await inDirectory(nodeDisk, await realPath(nodeDisk, directory), async ({ at, names }) => {
      for (const name of (await names()).filter((found) => wanted.has(found))) {
        // A directory, or an oversized or unreadable file, gets an empty hash, which no image has.
        const bytes = await nodeDisk.readFile(at(name), MOST_BYTES.image).catch(() => undefined);
        hashes.set(name, bytes ? hashOf(bytes) : '');
      }
    });
  } catch (error) {
    if (systemCode(error) !== 'ENOENT' && systemCode(error) !== 'ENOTDIR') throw error;
  }
  return hashes;
}

/** I5: returns whether a file is missing, or unchanged since an earlier run. */
export function isOurs({ rows }: Manifest, file: string, hash: string | undefined): boolean {
  return hash === undefined || rows.get(file)?.sha256 === hash;
}

export const AT_ONCE = 8;

export interface PlannedImage {
  image: ImageFile;
  outcome: Extract<Planned, 'create' | 'update' | 'unchanged' | 'failed'>;
  error: string | null;
}

export function planNew(
  files: readonly ImageFile[],
  { refusals }: EncodedCodes,
  force: boolean,
): PlannedImage[] {
  return files.map((image) => {
    const error = force ? undefined : (refusals[0] ?? image.encoded.refusal);
    return { image, outcome: error === undefined ? 'create' : 'failed', error: error ?? null };
  });
}

interface Place {
  directory: string;
  manifest: Manifest;
  style: ImageStyle;
  overwrite: boolean;
}

/** Plans images for a directory. Draws existing ones again, because `unchanged` requires equal bytes. */
export async function planFiles(
  { signal }: { signal: AbortSignal },
  planned: readonly PlannedImage[],
  { directory, manifest, style, overwrite }: Place,
): Promise<PlannedImage[]> {
  const files = planned.map(({ image }) => image);
  const hashes = await hashFiles(directory, files);
  const all = [...planned];
  await inParallel(planned.entries(), AT_ONCE, async ([at, { image, outcome }]) => {
    signal.throwIfAborted();
    const existing = hashes.get(image.file);
    if (existing !== undefined && outcome === 'create')
      all[at] = { image, error: null, ...(await planExisting(image, existing)) };
  });
  return all;

  async function planExisting(
    { encoded, format, file }: ImageFile,
    existing: string,
  ): Promise<Pick<PlannedImage, 'outcome'> & Partial<PlannedImage>> {
    const drawn = await drawImage(encoded, format, style, { known: existing });
    if ('fault' in drawn) return { outcome: 'failed', error: drawn.fault };
    if (drawn.sha256 === existing) return { outcome: 'unchanged' };
    if (overwrite || isOurs(manifest, file, existing)) return { outcome: 'update' };
    return { outcome: 'failed', error: 'an unrelated file with that name exists' };
  }
}

export function describeImage(
  { encoded: { code, text, modules }, format, file }: ImageFile,
  { sizeMm }: ImageStyle,
): Row {
  return {
    id: code.id,
    slug: code.slug,
    name: code.name,
    url: text,
    file,
    format,
    mm: formatNumber(sizeMm),
    modules: modules.size,
    version: modules.version,
    ecc: modules.level,
  };
}
