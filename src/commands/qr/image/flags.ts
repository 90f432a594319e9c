/** Flags of `qr image`. */
import { InvalidArgumentError } from 'commander';
import { PICTURE_FORMATS, type PictureFormat } from '../../../image/picture.ts';
import { filterOptions } from '../../code-filters.ts';
import { choice, flag, type OptionDefinition, oneOf, text, type Values } from '../../define.ts';
import { fromCodesOption } from '../../from-option.ts';
import { pictureOptions } from './picture-flags.ts';
import { sheetOptions } from './sheet-flags.ts';

const MANY = 'Flags for many:';

export const options = {
  output: text('-o, --output <file>', 'one picture as a file: .png, .svg, .pdf or .eps', { complete: 'files' }),
  dryRun: flag('--dry-run', 'say how many pictures, of what size, and which would be refused; write nothing'),
  force: flag('--force', 'draw also what would not print or scan well, and over files that are not of an earlier run', {
    risky: true,
  }),
  all: flag('--all', 'every code of the workspace, oldest first', { group: MANY, risky: true }),
  ...filterOptions,
  from: fromCodesOption(MANY),
  outputDir: text('--output-dir <dir>', 'a file a code, and manifest.csv beside them', { group: MANY, complete: 'directories' }),
  as: {
    flags: '--as <formats>',
    description: `which of ${PICTURE_FORMATS.join(', ')}, separated by commas (default: png)`,
    group: MANY,
    parse: parseFormats,
  } satisfies OptionDefinition<PictureFormat[]>,
  fileNames: choice(
    '--file-names <by>',
    'files named by id, or by slug where that is safe and unique (default: id)',
    ['id', 'slug'],
    { group: MANY },
  ),
  ...sheetOptions,
  ...pictureOptions,
};

export type ImageFlags = Values<typeof options>;

function parseFormats(raw: string): PictureFormat[] {
  try {
    return [...new Set(raw.split(',').map((format) => oneOf(format.trim(), PICTURE_FORMATS)))];
  } catch {
    throw new InvalidArgumentError('It takes png, svg, pdf and eps, separated by commas.');
  }
}
