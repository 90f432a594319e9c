import fc from 'fast-check';
import { expect, it } from 'vitest';
import { countMissingRows, type RowReader } from '#scans/append/old-rows';
import { runs } from '../../support/property-runs.ts';

type Rows = readonly (readonly [code: string, id: string])[];

const reader = (rows: Rows): RowReader => {
  return async (onRow) => {
    for (const [code, id] of rows) onRow({ code, id });
  };
};

const count = async (old: Rows, kept: Rows, mostIds?: number) =>
  Object.fromEntries(
    await countMissingRows({ old: reader(old), kept: reader(kept), keptRows: kept.length }, mostIds),
  );

const ID = fc.oneof(
  fc.integer({ min: -20, max: 20 }).map(String),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
  fc.constantFrom('9223372036854775807', '-9223372036854775808', '9007199254740993', '9007199254740992'),
);
const ROWS = fc.array(fc.tuple(fc.constantFrom('a', 'b', '__proto__'), ID), { maxLength: 60 });

it('countMissingRows counts the missing rows of each code, in one pass or several', async () => {
  await fc.assert(
    fc.asyncProperty(ROWS, ROWS, fc.integer({ min: 1, max: 80 }), async (old, kept, mostIds) => {
      const known = new Set(kept.map((row) => row.join(' ')));
      const missing = new Map<string, number>();
      for (const [code, id] of old)
        if (!known.has(`${code} ${id}`)) missing.set(code, (missing.get(code) ?? 0) + 1);
      expect(await count(old, kept, mostIds)).toEqual(Object.fromEntries(missing));
    }),
    runs(120, 5000),
  );
});

it('countMissingRows compares thousands of rows of a code, in any order', async () => {
  const rows = Array.from({ length: 5000 }, (_, i) => ['a', String((i * 7919) % 5000)] as const);
  expect(await count(rows.toReversed(), rows)).toEqual({});
  expect(await count([...rows, ['a', '5000']], rows)).toEqual({ a: 1 });
  expect(await count(rows, rows.slice(1))).toEqual({ a: 1 });
});

it('countMissingRows distinguishes an ID of more than 64 bits from an ID with the same low bits', async () => {
  const beyond = String(2n ** 64n + 5n);
  expect(
    await count(
      [['a', beyond]],
      [
        ['a', '5'],
        ['a', beyond],
      ],
    ),
  ).toEqual({});
  expect(await count([['a', '5']], [['a', beyond]])).toEqual({ a: 1 });
});
