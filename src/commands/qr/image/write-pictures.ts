/** Writes one image file per code, each verified before it is written, and manifest.csv. */
import { join } from 'node:path';
import { PartialError, UsageError } from '../../../base/errors.ts';
import { inParallel } from '../../../base/parallel/in-parallel.ts';
import { addFailedCodes } from '../../../base/run/annotations.ts';
import { countOutcomes } from '../../../base/run/count-outcomes.ts';
import { countOf, formatCount } from '../../../base/text/quote.ts';
import { drawPicture } from '../../../codes/images/draw-picture.ts';
import { encodeCodes, refuseUnprintable } from '../../../codes/images/encode-codes.ts';
import {
  type Manifest,
  type ManifestRow,
  readManifest,
  writeManifest,
} from '../../../codes/images/manifest.ts';
import type { PictureStyle } from '../../../codes/images/picture.ts';
import { hashFiles, isOurs, nameFiles, type PictureFile } from '../../../codes/images/picture-files.ts';
import type { Context } from '../../../context.ts';
import { acquireLock } from '../../../files/durable/lock.ts';
import { nodeDisk } from '../../../files/durable/node-disk.ts';
import { cannotWrite } from '../../../files/durable/path-errors.ts';
import { replaceFile } from '../../../files/durable/replace-file.ts';
import { makeOutputDirectory } from '../../../files/formats/whole-file.ts';
import { chooseCodes } from '../../choose-codes.ts';
import type { ImageFlags } from './flags.ts';
import { requireShortUrl, styleOf } from './picture-flags.ts';
import { AT_ONCE, factsOf, planFiles, planNew, printPlan } from './plan-pictures.ts';

interface Job {
  directory: string;
  style: PictureStyle;
  files: readonly PictureFile[];
  manifest: Manifest;
  /** Manifest entries by file. */
  hashes: ReadonlyMap<string, string>;
}

/** Draws all images; with --dry-run, lists them. Throws as listed in errors.ts: PartialError if some images can't be decoded. */
export async function writePictures(
  context: Context,
  names: readonly string[],
  flags: ImageFlags,
): Promise<void> {
  const template = await requireShortUrl(context, flags);
  const style = await styleOf(context, flags);
  const { outputDir: directory, force = false } = flags;
  if (directory !== undefined)
    context.files.use({
      what: 'the manifest',
      flag: '--output-dir',
      path: join(directory, 'manifest.csv'),
      writes: true,
    });
  const manifest = directory === undefined ? undefined : await readManifest(directory, force);
  const codes = [...new Set(await chooseCodes(context, names, flags))];
  const formats = flags.as ?? ['png'];
  const all = await encodeCodes(context, codes, template, style, formats);
  const { files, unsafe } = nameFiles(all.encoded, formats, flags.fileNames ?? 'id');
  if (unsafe > 0)
    context.console.note(
      `${countOf(unsafe, 'slug')} can't be used in file names. Named these files by ID instead`,
    );
  if (flags.dryRun) {
    const planned = planNew(files, all, force);
    const place = directory !== undefined && manifest && { directory, manifest, style, force };
    await printPlan(context, place ? await planFiles(context, planned, place) : planned, style);
    return refuseUnprintable(context, all, force);
  }
  refuseUnprintable(context, all, force);
  if (directory === undefined || !manifest) return;
  const real = await makeOutputDirectory(directory);
  const { clock, signal, console } = context;
  const onWait = () => console.note(`Waiting for another run that is writing to ${directory}`);
  const lock = await acquireLock(join(real, 'manifest.csv'), { clock, signal, onWait });
  try {
    const [known, hashes] = [await readManifest(real, force), await hashFiles(real, files)];
    const job = { directory: real, style, files, manifest: known, hashes };
    if (!force) await refuseForeign(job);
    await drawAll(context, job, directory);
  } finally {
    await lock.release();
  }
}

