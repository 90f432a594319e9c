import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { layerRules, layersOf } from './layers.ts';

const page = readFileSync('.github/CONTRIBUTING.md', 'utf8');
const layers = layersOf(page);
const modules = layers.map(({ module }) => module);

it('every folder and file in src/ has a layer', () => {
  expect([...modules].sort()).toEqual(readdirSync('src').sort());
});

it('every folder in src/ has a README.md', () => {
  const folders = modules.filter((module) => !module.endsWith('.ts'));
  expect(folders.filter((folder) => !existsSync(`src/${folder}/README.md`))).toEqual([]);
});

it('the README.md in each folder in src/ lists exactly its subfolders', () => {
  const folders = modules.filter((module) => !module.endsWith('.ts'));
  const listed = folders.map((folder) =>
    [...readFileSync(`src/${folder}/README.md`, 'utf8').matchAll(/^\| `([\w-]+)\/` \|/gm)].map(
      ([, name]) => name,
    ),
  );
  const there = folders.map((folder) =>
    readdirSync(`src/${folder}`, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? entry.name : [],
    ),
  );
  expect(listed.map((names) => names.sort())).toEqual(there.map((names) => names.sort()));
});

it('the linter rules match the table of layers (`npm test -- test/build -u` updates them)', async () => {
  const rules = `${JSON.stringify({ overrides: layerRules(page) }, undefined, 1)}\n`;
  await expect(rules).toMatchFileSnapshot('../../src/build/layers.json');
});

it('the table of layers is sorted from the highest layer down to `base`', () => {
  expect(layers.map(({ layer }) => layer)).toEqual(layers.map(({ layer }) => layer).sort((a, b) => b - a));
  expect(layers.at(-1)).toEqual({ module: 'base', layer: 1 });
});
