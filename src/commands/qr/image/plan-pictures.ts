/** Lists what a run of `qr image` would do with each image (`--dry-run`). */
import { inParallel } from '../../../base/parallel/in-parallel.ts';
import type { Planned } from '../../../base/run/outcomes.ts';
import { countOf, formatCount } from '../../../base/text/quote.ts';
import { drawPicture } from '../../../codes/images/draw-picture.ts';
import type { EncodedCodes } from '../../../codes/images/encode-codes.ts';
import { MANIFEST_COLUMNS, type Manifest } from '../../../codes/images/manifest.ts';
import { formatNumber, type PictureStyle } from '../../../codes/images/picture.ts';
import { hashFiles, isOurs, type PictureFile } from '../../../codes/images/picture-files.ts';
import type { Context } from '../../../context.ts';
import type { Row } from '../../../files/formats/row-sink.ts';
import { printRecords } from '../../output-options.ts';

/** Columns of `--dry-run`: those of the manifest that are known before an image is drawn. */
export const PLAN_COLUMNS = MANIFEST_COLUMNS.filter(({ name }) => name !== 'sha256');

/** Drawing takes the processor, and writing waits for the disk: several at a time keep both busy. */
export const AT_ONCE = 8;

export interface PlannedPicture {
  readonly picture: PictureFile;
  readonly outcome: Extract<Planned, 'create' | 'update' | 'unchanged' | 'failed'>;
  /** Reason if it fails; null otherwise. */
  readonly error: string | null;
}

/** Returns the plan for images that replace nothing: those that break the print rules fail unless `force` is set. */
export function planNew(
  files: readonly PictureFile[],
  { refusals }: EncodedCodes,
  force: boolean,
): PlannedPicture[] {
  return files.map((picture) => {
    const error = force ? undefined : (refusals[0] ?? picture.encoded.refusal);
    return error === undefined
      ? { picture, outcome: 'create', error: null }
      : { picture, outcome: 'failed', error };
  });
}

interface Place {
  readonly directory: string;
  readonly manifest: Manifest;
  readonly style: PictureStyle;
  readonly force: boolean;
}

/** Returns the plan for the files of a directory. Draws those that exist, because only equal bytes are unchanged. Writes nothing. */
export async function planFiles(
  { signal }: Pick<Context, 'signal'>,
  planned: readonly PlannedPicture[],
  { directory, manifest, style, force }: Place,
): Promise<PlannedPicture[]> {
  const hashes = await hashFiles(
    directory,
    planned.map(({ picture }) => picture),
  );
  const all = [...planned];
  await inParallel(all.entries(), AT_ONCE, async ([at, { picture, outcome }]) => {
    signal.throwIfAborted();
    const there = hashes.get(picture.file);
    if (there === undefined || outcome !== 'create') return;
    all[at] = await planExisting(picture, there);
  });
  return all;

  async function planExisting(picture: PictureFile, there: string): Promise<PlannedPicture> {
    const { encoded, format, file } = picture;
    const drawn = await drawPicture(encoded, format, style, { known: there });
    if ('fault' in drawn) return { picture, outcome: 'failed', error: drawn.fault };
    if (drawn.sha256 === there) return { picture, outcome: 'unchanged', error: null };
    if (force || isOurs(manifest, file, there)) return { picture, outcome: 'update', error: null };
    return { picture, outcome: 'failed', error: 'an unrelated file with that name exists' };
  }
}

/** Prints the plan, and how many images would be created and updated. */
export async function printPlan(
  context: Context,
  planned: readonly PlannedPicture[],
  style: PictureStyle,
): Promise<void> {
  const records = planned.map(({ picture, outcome, error }) => ({
    ...factsOf(picture, style),
    outcome,
    error,
  }));
  await printRecords(context, records, PLAN_COLUMNS, {}, { none: 'no codes' });
  const count = (wanted: PlannedPicture['outcome']) =>
    planned.filter(({ outcome }) => outcome === wanted).length;
  const [created, updated, unchanged, failing] = [
    count('create'),
    count('update'),
    count('unchanged'),
    count('failed'),
  ];
  const more = [
    updated > 0 && `, ${formatCount(updated)} would be updated`,
    unchanged > 0 && `, ${formatCount(unchanged)} unchanged`,
    failing > 0 && `, ${formatCount(failing)} would fail`,
  ];
  const size = `${formatNumber(style.sizeMm)} mm`;
  context.console.note(
    `${formatCount(created)} of ${countOf(planned.length, 'image')} of ${size} would be created${more.filter(Boolean).join('')}; nothing was written`,
  );
}

/** Returns the properties of an image before it is drawn. */
export function factsOf(
  { encoded: { code, text, modules }, format, file }: PictureFile,
  { sizeMm }: PictureStyle,
): Row {
  const { id, slug, name } = code;
  const { size, version, level } = modules;
  return {
    id,
    slug,
    name,
    url: text,
    file,
    format,
    mm: formatNumber(sizeMm),
    modules: size,
    version,
    ecc: level,
  };
}