/** I5: throws UsageError, before any file is written, if a file would be lost that no earlier run wrote. Equal bytes are not a loss. */
async function refuseForeign({ directory, style, files, manifest, hashes }: Job): Promise<void> {
  const foreign: string[] = [];
  for (const { encoded, format, file } of files) {
    const hash = hashes.get(file);
    if (isOurs(manifest, file, hash)) continue;
    const drawn = await drawPicture(encoded, format, style, { known: hash });
    if ('fault' in drawn || drawn.sha256 !== hash) foreign.push(file);
  }
  if (foreign.length === 0) return;
  const more = foreign.length > 1 ? ` and ${foreign.length - 1} more` : '';
  throw new UsageError(
    `cannot replace ${join(directory, foreign[0] ?? '')}${more}: not written by an earlier run, or changed since`,
    { hint: 'Specify a different directory with --output-dir, or add --force to overwrite.' },
  );
}

/** `shown`: the directory as it was named. */
async function drawAll(context: Context, job: Job, shown: string): Promise<void> {
  const { files, manifest } = job;
  const rows: (ManifestRow | undefined)[] = files.map(() => undefined);
  const progress = context.console.progress('images');
  let done = 0;
  const drawn = () => rows.filter((row) => row !== undefined);
  try {
    await inParallel(files.keys(), AT_ONCE, async (index) => {
      context.signal.throwIfAborted();
      const picture = files[index];
      if (picture) rows[index] = await drawOne(job, picture);
      progress.update({ done: ++done, total: files.length });
    });
    context.signal.throwIfAborted();
    await writeManifest(manifest, drawn());
  } catch (error) {
    // Written files must be in the manifest for the next run.
    await writeManifest(manifest, drawn()).catch(() => undefined);
    throw cannotWrite(`write to ${shown}`, error, 'run the command again; files written so far are complete');
  } finally {
    progress.stop();
    noteDrawn(context, drawn(), shown);
  }
  tell(context, drawn(), join(shown, 'manifest.csv'));
}

/** Adds to `--summary` the content of the directory, and the outcome of each image of this run. */
function noteDrawn({ facts }: Context, rows: readonly ManifestRow[], directory: string): void {
  const there = rows.filter(({ outcome }) => outcome !== 'failed');
  facts.codes = new Set(there.map(({ id }) => id)).size;
  facts.rows = rows.length;
  facts.outcomes = Object.fromEntries(countOutcomes(rows));
  const written = rows
    .filter(({ outcome }) => outcome === 'created' || outcome === 'updated')
    .map(({ file }) => file);
  facts.files = [...written, 'manifest.csv'].map((file) => join(directory, file));
}

async function drawOne(
  { directory, style, manifest, hashes }: Job,
  picture: PictureFile,
): Promise<ManifestRow> {
  const { encoded, format, file } = picture;
  const there = hashes.get(file);
  const facts = { ...factsOf(picture, style), file };
  // Bytes that an earlier run decoded need not be decoded again; the manifest identifies them.
  const known = isOurs(manifest, file, there) ? there : undefined;
  const drawn = await drawPicture(encoded, format, style, { known });
  if ('fault' in drawn)
    return {
      ...facts,
      sha256: manifest.rows.get(file)?.sha256 ?? null,
      outcome: 'failed',
      error: drawn.fault,
    };
  const { bytes, sha256 } = drawn;
  if (sha256 === there) return { ...facts, sha256, outcome: 'unchanged', error: null };
  await replaceFile(nodeDisk, join(directory, file), bytes);
  return { ...facts, sha256, outcome: there === undefined ? 'created' : 'updated', error: null };
}

function tell({ console, facts }: Context, rows: readonly ManifestRow[], path: string): void {
  const outcomes = [...countOutcomes(rows)].map(([outcome, count]) => `${formatCount(count)} ${outcome}`);
  console.note(
    `${countOf(rows.length, 'image')}: ${outcomes.join(', ') || 'nothing to draw'}. List: ${path}`,
  );
  const failed = rows.filter(({ outcome }) => outcome === 'failed');
  if (failed.length === 0) return;
  addFailedCodes(
    facts,
    failed.map(({ id, error }) => ({ id: String(id), message: String(error) })),
  );
  throw new PartialError(
    `${failed.length} of ${countOf(rows.length, 'image')} could not be read back and ${failed.length === 1 ? 'was' : 'were'} not written`,
    { hint: `See the reasons in ${path}, and try another --ecc or --size.` },
  );
}
