import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { compiledCrates } from './compiled-crates.mjs';

const PACKAGE = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//;

/** Licenses that require only attribution, or (MPL-2.0) a link to the sources. Check any other license before adding it. */
const KNOWN = new Set([
  '(MIT OR Apache-2.0)',
  ...['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'Apache-2.0', 'OFL-1.1', 'MPL-2.0'],
]);

/** Licenses that are stated only in the LICENSE file, not in package.json. */
const LOOKED_UP = { 'png-js': 'MIT' };

const WITHOUT_TEXT = new Set(['fontkit', 'dfa']);

/** Files with the text of SPDX, the place of the sources, and notices of the compiled libraries. */
const TEXT_OF = { '@resvg/resvg-wasm': 'src/build/license-of-resvg.txt' };

/** Unicode data from which `npm run cldr` writes src/scans/report/languages/cldr/. */
const CLDR = {
  name: 'cldr',
  version: '48.2.0',
  license: 'Unicode-3.0',
  purl: 'pkg:github/unicode-org/cldr-json@48.2.0',
};
const LICENSE_OF_CLDR = 'src/build/license-of-cldr.txt';

/** HTTP parser that undici includes as a build; its package states neither name nor version. */
const LLHTTP = { name: 'llhttp', license: 'MIT', text: mitOf('Fedor Indutny, 2018') };
const PARSER = 'node_modules/undici/lib/llhttp/llhttp-wasm.js';
/** LLHTTP_VERSION_* in deps/llhttp/include/llhttp.h of undici, by the SHA-256 of the build. */
const VERSION_OF_LLHTTP = { '344f7ae80c983694372d9234584a1261ef5492ab219d6e573e933f5d1c715b00': '9.3.0' };

async function describeLlhttp() {
  const digest = createHash('sha256')
    .update(await readFile(PARSER))
    .digest('hex');
  const version = VERSION_OF_LLHTTP[digest];
  if (version === undefined)
    throw new Error(`${PARSER} (${digest}) is built from an unknown version of llhttp`);
  return { ...LLHTTP, version, purl: `pkg:github/nodejs/llhttp@v${version}` };
}

export async function bundledPackages(chunks, others = []) {
  const bundled = chunks.flatMap(({ modules = {} }) =>
    Object.entries(modules).flatMap(([path, { renderedLength }]) =>
      renderedLength > 0 ? (PACKAGE.exec(relative('.', path))?.[1] ?? []) : [],
    ),
  );
  const packages = await Promise.all([...new Set([...bundled, ...others])].sort().map(describe));
  const cldr = { ...CLDR, text: (await readFile(LICENSE_OF_CLDR, 'utf8')).trim() };
  return [...packages, await describeLlhttp(), cldr].sort((a, b) =>
    Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)),
  );
}

export function formatLicenses(packages) {
  const parts = packages.map(
    ({ name, version, license, text }) => `${[name, version].join(' ').trim()} (${license})\n\n${text}\n`,
  );
  return [`The following packages are part of this program.\n`, ...parts].join(`\n${'-'.repeat(80)}\n\n`);
}

async function describe(directory) {
  const manifest = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8'));
  const { name, version, author, license = LOOKED_UP[manifest.name] } = manifest;
  if (license === 'MIT' && WITHOUT_TEXT.has(name))
    return { name, version, license, text: mitOf(author.name ?? author) };
  if (Object.hasOwn(TEXT_OF, name) && KNOWN.has(license)) {
    const parts = compiledCrates(await readFile(join(directory, 'index_bg.wasm')));
    return { name, version, license, text: (await readFile(TEXT_OF[name], 'utf8')).trim(), parts };
  }
  const file = (await readdir(directory)).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
  if (!KNOWN.has(license) || file === undefined) {
    throw new Error(
      `${name} ${version} (${license}, ${author}) cannot be bundled: its license is ${file ? 'unknown' : 'missing'}`,
    );
  }
  return { name, version, license, text: (await readFile(join(directory, file), 'utf8')).trim() };
}

function mitOf(author) {
  return readFileSync('LICENSE', 'utf8')
    .replace(/[\s\S]*?Copyright.*/, `Copyright (c) ${author}`)
    .trim();
}
