/** Bundled into one file of dist/, because pdfkit depends on fontkit. */
export { zlibSync } from 'fflate';
export * as fontkit from 'fontkit';
export { default as PDFDocument } from 'pdfkit';

export async function closePdf(document: PDFKit.PDFDocument): Promise<Buffer> {
  const chunks: Buffer[] = [];
  document.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise((resolve, reject) => document.once('end', resolve).once('error', reject));
  document.end();
  await ended;
  return Buffer.concat(chunks);
}
