import { join } from 'node:path';
import { UsageError } from '#base/errors';
import { inParallel } from '#base/parallel';
import { countOutcomes } from '#base/run/outcomes';
import type { RunFacts } from '#base/run/run-summary';
import type { Clock } from '#base/time/time';
import { acquireLock } from '#files/durable/lock';
import { nodeDisk } from '#files/durable/node-disk';
import { cannotWrite } from '#files/durable/path-errors';
import { replaceFile } from '#files/durable/replace-file';
import { makeOutputDirectory } from '#files/formats/whole-file';
import { drawImage } from './draw-image.ts';
import {
  AT_ONCE,
  describeImage,
  hashFiles,
  type ImageFile,
  isOurs,
  type Manifest,
  type ManifestRow,
  readManifest,
  writeManifest,
} from './image-files.ts';
import type { ImageStyle } from './image-style.ts';

interface WriteImagesOptions {
  style: ImageStyle;
  overwrite: boolean;
  clock: Clock;
  signal: AbortSignal;
  facts: RunFacts;
  onWait(): void;
  onProgress(done: number): void;
}

interface Existing {
  directory: string;
  manifest: Manifest;
  hashes: ReadonlyMap<string, string>;
}

/**
 * Writes images and returns their manifest rows. Unless `overwrite` is set, throws UsageError instead of
 * replacing unrelated files.
 */
export async function writeImages(
  directory: string,
  files: readonly ImageFile[],
  options: WriteImagesOptions,
): Promise<ManifestRow[]> {
  const { style, overwrite, clock, signal, onWait } = options;
  const real = await makeOutputDirectory(directory);
  const lock = await acquireLock(join(real, 'manifest.csv'), { clock, signal, onWait });
  try {
    const manifest = await readManifest(real, overwrite);
    const existing = { directory: real, manifest, hashes: await hashFiles(real, files) };
    if (!overwrite) await refuseForeign(existing, files, style);
    return await drawAll(existing, files, directory, options);
  } finally {
    await lock.release();
  }
}

/** I5: refuses to replace changed or unrelated files, unless the new image has the same bytes. */
async function refuseForeign(
  { directory, manifest, hashes }: Existing,
  files: readonly ImageFile[],
  style: ImageStyle,
): Promise<void> {
  const foreign: string[] = [];
  for (const { encoded, format, file } of files) {
    const hash = hashes.get(file);
    if (isOurs(manifest, file, hash)) continue;
    const drawn = await drawImage(encoded, format, style, { known: hash });
    if ('fault' in drawn || drawn.sha256 !== hash) foreign.push(file);
  }
  const [first] = foreign;
  if (first === undefined) return;
  const more = foreign.length > 1 ? ` and ${foreign.length - 1} more` : '';
  throw new UsageError(
    `cannot replace ${join(directory, first)}${more}: not written by an earlier run, or changed since`,
    { hint: 'Specify a different directory with --output-dir, or add --overwrite to replace it.' },
  );
}

async function drawAll(
  existing: Existing,
  files: readonly ImageFile[],
  directory: string,
  { style, signal, facts, onProgress }: WriteImagesOptions,
): Promise<ManifestRow[]> {
  const rows: (ManifestRow | undefined)[] = files.map(() => undefined);
  const drawn = () => rows.filter((row) => row !== undefined);
  let done = 0;
  try {
    await inParallel(files.entries(), AT_ONCE, async ([index, image]) => {
      signal.throwIfAborted();
      rows[index] = await drawOne(existing, image, style);
      onProgress(++done);
    });
    signal.throwIfAborted();
    await writeManifest(existing.manifest, drawn());
    return drawn();
  } catch (error) {
    await writeManifest(existing.manifest, drawn()).catch(() => undefined);
    const state = 'run the command again; files written so far are complete';
    throw cannotWrite(`write to ${directory}`, error, state);
  } finally {
    addFacts(facts, drawn(), directory);
  }
}

async function drawOne(
  { directory, manifest, hashes }: Existing,
  image: ImageFile,
  style: ImageStyle,
): Promise<ManifestRow> {
  const { encoded, format, file } = image;
  const hash = hashes.get(file);
  const facts = { ...describeImage(image, style), file };
  const known = isOurs(manifest, file, hash) ? hash : undefined;
  const drawn = await drawImage(encoded, format, style, { known });
  if ('fault' in drawn) {
    const sha256 = manifest.rows.get(file)?.sha256 ?? null;
    return { ...facts, sha256, outcome: 'failed', error: drawn.fault };
  }
  const { bytes, sha256 } = drawn;
  if (sha256 === hash) return { ...facts, sha256, outcome: 'unchanged', error: null };
  await replaceFile(nodeDisk, join(directory, file), bytes);
  return { ...facts, sha256, outcome: hash === undefined ? 'created' : 'updated', error: null };
}

function addFacts(facts: RunFacts, rows: readonly ManifestRow[], directory: string): void {
  const existing = rows.filter(({ outcome }) => outcome !== 'failed');
  facts.codes = new Set(existing.map(({ id }) => id)).size;
  facts.rows = rows.length;
  facts.outcomes = Object.fromEntries(countOutcomes(rows));
  const written = existing.filter(({ outcome }) => outcome !== 'unchanged').map(({ file }) => file);
  facts.files = [...written, 'manifest.csv'].map((file) => join(directory, file));
}
