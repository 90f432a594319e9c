import { InvalidArgumentError } from 'commander';
import { BLACK, type Color, parseColor, WHITE } from '#base/color';
import { UsageError } from '#base/errors';
import { quote } from '#base/text/quote';
import { findTemplateProblem, parseShortUrl } from '#base/text/short-url';
import { LEVELS } from '#codes/images/encode';
import { IMAGE_FORMATS, type ImageFormat, type ImageStyle } from '#codes/images/image-style';
import { parseGrid, parseLength, parsePaper, parseSides, parseSize } from '#codes/images/label-sheet';
import { FILE_NAMES } from '#codes/listing/file-names';
import { choiceOptions } from '#commands/code-choice';
import {
  choice,
  directory,
  flag,
  inGroup,
  inputFile,
  integer,
  type OptionDefinition,
  outputFile,
  overwriteOption,
  parsed,
  parseList,
  rarely,
  text,
  type Values,
  withExtra,
} from '#commands/define';
import { readLogo } from '#commands/read-given';
import type { Context } from '#context';
import { type Column, wholeColumn } from '#files/formats/columns';
import { VALUES } from '#settings/values';

const OF_SHEET = { requires: [['--sheet', '--grid', '--paper']] };
const OF_GRID = { requires: ['--grid'] };
const OF_FILES = { requires: [['--output-dir', '--dry-run']], conflicts: ['--output'] };

const SIZE = { parse: parseSize, forms: 'a width and a height such as 63.5x38.1mm or 4x2in' };
const SIDES = {
  parse: parseSides,
  forms: 'a length such as 10mm, or a width and a height such as 10x12mm',
};

export const sheetOptions = inGroup('Sheet flags:', {
  sheet: text('--sheet <number>', 'Label sheet (PDF): L7160, 5163, …, or list'),
  grid: parsed(
    '--grid <CxR>',
    'Columns and rows of any other sheet',
    { parse: parseGrid, forms: 'columns and rows, such as 3x7' },
    { requires: ['--label'], conflicts: ['--sheet'] },
  ),
  label: parsed('--label <WxH>', 'Label size for --grid, such as 63.5x38.1mm', SIZE, OF_GRID),
  ...rarely({
    margin: parsed('--margin <10mm|WxH>', "Left and top margin (default: the sheet's)", SIDES, OF_SHEET),
    gap: parsed('--gap <2mm|WxH>', 'Space between labels for --grid (default: 0mm)', SIDES, OF_GRID),
    paper: parsed('--paper <A4|Letter|WxH>', 'Page for --grid, or WxH for one page per label', {
      parse: parsePaper,
      forms: 'A4, Letter, or a width and a height such as 62x29mm',
    }),
  }),
  ...withExtra(OF_SHEET, {
    caption: text('--caption <text>', 'Slug, name, none, a column, or two, as in slug,name (default: slug)'),
    copies: integer(
      '--copies <n>',
      'Copies of each label (default: 1)',
      { min: 1, max: 999 },
      { rare: true },
    ),
    start: integer('--start <n>', 'First free label, counted by row (default: 1)', { min: 1, max: 9801 }),
    outline: flag('--outline', 'Draw a hairline around each label', { rare: true }),
  }),
});

export const styleOptions = inGroup('Image flags:', {
  size: parsed('--size <length>', 'Width, including the quiet zone (default: 30mm)', {
    parse: parseLength,
    forms: 'a length such as 30mm, 3cm, 1m or 1.2in',
  }),
  ...rarely({
    dpi: integer('--dpi <n>', 'Printer dots per inch (default: 300)', { min: 36, max: 4800 }),
    quietZone: integer('--quiet-zone <modules>', 'Width of the light margin (default: 4)', {
      min: 0,
      max: 40,
    }),
    ecc: choice('--ecc <level>', 'Error correction (default: M)', LEVELS),
    color: parsed('--color <#rgb>', 'Color of the code (default: #000)', {
      parse: parseColor,
      forms: 'a color such as #000 or #003366',
    }),
    background: parsed('--background <#rgb|none>', 'Background color (default: #fff)', {
      parse: (raw: string): Color | 'none' | undefined => (raw === 'none' ? raw : parseColor(raw)),
      forms: 'a color such as #fff or #ffeecc, or none',
    }),
  }),
  logo: inputFile('--logo <file>', 'PNG or SVG to draw in the center, with --ecc H'),
  shortUrl: parsed('--short-url <template>', 'Template, such as https://HOST/{slug}', {
    parse: parseTemplate,
    forms: VALUES['short-url'].forms,
  }),
});

