/** Our sheets of labels beside the grids that two other programs bring, where they are installed: LibreOffice and gLabels (Debian). */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findGrid, type LabelGrid, placesOf, SHEET_NUMBERS } from '#codes/images/label-grids';

/** In mm; pitch is from label to label. */
interface Published {
  readonly columns: number;
  readonly rows: number;
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly top: number;
  readonly across: number;
  readonly down: number;
}

const TOLERANCE_MM = 0.5;
const LIBREOFFICE = '/usr/lib/libreoffice/share/labels/labels.xml';
const GLABELS = '/usr/share/libglabels-3.0/templates';

/** Tells where one of them has a label elsewhere, and gives how many sheets none of them has as we do. */
export function compareLabelSheets(): number {
  const sources = { LibreOffice: libreOfficeGrids(), gLabels: glabelsGrids() };
  const agreeing = new Set<string>();
  const compared = new Set<string>();
  for (const [source, grids] of Object.entries(sources)) {
    const distances = SHEET_NUMBERS.flatMap((number) => {
      const [published, grid] = [grids.get(number), findGrid(number)];
      return published && grid ? [{ number, key: JSON.stringify(grid), off: farthest(grid, published) }] : [];
    });
    const far = distances.filter(({ off }) => off > TOLERANCE_MM);
    for (const { key, off } of distances) {
      compared.add(key);
      if (off <= TOLERANCE_MM) agreeing.add(key);
    }
    const shown = far.map(({ number, off }) => `${number} by ${off.toFixed(2)}`).join(', ');
    console.log(
      `sheets by ${source}: ${distances.length} compared, ${far.length} differ by more than ${TOLERANCE_MM} mm: ${shown}`,
    );
  }
  const wrong = [...compared].filter((key) => !agreeing.has(key));
  console.log(`sheets: ${compared.size} grids compared, ${wrong.length} match neither program`);
  return wrong.length;
}

/** Of all edges of all labels. */
function farthest(grid: LabelGrid, published: Published): number {
  const { columns, rows, width, height, left, top, across, down } = published;
  if (columns !== grid.columns || rows !== grid.rows) return Number.POSITIVE_INFINITY;
  const { widthMm, heightMm } = grid.label;
  const distances = [...placesOf(grid)].flatMap(({ xMm, yMm }, at) => {
    const [x, y] = [left + (at % columns) * across, top + Math.floor(at / columns) * down];
    return [xMm - x, yMm - y, xMm + widthMm - x - width, yMm + heightMm - y - height];
  });
  return Math.max(...distances.map(Math.abs));
}

/** `S;pitch across;pitch down;width;height;left;top;columns;rows;page width;page height` in hundredths of a millimeter. */
function libreOfficeGrids(): Map<string, Published> {
  const grids = new Map<string, Published>();
  if (!existsSync(LIBREOFFICE)) return grids;
  let maker = '';
  const entries = /<manufacturer name="([^"]*)"|<name>([^<]*)<\/name>\s*<measure>S;([^<]*)/g;
  for (const [, named, name = '', measure = ''] of readFileSync(LIBREOFFICE, 'utf8').matchAll(entries)) {
    if (named !== undefined) {
      maker = named;
      continue;
    }
    const values = measure.split(';').map(Number);
    const [across = 0, down = 0, width = 0, height = 0, left = 0, top = 0] = values.map(
      (value) => value / 100,
    );
    const [columns = 0, rows = 0, pageWidth = 0, pageHeight = 0] = values.slice(6);
    const number = name.split(' ', 1)[0] ?? '';
    if (!/^Avery/.test(maker) || grids.has(number)) continue;
    const upright = { across, down, width, height, left, top, columns, rows };
    // L7169 lies on its side there.
    const turned = {
      across: down,
      down: across,
      width: height,
      height: width,
      left: top,
      top: left,
      columns: rows,
      rows: columns,
    };
    grids.set(number, pageWidth > pageHeight ? turned : upright);
  }
  return grids;
}

const MM: Readonly<Record<string, number>> = { mm: 1, cm: 10, in: 25.4, pt: 25.4 / 72, '': 25.4 / 72 };

function millimeters(text: string | undefined): number {
  const [, number = '', unit = ''] = /^([\d.]+)(\w*)$/.exec(text ?? '') ?? [];
  return Number(number) * (MM[unit] ?? Number.NaN);
}

function glabelsGrids(): Map<string, Published> {
  const grids = new Map<string, Published>();
  if (!existsSync(GLABELS)) return grids;
  const equivalents = new Map<string, string>();
  for (const file of readdirSync(GLABELS).filter((name) => /^(avery|zweckform)-/.test(name))) {
    const text = readFileSync(join(GLABELS, file), 'utf8');
    for (const [, head = '', body] of text.matchAll(/<Template ([^>]*?)(?:\/>|>([\s\S]*?)<\/Template>)/g)) {
      const part = attribute(head, 'part') ?? '';
      const equivalent = attribute(head, 'equiv');
      if (equivalent !== undefined) equivalents.set(part, equivalent);
      const label = /<Label-rectangle ([^>]*)>[\s\S]*?<Layout ([^>]*)\/>/.exec(body ?? '');
      if (!label) continue;
      const [, size = '', layout = ''] = label;
      grids.set(part, {
        columns: Number(attribute(layout, 'nx')),
        rows: Number(attribute(layout, 'ny')),
        width: millimeters(attribute(size, 'width')),
        height: millimeters(attribute(size, 'height')),
        left: millimeters(attribute(layout, 'x0')),
        top: millimeters(attribute(layout, 'y0')),
        across: millimeters(attribute(layout, 'dx')),
        down: millimeters(attribute(layout, 'dy')),
      });
    }
  }
  for (const [part, equivalent] of equivalents) {
    const grid = grids.get(equivalent);
    if (grid && !grids.has(part)) grids.set(part, grid);
  }
  return grids;
}

function attribute(text: string, name: string): string | undefined {
  return new RegExp(`\\b${name}="([^"]*)"`).exec(text)?.[1];
}
