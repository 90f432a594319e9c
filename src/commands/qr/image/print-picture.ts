/** Draws one code to a file, to the terminal, or as SVG to a pipe. */
import { PartialError, UsageError } from '../../../base/errors.ts';
import type { OutcomeCounts } from '../../../base/run/outcomes.ts';
import { clean } from '../../../base/text/clean.ts';
import { quote } from '../../../base/text/quote.ts';
import { drawPicture } from '../../../codes/images/draw-picture.ts';
import { type EncodedCode, encodeCodes, refuseUnprintable } from '../../../codes/images/encode-codes.ts';
import { PICTURE_FORMATS, type PictureFormat } from '../../../codes/images/picture.ts';
import { formatTerminal, readTerminal, terminalWidth } from '../../../codes/images/terminal.ts';
import { decode } from '../../../codes/images/verify.ts';
import type { Context } from '../../../context.ts';
import { checkWholeFile, writeWholeFile } from '../../../files/formats/whole-file.ts';
import { chooseCodes } from '../../choose-codes.ts';
import type { ImageFlags } from './flags.ts';
import { requireShortUrl, styleOf } from './picture-flags.ts';
import { planNew, printPlan } from './plan-pictures.ts';

/** Draws one code; with --dry-run, lists it. Throws as listed in errors.ts; PartialError if the image can't be decoded. */
export async function printPicture(
  context: Context,
  names: readonly string[],
  flags: ImageFlags,
): Promise<void> {
  const template = await requireShortUrl(context, flags);
  const isShown = flags.output === undefined && context.console.isTerminal;
  if (isShown && flags.logo !== undefined)
    throw new UsageError("a terminal can't display a logo", { hint: 'Add -o FILE.png.' });
  const path = flags.output === '-' ? undefined : flags.output;
  const format = path === undefined ? 'svg' : formatOf(path);
  if (path !== undefined) await checkWholeFile(path);
  const style = await styleOf(context, flags);
  const codes = await chooseCodes(context, names, flags);
  const all = await encodeCodes(context, codes, template, style, [format]);
  const [encoded] = all.encoded;
  if (!encoded) return;
  if (isShown) {
    await showPicture(context, encoded, style.quietZone);
    context.facts.codes = 1;
    return;
  }
  if (flags.dryRun) {
    const files = [{ encoded, format, file: path ?? 'standard output' }];
    await printPlan(context, planNew(files, all, flags.force === true), style);
    return refuseUnprintable(context, all, flags.force === true);
  }
  refuseUnprintable(context, all, flags.force === true);
  const drawn = await drawPicture(encoded, format, style);
  if ('fault' in drawn)
    throw new PartialError(`cannot write the image of ${quote(encoded.code.slug)}: ${drawn.fault}`);
  if (path === undefined) await context.console.write(drawn.bytes);
  else await writeWholeFile(path, drawn.bytes, { processes: context.processes });
  const outcomes: OutcomeCounts = { created: 1 };
  Object.assign(context.facts, { codes: 1, outcomes, files: path === undefined ? [] : [path] });
  if (path === undefined) return;
  const { version, level } = encoded.modules;
  context.console.note(
    `Wrote ${path}: ${encoded.text}, ${style.sizeMm} mm, version ${version}, level ${level}, verified as readable`,
  );
}

/** Throws UsageError if the extension is not of an image format. */
function formatOf(path: string): PictureFormat {
  const extension = /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase();
  const format = PICTURE_FORMATS.find((name) => name === extension);
  if (format) return format;
  throw new UsageError(`unknown image format: ${path}`, {
    hint: 'Use the extension .png, .svg, .pdf or .eps.',
  });
}

/** The code in half blocks, and its address below. */
async function showPicture(
  { console }: Context,
  { code, text, modules }: EncodedCode,
  quietZone: number,
): Promise<void> {
  if (console.isAccessible) {
    console.note('Accessible output has no image of the code. To write it to a file, add -o FILE.png');
    await console.write(`${clean(text)}\n`);
    return;
  }
  const wide = terminalWidth(modules, quietZone);
  const shown = formatTerminal(modules, quietZone);
  // I1: an image on a screen is scanned as well.
  if (decode(readTerminal(shown)) !== text)
    throw new PartialError(`cannot show the image of ${quote(code.slug)}: a decoder cannot read it`);
  if (wide <= console.width) {
    await console.write(console.colour ? shown : formatTerminal(modules, quietZone, { plain: true }));
    if (!console.colour)
      console.note('Color is disabled, so a camera can read this code only on a light background');
  } else
    console.warn(
      `the code needs ${wide} columns, and the terminal has ${console.width}; write it to a file with -o FILE.png`,
    );
  await console.write(`${clean(text)}\n`);
}