export const options = {
  output: outputFile('-o, --output <file>', 'Write the image to FILE: .png, .svg, .pdf, .eps'),
  dryRun: flag('--dry-run', 'Preview the images without writing them'),
  force: flag('--force', 'Draw codes that may print or scan badly', { risky: true, rare: true }),
  overwrite: { ...overwriteOption, requires: ['--output-dir'] },
  ...choiceOptions,
  outputDir: directory('--output-dir <dir>', 'Write one file per code, and a manifest, to DIR', {
    conflicts: ['--output', '--sheet', '--grid'],
  }),
  as: {
    flags: '--as <formats>',
    description: `Formats: ${IMAGE_FORMATS.join(',')} (default: png)`,
    ...OF_FILES,
    parse: (raw) => parseList(raw, IMAGE_FORMATS),
  } satisfies OptionDefinition<ImageFormat[]>,
  fileNames: choice('--file-names <by>', 'File names (default: id)', FILE_NAMES, {
    rare: true,
    ...OF_FILES,
  }),
  ...sheetOptions,
  ...styleOptions,
};

export const SHEET_COLUMNS: readonly Column[] = [
  wholeColumn('number'),
  { name: 'paper' },
  ...['labels', 'columns', 'rows', 'width_mm', 'height_mm'].map(
    (name) => ({ name, align: 'right', keepWhole: true }) as const,
  ),
  { name: 'also' },
];

export type ImageFlags = Values<typeof options>;

function parseTemplate(raw: string) {
  const template = parseShortUrl(raw);
  if (template === undefined) return undefined;
  if (findTemplateProblem(template) !== undefined)
    throw new InvalidArgumentError(
      'a host with a dot. HOST is a placeholder: replace it with the host that opens when you scan one of your codes',
    );
  return { template, isCompleted: template !== raw };
}

export async function styleOf(context: Context, flags: ImageFlags): Promise<ImageStyle> {
  const { background, color, ecc, logo } = flags;
  const style = {
    sizeMm: flags.size ?? 30,
    dpi: flags.dpi ?? 300,
    quietZone: flags.quietZone ?? 4,
    // `color` is false if the global flag `--no-color` is passed.
    color: typeof color === 'object' ? color : BLACK,
    background: background === 'none' ? undefined : (background ?? WHITE),
  };
  if (logo === undefined) return { ...style, level: ecc ?? 'M' };
  if (ecc !== undefined && ecc !== 'H')
    throw new UsageError(`--logo requires --ecc H, not ${ecc}`, { hint: 'Omit --ecc.' });
  const { loadLogo } = await import('#codes/images/load-logo');
  return { ...style, level: 'H', logo: await readLogo(context, logo, loadLogo) };
}

const SET_SHORT_URL =
  'Scan one of your codes: HOST is the host that opens. Run `qrctl config set short-url https://HOST/{slug}`.';

export async function requireShortUrl(context: Context, { shortUrl: flag }: ImageFlags): Promise<string> {
  const template = flag?.template ?? (await context.settings()).shortUrl;
  if (template === undefined)
    throw new UsageError('no short URL is configured for printed codes', {
      hint: SET_SHORT_URL,
    });
  if (flag?.isCompleted)
    context.console.note(`The address has no placeholder for the code. Using ${template}`);
  const problem = findTemplateProblem(template);
  if (problem === undefined) return template;
  throw new UsageError(`cannot draw ${quote(template)}: it ${problem}`, {
    hint: SET_SHORT_URL,
  });
}
