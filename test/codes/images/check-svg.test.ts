import { describe, expect, it } from 'vitest';
import { findSvgFault } from '#codes/images/check-svg';

const svg = (inner: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 9 9">${inner}</svg>`;
const pathOf = (data: string) => `<path d="${data}"/>`;

describe('an SVG is accepted', () => {
  it.each([
    [
      'with a link to a part of itself',
      '<linearGradient id="a"/><linearGradient xlink:href="#a"/><linearGradient href="#a"/>',
    ],
    [
      'with a quoted link to a part of itself',
      `<path fill='url("#a")'/><path style="fill:url( '#a')"/><path fill="url(#a)"/>`,
    ],
    ['with an attribute that only begins like a link', '<path hreflang="en"/>'],
    [
      'with properties whose value is none',
      '<path style="filter: none ; marker : none;stroke-dasharray:none" mask="none"/>',
    ],
    [
      'with text that only looks like a style sheet',
      '<title>filter:url(#a)</title><desc>@import, clip-path</desc>',
    ],
    ['with a style sheet', '<defs><style>.a { fill: url(#a) } .b{filter:none}</style></defs>'],
    ['with private data', '<x:filter xmlns:x="http://x.example" x:href="http://x.example"/>'],
    ['with descriptions', '<title>a</title><desc>b</desc><metadata>c</metadata><defs/><style/><g/>'],
    ['with a large number that is not a path coordinate', '<rect width="1e10"/>'],
  ])('%s', (_, inner) => {
    expect(findSvgFault(svg(inner))).toBeUndefined();
  });

  it('with a document type that declares no entities', () => {
    expect(findSvgFault(`<!DOCTYPE svg SYSTEM "svg.dtd">${svg('')}`)).toBeUndefined();
  });

  it.each(['1000000000', '1e9', '.12e9', '.1e10', '1e-10', '999999999.9', '12.5e7', '10e-9999999999'])(
    'with the coordinate %s',
    (number) => {
      expect(findSvgFault(svg(pathOf(`M0 0h${number}`)))).toBeUndefined();
    },
  );
});

describe('an SVG is refused', () => {
  it.each([
    ['filter', '<path style="fill:red; Filter:url(#a)"/>'],
    ['filter', '<defs><style>.a{fill:red}.b{fill:red;filter:url(#a)}</style></defs>'],
    ['filter', '<style><![CDATA[.a{filter:url(#a)}]]></style>'],
    ['clip-path', '<style>.a{CLIP-PATH:url(#a)}</style>'],
    ['clip-path', '<clipPath id="a"><rect style="clip-path:url(#b)"/></clipPath>'],
    ['clip-path', '<clipPath id="a"><rect clip-path="url(#b)"/></clipPath>'],
    ['CSS with escapes, comments or imports', '<path style="f\\69lter:url(#a)"/>'],
    ['CSS with escapes, comments or imports', '<style>/* a */</style>'],
    ['CSS with escapes, comments or imports', '<style>@IMPORT "a.css"</style>'],
    ['a link', '<path fill="url(a#)"/>'],
    ['a link', '<path fill="url(a.svg#a)"/>'],
    ['a link', '<linearGradient href="a#"/>'],
    ['a link', '<linearGradient xlink:href="http://x.example/#a"/>'],
    ['a link', '<style>.a{fill:red;stroke:URL(http://x.example/)}</style>'],
    [`<${'x'.repeat(40)}>`, `<${'x'.repeat(41)}/>`],
  ])('for %s in %s (I7)', (what, inner) => {
    expect(findSvgFault(svg(inner))).toBe(
      `contains ${what}, but a logo supports only shapes, gradients and clips; convert the logo to paths, or save it as PNG`,
    );
  });

  it.each(['1000000001', '1e10', '1E+10', '12.5e9', '.5e10', '1000000000.5'])(
    'for the coordinate %s (I7)',
    (number) => {
      expect(findSvgFault(svg(pathOf(`M0 0h${number}`)))).toBe('has coordinates above 1,000,000,000');
    },
  );

  it('for more than 5000 elements, or more than 50 nested levels (I7)', () => {
    expect(findSvgFault(svg('<g/>'.repeat(4999)))).toBeUndefined();
    expect(findSvgFault(svg('<g/>'.repeat(5000)))).toBe('has more than 5000 elements');
    const nested = (depth: number) => svg('<g>'.repeat(depth - 1) + '</g>'.repeat(depth - 1));
    expect(findSvgFault(nested(50))).toBeUndefined();
    expect(findSvgFault(nested(51))).toBe('nests elements more than 50 levels deep');
  });

  it('if it is not SVG or XML, contains other elements or declares entities, with a message about the first fault', () => {
    for (const text of ['<?xml version="1.0"?>', '<svg/>', '<html xmlns="http://www.w3.org/2000/svg"/>']) {
      expect(findSvgFault(text)).toBe('is not SVG');
    }
    for (const text of ['', 'text', svg('<g>')]) expect(findSvgFault(text)).toBe('is not well-formed XML');
    expect(findSvgFault(svg('<use/><image/>'))).toMatch(/^contains <use>/);
    expect(findSvgFault(`<!DOCTYPE svg [<!ENTITY a "b">]>${svg('<use/>')}`)).toMatch(/^declares entities/);
  });
});

describe('the clips in an SVG', () => {
  /** Uses that make it more than 200,000 segments for certain; the fault tells how many a clip has. */
  const segmentsOf = (clip: string, uses = 1000, use = 'clip-path="url(#a)"') => {
    const fault = findSvgFault(svg(clip + `<path ${use}/>`.repeat(uses))) ?? '';
    return (
      Number(
        /^draws ([\d,]+) path segments in clips \(limit: 200,000\)$/.exec(fault)?.[1]?.replaceAll(',', ''),
      ) / uses
    );
  };
  const long = (segments: number) => pathOf(`M${' 1 2'.repeat(segments)}`);
  const clip = (inner: string) => `<clipPath>${inner}</clipPath>`;

  it('count as one segment per two numbers in a path or polygon, and one per other attribute (I7)', () => {
    expect(segmentsOf(clip(long(300)))).toBe(300);
    expect(segmentsOf(clip(`${long(300)}<polygon points="1 2 3,4 5"/><circle r="1234"/>`))).toBe(304);
    expect(segmentsOf(clip(`${long(300)}${pathOf('M.5.25-.125.5 12.75 123')}`))).toBe(303);
    expect(segmentsOf(clip(`${long(300)}${pathOf('M12.75 10.5 7.5')}`))).toBe(302);
    expect(segmentsOf(`<clipPath id="a">${long(299)}<rect width="1" height="1"/></clipPath>`)).toBe(302);
  });

  it('count as the number of segments in the longest clip times the number of uses of any clip (I7)', () => {
    expect(segmentsOf(clip(long(300)) + clip(long(400)) + clip(long(350)) + long(900))).toBe(400);
    expect(segmentsOf(clip(long(200)))).toBeNaN();
    expect(segmentsOf(clip(long(200)), 1001)).toBe(200);
    for (const use of [
      'style="fill:red;clip-path : url(#a)"',
      'style="clip-path:url(#a)"',
      'Clip-Path="url(#a)"',
    ]) {
      expect(segmentsOf(clip(long(300)), 1000, use)).toBe(300);
    }
    for (const use of [
      'data-clip-path="a"',
      'clip-path-a="a"',
      'clip-rule="evenodd"',
      'style="clip-rule:evenodd"',
    ]) {
      expect(segmentsOf(clip(long(300)), 1000, use)).toBeNaN();
    }
  });
});
