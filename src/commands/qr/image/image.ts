/** `qr image`: its flags, and the choice between its forms. */
import { UsageError } from '../../../base/errors.ts';
import type { Context } from '../../../context.ts';
import { checkChoice } from '../../code-choice.ts';
import { defineCommand } from '../../define.ts';
import { type ImageFlags, options } from './flags.ts';
import { gridOf } from './sheet-flags.ts';

export const command = defineCommand({
  description:
    'Draws codes as images or label sheets for print.\n\n' +
    'An image contains the short URL of its code (see `qrctl config set short-url`). qrctl never requests this URL. Before writing an image, ' +
    'qrctl decodes it again, and refuses images that may not print or scan well.',
  arguments: [{ term: '[code...]', description: 'IDs or slugs of codes', complete: 'codes' }],
  options,
  async columns() {
    const [{ MANIFEST_COLUMNS }, { PLAN_COLUMNS }] = await Promise.all([
      import('../../../codes/images/manifest.ts'),
      import('./plan-pictures.ts'),
    ]);
    return [
      { when: '--output-dir DIR (DIR/manifest.csv)', columns: MANIFEST_COLUMNS },
      { when: '--output-dir --dry-run', columns: PLAN_COLUMNS },
    ];
  },
  examples: [
    { command: 'qrctl qr image spring-menu', does: 'Show a code on the terminal' },
    {
      command: 'qrctl qr image --all --sheet L7160 --caption name -o labels.pdf',
      does: 'Print labels with names',
    },
    {
      command: 'qrctl qr image --all --status active --output-dir codes --as png,svg',
      does: 'Write a PNG and an SVG per active code',
    },
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
  if (flags.outputDir !== undefined || (flags.dryRun && flags.output === undefined)) {
    const { writePictures } = await import('./write-pictures.ts');
    return writePictures(context, names, flags);
  }
  if (names.length !== 1)
    throw new UsageError('missing --output-dir', {
      hint: 'Add --output-dir DIR to write one file per code.',
    });
  const { printPicture } = await import('./print-picture.ts');
  await printPicture(context, names, flags);
}
