/** PDF libraries, bundled in one file of dist/ because one depends on the other. */
export { zlibSync } from 'fflate';
export * as fontkit from 'fontkit';
export { default as PDFDocument } from 'pdfkit';
