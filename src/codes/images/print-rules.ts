import { countOf } from '../../base/text/quote.ts';
import { contrastOf, luminanceOf, WHITE } from './color.ts';
import type { Modules } from './encode.ts';
import { formatNumber, type ImageStyle, MM_AN_INCH, moduleMm, modulesAcross } from './image-style.ts';

/** ISO/IEC 18004, 5.3.8 */
const LEAST_QUIET_ZONE = 4;
/** Below it a printer cannot keep modules of one width. */
const LEAST_DOTS = 4;
/** About the least that GS1 allows on goods (0.396 mm). */
const GOOD_MODULE_MM = 0.4;
const LEAST_CONTRAST = 3;
const GOOD_CONTRAST = 4.5;

/** Conditions under which a printed code may not scan, although a decoder reads the file, as clauses: `the quiet zone is …`. */
export interface PrintRules {
  /** I3: refused unless `--force` is set. */
  readonly refusals: string[];
  readonly warnings: string[];
}

export function checkStyle({ color, background = WHITE, quietZone }: ImageStyle): PrintRules {
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

export function checkSize(modules: Pick<Modules, 'size'>, style: ImageStyle): PrintRules {
  const module = moduleMm(modules, style);
  const dots = (module / MM_AN_INCH) * style.dpi;
  const refusals: string[] = [];
  const warnings: string[] = [];
  // A difference below a printer's own tolerance is not a reason.
  if (dots < LEAST_DOTS - 1e-6) {
    const enough = Math.ceil((LEAST_DOTS * MM_AN_INCH * modulesAcross(modules, style)) / style.dpi);
    refusals.push(
      `modules would be ${formatNumber(Math.floor(dots * 10) / 10)} printer dots wide at ${style.dpi} dpi (minimum: ${LEAST_DOTS}); use --size ${enough}mm or larger`,
    );
  } else if (module < GOOD_MODULE_MM - 1e-6) {
    warnings.push(
      `modules are ${formatNumber(Math.floor(module * 100) / 100)} mm wide; at least ${GOOD_MODULE_MM} mm is recommended`,
    );
  }
  return { refusals, warnings };
}
