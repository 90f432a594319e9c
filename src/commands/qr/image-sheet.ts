import { PartialError, UsageError } from '#base/errors';
import { formatClosing } from '#base/run/closing-line';
import { nearest } from '#base/text/nearest';
import { countOf, inQuotes, joinSome, quote } from '#base/text/quote';
import { fillShortUrl } from '#base/text/short-url';
import { drawSheet, type Sheet } from '#codes/images/draw-sheet';
import { encodeCodes } from '#codes/images/encode-codes';
import { formatNumber } from '#codes/images/image-style';
import { GRIDS, PAPERS } from '#codes/images/label-grids';
import { requireLayout, resolveSheet } from '#codes/images/label-sheet';
import { createFilter } from '#commands/code-choice';
import { printRecords } from '#commands/output-options';
import type { Context } from '#context';
import { fold, type Input } from '#files/formats/read/input';
import { checkWholeFile, writeWholeFile } from '#files/formats/whole-file';
import type { QrCode } from '#service/shapes';
import { type ImageFlags, requireShortUrl, SHEET_COLUMNS, styleOf } from './image-flags.ts';
import { choosePrintable, keepPrintable, mayDraw } from './image-plan.ts';

export async function writeSheet(
  context: Context,
  names: readonly string[],
  flags: ImageFlags,
): Promise<void> {
  const sheet = resolveSheet(flags);
  const { grid, name } = sheet;
  const path = sheetPath(flags);
  await checkWholeFile(path);
  const template = await requireShortUrl(context, flags);
  const { caption = 'slug', start = 1, copies = 1 } = flags;
  const cells = grid.columns * grid.rows;
  if (start > cells)
    throw cells === 1
      ? new UsageError('--start requires pages of several labels', { hint: 'Omit --start.' })
      : new UsageError(`invalid value for --start: '${start}' (expected 1 to ${cells})`, {
          hint: `Choose one of the ${countOf(cells, 'label')} on a page.`,
        });
  const captionLines = partsOf(caption).length;
  const layout = requireLayout(sheet, { caption: caption !== 'none', captionLines, sizeMm: flags.size });
  const style = { ...(await styleOf(context, flags)), sizeMm: layout.code.sizeMm };
  const captioned = await chooseCaptioned(context, names, flags, caption);
  const all = await encodeCodes(
    context,
    captioned.map(({ code }) => code),
    template,
    style,
    ['pdf'],
  );
  const files = all.encoded.map((encoded) => ({ encoded, format: 'pdf' as const, file: path }));
  const count = files.length * copies;
  const pages = Math.ceil((start - 1 + count) / cells);
  const sheetOf = `${countOf(count, 'label')} for ${name}, ${countOf(pages, 'page')}`;
  if (!(await mayDraw(context, flags, { files, all, style, sheet: sheetOf }))) return;
  if (captioned.length === 0)
    throw new UsageError('no codes to print', { hint: 'List the codes with `qrctl qr list`.' });
  const labels = all.encoded.flatMap((encoded, at) => {
    const text = captioned[at]?.text ?? '';
    // If the fonts lack a letter of a caption, prints `plain`: the percent-encoded slug, or '' for an empty cell.
    const isEmptyCell = text === '' && !CAPTIONS.has(caption);
    const plain = isEmptyCell ? '' : fillShortUrl('{slug}', encoded.code);
    return Array.from({ length: copies }, () => ({ ...encoded, caption: text, plain }));
  });
  const title = `${countOf(labels.length, 'label')} for ${name}`;
  const drawn = await drawSheet(labels, {
    grid,
    layout,
    image: style,
    skipped: start - 1,
    outline: flags.outline === true,
    title,
  });
  if ('fault' in drawn) throw new PartialError(`cannot write ${path}: ${drawn.fault}`);
  context.signal.throwIfAborted();
  await writeWholeFile(path, drawn.bytes, { processes: context.processes });
  const codes = new Set(captioned.map(({ code }) => code.id)).size;
  const outcomes = { created: labels.length };
  Object.assign(context.facts, { codes, rows: labels.length, outcomes, files: [path] });
  warnOfLosses(context, drawn);
  const size = `${countOf(drawn.pages, 'page')}, codes of ${formatNumber(style.sizeMm)} mm`;
  context.console.note(formatClosing(`Created ${title}, ${size}, verified as readable`, [], `File: ${path}`));
  context.console.note('Print at 100%, without scaling');
}

