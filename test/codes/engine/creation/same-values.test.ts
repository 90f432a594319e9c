import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCodeNumbering, differingFields, valuesKey } from '../../../../src/codes/engine/creation/same-values.ts';
import type { NewCode } from '../../../../src/service/shapes.ts';
import { runs } from '../../../support/property-runs.ts';

const code = fc
  .record({
    name: fc.constantFrom('a', ' a', 'b', 'é', 'e\u0301'),
    type: fc.constantFrom(undefined, 'url', 'text'),
    destination: fc.constantFrom(undefined, '', 'https://x.example', 'https://X.example/', 'https://y.example/'),
  })
  .map(
    ({ name, type, destination }): NewCode => ({
      name,
      ...(type && { type }),
      ...(destination !== undefined && { destination }),
    }),
  );

describe('the numbers of codes', () => {
  it('are equal for the same values, from 0 in the order of their first codes (O6)', () => {
    fc.assert(
      fc.property(fc.array(code, { maxLength: 30 }), (codes) => {
        const { numberOf } = createCodeNumbering();
        const keys = [...new Set(codes.map(valuesKey))];
        expect(codes.map(numberOf)).toEqual(codes.map((one) => keys.indexOf(valuesKey(one))));
      }),
      runs(300),
    );
  });

  it('are found for values that have one, and nothing is numbered by that', () => {
    fc.assert(
      fc.property(fc.array(code, { maxLength: 8 }), code, (codes, other) => {
        const { numberOf, find } = createCodeNumbering();
        expect(find(other)).toBeUndefined();
        const numbers = new Map(codes.map((one) => [valuesKey(one), numberOf(one)]));
        expect(find(other)).toBe(numbers.get(valuesKey(other)));
        expect(codes.map(find)).toEqual(codes.map(numberOf));
      }),
      runs(300),
    );
  });
});

it('differing fields are none where the values are the same, in any form (O6)', () => {
  fc.assert(
    fc.property(code, code, (one, other) => {
      const fields = differingFields(one, other);
      expect(fields.length === 0).toBe(valuesKey(one) === valuesKey(other));
      const [was, is] = [one, other].map(({ name, type = 'url', destination = '' }) => ({ name, type, destination }));
      const alone = (['name', 'type', 'destination'] as const).filter(
        (field) => was && is && valuesKey({ ...was, [field]: is[field] }) !== valuesKey(was),
      );
      expect(fields).toEqual(alone);
    }),
    runs(500),
  );
});
