/** Flags of `qr image`. */
import { InvalidArgumentError } from 'commander';
import { PICTURE_FORMATS, type PictureFormat } from '../../../codes/images/picture.ts';
import { FILE_NAMES } from '../../../codes/listing/file-names.ts';
import { choiceOptions, filterOptions } from '../../code-choice.ts';
import { choice, flag, type OptionDefinition, oneOf, text, type Values } from '../../define.ts';
import { fromCodesOptions } from '../../shared-flags.ts';
import { pictureOptions } from './picture-flags.ts';
import { sheetOptions } from './sheet-flags.ts';

const MANY = 'Flags for several codes:';

export const options = {
  output: text('-o, --output <file>', 'Write the image to FILE: .png, .svg, .pdf, .eps', {
    complete: 'files',
    writes: true,
  }),
  dryRun: flag('--dry-run', 'Show the images, and write nothing'),
  force: flag('--force', 'Draw images that may not scan, and replace other files', { risky: true }),
  all: { ...choiceOptions.all, group: MANY },
  ...filterOptions,
  ...fromCodesOptions(MANY),
  outputDir: text('--output-dir <dir>', 'Write one file per code, and a manifest, to DIR', {
    group: MANY,
    complete: 'directories',
    conflicts: ['--output', '--sheet', '--grid'],
  }),
  as: {
    flags: '--as <formats>',
    description: `Formats: ${PICTURE_FORMATS.join(',')} (default: png)`,
    group: MANY,
    requires: [['--output-dir', '--dry-run']],
    conflicts: ['--output'],
    parse: parseFormats,
  } satisfies OptionDefinition<PictureFormat[]>,
  fileNames: choice('--file-names <by>', 'File names (default: id)', FILE_NAMES, {
    group: MANY,
    requires: [['--output-dir', '--dry-run']],
    conflicts: ['--output'],
  }),
  ...sheetOptions,
  ...pictureOptions,
};

export type ImageFlags = Values<typeof options>;

function parseFormats(raw: string): PictureFormat[] {
  try {
    return [...new Set(raw.split(',').map((format) => oneOf(format.trim(), PICTURE_FORMATS)))];
  } catch {
    throw new InvalidArgumentError('a comma-separated list of png, svg, pdf, eps');
  }
}
