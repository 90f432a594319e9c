import { join } from 'node:path';
import { NotFoundError, PartialError, UsageError } from '#base/errors';
import { addFailedCodes } from '#base/run/annotations';
import { formatClosing, formatOutcomes } from '#base/run/closing-line';
import { countOutcomes } from '#base/run/outcomes';
import { clean } from '#base/text/clean';
import { countAmong, countOf, quote } from '#base/text/quote';
import { drawImage } from '#codes/images/draw-image';
import { type EncodedCode, encodeCodes } from '#codes/images/encode-codes';
import {
  MANIFEST_COLUMNS,
  type ManifestRow,
  nameFiles,
  PLAN_COLUMNS,
  readManifest,
} from '#codes/images/image-files';
import { IMAGE_FORMATS, type ImageFormat, modulesAcross } from '#codes/images/image-style';
import { isRoll } from '#codes/images/label-sheet';
import { formatTerminal, readTerminal } from '#codes/images/terminal';
import { decode } from '#codes/images/verify';
import { writeImages } from '#codes/images/write-images';
import { checkChoice } from '#commands/code-choice';
import { CODE_ARGUMENTS, defineCommand } from '#commands/define';
import type { Context } from '#context';
import { checkWholeFile, writeWholeFile } from '#files/formats/whole-file';
import { type ImageFlags, options, requireShortUrl, SHEET_COLUMNS, styleOf } from './image-flags.ts';
import { choosePrintable, mayDraw } from './image-plan.ts';

export const command = defineCommand({
  description:
    'Draws codes as images or label sheets for print.\n\n' +
    'An image contains the short URL of its code (see `qrctl config set short-url`).\n\n' +
    'qrctl never requests this URL. Before writing an image, qrctl decodes it again, and refuses images that may not print or scan well.',
  arguments: CODE_ARGUMENTS,
  options,
  columns: [
    { when: '--output-dir DIR (DIR/manifest.csv)', columns: MANIFEST_COLUMNS },
    { when: '--output-dir --dry-run', columns: PLAN_COLUMNS },
    { when: '--sheet list', columns: SHEET_COLUMNS },
  ],
  examples: [
    ['qrctl qr image spring-menu', 'Show a code on the terminal'],
    ['qrctl qr image --all --sheet L7160 --caption name -o labels.pdf', 'Print labels with names'],
    [
      'qrctl qr image --all --status active --output-dir codes --as png,svg',
      'Write a PNG and an SVG for each active code',
    ],
  ],
  async run(context, { args, options: flags }) {
    if (/^list$/i.test(flags.sheet ?? ''))
      return (await import('./image-sheet.ts')).listSheets(context, flags);
    checkChoice(args, flags);
    if (isOfSheet(flags)) return (await import('./image-sheet.ts')).writeSheet(context, args, flags);
    const { output, outputDir } = flags;
    if (outputDir !== undefined || (flags.dryRun && output === undefined))
      return writeDirectory(context, args, flags);
    if (args.length > 1 || flags.all || flags.from !== undefined) throw severalCodes();
    await writeImage(context, args, flags);
  },
});

function severalCodes(count?: string): UsageError {
  return new UsageError(`missing --output-dir${count === undefined ? '' : `: ${count} match`}`, {
    hint: 'Add --output-dir DIR to write one file per code.',
  });
}

function isOfSheet(flags: ImageFlags): boolean {
  const { sheet, grid, paper } = flags;
  const isRollOfLabels = isRoll(flags);
  if (paper !== undefined && grid === undefined && !isRollOfLabels)
    throw new UsageError('--paper requires --grid, unless it is the size of a label', {
      hint: 'Add --grid CxR, or omit --paper.',
    });
  return sheet !== undefined || grid !== undefined || isRollOfLabels;
}

