import { expect, test } from 'vitest';
import { oldestFirst } from '#codes/listing/oldest-first';

test('codes are sorted by creation, then by ID, and codes without a valid time come last', () => {
  const codes = [
    ['f', undefined],
    ['e', 'yesterday'],
    ['d', '2026-03-01T00:00:00Z'],
    ['b', '2026-03-01T01:00:00Z'],
    ['a', '2026-03-01T02:00:00+01:00'],
    ['c', '2026-01-01T00:00:00Z'],
  ].map(([id = '', created_at]) => ({ id, ...(created_at !== undefined && { created_at }) }));
  expect(oldestFirst(codes).map(({ id }) => id)).toEqual(['c', 'd', 'a', 'b', 'e', 'f']);
  expect(oldestFirst(codes.reverse()).map(({ id }) => id)).toEqual(['c', 'd', 'a', 'b', 'e', 'f']);
});
