/** Declares the flags for the appearance of an image, and combines them to a style. */
import { InvalidArgumentError } from 'commander';
import { UsageError } from '../../../base/errors.ts';
import { quote } from '../../../base/text/quote.ts';
import { findTemplateProblem, parseShortUrl } from '../../../base/text/short-url.ts';
import { BLACK, type Colour, parseColour, WHITE } from '../../../codes/images/colour.ts';
import { LEVELS, type Level } from '../../../codes/images/encode.ts';
import type { Logo } from '../../../codes/images/picture.ts';
import { MM_AN_INCH, type PictureStyle } from '../../../codes/images/picture.ts';
import type { Context } from '../../../context.ts';
import { VALUES } from '../../../settings/values.ts';
import { choice, integer, parsed, text, type Values } from '../../define.ts';
import { readLogo } from '../../read-given.ts';

const GROUP = 'Image flags:';

const LENGTH_FORMS = 'a length such as 30mm, 3cm or 1.2in';
const MM: Readonly<Record<string, number>> = { mm: 1, cm: 10, in: MM_AN_INCH };

export const LONGEST_MM = 5000;

export function lengthMm(number: string, unit: string): number {
  return Number(number) * (MM[unit] ?? 1);
}

/** Millimetres of a length with its unit, up to five metres, or undefined. */
function parseLength(raw: string): number | undefined {
  const found = /^(\d{1,6}(?:\.\d{1,4})?)(mm|cm|in)$/.exec(raw);
  const value = found ? lengthMm(found[1] ?? '', found[2] ?? '') : Number.NaN;
  return value >= 1 && value <= LONGEST_MM ? value : undefined;
}

const BACKGROUND = {
  parse: (raw: string): Colour | 'none' | undefined => (raw === 'none' ? raw : parseColour(raw)),
  forms: 'a color such as #fff or #ffeecc, or none',
};

export const pictureOptions = {
  size: parsed(
    '--size <length>',
    'Width, including the quiet zone (default: 30mm)',
    { parse: parseLength, forms: LENGTH_FORMS },
    { group: GROUP },
  ),
  dpi: integer('--dpi <n>', 'Printer dots per inch (default: 300)', { min: 36, max: 4800 }, { group: GROUP }),
  quietZone: integer(
    '--quiet-zone <modules>',
    'Width of the light margin (default: 4)',
    { min: 0, max: 40 },
    { group: GROUP },
  ),
  ecc: choice('--ecc <level>', 'Error correction (default: M)', LEVELS, { group: GROUP }),
  color: parsed(
    '--color <#rgb>',
    'Color of the code (default: #000)',
    { parse: parseColour, forms: 'a color such as #000 or #003366' },
    { group: GROUP },
  ),
  background: parsed('--background <#rgb|none>', 'Background color (default: #fff)', BACKGROUND, {
    group: GROUP,
  }),
  logo: text('--logo <file>', 'PNG or SVG to draw in the center, with --ecc H', {
    group: GROUP,
    complete: 'files',
  }),
  shortUrl: parsed(
    '--short-url <template>',
    'Address with {slug} (default: the setting)',
    {
      parse: (raw: string) => {
        const template = parseShortUrl(raw);
        const problem = template === undefined ? undefined : findTemplateProblem(template);
        if (problem !== undefined) throw new InvalidArgumentError(`It ${problem}.`);
        return template === undefined ? undefined : { template, isCompleted: template !== raw };
      },
      forms: VALUES['short-url'].forms,
    },
    { group: GROUP },
  ),
};

export type PictureFlags = Values<typeof pictureOptions>;

/** Returns the design of the flags; the default is 30 mm at 300 dpi, black on white. Throws UsageError if the logo is not an image. */
export async function styleOf(context: Context, flags: PictureFlags): Promise<PictureStyle> {
  const { background, color } = flags;
  return {
    sizeMm: flags.size ?? 30,
    dpi: flags.dpi ?? 300,
    quietZone: flags.quietZone ?? 4,
    level: flags.logo === undefined ? (flags.ecc ?? 'M') : 'H',
    // `--no-color`, the global flag, does not select a color of the image.
    color: typeof color === 'object' ? color : BLACK,
    background: background === 'none' ? undefined : (background ?? WHITE),
    ...(flags.logo !== undefined && { logo: await logoOf(context, flags.logo, flags.ecc) }),
  };
}

async function logoOf(context: Context, path: string, level: Level | undefined): Promise<Logo> {
  if (level !== undefined && level !== 'H') {
    throw new UsageError(`--logo requires --ecc H, not ${level}`, { hint: 'Omit --ecc.' });
  }
  // It brings a renderer.
  const { loadLogo } = await import('../../../codes/images/load-logo.ts');
  return readLogo(context, path, loadLogo);
}

/**
 * Returns the template of addresses. Throws UsageError if neither the flag nor the profile has one: it is never guessed. Notes if the
 * flag's had no placeholder.
 */
export async function requireShortUrl(context: Context, { shortUrl: flag }: PictureFlags): Promise<string> {
  const { shortUrl: setting } = await context.settings();
  if (flag?.isCompleted)
    context.console.note(`The address has no placeholder for the code. Using ${flag.template}`);
  const template = flag?.template ?? setting;
  const problem = template === undefined ? undefined : findTemplateProblem(template);
  if (problem !== undefined) {
    throw new UsageError(`cannot draw ${quote(template ?? '')}: it ${problem}`, {
      hint: 'Run `qrctl config set short-url https://HOST/{slug}`.',
    });
  }
  if (template !== undefined) return template;
  throw new UsageError('no short URL is configured for printed codes', {
    hint: 'Run `qrctl config set short-url https://HOST/{slug}`, or add --short-url https://HOST/{slug}.',
  });
}
