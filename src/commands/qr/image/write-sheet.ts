/** Writes codes as labels on pages for print. */
import { PartialError, UsageError } from '../../../base/errors.ts';
import type { OutcomeCounts } from '../../../base/run/outcomes.ts';
import { countOf, inQuotes, joinSome } from '../../../base/text/quote.ts';
import { fillShortUrl } from '../../../base/text/short-url.ts';
import { drawSheet, type Label, type Sheet } from '../../../codes/images/draw-sheet.ts';
import { type EncodedCode, encodeCodes, refuseUnprintable } from '../../../codes/images/encode-codes.ts';
import { layOutLabel } from '../../../codes/images/label-layout.ts';
import { formatNumber } from '../../../codes/images/picture.ts';
import type { Context } from '../../../context.ts';
import { checkWholeFile, writeWholeFile } from '../../../files/formats/whole-file.ts';
import type { ImageFlags } from './flags.ts';
import { chooseLabels } from './label-texts.ts';
import { requireShortUrl, styleOf } from './picture-flags.ts';
import { planNew, printPlan } from './plan-pictures.ts';
import type { gridOf } from './sheet-flags.ts';

type NamedGrid = NonNullable<ReturnType<typeof gridOf>>;

/** Writes the pages, or with --dry-run lists their labels. Throws as listed in errors.ts. */
export async function writeSheet(
  context: Context,
  names: readonly string[],
  flags: ImageFlags,
  { grid, name }: NamedGrid,
): Promise<void> {
  const path = sheetPath(flags);
  await checkWholeFile(path);
  const template = await requireShortUrl(context, flags);
  const { caption = 'slug', start = 1, copies = 1 } = flags;
  const cells = grid.columns * grid.rows;
  if (start > cells && cells === 1)
    throw new UsageError('--start requires pages of several labels', { hint: 'Omit --start.' });
  if (start > cells)
    throw new UsageError(`invalid value for --start: '${start}' (expected 1 to ${cells})`, {
      hint: `Choose one of the ${countOf(cells, 'label')} on a page.`,
    });
  const layout = layOutLabel(grid.label, { caption: caption !== 'none', sizeMm: flags.size });
  if (!layout) throw tooLarge(flags, { grid, name });
  const picture = { ...(await styleOf(context, flags)), sizeMm: layout.code.sizeMm };
  const texts = await chooseLabels(context, names, flags, caption);
  const all = await encodeCodes(
    context,
    texts.map(({ code }) => code),
    template,
    picture,
    ['pdf'],
  );
  const { encoded } = all;
  if (flags.dryRun) {
    const files = encoded.map((one) => ({ encoded: one, format: 'pdf' as const, file: path }));
    await printPlan(context, planNew(files, all, flags.force === true), picture);
    return refuseUnprintable(context, all, flags.force === true);
  }
  refuseUnprintable(context, all, flags.force === true);
  if (encoded.length === 0)
    throw new UsageError('no codes to print', { hint: 'List the codes with `qrctl qr list`.' });
  const labels = encoded.flatMap((one, at) =>
    Array<Label>(copies).fill(labelOf(one, texts[at]?.caption ?? '', caption)),
  );
  const title = `${countOf(labels.length, 'label')} for ${name}`;
  const style = { grid, layout, picture, skipped: start - 1, outline: flags.outline === true, title };
  const drawn = await drawSheet(labels, style);
  if ('fault' in drawn) throw new PartialError(`cannot write ${path}: ${drawn.fault}`);
  context.signal.throwIfAborted();
  await writeWholeFile(path, drawn.bytes, { processes: context.processes });
  const codes = new Set(encoded.map(({ code }) => code.id)).size;
  const outcomes: OutcomeCounts = { created: labels.length };
  Object.assign(context.facts, { codes, rows: labels.length, outcomes, files: [path] });
  tellLost(context, drawn);
  const size = `${formatNumber(picture.sizeMm)} mm`;
  context.console.note(
    `Wrote ${title} to ${path}: ${countOf(drawn.pages, 'page')}, codes of ${size}, verified as readable. Print at 100%, without scaling`,
  );
}

/** Names the captions that are not printed as they are. */
function tellLost({ console }: Context, { lost }: Sheet): void {
  const captionsWith = (kind: 'symbols' | 'words') =>
    joinSome(
      [...lost].flatMap(([caption, loss]) => (loss === kind ? [inQuotes(caption)] : [])),
      { most: 3, separator: ', ' },
    );
  const [symbols, words] = [captionsWith('symbols'), captionsWith('words')];
  if (symbols !== '') console.warn(`omitted symbols that the fonts lack: ${symbols}`);
  if (words !== '') console.warn(`printed the slug instead of captions that the fonts can't write: ${words}`);
}

function sheetPath({ output, outputDir }: ImageFlags): string {
  // A page per label, which --paper selects.
  if (outputDir !== undefined)
    throw new UsageError("a label sheet can't be used with --output-dir", {
      hint: 'Write the sheet with -o labels.pdf.',
    });
  if (output !== undefined && /\.pdf$/i.test(output)) return output;
  throw new UsageError('a label sheet requires a PDF file', { hint: 'Add -o labels.pdf.' });
}

function tooLarge({ size, caption }: ImageFlags, { grid, name }: NamedGrid): UsageError {
  const { widthMm, heightMm } = grid.label;
  const most = layOutLabel(grid.label, { caption: caption !== 'none', sizeMm: undefined })?.code.sizeMm ?? 0;
  const label = `${formatNumber(widthMm)} x ${formatNumber(heightMm)} mm`;
  if (most <= 0)
    return new UsageError(`no code fits on a label of ${name} (${label})`, { hint: 'Use larger labels.' });
  return new UsageError(`a ${formatNumber(size ?? 0)} mm code doesn't fit on a label of ${name} (${label})`, {
    hint: `Use --size ${formatNumber(most)}mm, the largest that fits, or omit --size.`,
  });
}

/** A percent-encoded slug has only letters that every font contains. An empty cell of a column is no caption. */
function labelOf(encoded: EncodedCode, caption: string, kind: string): Label {
  const isEmptyCell = caption.trim() === '' && kind !== 'name' && kind !== 'slug';
  return { ...encoded, caption, plain: isEmptyCell ? '' : fillShortUrl('{slug}', encoded.code) };
}
