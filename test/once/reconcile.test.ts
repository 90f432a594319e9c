import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reconcile, type UnknownRow, valuesKey } from '../../src/once/reconcile.ts';
import type { QrCode } from '../../src/service/shapes.ts';

const T0 = Date.UTC(2026, 0, 1);

function code(id: string, atMs: number, name = 'a', more: Partial<QrCode> = {}): QrCode {
  const at = new Date(T0 + atMs).toISOString();
  return {
    id,
    slug: `s-${id}`,
    name,
    type: 'url',
    destination: 'https://x.de',
    status: 'active',
    created_at: at,
    updated_at: at,
    ...more,
  };
}

/** A row sent at `from`, its answer lost a second later. */
function row(number: number, from: number, name = 'a', more: Partial<UnknownRow['bounds']> = {}): UnknownRow {
  const bounds = {
    doubtfulFromMs: T0 + from - 50,
    fromMs: T0 + from,
    toMs: T0 + from + 1000,
    untilMs: T0 + from + 1000,
    measured: true,
    ...more,
  };
  return { row: number, code: { name, destination: 'https://x.de' }, bounds, foreignIds: new Set() };
}

function inShort(unknown: UnknownRow[], listing: QrCode[], claimed: string[] = []) {
  const { adopted, absent, undecided } = reconcile(unknown, listing, new Set(claimed));
  return {
    adopted: adopted.map((entry) => `${entry.row}=${entry.code.id}`).sort(),
    absent: absent.map((entry) => entry.row),
    undecided: undecided.map((entry) => `${entry.row}?${entry.candidates.map(({ id }) => id).join('|')}`),
  };
}

describe('reconciling', () => {
  it('adopts the one code there is, and sends again what has none', () => {
    expect(inShort([row(1, 0), row(2, 0, 'b')], [code('x', 10)])).toEqual({ adopted: ['1=x'], absent: [2], undecided: [] });
  });

  it('deals as many codes as there are among rows with the same values', () => {
    const twins = [row(1, 0), row(2, 0), row(3, 0)];
    expect(inShort(twins, [code('x', 10), code('y', 20)])).toEqual({ adopted: ['1=x', '2=y'], absent: [3], undecided: [] });
  });

  it('asks where there is a code too many (O8)', () => {
    expect(inShort([row(1, 0)], [code('x', 10), code('y', 20)]).undecided).toEqual(['1?x|y']);
  });

  it.each([
    ['older', code('x', -51)],
    ['younger than any late write', code('x', 1001)],
    ['of another name', code('x', 10, 'b')],
    ['of another type', code('x', 10, 'a', { type: 'menu' })],
    ['of another destination', code('x', 10, 'a', { destination: 'https://y.de' })],
    ['without destination', code('x', 10, 'a', { destination: null })],
  ])('leaves a code alone that is %s (O6)', (_, other) => {
    expect(inShort([row(1, 0)], [other])).toEqual({ adopted: [], absent: [1], undecided: [] });
  });

  it('leaves codes alone that other rows have, or that are known not to be the row’s (O10, O11)', () => {
    expect(inShort([row(1, 0)], [code('x', 10)], ['x']).absent).toEqual([1]);
    expect(inShort([{ ...row(1, 0), foreignIds: new Set(['x']) }], [code('x', 10)]).absent).toEqual([1]);
  });

  it('knows a code again that the service has tidied (O6)', () => {
    const sent = { ...row(1, 0), code: { name: ' Cafe\u0301 ', destination: 'HTTPS://Example.com' } };
    expect(inShort([sent], [code('x', 10, 'Caf\u00e9', { destination: 'https://example.com/' })]).adopted).toEqual(['1=x']);
  });

  it('prefers the row whose values a code has to the letter', () => {
    const rows = [row(1, 0), { ...row(2, 0), code: { name: 'a', destination: 'https://x.de/' } }];
    expect(inShort(rows, [code('x', 10, 'a', { destination: 'https://x.de/' })])).toMatchObject({
      adopted: ['2=x'],
      absent: [1],
    });
  });

  it('keeps apart what was sent at different times: a code too many in one hour says nothing about another', () => {
    const hour = 3_600_000;
    const listing = [code('x', 10), code('y', 20), code('z', hour + 10)];
    expect(inShort([row(1, 0), row(2, hour), row(3, 2 * hour)], listing)).toEqual({
      adopted: ['2=z'],
      absent: [3],
      undecided: ['1?x|y'],
    });
  });

  it('finds the one way to deal out codes that fit some rows only', () => {
    const rows = [row(1, 0, 'a', { toMs: T0 + 5000, untilMs: T0 + 5000 }), row(2, 0)];
    expect(inShort(rows, [code('x', 10), code('y', 3000)]).adopted).toEqual(['1=y', '2=x']);
  });

  it('asks about a code that only a wrong clock could make the row’s (O9)', () => {
    expect(inShort([row(1, 0)], [code('x', -20)]).undecided).toEqual(['1?x']);
    expect(inShort([row(1, 0)], [code('x', -20), code('y', 10)]).adopted).toEqual(['1=y']);
    const vague = { measured: false, doubtfulFromMs: T0 - 10 ** 8 };
    expect(inShort([row(1, 0, 'a', vague)], [code('x', -60_000), code('y', 10)]).undecided).toEqual(['1?y|x']);
    expect(inShort([row(1, 0)], [code('x', 10, 'a', { created_at: 'soon' })]).undecided).toEqual(['1?x']);
  });

  it('takes a time in whole seconds for any moment of its second', () => {
    const at = new Date(T0 + 5000).toISOString().replace('.000', '');
    expect(inShort([row(1, 5400)], [code('x', 0, 'a', { created_at: at })]).adopted).toEqual(['1=x']);
  });
});

