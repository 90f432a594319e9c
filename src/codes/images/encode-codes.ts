import { contrastOf, luminanceOf, WHITE } from '#base/color';
import { UsageError } from '#base/errors';
import { addFailedCodes } from '#base/run/annotations';
import type { RunFacts } from '#base/run/run-summary';
import { countOf, formatCount, quote } from '#base/text/quote';
import { fillShortUrl } from '#base/text/short-url';
import { letSignalsIn } from '#base/time/time';
import type { QrCode } from '#service/shapes';
import type { Encoded } from './draw-image.ts';
import { encodeText, type Modules } from './encode.ts';
import {
  formatNumber,
  type ImageFormat,
  type ImageStyle,
  MM_AN_INCH,
  moduleMm,
  modulesAcross,
} from './image-style.ts';
import { MOST_PNG_PIXELS, pngSide } from './write-png.ts';

export interface EncodedCode extends Encoded {
  code: QrCode;
  refusal?: string;
}

export type EncodedCodes = Awaited<ReturnType<typeof encodeCodes>>;

const AT_ONCE = 200;

/** Encodes the short URLs of codes. Throws UsageError if one is too long or a PNG too large. */
export async function encodeCodes(
  { signal }: { signal: AbortSignal },
  codes: readonly QrCode[],
  template: string,
  style: ImageStyle,
  formats: readonly ImageFormat[],
) {
  const { refusals, warnings } = checkStyle(style);
  const seen = new Map<string, number>();
  const encoded: EncodedCode[] = [];
  for (const [index, code] of codes.entries()) {
    if (index % AT_ONCE === 0) await letSignalsIn(signal);
    const text = fillShortUrl(template, code);
    const modules = encodeText(text, style.level);
    if (!modules) throw tooLong(code, text, style);
    if (formats.includes('png')) refuseManyPixels(pngSide(modules, style), style);
    const { refusal, warning } = checkSize(modules, style);
    if (warning !== undefined) seen.set(warning, (seen.get(warning) ?? 0) + 1);
    encoded.push({ code, text, modules, refusal });
  }
  const ofCodes = [...seen].map(([warning, count]) =>
    codes.length === 1 ? warning : `${warning} (${count} of ${codes.length} codes)`,
  );
  return { encoded, refusals, warnings: [...warnings, ...ofCodes] };
}

function tooLong({ slug }: QrCode, text: string, { level, logo }: ImageStyle): UsageError {
  const canLower = level !== 'L' && logo === undefined;
  return new UsageError(
    `cannot encode the address of ${quote(slug)}: ${formatCount(text.length)} characters don't fit in a QR code at level ${level}`,
    { hint: `Use a shorter --short-url${canLower ? ', or add --ecc L for less error correction' : ''}.` },
  );
}

function refuseManyPixels(side: number, { sizeMm, dpi }: ImageStyle): void {
  if (side <= MOST_PNG_PIXELS) return;
  const size = `${formatNumber(sizeMm)} mm at ${dpi} dpi`;
  throw new UsageError(
    `cannot draw a PNG of ${size}: it would be ${formatCount(side)} pixels wide (limit: ${formatCount(MOST_PNG_PIXELS)})`,
    { hint: 'Draw the code as SVG, PDF or EPS, or lower --dpi.' },
  );
}

/** I3: throws UsageError if the style or a code breaks the print rules. With `force`, only warns. */
export function refuseUnprintable(
  { console, facts }: { console: { warn(line: string): void }; facts: RunFacts },
  { encoded, refusals, warnings }: EncodedCodes,
  force: boolean,
): void {
  const refused = encoded.filter(({ refusal }) => refusal !== undefined);
  const [first] = refused;
  const more = refused.length > 1 ? ` and ${countOf(refused.length - 1, 'other code')}` : '';
  const ofCode = first ? [`${first.refusal} (${quote(first.code.slug)}${more})`] : [];
  const reasons = [...refusals, ...ofCode].join('; ');
  if (reasons !== '' && !force) {
    const messageOf = (reason: string | undefined) => `the printed code may not scan: ${reason}`;
    addFailedCodes(
      facts,
      refused.map(({ code, refusal }) => ({ id: code.id, message: messageOf(refusal) })),
    );
    throw new UsageError(messageOf(reasons), {
      hint: 'Add --force to draw the code anyway, or --dry-run to list the codes that fail.',
    });
  }
  for (const warning of warnings) console.warn(warning);
  if (reasons !== '') console.warn(reasons);
}

/** Minimum margin in modules (ISO/IEC 18004, 5.3.8). */
const LEAST_QUIET_ZONE = 4;
/** Minimum number of printer dots per module. With fewer, module widths are uneven. */
const LEAST_DOTS = 4;
const GOOD_MODULE_MM = 0.4;
const LEAST_CONTRAST = 3;
const GOOD_CONTRAST = 4.5;

export function checkStyle({ color, background = WHITE, quietZone }: ImageStyle) {
  const contrast = contrastOf(color, background);
  const shown = `${formatNumber(Math.floor(contrast * 10) / 10)}:1`;
  const refusals: string[] = [];
  const warnings: string[] = [];
  if (contrast < LEAST_CONTRAST) refusals.push(`the contrast is ${shown} (minimum: ${LEAST_CONTRAST}:1)`);
  else if (contrast < GOOD_CONTRAST)
    warnings.push(`the contrast is ${shown}; at least ${GOOD_CONTRAST}:1 is recommended for poor light`);
  if (luminanceOf(color) > luminanceOf(background))
    refusals.push("the code is light on dark, which many cameras can't read");
  if (quietZone < LEAST_QUIET_ZONE) {
    refusals.push(
      `the quiet zone is ${countOf(quietZone, 'module')} wide (minimum in ISO/IEC 18004: ${LEAST_QUIET_ZONE})`,
    );
  }
  return { refusals, warnings };
}

export function checkSize(
  modules: Pick<Modules, 'size'>,
  style: ImageStyle,
): { refusal?: string; warning?: string } {
  const module = moduleMm(modules, style);
  const dots = (module / MM_AN_INCH) * style.dpi;
  if (dots < LEAST_DOTS - 1e-6) {
    const enough = Math.ceil((LEAST_DOTS * MM_AN_INCH * modulesAcross(modules, style)) / style.dpi);
    const refusal = `modules would be ${formatNumber(Math.floor(dots * 10) / 10)} printer dots wide at ${style.dpi} dpi (minimum: ${LEAST_DOTS}); use --size ${enough}mm or larger`;
    return { refusal };
  }
  if (module >= GOOD_MODULE_MM - 1e-6) return {};
  const shown = formatNumber(Math.floor(module * 100) / 100);
  return { warning: `modules are ${shown} mm wide; at least ${GOOD_MODULE_MM} mm is recommended` };
}
