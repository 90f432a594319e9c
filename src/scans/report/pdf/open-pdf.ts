/** Opens a tagged PDF (ISO 32000-1, 14.8) whose bytes depend only on its content. */
import { hash } from 'node:crypto';
import { inflateSync } from 'node:zlib';
import { openPdf, zlibSync } from '#files/paper/pdfkit';
import { html } from '#scans/report/html/html';

export type Pdf = PDFKit.PDFDocument;

interface PdfOptions {
  width: number;
  height: number;
  title: string;
  language: string;
  direction: 'ltr' | 'rtl';
  seed: string;
}

interface Reference {
  data: Record<string, unknown>;
  buffer: Uint8Array[];
  end(chunk?: Uint8Array): void;
  finalize(): void;
}

interface Internals {
  _id: Uint8Array;
  _root: { data: Record<string, unknown> };
  ref(data?: Record<string, unknown>): Reference;
  endMetadata(): void;
}

export function openTaggedPdf({ width, height, title, language, direction, seed }: PdfOptions): Pdf {
  const document = openPdf(title, {
    size: [width, height],
    pdfVersion: '1.7',
    tagged: true,
    lang: language,
    displayTitle: true,
  });
  const internals = document as Pdf & Internals;
  internals._id = hash('sha256', seed, 'buffer').subarray(0, 16);
  compressAll(internals);
  internals.endMetadata = () => {
    const metadata = internals.ref({ Type: 'Metadata', Subtype: 'XML' });
    metadata.end(Buffer.from(formatMetadata(title)));
    internals._root.data.Metadata = metadata;
  };
  if (direction === 'rtl') {
    const preferences = internals._root.data.ViewerPreferences as Reference;
    preferences.data.Direction = 'R2L';
  }
  return document;
}

/** Compresses with fflate, because the output of Node's zlib varies. Leaves metadata searchable. */
function compressAll(document: Internals): void {
  const create = document.ref.bind(document);
  document.ref = (data) => {
    const reference = create(data);
    const finalize = reference.finalize.bind(reference);
    reference.finalize = () => {
      const { data, buffer } = reference;
      if (buffer.length > 0 && data.Type !== 'Metadata') {
        const bytes = Buffer.concat(buffer);
        const plain = data.Filter === 'FlateDecode' ? inflateSync(bytes) : bytes;
        data.Filter = 'FlateDecode';
        reference.buffer = [zlibSync(plain, { level: 6 })];
      }
      finalize();
    };
    return reference;
  };
}

/** XMP metadata (ISO 16684-1) without a date or a conformance claim. */
function formatMetadata(title: string): string {
  return `<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/">
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">${html`${title}`.markup}</rdf:li></rdf:Alt></dc:title>
</rdf:Description>
</rdf:RDF>
</x:xmpmeta>
<?xpacket end="r"?>`;
}
