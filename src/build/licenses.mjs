/** Formats licenses and a bill of materials for the bundled packages. */
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

const PACKAGE = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//;

/** Licenses that require only attribution or (MPL-2.0) a link to the sources. Check others before adding. */
const KNOWN = new Set([
  '(MIT OR Apache-2.0)',
  ...['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'Apache-2.0', 'OFL-1.1', 'MPL-2.0'],
]);

/** Licenses that only a LICENSE file states, not package.json. */
const LOOKED_UP = { 'png-js': 'MIT' };

/** Files with the SPDX license text, a link to the sources, and notices for the compiled libraries. */
const TEXT_OF = { '@resvg/resvg-wasm': 'src/build/license-of-resvg.txt' };

/** Unicode data from which `npm run cldr` writes src/scans/report/languages/cldr/. */
const CLDR = {
  name: 'cldr',
  version: '48.2.0',
  license: 'Unicode-3.0',
  purl: 'pkg:github/unicode-org/cldr-json@48.2.0',
  text: await readText('src/build/license-of-cldr.txt'),
};

/** HTTP parser that undici bundles without its version. */
const LLHTTP = {
  name: 'llhttp',
  license: 'MIT',
  purl: 'pkg:github/nodejs/llhttp',
  text: await mitOf('Fedor Indutny, 2018'),
};

export async function bundledPackages(chunks, others = []) {
  const bundled = chunks.flatMap(({ modules = {} }) =>
    Object.entries(modules).flatMap(([path, { renderedLength }]) =>
      renderedLength > 0 ? (PACKAGE.exec(relative('.', path))?.[1] ?? []) : [],
    ),
  );
  const packages = await Promise.all([...new Set([...bundled, ...others])].map(describe));
  return [...packages, LLHTTP, CLDR].sort((a, b) => (a.purl < b.purl ? -1 : 1));
}

async function describe(directory) {
  const manifest = JSON.parse(await readText(join(directory, 'package.json')));
  const { name, version, author, license = LOOKED_UP[manifest.name] } = manifest;
  const file = (await readdir(directory)).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
  const path = TEXT_OF[name] ?? (file && join(directory, file));
  if (!KNOWN.has(license) || (path === undefined && (license !== 'MIT' || !author)))
    throw new Error(
      `${name} ${version} cannot be bundled: its license (${license}) is unknown or has no text`,
    );
  const text = path ? await readText(path) : await mitOf(author.name ?? author);
  return { name, version, license, purl: purlOf(manifest), text };
}

async function readText(file) {
  return (await readFile(file, 'utf8')).trim();
}

async function mitOf(author) {
  return (await readText('LICENSE')).replace(/[\s\S]*?Copyright.*/, `Copyright (c) ${author}`);
}

/** Returns a package URL (https://github.com/package-url/purl-spec). */
function purlOf({ name, version }) {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

export function formatLicenses(packages) {
  const parts = packages.map(
    ({ name, version = '', license, text }) => `${`${name} ${version}`.trim()} (${license})\n\n${text}\n`,
  );
  return [`The following packages are part of this program.\n`, ...parts].join(`\n${'-'.repeat(80)}\n\n`);
}

/** Formats a reproducible CycloneDX 1.6 bill of materials, which has no time or serial number. */
export function formatBillOfMaterials(program, packages) {
  const component = componentOf({ ...program, purl: purlOf(program) }, 'application');
  const components = packages.map((one) => componentOf(one, 'library'));
  const dependsOn = packages.map(({ purl }) => purl);
  const bill = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component },
    components,
    dependencies: [{ ref: component.purl, dependsOn }],
  };
  return `${JSON.stringify(bill, null, 2)}\n`;
}

function componentOf({ name, version, license, purl }, type) {
  const licenses = [license.startsWith('(') ? { expression: license } : { license: { id: license } }];
  return { 'bom-ref': purl, type, name, version, licenses, purl };
}
