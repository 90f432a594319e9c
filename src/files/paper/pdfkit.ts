/** Wraps pdfkit and fontkit, bundled into one file because pdfkit depends on fontkit. */
import { buffer } from 'node:stream/consumers';
import PDFDocument from 'pdfkit';
import { EPOCH } from '#base/time/time';

export { zlibSync } from 'fflate';
export * as fontkit from 'fontkit';

/** Creates a PDF without pages. Its bytes depend only on its content. */
export function openPdf(title: string, options: PDFKit.PDFDocumentOptions): PDFKit.PDFDocument {
  const document = new PDFDocument({
    margin: 0,
    autoFirstPage: false,
    // Doesn't compress, because the output of zlib differs between builds of Node.
    compress: false,
    // Sets no font, because pdfkit's standard fonts are not embedded.
    font: '',
    // Sets a fixed date, because the file ID depends on the date.
    info: { Title: title, Producer: 'qrctl', Creator: 'qrctl', CreationDate: EPOCH },
    ...options,
  });
  Object.defineProperty(document.info, 'CreationDate', { enumerable: false });
  return document;
}

export function closePdf(document: PDFKit.PDFDocument): Promise<Buffer> {
  document.end();
  return buffer(document);
}
