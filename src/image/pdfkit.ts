/** The libraries of PDF, in one file of dist/ because one is built on the other. */
export * as fontkit from 'fontkit';
export { default as PDFDocument } from 'pdfkit';
