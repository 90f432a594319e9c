import { readFileSync } from 'node:fs';
import { Validation } from '@cyclonedx/cyclonedx-library';
import { Version } from '@cyclonedx/cyclonedx-library/Spec';
import { expect, test } from 'vitest';

const dist = new URL('../../dist/', import.meta.url);
const bill = readFileSync(new URL('sbom.cdx.json', dist), 'utf8');

test('the bill of materials is valid CycloneDX', async () => {
  expect(await new Validation.JsonStrictValidator(Version.v1dot6).validate(bill)).toBe(null);
});

test('it names each bundled package with its installed version', () => {
  const { components } = JSON.parse(bill);
  const named = components.map(({ name, version = '' }: { name: string; version?: string }) =>
    `${name} ${version}`.trim(),
  );
  const licensed = readFileSync(new URL('THIRD-PARTY-LICENSES', dist), 'utf8').matchAll(
    /^-{80}\n\n(.+) \(.*\)$/gm,
  );
  expect(named).toEqual([...licensed].map(([, line]) => line));
  expect(named).toContain('llhttp 9.3.0');
  expect(named).toContain(
    `undici ${JSON.parse(readFileSync('node_modules/undici/package.json', 'utf8')).version}`,
  );
  expect(named.some((name: string) => name.startsWith('@fontsource/noto-sans '))).toBe(true);
});

test('it names the crates of the renderer of logos', () => {
  const { components, dependencies } = JSON.parse(bill);
  const renderer = components.find(({ name }: { name: string }) => name === '@resvg/resvg-wasm');
  const purls: string[] = renderer.components.map(({ purl }: { purl: string }) => purl);
  expect(purls).toEqual(
    expect.arrayContaining([
      'pkg:cargo/tiny-skia@0.10.0',
      'pkg:cargo/roxmltree@0.18.1',
      'pkg:github/zimond/resvg@3495d87#crates/usvg',
    ]),
  );
  expect(purls.length).toBeGreaterThan(35);
  expect(dependencies).toContainEqual({ ref: renderer['bom-ref'], dependsOn: purls });
});
