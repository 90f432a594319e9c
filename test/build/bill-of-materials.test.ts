import { readFileSync } from 'node:fs';
import { Validation } from '@cyclonedx/cyclonedx-library';
import { Version } from '@cyclonedx/cyclonedx-library/Spec';
import { expect, test } from 'vitest';

const dist = new URL('../../dist/', import.meta.url);
const bill = readFileSync(new URL('sbom.cdx.json', dist), 'utf8');

test('the bill of materials is valid CycloneDX', async () => {
  expect(await new Validation.JsonStrictValidator(Version.v1dot6).validate(bill)).toBe(null);
});

test('the bill of materials lists each bundled package with its installed version', () => {
  const { components } = JSON.parse(bill);
  const named = components.map(({ name, version = '' }: { name: string; version?: string }) =>
    `${name} ${version}`.trim(),
  );
  const licensed = readFileSync(new URL('THIRD-PARTY-LICENSES', dist), 'utf8').matchAll(
    /^-{80}\n\n(.+) \(.*\)$/gm,
  );
  expect(named).toEqual([...licensed].map(([, line]) => line));
  expect(named).toContain('llhttp');
  expect(named).toContain(
    `undici ${JSON.parse(readFileSync('node_modules/undici/package.json', 'utf8')).version}`,
  );
  expect(named.some((name: string) => name.startsWith('@fontsource/noto-sans '))).toBe(true);
});
