/** The flags that say how a picture looks, and what they mean together. */
import { UsageError } from '../../../errors.ts';
import { BLACK, type Colour, parseColour, WHITE } from '../../../image/colour.ts';
import { LEVELS } from '../../../image/encode.ts';
import { MM_AN_INCH, type PictureStyle } from '../../../image/picture.ts';
import { parseShortUrl } from '../../../settings/short-url.ts';
import { VALUES } from '../../../settings/values.ts';
import { choice, integer, parsed, type Values } from '../../define.ts';

const GROUP = 'Picture flags:';

const LENGTH_FORMS = 'It takes a length such as 30mm, 3cm or 1.2in.';
const MM: Readonly<Record<string, number>> = { mm: 1, cm: 10, in: MM_AN_INCH };

export const LONGEST_MM = 5000;

/** Millimetres of a number and its unit. */
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
  forms: 'It takes a colour such as #fff or #ffeecc, or none.',
};

export const pictureOptions = {
  size: parsed(
    '--size <length>',
    'side of the whole picture, quiet zone included (default: 30mm)',
    {
      parse: parseLength,
      forms: LENGTH_FORMS,
    },
    { group: GROUP },
  ),
  dpi: integer('--dpi <n>', 'dots of the printer an inch (default: 300)', { min: 36, max: 4800 }, { group: GROUP }),
  quietZone: integer('--quiet-zone <modules>', 'light around the code (default: 4)', { min: 0, max: 40 }, { group: GROUP }),
  ecc: choice('--ecc <level>', 'least error correction, raised where that costs nothing (default: M)', LEVELS, { group: GROUP }),
  color: parsed(
    '--color <#rgb>',
    'of the code (default: #000)',
    { parse: parseColour, forms: 'It takes a colour such as #000 or #003366.' },
    { group: GROUP },
  ),
  background: parsed('--background <#rgb|none>', 'behind it (default: #fff)', BACKGROUND, { group: GROUP }),
  shortUrl: parsed(
    '--short-url <template>',
    'the address, with {slug} or {id} (default: the setting short-url)',
    {
      parse: parseShortUrl,
      forms: VALUES['short-url'].forms,
    },
    { group: GROUP },
  ),
};

export type PictureFlags = Values<typeof pictureOptions>;

/** As the flags say, or a picture of 30 mm for 300 dpi, black on white. */
export function styleOf(flags: PictureFlags): PictureStyle {
  const { background, color } = flags;
  return {
    sizeMm: flags.size ?? 30,
    dpi: flags.dpi ?? 300,
    quietZone: flags.quietZone ?? 4,
    level: flags.ecc ?? 'M',
    // `--no-color`, the global flag, is no colour of a picture.
    color: typeof color === 'object' ? color : BLACK,
    background: background === 'none' ? undefined : (background ?? WHITE),
  };
}

/** The template of addresses. Throws UsageError where neither flag nor profile has one: it is never guessed. */
export function requireShortUrl(flag: string | undefined, setting: string | undefined): string {
  const template = flag ?? setting;
  if (template !== undefined) return template;
  throw new UsageError('where do printed codes lead to? No short-url is set, and it is never guessed', {
    hint: 'qrctl config set short-url https://HOST/{slug}, or --short-url for this command',
  });
}
