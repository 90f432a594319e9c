import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { LAYERS, layerRules } from '../../src/build/layers.ts';

const modules = LAYERS.flatMap((layer) => layer.modules);

it('every folder and file of src/ has a layer', () => {
  expect([...modules].sort()).toEqual(readdirSync('src').sort());
});

it('the linter holds imports to the layers (npm run layers)', () => {
  expect(JSON.parse(readFileSync('src/build/layers.json', 'utf8'))).toEqual({ overrides: layerRules() });
});

it('the table of the architecture has the layers in their order', () => {
  const rows = [...readFileSync('docs/architecture.md', 'utf8').matchAll(/^\| layer \| module.*\n.*\n((?:\|.*\n)+)/gm)].flatMap(
    ([, rows = '']) => rows.trim().split('\n'),
  );
  const told = rows.map((row) => [...row.matchAll(/`src\/([\w.]+?)\/?`/g)].map(([, name]) => name));
  expect(told).toEqual(LAYERS.map((layer) => layer.modules));
});
