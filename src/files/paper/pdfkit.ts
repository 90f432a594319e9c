/** Wraps pdfkit. Bundled into one file of dist/, because pdfkit depends on fontkit. */
import { buffer } from 'node:stream/consumers';

export { zlibSync } from 'fflate';
export * as fontkit from 'fontkit';
export { default as PDFDocument } from 'pdfkit';

export function closePdf(document: PDFKit.PDFDocument): Promise<Buffer> {
  document.end();
  return buffer(document);
}
