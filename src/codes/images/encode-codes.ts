import { UsageError } from '../../base/errors.ts';
import { addFailedCodes } from '../../base/run/annotations.ts';
import type { RunFacts } from '../../base/run/run-summary.ts';
import { countOf, formatCount, quote } from '../../base/text/quote.ts';
import { fillShortUrl } from '../../base/text/short-url.ts';
import { letSignalsIn } from '../../base/time/time.ts';
import type { QrCode } from '../../service/shapes.ts';
import type { Encoded } from './draw-image.ts';
import { encodeText } from './encode.ts';
import { formatNumber, type ImageFormat, type ImageStyle } from './image-style.ts';
import { checkSize, checkStyle } from './print-rules.ts';
import { MOST_PNG_PIXELS, pngSide } from './write-png.ts';

export interface EncodedCode extends Encoded {
  readonly code: QrCode;
  /** Reason to refuse the code without --force; undefined if there is none. */
  readonly refusal: string | undefined;
}

export interface EncodedCodes {
  readonly encoded: readonly EncodedCode[];
  /** Reasons against printing that apply to all codes. */
  readonly refusals: readonly string[];
  readonly warnings: readonly string[];
}

/** Codes encoded between two checks of the signal. */
const AT_ONCE = 200;

/** Encodes all codes. Throws UsageError if an address is too long for a QR code, or a PNG would have too many pixels. */
export async function encodeCodes(
  { signal }: { signal: AbortSignal },
  codes: readonly QrCode[],
  template: string,
  style: ImageStyle,
  formats: readonly ImageFormat[],
): Promise<EncodedCodes> {
  const { refusals, warnings } = checkStyle(style);
  const seen = new Map<string, number>();
  const encoded: EncodedCode[] = [];
  for (const [index, code] of codes.entries()) {
    if (index % AT_ONCE === 0) await letSignalsIn(signal);
    const text = fillShortUrl(template, code);
    const modules = encodeText(text, style.level);
    if (!modules) throw tooLong(code, text, style);
    if (formats.includes('png')) refuseManyPixels(pngSide(modules, style), style);
    const rules = checkSize(modules, style);
    for (const warning of rules.warnings) seen.set(warning, (seen.get(warning) ?? 0) + 1);
    encoded.push({ code, text, modules, refusal: rules.refusals[0] });
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

/** Refuses images beyond the pixel limit, also with `--force`: memory is limited. */
function refuseManyPixels(side: number, { sizeMm, dpi }: ImageStyle): void {
  if (side <= MOST_PNG_PIXELS) return;
  const size = `${formatNumber(sizeMm)} mm at ${dpi} dpi`;
  throw new UsageError(
    `cannot draw a PNG of ${size}: it would be ${formatCount(side)} pixels wide (limit: ${formatCount(MOST_PNG_PIXELS)})`,
    { hint: 'Draw the code as SVG, PDF or EPS, or lower --dpi.' },
  );
}

/** I3: throws UsageError with all reasons against printing, unless `force` is set. Prints warnings. */
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
    addFailedCodes(
      facts,
      refused.map(({ code, refusal = '' }) => ({
        id: code.id,
        message: `the printed code may not scan: ${refusal}`,
      })),
    );
    throw new UsageError(`the printed code may not scan: ${reasons}`, {
      hint: 'Add --force to draw the code anyway, or --dry-run to list the codes that fail.',
    });
  }
  for (const warning of warnings) console.warn(warning);
  if (reasons !== '') console.warn(reasons);
}