function sheetPath({ output, outputDir }: ImageFlags): string {
  if (outputDir !== undefined)
    throw new UsageError("a label sheet can't be used with --output-dir", {
      hint: 'Write the sheet with -o labels.pdf.',
    });
  if (output !== undefined && /\.pdf$/i.test(output)) return output;
  throw new UsageError('a label sheet requires a PDF file', { hint: 'Add -o labels.pdf.' });
}

function warnOfLosses({ console }: Context, { lost }: Sheet): void {
  const captionsWithout = (kind: 'symbols' | 'words') => {
    const captions = [...lost].flatMap(([caption, loss]) => (loss === kind ? [inQuotes(caption)] : []));
    return joinSome(captions, { most: 3, separator: ', ' });
  };
  const [symbols, words] = [captionsWithout('symbols'), captionsWithout('words')];
  if (symbols !== '') console.warn(`omitted symbols that the fonts lack: ${symbols}`);
  if (words !== '') console.warn(`printed the slug instead of captions that the fonts can't write: ${words}`);
}

const CAPTIONS = new Map<string, (code: QrCode) => string>([
  ['slug', ({ slug }) => slug],
  ['name', ({ name }) => name],
  ['none', () => ''],
]);

async function chooseCaptioned(
  context: Context,
  names: readonly string[],
  flags: ImageFlags,
  caption: string,
) {
  const parts = partsOf(caption);
  if (parts.every((part) => CAPTIONS.has(part)))
    return (await choosePrintable(context, names, flags)).map((code) => ({
      code,
      text: joinCaption(parts.map((part) => CAPTIONS.get(part)?.(code))),
    }));
  const { from } = flags;
  if (from === undefined)
    throw new UsageError(`--caption ${quote(caption)} requires --from`, {
      hint: 'Use --caption slug, name or none, or specify a file with this column (--from).',
    });
  const { readRowsOfFile } = await import('#commands/codes-of-file');
  let columns: readonly string[] = [];
  const rows = await readRowsOfFile(context, { ...flags, from }, (file) => {
    const whole = file.columns.includes(caption) ? [caption] : parts;
    columns = whole.map((part) => (CAPTIONS.has(part) ? part : requireColumn(file, part)));
  });
  const isChosen = createFilter(flags);
  const chosen = rows.filter(({ code }) => isChosen(code));
  return keepPrintable(context, names, flags, chosen).map(({ code, row }) => ({
    code,
    text: joinCaption(
      columns.map((column) => CAPTIONS.get(column)?.(code) ?? formatCell(row.values.get(column))),
    ),
  }));
}

function partsOf(caption: string): string[] {
  const parts = caption.split(',').map((part) => part.trim());
  return parts.includes('') ? [caption] : parts;
}

function joinCaption(parts: readonly (string | undefined)[]): string {
  const lines = parts.map((part = '') => part.replace(/\s+/g, ' ').trim());
  return lines.filter((line) => line !== '').join('\n');
}

function requireColumn({ name, columns, isBare }: Input, caption: string): string {
  const own = isBare ? [] : columns;
  const found =
    own.find((column) => column === caption) ?? own.find((column) => fold(column) === fold(caption));
  if (found !== undefined) return found;
  const meant = nearest(fold(caption), own.map(fold));
  const known =
    own.length > 0
      ? `Available columns: ${joinSome(own.map(quote), { most: 10, separator: ', ' })}.`
      : 'Use --caption slug, name or none, or a file with a header.';
  throw new UsageError(`${name} has no column ${quote(caption)} for --caption`, {
    hint: meant === undefined ? known : `Did you mean ${quote(meant)}?`,
  });
}

function formatCell(value: unknown): string {
  if (typeof value === 'object' && value !== null) return JSON.stringify(value);
  return String(value ?? '');
}

export async function listSheets(
  context: Context,
  { output }: { output?: string | undefined },
): Promise<void> {
  const records = GRIDS.map(({ number, also, grid: { paper, columns, rows, label } }) => ({
    number,
    paper: Object.entries(PAPERS).find(([, one]) => one === paper)?.[0] ?? null,
    labels: columns * rows,
    columns,
    rows,
    width_mm: formatNumber(label.widthMm),
    height_mm: formatNumber(label.heightMm),
    also: also.join(' ') || null,
  }));
  await printRecords(context, records, SHEET_COLUMNS, { output });
}
