import { describe, expect, it } from 'vitest';
import { UsageError } from '#base/errors';
import type { RunFacts } from '#base/run/run-summary';
import { encodeText } from '#codes/images/encode';
import {
  type EncodedCode,
  type EncodedCodes,
  encodeCodes,
  refuseUnprintable,
} from '#codes/images/encode-codes';
import type { ImageFormat, ImageStyle } from '#codes/images/image-style';
import type { QrCode } from '#service/shapes';
import { idOf, codeOf as listedCode } from '../engine/plan/make.ts';
import { STYLE } from './style.ts';

const codeOf = (n: number, more: Partial<QrCode> = {}) => listedCode(n, { slug: `s${n}`, ...more });
const TEMPLATE = 'https://qr.example/{slug}';
const LONG_SLUG = 'x'.repeat(40);

interface Options {
  style?: Partial<ImageStyle>;
  template?: string;
  formats?: readonly ImageFormat[];
  signal?: AbortSignal;
}

function encode(
  codes: readonly QrCode[],
  { style, template = TEMPLATE, formats = ['png'], signal }: Options = {},
) {
  return encodeCodes(
    { signal: signal ?? new AbortController().signal },
    codes,
    template,
    { ...STYLE, ...style },
    formats,
  );
}

describe('codes to be drawn', () => {
  it('are encoded in order, each with its own address', async () => {
    const codes = [codeOf(1), codeOf(2, { slug: 'a b' })];
    const { encoded, refusals, warnings } = await encode(codes);
    expect(encoded.map(({ code, text, refusal }) => ({ code, text, refusal }))).toEqual([
      { code: codes[0], text: 'https://qr.example/s1', refusal: undefined },
      { code: codes[1], text: 'https://qr.example/a%20b', refusal: undefined },
    ]);
    expect(encoded.map(({ modules }) => modules.size)).toEqual([25, 25]);
    expect([refusals, warnings]).toEqual([[], []]);
  });

  it('are returned with the refusals and warnings for their common style, and each may have its own refusal', async () => {
    const codes = [codeOf(1), codeOf(2, { slug: LONG_SLUG }), codeOf(3)];
    const { encoded, refusals, warnings } = await encode(codes, {
      style: { sizeMm: 12, background: undefined },
    });
    expect(refusals).toEqual([]);
    expect(encoded.map(({ refusal }) => refusal)).toEqual([
      undefined,
      expect.stringContaining('3.4 printer dots'),
      undefined,
    ]);
    const small = 'modules are 0.36 mm wide; at least 0.4 mm is recommended';
    expect(warnings).toEqual([`${small} (2 of 3 codes)`]);
    expect((await encode(codes.slice(0, 1), { style: { sizeMm: 12 } })).warnings).toEqual([small]);
    expect((await encode(codes, { style: { quietZone: 3 } })).refusals).toHaveLength(1);
  });

  it.each([
    ['M', undefined, ', or add --ecc L for less error correction'],
    ['L', undefined, ''],
    ['H', { render: () => expect.fail() }, ''],
  ] as const)(
    'at level %s are refused, with a hint, if an address does not fit',
    async (level, logo, alternative) => {
      const template = `https://qr.example/${'x'.repeat(3000)}/{slug}`;
      await expect(encode([codeOf(1)], { style: { level, logo }, template })).rejects.toEqual(
        new UsageError(
          `cannot encode the address of s1: 3,022 characters don't fit in a QR code at level ${level}`,
          {
            hint: `Use a shorter --short-url${alternative}.`,
          },
        ),
      );
    },
  );

  it('are refused above 6,000 pixels per side, but only as PNG', async () => {
    const atLimit = { quietZone: 0, sizeMm: 508 };
    expect((await encode([codeOf(1)], { style: atLimit })).encoded).toHaveLength(1);
    const style = { quietZone: 0, sizeMm: 510 };
    expect((await encode([codeOf(1)], { style, formats: ['svg', 'pdf', 'eps'] })).encoded).toHaveLength(1);
    await expect(encode([codeOf(1)], { style, formats: ['svg', 'png'] })).rejects.toEqual(
      new UsageError('cannot draw a PNG of 510 mm at 300 dpi: it would be 6,025 pixels wide (limit: 6,000)', {
        hint: 'Draw the code as SVG, PDF or EPS, or lower --dpi.',
      }),
    );
  });

  it('are encoded in groups of 200, and no further group is encoded after an abort', async () => {
    const abort = new AbortController();
    let encoded = 0;
    const counted = Array.from({ length: 401 }, (_, n) =>
      Object.defineProperty(codeOf(n), 'slug', { get: () => `s${encoded++}` }),
    );
    const encoding = encode(counted, { signal: abort.signal });
    setImmediate(() => abort.abort(new Error('interrupted')));
    await expect(encoding).rejects.toThrow('interrupted');
    expect(encoded).toBe(200);
  });
});

