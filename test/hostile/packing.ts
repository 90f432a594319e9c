/** Puts damaged content into its container again, with right checksums: without, the damage would be noticed before it is parsed. */
import { createHash } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';
import { strToU8, zipSync } from 'fflate';
import { createParquetFormatter } from '#files/formats/parquet/parquet';
import { RELATIONS, SCAN, SCANS, SHEET, STYLES } from './samples.ts';

/** One part of a workbook in its archive; the others as they should be. Which part it is, is told by what it begins with. */
export function workbook(part: Buffer): Buffer {
  const parts: Record<string, Uint8Array> = {
    'xl/workbook.xml': strToU8(
      '<workbook><workbookPr date1904="0"/><sheets><sheet name="A" sheetId="1" r:id="r1"/></sheets></workbook>',
    ),
    'xl/_rels/workbook.xml.rels': strToU8(RELATIONS),
    'xl/sheet.xml': strToU8(SHEET),
    'xl/styles.xml': strToU8(STYLES),
    'xl/texts.xml': strToU8('<sst><si><t>shared</t></si><si><r><t>a</t></r><rPh><t>b</t></rPh></si></sst>'),
  };
  const sign = part.toString('latin1', 0, 12);
  const name = /^<sty/.test(sign)
    ? 'styles'
    : /^<sst/.test(sign)
      ? 'texts'
      : /^<Rel/.test(sign)
        ? '_rels/workbook.xml.rels'
        : 'sheet';
  parts[name.startsWith('_') ? `xl/${name}` : `xl/${name}.xml`] = part;
  return Buffer.from(zipSync(parts));
}

export function parquet(): Buffer {
  const formatter = createParquetFormatter(Object.keys(SCAN));
  return Buffer.concat([
    Buffer.from(formatter.rows(SCANS) as Uint8Array),
    Buffer.from(formatter.end() as Uint8Array),
  ]);
}

export function png(): Buffer {
  const header = Buffer.from('0000000800000008080600000000', 'hex').subarray(0, 13);
  const rows = deflateSync(
    Buffer.from(Array.from({ length: 8 * 33 }, (_, at) => (at % 33 === 0 ? 0 : (at * 7) % 256))),
  );
  const chunks = [
    ['IHDR', header],
    ['gAMA', Buffer.from([0, 0, 0xb1, 0x8f])],
    ['IDAT', rows],
    ['IEND', Buffer.alloc(0)],
  ] as const;
  const bytes = chunks.flatMap(([name, data]) => [
    numberOf(data.length),
    Buffer.from(name),
    data,
    Buffer.alloc(4),
  ]);
  return resumPng(Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), ...bytes]));
}

function numberOf(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
}

export function resumPng(bytes: Buffer): Buffer {
  const summed = Buffer.from(bytes);
  for (let at = 8; at + 12 <= summed.length; ) {
    const end = at + 8 + summed.readUInt32BE(at);
    if (end + 4 > summed.length) break;
    summed.writeUInt32BE(crc32(summed.subarray(at + 4, end)) >>> 0, end);
    at = end + 4;
  }
  return summed;
}

/** Gives each line its checksum. */
export function sumLines(bytes: Buffer): Buffer {
  const summed = bytes
    .toString('latin1')
    .split('\n')
    .map((line) => {
      const text = Buffer.from(line.replace(/}$/, ''), 'latin1').toString();
      return line === '' ? '' : `${text},"crc":"${crc32(text).toString(16).padStart(8, '0')}"}`;
    });
  return Buffer.from(summed.join('\n'));
}

export function seal(bytes: Buffer): Buffer {
  const body = bytes.toString();
  return Buffer.from(
    `${body.slice(0, -1)},"checksum":"${createHash('sha256').update(body).digest('hex')}"}\n`,
  );
}
