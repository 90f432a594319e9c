import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { BLACK, parseColor, WHITE } from '#base/color';
import { drawImage } from '#codes/images/draw-image';
import { drawSheet } from '#codes/images/draw-sheet';
import { encodeText } from '#codes/images/encode';
import { IMAGE_FORMATS, type ImageStyle, type Logo } from '#codes/images/image-style';
import { findGrid } from '#codes/images/label-grids';
import { layOutLabel } from '#codes/images/label-sheet';
import { drawLogo, loadLogo } from '#codes/images/load-logo';
import { clearPlate, plateOf } from '#codes/images/logo';
import { formatPlate, formatRendering } from '#codes/images/write-png';
import { firstRows, SOAK } from '../../support/property-runs.ts';
import { readPdf } from '../../support/read-pdf.ts';

/** Logos by their source: each starts a thread, and a loaded one is drawn as often as it is asked to. */
const loaded = new Map<string, Promise<Logo>>();

const TEXT = 'https://qr.example/aB3xY';
const svg = (inner: string, attributes = 'viewBox="0 0 10 10"') =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${attributes}>${inner}</svg>`;
const RED = svg('<circle cx="5" cy="5" r="5" fill="#c00"/>');

async function logoOf(source: string | Buffer): Promise<Logo> {
  const logo = await loadLogo(Buffer.from(source));
  return 'fault' in logo ? expect.fail(logo.fault) : logo;
}

const faultOf = async (source: string | Buffer) => {
  const logo = await loadLogo(Buffer.from(source));
  return 'fault' in logo ? logo.fault : undefined;
};

async function styleWith(source: string | Buffer, more: Partial<ImageStyle> = {}): Promise<ImageStyle> {
  const style = { sizeMm: 30, dpi: 150, quietZone: 4, level: 'H', color: BLACK, background: WHITE } as const;
  const key = String(source);
  const logo = loaded.get(key) ?? logoOf(source);
  loaded.set(key, logo);
  return { ...style, ...more, logo: await logo };
}

const encoded = (text = TEXT) => ({ text, modules: encodeText(text, 'H') ?? expect.fail() });

describe('a logo', () => {
  it.each(firstRows(2, IMAGE_FORMATS))(
    'in a different color changes the bytes of an image in %s format, and the code can still be decoded (I6)',
    async (format) => {
      const draw = async (style: ImageStyle) => {
        const drawn = await drawImage(encoded(), format, style);
        return 'fault' in drawn ? expect.fail(drawn.fault) : drawn.sha256;
      };
      const red = await draw(await styleWith(RED));
      expect(await draw(await styleWith(RED.replace('#c00', '#00c')))).not.toBe(red);
      expect(
        await draw(await styleWith(RED, { background: undefined, color: parseColor('#036') ?? BLACK })),
      ).not.toBe(red);
    },
  );

  it('is loaded in a thread that adds no error listeners to standard output and standard error', async () => {
    const listeners = () => [process.stdout, process.stderr].map((stream) => stream.listenerCount('error'));
    const before = listeners();
    for (let run = 0; run < 2; run++) await logoOf(RED);
    expect(listeners()).toEqual(before);
  });

  it("covers at most a fifth of the code's width in whole modules, and the modules behind the logo are light (I6)", async () => {
    for (const length of [1, 60, 400]) {
      const { modules } = encoded('x'.repeat(length));
      const plate = (await plateOf(modules, await styleWith(RED))) ?? expect.fail();
      expect(plate.across).toBeLessThanOrEqual(modules.size / 5);
      expect(plate.across).toBeGreaterThan(modules.size / 5 - 2.1);
      expect(plate.offset * 2 + plate.across).toBe(modules.size);
      const cleared = clearPlate(modules, await styleWith(RED));
      const isBelow = (x: number, y: number) =>
        Math.min(x, y) >= plate.offset && Math.max(x, y) < plate.offset + plate.across;
      const wrong = Array.from(
        { length: modules.size ** 2 },
        (_, at) => [at % modules.size, Math.floor(at / modules.size)] as const,
      ).filter(([x, y]) => cleared.isDark(x, y) !== (modules.isDark(x, y) && !isBelow(x, y)));
      expect(wrong).toEqual([]);
    }
  });

  it('keeps its aspect ratio, and the remaining area has the background color', async () => {
    const plate = await plateOf(
      encoded().modules,
      await styleWith(svg('<rect width="20" height="5" fill="#123456"/>', 'viewBox="0 0 20 5"')),
    );
    const { side = 0, rgb = Buffer.alloc(0), across = 1 } = plate ?? {};
    const at = (x: number, y: number) => rgb.toString('hex', 3 * (y * side + x), 3 * (y * side + x) + 3);
    const middle = side / 2;
    const margin = side / across / 2;
    expect([at(0, 0), at(middle, middle), at(middle, margin + 2), at(margin + 2, middle)]).toEqual([
      'ffffff',
      '123456',
      'ffffff',
      '123456',
    ]);
  });

  it('is embedded only once in a sheet with several labels', async () => {
    const grid = findGrid('L7160') ?? expect.fail();
    const layout = layOutLabel(grid.label, { caption: false, sizeMm: undefined }) ?? expect.fail();
    const image = await styleWith(RED, { sizeMm: layout.code.sizeMm });
    const labels = ['a', 'b', 'c'].map((slug) => ({
      ...encoded(`https://qr.example/${slug}`),
      caption: '',
      plain: slug,
    }));
    const sheet = await drawSheet(labels, { grid, layout, image, skipped: 0, outline: false, title: 'x' });
    if ('fault' in sheet) return expect.fail(sheet.fault);
    expect(readPdf(sheet.bytes)[0]?.overlays).toHaveLength(3);
    expect(sheet.bytes.toString('latin1').match(/\/Subtype \/Image/g)).toHaveLength(1);
  });

  it("is refused if the code can't be decoded with the logo (I1)", async () => {
    // As large as a person would like it, and three times what is allowed.
    const { modules, text } = encoded();
    const broken = {
      ...modules,
      isDark: (x: number, y: number) => (x > 4 && x < 20 && y > 6 && y < 20 ? false : modules.isDark(x, y)),
    };
    expect(await drawImage({ text, modules: broken }, 'png', await styleWith(RED))).toHaveProperty('fault');
  });
});