async function writeImage(context: Context, names: readonly string[], flags: ImageFlags): Promise<void> {
  const template = await requireShortUrl(context, flags);
  const isShown = flags.output === undefined && context.console.isTerminal;
  if (isShown && flags.logo !== undefined)
    throw new UsageError("a terminal can't display a logo", { hint: 'Add -o FILE.png.' });
  const path = flags.output === '-' ? undefined : flags.output;
  const format = path === undefined ? 'svg' : formatOf(path);
  if (path !== undefined) await checkWholeFile(path);
  const style = await styleOf(context, flags);
  const codes = await choosePrintable(context, names, flags);
  if (codes.length === 0)
    throw new NotFoundError('no code to draw', { hint: 'To draw paused or expired codes, add --status.' });
  if (codes.length > 1) throw severalCodes(countOf(codes.length, 'code'));
  const all = await encodeCodes(context, codes, template, style, [format]);
  const [encoded] = all.encoded;
  if (!encoded) return;
  if (isShown) {
    context.facts.codes = 1;
    return showImage(context, encoded, style.quietZone);
  }
  const files = [{ encoded, format, file: path ?? 'standard output' }];
  if (!(await mayDraw(context, flags, { files, all, style }))) return;
  const drawn = await drawImage(encoded, format, style);
  if ('fault' in drawn)
    throw new PartialError(`cannot write the image of ${quote(encoded.code.slug)}: ${drawn.fault}`);
  if (path === undefined) await context.console.write(drawn.bytes);
  else await writeWholeFile(path, drawn.bytes, { processes: context.processes });
  Object.assign(context.facts, { codes: 1, outcomes: { created: 1 }, files: path ? [path] : [] });
  if (path === undefined) return;
  const { version, level } = encoded.modules;
  const size = `${style.sizeMm} mm, version ${version}, level ${level}`;
  context.console.note(
    formatClosing(`Created 1 image of ${encoded.text}, ${size}, verified as readable`, [], `File: ${path}`),
  );
}

function formatOf(path: string): ImageFormat {
  const extension = /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase();
  const format = IMAGE_FORMATS.find((name) => name === extension);
  if (format) return format;
  throw new UsageError(`unknown image format: ${path}`, {
    hint: 'Use the extension .png, .svg, .pdf or .eps.',
  });
}

async function showImage(
  { console }: Context,
  { code, text, modules }: EncodedCode,
  quietZone: number,
): Promise<void> {
  const width = modulesAcross(modules, { quietZone });
  const shown = formatTerminal(modules, quietZone);
  if (console.isAccessible)
    console.note('Accessible output has no image of the code. To write it to a file, add -o FILE.png');
  // I1: decodes the image, because codes on a screen are scanned too.
  else if (decode(readTerminal(shown)) !== text)
    throw new PartialError(`cannot show the image of ${quote(code.slug)}: a decoder cannot read it`);
  else if (width > console.width)
    console.warn(
      `the code needs ${width} columns, and the terminal has ${console.width}; write it to a file with -o FILE.png`,
    );
  else if (console.color) await console.write(shown);
  else {
    await console.write(formatTerminal(modules, quietZone, { plain: true }));
    console.note('Color is disabled, so a camera can read this code only on a light background');
  }
  await console.write(`${clean(text)}\n`);
}

async function writeDirectory(context: Context, names: readonly string[], flags: ImageFlags): Promise<void> {
  const { console, clock, signal, facts } = context;
  const template = await requireShortUrl(context, flags);
  const style = await styleOf(context, flags);
  const { outputDir: directory, overwrite = false } = flags;
  const path = join(directory ?? '', 'manifest.csv');
  if (directory !== undefined)
    context.files.use({ what: 'the manifest', flag: '--output-dir', path, writes: true });
  const place =
    directory === undefined ? undefined : { directory, manifest: await readManifest(directory, overwrite) };
  const codes = [...new Set(await choosePrintable(context, names, flags))];
  const formats = flags.as ?? ['png'];
  const all = await encodeCodes(context, codes, template, style, formats);
  const { files, unsafe } = nameFiles(all.encoded, formats, flags.fileNames ?? 'id');
  if (unsafe > 0)
    console.note(`${countOf(unsafe, 'slug')} can't be used in file names. Named these files by ID instead`);
  if (!(await mayDraw(context, flags, { files, all, style }, place)) || directory === undefined) return;
  const progress = console.progress('images');
  const rows = await writeImages(directory, files, {
    style,
    overwrite,
    clock,
    signal,
    facts,
    onWait: () => console.note(`Waiting for another run that is writing to ${directory}`),
    onProgress: (done) => progress.update({ done, total: files.length }),
  }).finally(progress.stop);
  reportImages(context, rows, path);
}

function reportImages({ console, facts }: Context, rows: readonly ManifestRow[], path: string): void {
  const done = formatOutcomes(countOutcomes(rows), { made: 'image', left: 'image' });
  console.note(formatClosing(done, [], `Manifest: ${path}`));
  const failed = rows.filter(({ outcome }) => outcome === 'failed');
  if (failed.length === 0) return;
  addFailedCodes(
    facts,
    failed.map(({ id, error }) => ({ id: String(id), message: String(error) })),
  );
  throw new PartialError(`${countAmong(failed.length, rows.length, 'image')} failed verification`, {
    hint: `See the reasons in ${path}, and try another --ecc or --size.`,
  });
}
