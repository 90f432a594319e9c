/** Checks SVGs: allows only elements that are drawn in linear time, load no files and run no scripts. */
import { Parser } from 'saxen';
import { formatCount } from '#base/text/quote';

const ALLOWED = new Set(
  (
    'svg g defs title desc metadata style clipPath path rect circle ellipse line polyline polygon ' +
    'linearGradient radialGradient stop'
  ).split(' '),
);

const REPEATING = 'filter mask marker marker-start marker-mid marker-end stroke-dasharray'.split(' ');

const MOST_ELEMENTS = 5000;
const MOST_DEPTH = 50;
/**
 * Maximum product of segments in the largest clip and uses of clips, because each use may draw all of them.
 */
const MOST_CLIPPED_SEGMENTS = 200_000;

/** Maximum value of a number in a path. An arc with a radius of 10^25 is drawn in over 100,000 pieces. */
const LARGEST_COORDINATE = 1e9;

const NAMESPACES = { 'http://www.w3.org/2000/svg': 'svg', 'http://www.w3.org/1999/xlink': 'xlink' };

/** I7: returns the reason to refuse an SVG, or undefined if it is safe to draw. */
export function findSvgFault(text: string): string | undefined {
  const open: string[] = [];
  let elements = 0;
  let fault: string | undefined;
  const clips = { segments: 0, most: 0, uses: 0 };
  const refuse = (why: string | undefined) => {
    fault ??= why;
  };
  const checkStyleSheet = (css: string) => {
    if (open.at(-1) === 'svg:style')
      refuse(faultOfStyle(css, false) ?? (/clip-path/i.test(css) ? faultOf('clip-path') : undefined));
  };
  new Parser()
    .ns(NAMESPACES)
    .on('attention', (declaration) => {
      if (/\[|ENTITY/i.test(declaration)) refuse('declares entities, which are not supported in a logo');
    })
    .on('openTag', (name, attributes, decode) => {
      open.push(name);
      elements++;
      if (elements === 1 && name !== 'svg:svg') refuse('is not SVG');
      if (elements > MOST_ELEMENTS) refuse(`has more than ${MOST_ELEMENTS} elements`);
      if (open.length > MOST_DEPTH) refuse(`nests elements more than ${MOST_DEPTH} levels deep`);
      // Skips elements in the namespaces of drawing programs, because they are not drawn.
      if (fault !== undefined || !name.startsWith('svg:')) return;
      const element = name.slice('svg:'.length);
      if (!ALLOWED.has(element)) return refuse(faultOf(`<${element.slice(0, 40)}>`));
      const isClip = open.includes('svg:clipPath');
      if (element === 'clipPath') clips.segments = 0;
      for (const [key, raw] of Object.entries(attributes())) {
        const value = decode(raw);
        refuse(faultOfAttribute(key, value, isClip));
        if (/^clip-path$|clip-path\s*:/i.test(key === 'style' ? value : key)) clips.uses++;
        if (isClip) clips.segments += segmentsOf(key, value);
      }
      clips.most = Math.max(clips.most, clips.segments);
    })
    .on('closeTag', () => {
      open.pop();
    })
    .on('text', (css, decode) => checkStyleSheet(decode(css)))
    .on('cdata', checkStyleSheet)
    .on('error', () => refuse('is not well-formed XML'))
    .parse(text);
  const drawn = clips.most * clips.uses;
  const limit = formatCount(MOST_CLIPPED_SEGMENTS);
  if (drawn > MOST_CLIPPED_SEGMENTS)
    refuse(`draws ${formatCount(drawn)} path segments in clips (limit: ${limit})`);
  return elements === 0 ? (fault ?? 'is not SVG') : fault;
}

function segmentsOf(key: string, value: string): number {
  if (key !== 'd' && key !== 'points') return 1;
  return Math.ceil((value.match(/\d*\.\d+|\d+/g)?.length ?? 0) / 2);
}

function faultOf(what: string): string {
  return `contains ${what}, but a logo supports only shapes, gradients and clips; convert the logo to paths, or save it as PNG`;
}

function faultOfAttribute(key: string, value: string, isClip: boolean): string | undefined {
  if (key === 'style') return faultOfStyle(value, isClip);
  if (key === 'd' && hasLargeNumber(value)) return `has coordinates above ${formatCount(LARGEST_COORDINATE)}`;
  if (/(^|:)href$/.test(key) && !value.startsWith('#')) return faultOf('a link');
  return faultOfProperty(key, value, isClip);
}

function hasLargeNumber(path: string): boolean {
  const numbers = path.match(/(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?/gi) ?? [];
  return numbers.some((number) => Number(number) > LARGEST_COORDINATE);
}

/** Finds a fault in CSS. Refuses comments and escapes, because they could hide the name of a property. */
function faultOfStyle(css: string, isClip: boolean): string | undefined {
  if (/\\|\/\*|@import/i.test(css)) return faultOf('CSS with escapes, comments or imports');
  for (const [, name = '', value = ''] of css.matchAll(/([-\w]+)\s*:([^;}]*)/g)) {
    const fault = faultOfProperty(name.toLowerCase(), value.trim(), isClip);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function faultOfProperty(name: string, value: string, isClip: boolean): string | undefined {
  if (value === 'none') return undefined;
  // Refuses repeating properties and nested clips, because they multiply the drawing cost.
  if (REPEATING.includes(name) || (isClip && name === 'clip-path')) return faultOf(name);
  return /url\((?!\s*["']?#)/i.test(value) ? faultOf('a link') : undefined;
}
