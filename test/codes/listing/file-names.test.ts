import { expect, test } from 'vitest';
import { createFileNames } from '#codes/listing/file-names';

const id = (n: number) => `0000000${n}-0000-4000-8000-000000000000`;
const code = (n: number, slug?: string) => ({ id: id(n), slug, created_at: `2026-01-0${n}` });

test('a file is named by slug if the slug is safe, and by ID otherwise or on request', () => {
  const codes = ['menu', 'Tür', '../x', 'con', '-rf', 'a.b', 'x'.repeat(101), id(1), undefined].map(
    (slug, i) => code(i + 1, slug),
  );
  const names = codes.map(createFileNames(codes as never, 'slug') as never);
  expect(names).toEqual(['menu', ...codes.slice(1).map((each) => each.id)]);
  expect(codes.map(createFileNames(codes as never, 'id') as never)).toEqual(codes.map((each) => each.id));
});

test('if slugs differ only in case, the oldest code keeps its slug as file name, in any order of codes', () => {
  const old = { ...code(1, 'Menu'), created_at: '2026-01-01T12:00:00+02:00' };
  const young = { ...code(2, 'menu'), created_at: '2026-01-01T11:00:00Z' };
  for (const codes of [
    [old, young],
    [young, old],
  ]) {
    const nameOf = createFileNames(codes as never, 'slug');
    expect([nameOf(old as never), nameOf(young as never)]).toEqual(['Menu', id(2)]);
  }
});

test('an ID that is not a UUID is refused as a file name', () => {
  expect(() => createFileNames([], 'id')({ id: '../x' })).toThrow('as a file name: not a UUID');
});