describe('refuseUnprintable', () => {
  const modules = encodeText('x', 'M') ?? expect.fail();
  const coded = (n: number, refusal?: string): EncodedCode => ({
    code: codeOf(n),
    text: 'x',
    modules,
    refusal,
  });

  /** Runs it with what it printed, and the problems for annotations. */
  function refuse(codes: Partial<EncodedCodes>, force = false) {
    const lines: string[] = [];
    const facts: RunFacts = {
      problemsOfCode: (id, message) => [{ file: undefined, message: `${id}: ${message}` }],
    };
    let error: unknown;
    try {
      refuseUnprintable(
        { console: { warn: (line) => lines.push(line) }, facts },
        { encoded: [], refusals: [], warnings: [], ...codes },
        force,
      );
    } catch (thrown) {
      error = thrown;
    }
    return { lines, error, problems: facts.problems };
  }

  const refusalOf = (reasons: string) =>
    new UsageError(`the printed code may not scan: ${reasons}`, {
      hint: 'Add --force to draw the code anyway, or --dry-run to list the codes that fail.',
    });

  it('accepts codes that violate no rule, and prints their warnings', () => {
    const nothing = { error: undefined, problems: undefined };
    expect(refuse({ encoded: [coded(1)] })).toEqual({ ...nothing, lines: [] });
    expect(refuse({ encoded: [coded(1)], warnings: ['a', 'b'] })).toEqual({ ...nothing, lines: ['a', 'b'] });
  });

  it('refuses codes with all common reasons, and names the first code with a reason of its own (I3)', () => {
    const encoded = [coded(1), coded(2, 'too small'), coded(3, 'too large')];
    const { error, lines, problems } = refuse({
      encoded,
      refusals: ['no contrast', 'no margin'],
      warnings: ['a'],
    });
    expect(error).toEqual(refusalOf('no contrast; no margin; too small (s2 and 1 other code)'));
    expect(lines).toEqual([]);
    expect(problems?.map(({ message }) => message)).toEqual([
      `${idOf(2)}: the printed code may not scan: too small`,
      `${idOf(3)}: the printed code may not scan: too large`,
    ]);
    expect(refuse({ encoded: encoded.slice(0, 2) }).error).toEqual(refusalOf('too small (s2)'));
    expect(refuse({ encoded: [...encoded, coded(4, 'x')] }).error).toEqual(
      refusalOf('too small (s2 and 2 other codes)'),
    );
    expect(refuse({ refusals: ['no contrast'] }).error).toEqual(refusalOf('no contrast'));
  });

  it('accepts all codes with --force, and prints the warnings and the reasons', () => {
    const all = { encoded: [coded(1, 'too small')], refusals: ['no contrast'], warnings: ['a'] };
    expect(refuse(all, true)).toEqual({
      error: undefined,
      problems: undefined,
      lines: ['a', 'no contrast; too small (s1)'],
    });
  });
});