describe('a logo without a code', () => {
  it('is drawn with its transparency, as large as the requested box allows', async () => {
    const drawn = await drawLogo(
      Buffer.from(svg('<rect width="5" height="5" fill="#f00" fill-opacity=".5"/>', 'viewBox="0 0 10 5"')),
      20,
    );
    if ('fault' in drawn) throw new Error(drawn.fault);
    expect([drawn.width, drawn.height]).toEqual([20, 10]);
    expect([...drawn.rgba.subarray(0, 4)]).toEqual([255, 0, 0, 128]);
    expect([...drawn.rgba.subarray(76, 80)]).toEqual([0, 0, 0, 0]);
    expect(await drawLogo(Buffer.from(formatRendering(drawn)), 20)).toEqual(drawn);
  });

  it('is refused if it is not an image', async () => {
    expect(await drawLogo(Buffer.from('no image'), 20)).toHaveProperty('fault');
  });
});

describe('a logo file', () => {
  it('may be an SVG with shapes, gradients and clips, as exported by drawing programs', async () => {
    const gradient =
      '<linearGradient id="g"><stop stop-color="red"/><stop offset="1" stop-color="blue"/></linearGradient>';
    const clip = '<clipPath id="c"><rect width="9" height="9"/></clipPath>';
    const style = '<style>.a{fill:url(#g)}</style>';
    const inkscape = '<x:namedview xmlns:x="http://inkscape.example"><x:grid type="xygrid"/></x:namedview>';
    for (const source of [
      `<?xml version="1.0"?>\n<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">\n${RED}`,
      svg(
        `<defs>${gradient}${clip}${style}</defs><g clip-path="url(#c)"><path class="a" d="M0 0h9v9z"/></g>`,
      ),
      svg(`${inkscape}<path style="fill:#0a0;stroke-dasharray:none;marker:none;filter:none" d="M0 0h9v9z"/>`),
    ]) {
      expect(await faultOf(source)).toBeUndefined();
    }
  });

  it.each([
    ['<script>alert(1)</script>', /^contains <script>/],
    ['<image href="file:///etc/passwd" width="9" height="9"/>', /^contains <image>/],
    ['<x:use xmlns:x="http://www.w3.org/2000/svg" href="#a"/>', /^contains <use>/],
    [
      '<foreignObject><p xmlns="http://www.w3.org/1999/xhtml">x</p></foreignObject>',
      /^contains <foreignObject>/,
    ],
    ['<text>logo</text>', /^contains <text>.*convert the logo to paths/],
    ['<pattern id="p"/>', /^contains <pattern>/],
    ['<path fill="url(http://x.example/#g)" d="M0 0h9v9z"/>', /^contains a link/],
    ['<path style="stroke-dasharray:0.0001" stroke="red" d="M0 0h9v9z"/>', /^contains stroke-dasharray/],
    ['<path d="M0 0h9v9z"', /^is not well-formed XML/],
    ['', /^is blank or damaged/],
  ])('is refused with the content %s (I7)', async (inner, message) => {
    expect(await faultOf(svg(inner))).toMatch(message);
  });

  it('is refused if it declares entities, is another kind of file, or is damaged (I7)', async () => {
    const laughs = `<!DOCTYPE svg [<!ENTITY a "ha"><!ENTITY b "${'&a;'.repeat(10)}">]>`;
    expect(await faultOf(`${laughs}${RED}`)).toMatch(/^declares entities/);
    expect(await faultOf('GIF89a')).toBe('is neither a PNG nor an SVG file');
    expect(await faultOf('')).toBe('is neither a PNG nor an SVG file');
    const png = formatPlate((await plateOf(encoded().modules, await styleWith(RED))) ?? expect.fail());
    expect(await faultOf(png)).toBeUndefined();
    // It says to be small, and unpacks to much: what is not of its rows is not read.
    const bomb = Buffer.concat([png.subarray(0, 33), chunkOf('IDAT', deflateSync(Buffer.alloc(2 ** 24)))]);
    expect(await faultOf(bomb)).toMatch(/^is blank or damaged|^cannot be drawn/);
  });

  // By the built command: commands/qr-image.test.ts.
  it.runIf(SOAK)(
    'is refused if drawing it takes more than 5 s of processor time, and the event loop keeps running (I7)',
    async () => {
      const slow = svg('<g opacity=".9"><path d="M0 0h9v9z"/></g>'.repeat(1600));
      const logo = await logoOf(slow);
      let turns = 0;
      const timer = setInterval(() => turns++, 10);
      await expect(logo.render(1200, WHITE)).rejects.toThrow(
        'the logo takes more than 5 s to draw at 1200 pixels',
      );
      clearInterval(timer);
      expect(turns).toBeGreaterThan(50);
      // And the next is not drawn either.
      await expect(logo.render(10, WHITE)).rejects.toThrow('takes more than 5 s');
    },
  );

  it('is accepted even if it declares a size of 1e9', async () => {
    expect(
      await faultOf(svg('<rect width="9e8" height="9e8"/>', 'width="1e9" height="1e9"')),
    ).toBeUndefined();
  });
});

/** Without its checksum: nothing of it is to be believed. */
function chunkOf(name: string, data: Buffer): Buffer {
  const bytes = Buffer.alloc(data.length + 12);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(name, 4, 'latin1');
  data.copy(bytes, 8);
  return bytes;
}
