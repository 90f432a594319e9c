import { countOutcomes } from '#base/run/outcomes';
import { countAmong, countOf, formatCount } from '#base/text/quote';
import { type EncodedCodes, refuseUnprintable } from '#codes/images/encode-codes';
import {
  describeImage,
  type ImageFile,
  type Manifest,
  PLAN_COLUMNS,
  type PlannedImage,
  planFiles,
  planNew,
} from '#codes/images/image-files';
import { formatNumber, type ImageStyle } from '#codes/images/image-style';
import { chooseCodes } from '#commands/choose-codes';
import { printRecords } from '#commands/output-options';
import type { Context } from '#context';
import type { QrCode } from '#service/shapes';
import type { ImageFlags } from './image-flags.ts';

/** Chooses codes to draw. Omits paused and expired codes unless CODE or --status selects them. */
export async function choosePrintable(
  context: Context,
  names: readonly string[],
  flags: ImageFlags,
): Promise<QrCode[]> {
  const chosen = (await chooseCodes(context, names, flags)).map((code) => ({ code }));
  return keepPrintable(context, names, flags, chosen).map(({ code }) => code);
}

export function keepPrintable<T extends { code: QrCode }>(
  { console }: Context,
  names: readonly string[],
  { status }: Pick<ImageFlags, 'status'>,
  chosen: readonly T[],
): T[] {
  const kept = chosen.filter(({ code }) => names.length > 0 || status || code.status === 'active');
  const omitted = countOf(chosen.length - kept.length, 'paused or expired code');
  if (kept.length < chosen.length)
    console.note(`Omitted ${omitted}. To draw such codes, specify them as CODE, or add --status`);
  return kept;
}

async function printPlan(
  context: Context,
  planned: readonly PlannedImage[],
  { style, sheet }: Pick<Drawing, 'style' | 'sheet'>,
): Promise<void> {
  const records = planned.map(({ image, outcome, error }) => ({
    ...describeImage(image, style),
    outcome,
    error,
  }));
  await printRecords(context, records, PLAN_COLUMNS, {}, { none: 'no codes' });
  const counts = countOutcomes(planned);
  const more = (outcome: PlannedImage['outcome'], form: (count: string) => string) =>
    counts.has(outcome) ? `, ${form(formatCount(counts.get(outcome) ?? 0))}` : '';
  const created = countAmong(counts.get('create') ?? 0, planned.length, 'image');
  const others = `${more('update', (count) => `update ${count}`)}${more('unchanged', (count) => `${count} unchanged`)}${more('failed', (count) => `${count} would fail`)}`;
  const what = sheet === undefined ? `${created} of` : `${sheet}, codes of`;
  context.console.note(
    `Would create ${what} ${formatNumber(style.sizeMm)} mm${others}. No changes were made`,
  );
}

interface Drawing {
  files: readonly ImageFile[];
  all: EncodedCodes;
  style: ImageStyle;
  sheet?: string;
}

/**
 * Returns whether to draw. With --dry-run, only prints a plan. Unless `force`, throws UsageError for
 * unprintable codes.
 */
export async function mayDraw(
  context: Context,
  { dryRun, ...flags }: ImageFlags,
  { files, all, style, sheet }: Drawing,
  place?: { directory: string; manifest: Manifest },
): Promise<boolean> {
  const force = flags.force === true;
  const overwrite = flags.overwrite === true;
  if (dryRun) {
    const planned = planNew(files, all, force);
    const found = place ? await planFiles(context, planned, { ...place, style, overwrite }) : planned;
    await printPlan(context, found, { style, sheet });
  }
  refuseUnprintable(context, all, force);
  return dryRun !== true;
}
