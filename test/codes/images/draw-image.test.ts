import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BLACK, parseColor } from '#base/color';
import { drawImage } from '#codes/images/draw-image';
import { encodeText, LEVELS } from '#codes/images/encode';
import { IMAGE_FORMATS, type ImageFormat, type ImageStyle } from '#codes/images/image-style';
import { readPng } from '#codes/images/read-png';
import { readSvg } from '#codes/images/svg';
import { faultOf } from '../../support/fault-of.ts';
import { runs } from '../../support/property-runs.ts';
import { readEps } from '../../support/read-eps.ts';
import { readPdf } from '../../support/read-pdf.ts';
import { STYLE } from './style.ts';

const TEXT = 'https://qr.example/aB3xY';

function encode(text: string, level: ImageStyle['level'] = 'M') {
  const modules = encodeText(text, level);
  if (!modules) throw new Error(`${text.length} characters do not fit`);
  return { text, modules };
}

async function draw(format: ImageFormat, style: Partial<ImageStyle> = {}, text = TEXT): Promise<Buffer> {
  const drawn = await drawImage(encode(text), format, { ...STYLE, ...style });
  return 'fault' in drawn ? expect.fail(drawn.fault) : drawn.bytes;
}

const sizeOf: Record<ImageFormat, (bytes: Buffer) => number> = {
  png: (bytes) => readPng(bytes).sizeMm,
  svg: (bytes) => readSvg(bytes.toString()).widthMm,
  eps: (bytes) => readEps(bytes.toString()).widthMm,
  pdf: (bytes) => readPdf(bytes)[0]?.widthMm ?? 0,
};

describe.each(IMAGE_FORMATS)('an image in %s format', (format) => {
  it.each([12, 30, 85.5, 210])('is %d mm wide if this size is requested', async (sizeMm) => {
    expect(sizeOf[format](await draw(format, { sizeMm }))).toBeCloseTo(sizeMm, 1);
  });

  it('can be decoded for any text and error correction level', async () => {
    const texts = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 120 }),
      // Not webUrl(), which makes a map of all characters first.
      fc.stringMatching(/^https:\/\/[a-z0-9-]{1,30}\.example\/[\w.~%?&=/-]{0,60}$/),
      fc.stringMatching(/^[абвгд東京都大阪府äöüß🎉]{1,40}$/u),
      fc.nat().map(String),
      fc.stringMatching(/^[A-Z0-9:/.]{1,300}$/),
    );
    await fc.assert(
      fc.asyncProperty(
        texts.filter((text) => text !== '' && !/\p{Surrogate}/u.test(text)),
        fc.constantFrom(...LEVELS),
        async (text, level) => {
          expect(await drawImage(encode(text, level), format, STYLE)).not.toHaveProperty('fault');
        },
      ),
      runs(5, 100),
    );
  });

  it('is not returned if its modules encode another text or are damaged (I1)', async () => {
    const { modules: others } = encode('https://qr.example/aB3xZ');
    expect(await drawImage({ text: TEXT, modules: others }, format, STYLE)).toEqual({
      fault: 'the code decodes to a different text',
    });
    const { text, modules } = encode(TEXT);
    // A finder pattern that is half gone.
    const broken = {
      ...modules,
      isDark: (x: number, y: number) => (x < 5 && y < 8 ? false : modules.isDark(x, y)),
    };
    expect(await drawImage({ text, modules: broken }, format, STYLE)).toEqual({
      fault: 'the code cannot be decoded',
    });
  });

  it.runIf(format === 'png' || format === 'svg')(
    'is not returned if its bytes were replaced or truncated (I1)',
    async () => {
      const other = await draw(format, {}, 'https://qr.example/aB3xZ');
      expect(await drawImage(encode(TEXT), format, STYLE, { damage: () => other })).toHaveProperty('fault');
      expect(
        await drawImage(encode(TEXT), format, STYLE, {
          damage: (bytes) => bytes.subarray(0, bytes.length / 2),
        }),
      ).toHaveProperty('fault');
    },
  );

  it('can be verified from its bytes with different sizes, resolutions, colors and quiet zones', async () => {
    const { modules, text } = encode(TEXT);
    for (const style of [
      {},
      { quietZone: 0 },
      { background: undefined },
      { sizeMm: 85.5, color: parseColor('#003366') ?? BLACK },
      { quietZone: 10, background: parseColor('#ffeecc') },
      { dpi: 96 },
    ]) {
      const { sizeMm, quietZone } = { ...STYLE, ...style };
      const expected = { text, sizeMm, quietZone, across: modules.size + 2 * quietZone };
      expect(faultOf(await draw(format, style), format, expected)).toBeUndefined();
    }
  });

  it('is returned without verification if bytes with the same hash were verified before (I1)', async () => {
    const bytes = await draw(format, {}, 'https://qr.example/aB3xZ');
    const known = createHash('sha256').update(bytes).digest('hex');
    expect(await drawImage(encode(TEXT), format, STYLE, { known, damage: () => bytes })).not.toHaveProperty(
      'fault',
    );
  });

  it('is refused if its size is wrong or its quiet zone is not empty (I2)', async () => {
    const { modules, text } = encode(TEXT);
    const expected = { text, sizeMm: 30, quietZone: 4, across: modules.size + 8 };
    expect(faultOf(await draw(format), format, expected)).toBeUndefined();
    expect(faultOf(await draw(format, { sizeMm: 31 }), format, expected)).toMatch(
      /^the image is 31\.0\d* mm wide instead of 30 mm$/,
    );
    expect(faultOf(await draw(format, { quietZone: 3 }), format, expected)).toBe(
      'the quiet zone is not empty',
    );
  });

  /** Of the bytes on the Node that this was written on; `npm run test:images` draws on others. */
  it('has the same bytes as in earlier versions of qrctl (I4)', async () => {
    const hash = createHash('sha256')
      .update(await draw(format))
      .digest('hex');
    expect(hash.slice(0, 16)).toBe(KNOWN[format]);
  });
});

const KNOWN = {
  png: 'bbfc156e2fd630a2',
  svg: '7c5334408cda5da3',
  pdf: 'cb78d3ce6310899d',
  eps: 'fa9d927fde95268a',
};

describe('encodeText', () => {
  it('chooses the smallest version that fits the text, and the highest level that fits the version', () => {
    expect(encodeText('https://qr.example/abc', 'L')).toMatchObject({ version: 2, size: 25, level: 'M' });
    expect(encodeText('HTTPS://QR.EXAMPLE/ABC', 'L')).toMatchObject({ version: 1, level: 'L' });
    expect(encodeText('a'.repeat(2953), 'L')).toMatchObject({ version: 40, level: 'L' });
  });

  it('returns undefined if the text does not fit in version 40 at the requested level', () => {
    expect(encodeText('a'.repeat(2954), 'L')).toBeUndefined();
    expect(encodeText('a'.repeat(1274), 'H')).toBeUndefined();
  });
});

describe('a PDF', () => {
  it('has no date, and uses only black ink for black', async () => {
    const text = (await draw('pdf')).toString('latin1');
    expect(text).not.toMatch(/CreationDate|ModDate|D:\d{4}/);
    expect(text).toContain('/DeviceCMYK cs\n0 0 0 1 scn');
    expect(text).not.toContain('DeviceRGB');
  });
});
