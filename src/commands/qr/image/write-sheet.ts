/** Codes as labels on pages to print. */
import type { Context } from '../../../context.ts';
import { PartialError, UsageError } from '../../../errors.ts';
import { drawSheet, type Label } from '../../../image/draw-sheet.ts';
import { type EncodedCode, encodeCodes, refuseUnprintable } from '../../../image/encode-codes.ts';
import { layOutLabel } from '../../../image/label-layout.ts';
import { formatNumber } from '../../../image/picture.ts';
import { writeWholeFile } from '../../../rows/whole-file.ts';
import { countOf } from '../../../text/quote.ts';
import { fillShortUrl } from '../../../text/short-url.ts';
import { chooseCodes } from '../../choose-codes.ts';
import type { ImageFlags } from './flags.ts';
import { requireShortUrl, styleOf } from './picture-flags.ts';
import type { gridOf } from './sheet-flags.ts';
import { printPlan } from './write-pictures.ts';

type NamedGrid = NonNullable<ReturnType<typeof gridOf>>;

/** Writes the pages, or says with --dry-run what would be on them. Throws what errors.ts lists. */
export async function writeSheet(
  context: Context,
  names: readonly string[],
  flags: ImageFlags,
  { grid, name }: NamedGrid,
): Promise<void> {
  const path = sheetPath(flags);
  const template = await requireShortUrl(context, flags);
  const { caption = 'slug', start = 1 } = flags;
  const cells = grid.columns * grid.rows;
  if (start > cells) throw new UsageError(`--start ${start}: a page has ${cells} labels`, { hint: `it takes 1 to ${cells}` });
  const layout = layOutLabel(grid.label, { caption: caption !== 'none', sizeMm: flags.size });
  if (!layout) throw tooLarge(flags, { grid, name });
  const picture = { ...(await styleOf(context, flags)), sizeMm: layout.code.sizeMm };
  const all = await encodeCodes(context, await chooseCodes(context, names, flags), template, picture, ['pdf']);
  const { encoded } = all;
  if (flags.dryRun) {
    const files = encoded.map((one) => ({ encoded: one, format: 'pdf' as const, file: path }));
    await printPlan(context, files, picture, ({ encoded }) => (flags.force ? undefined : (all.refusals[0] ?? encoded.refusal)));
    return refuseUnprintable(context, all, flags.force === true);
  }
  refuseUnprintable(context, all, flags.force === true);
  if (encoded.length === 0) throw new UsageError('there are no codes to print', { hint: 'see qrctl qr list' });
  const title = `${countOf(encoded.length, 'label')} for ${name}`;
  const style = { grid, layout, picture, skipped: start - 1, outline: flags.outline === true, title };
  const drawn = await drawSheet(
    encoded.map((one) => labelOf(one, caption)),
    style,
  );
  if ('fault' in drawn) throw new PartialError(`${path} was not written: ${drawn.fault}`);
  context.signal.throwIfAborted();
  await writeWholeFile(path, drawn.bytes, { processes: context.processes });
  const codes = new Set(encoded.map(({ code }) => code.id)).size;
  Object.assign(context.facts, { codes, rows: encoded.length, outcomes: { written: encoded.length }, files: [path] });
  if (drawn.replaced > 0) {
    context.console.warn(
      `${countOf(drawn.replaced, 'name')} ${drawn.replaced === 1 ? 'has' : 'have'} a character that the font has not: the slug stands there`,
    );
  }
  const size = `${formatNumber(picture.sizeMm)} mm`;
  context.console.note(
    `${title} in ${path}: ${countOf(drawn.pages, 'page')}, codes of ${size}, each read back; print at 100 %, unscaled`,
  );
}

function sheetPath({ output, outputDir }: ImageFlags): string {
  if (outputDir !== undefined)
    throw new UsageError('a sheet is one file, --output-dir one a code: choose one', { hint: 'leave out one of them' });
  if (output !== undefined && /\.pdf$/i.test(output)) return output;
  throw new UsageError('a sheet is a PDF: where should it go?', { hint: 'add -o labels.pdf' });
}

function tooLarge({ size, caption }: ImageFlags, { grid, name }: NamedGrid): UsageError {
  const { widthMm, heightMm } = grid.label;
  const most = layOutLabel(grid.label, { caption: caption !== 'none', sizeMm: undefined })?.code.sizeMm ?? 0;
  const label = `${formatNumber(widthMm)} x ${formatNumber(heightMm)} mm`;
  return new UsageError(`a code of ${formatNumber(size ?? 0)} mm does not fit in a label of ${name}, ${label}`, {
    hint: `--size ${formatNumber(most)}mm is the largest, and what it takes by itself`,
  });
}

/** A slug as it stands in the address is in letters that every font has. */
function labelOf(encoded: EncodedCode, caption: 'slug' | 'name' | 'none'): Label {
  const { code } = encoded;
  const plain = fillShortUrl('{slug}', code);
  return { ...encoded, caption: caption === 'name' ? code.name : code.slug, plain };
}