describe('whatever the rows and codes', () => {
  const names = fc.constantFrom('a', 'b');
  const rows = fc.array(fc.tuple(fc.integer({ min: 0, max: 4000 }), names), { maxLength: 7 });
  const codes = fc.array(fc.tuple(fc.integer({ min: -1000, max: 6000 }), names, fc.boolean()), { maxLength: 7 });

  it('says one thing of each row, gives no code twice, and none to a row it cannot be of', () => {
    fc.assert(
      fc.property(rows, codes, (sent, made) => {
        const unknown = sent.map(([from, name], index) => row(index + 1, from, name));
        const listing = made.map(([at, name], index) => code(`c${index}`, at, name));
        const claimed = new Set(listing.filter((_, index) => made[index]?.[2]).map(({ id }) => id));
        const { adopted, absent, undecided } = reconcile(unknown, listing, claimed);
        const said = [...adopted, ...absent, ...undecided].map((entry) => entry.row).sort((a, b) => a - b);
        expect(said).toEqual(unknown.map((entry) => entry.row));
        expect(new Set(adopted.map((entry) => entry.code.id)).size).toBe(adopted.length);
        for (const entry of adopted) {
          const of = unknown[entry.row - 1];
          expect(claimed.has(entry.code.id)).toBe(false);
          expect(of && valuesKey(of.code)).toBe(valuesKey(entry.code));
          const at = Date.parse(entry.code.created_at);
          expect(of && at >= of.bounds.fromMs && at <= of.bounds.untilMs).toBe(true);
        }
        // Nobody is asked who has nothing to choose from.
        for (const { candidates } of undecided) expect(candidates.length).toBeGreaterThan(0);
      }),
    );
  });

  it('adopts exactly what was created when nobody else creates anything', () => {
    const sent = fc.array(fc.tuple(fc.integer({ min: 0, max: 4000 }), names, fc.option(fc.integer({ min: 0, max: 1000 }))), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(sent, (posts) => {
        const unknown = posts.map(([from, name], index) => row(index + 1, from, name));
        const listing = posts.flatMap(([from, name, late], index) =>
          late === null ? [] : [code(`c${index}`, from + late, name)],
        );
        const { adopted, undecided } = reconcile(unknown, listing, new Set());
        expect(undecided).toEqual([]);
        expect(adopted.map((entry) => entry.code.id).sort()).toEqual(listing.map(({ id }) => id).sort());
      }),
    );
  });
});
