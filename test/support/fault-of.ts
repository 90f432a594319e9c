import type { ImageFormat } from '#codes/images/image-style';
import { drawingFault, type Expected, findFault } from '#codes/images/verify';
import { readEps } from './read-eps.ts';
import { readPdf } from './read-pdf.ts';

/** Finds the fault of an image from its bytes, also of a PDF and an EPS. */
export function faultOf(bytes: Buffer, format: ImageFormat, expected: Expected): string | undefined {
  if (format === 'png' || format === 'svg') return findFault(bytes, format, expected);
  const [drawing] = format === 'pdf' ? readPdf(bytes) : [readEps(bytes.toString())];
  return drawing === undefined ? 'no page' : drawingFault(drawing, expected);
}
