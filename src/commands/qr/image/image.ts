/** `qr image`: its flags, and which of its forms they ask for. */
import type { Context } from '../../../context.ts';
import { UsageError } from '../../../errors.ts';
import { checkChoice } from '../../code-choice.ts';
import { defineCommand } from '../../define.ts';
import { type ImageFlags, options } from './flags.ts';
import { gridOf } from './sheet-flags.ts';

export const command = defineCommand({
  description:
    'Draws the codes that are printed: the address of each (see `qrctl config set short-url`), in millimetres. Each picture is decoded ' +
    'again from its own pixels or outlines before it is written, and what would not print or scan well is refused. The address is not requested.',
  arguments: [{ term: '[code...]', description: 'ids (uuid) or slugs', complete: 'codes' }],
  options,
  examples: [
    { command: 'qrctl qr image aB3xY', does: 'shows it on a terminal' },
    { command: 'qrctl qr image --all --sheet L7160 --caption name -o labels.pdf', does: 'labels to print, named' },
    { command: 'qrctl qr image aB3xY -o menu.pdf --size 50mm', does: 'one picture to print' },
    {
      command: 'qrctl qr image --all --status active --output-dir codes --as png,svg',
      does: 'two pictures of each active code, and manifest.csv',
    },
    { command: 'qrctl qr image --from codes.results.csv --output-dir codes --file-names slug', does: 'those of a bulk run' },
  ],
  async run(context, { args, options }) {
    checkChoice(args, options);
    await load(context, args, options);
  },
});

async function load(context: Context, names: readonly string[], flags: ImageFlags): Promise<void> {
  const sheet = gridOf(flags);
  if (sheet) {
    const { writeSheet } = await import('./write-sheet.ts');
    return writeSheet(context, names, flags, sheet);
  }
  if (flags.output !== undefined && flags.outputDir !== undefined) {
    throw new UsageError('--output is one file, --output-dir one a code: choose one', { hint: 'leave out one of them' });
  }
  if (flags.outputDir !== undefined || flags.dryRun) {
    const { writePictures } = await import('./write-pictures.ts');
    return writePictures(context, names, flags);
  }
  for (const [name, value] of [
    ['--as', flags.as],
    ['--file-names', flags.fileNames],
  ] as const) {
    if (value !== undefined)
      throw new UsageError(`${name} goes with --output-dir`, { hint: `add --output-dir DIR, or leave out ${name}` });
  }
  if (names.length !== 1)
    throw new UsageError('where should the pictures go?', { hint: 'add --output-dir DIR for a file a code' });
  const { printPicture } = await import('./print-picture.ts');
  await printPicture(context, names, flags);
}
