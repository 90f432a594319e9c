/**
 * The licences of what is bundled, from esbuild's own account of it, so that a new library cannot be forgotten. All of them ask that
 * their text goes along with copies.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compiledCrates } from './compiled-crates.mjs';

const PACKAGE = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//;

/** Who wants no more than to be named; anything else is for a person to decide. */
const KNOWN = new Set([
  'MIT',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'Apache-2.0',
  '(MIT OR Apache-2.0)',
  'OFL-1.1',
  'MPL-2.0',
]);

/** One says so in its LICENSE alone. */
const LOOKED_UP = { 'png-js': 'MIT' };

/** They say that they are under MIT and bring no text of it. */
const WITHOUT_TEXT = new Set(['fontkit', 'dfa']);

/**
 * They name their licence and bring no text of it. The file is the text that SPDX gives for the name, and below it what the licence asks
 * for besides: where the sources are, and the notices of what was compiled into it.
 */
const TEXT_OF = { '@resvg/resvg-wasm': 'src/build/licence-of-resvg.txt' };

/**
 * The Unicode CLDR, of which `npm run cldr` froze a part (src/report/languages/cldr/). The file is the LICENSE of its packages
 * (https://github.com/unicode-org/cldr-json).
 */
const CLDR = { name: 'cldr', version: '48.2.0', license: 'Unicode-3.0', purl: 'pkg:github/unicode-org/cldr-json@48.2.0' };
const LICENSE_OF_CLDR = 'src/build/licence-of-cldr.txt';

/** undici's parser of HTTP is built from llhttp (https://github.com/nodejs/llhttp), and its package names neither that nor its version. */
const LLHTTP = { name: 'llhttp', license: 'MIT', text: mitOf('Fedor Indutny, 2018') };
const PARSER = 'node_modules/undici/lib/llhttp/llhttp-wasm.js';
/** By the SHA-256 of undici's build of it: what LLHTTP_VERSION_* says in deps/llhttp/include/llhttp.h of undici's repository, there. */
const VERSION_OF_LLHTTP = {
  '344f7ae80c983694372d9234584a1261ef5492ab219d6e573e933f5d1c715b00': '9.3.0',
};

/** Throws for a build that nobody looked up. */
async function describeLlhttp() {
  const digest = createHash('sha256')
    .update(await readFile(PARSER))
    .digest('hex');
  const version = VERSION_OF_LLHTTP[digest];
  if (version === undefined) throw new Error(`${PARSER} (${digest}) is built from an unknown version of llhttp`);
  return { ...LLHTTP, version, purl: `pkg:github/nodejs/llhttp@v${version}` };
}

/**
 * The packages that are part of a build with `metafile: true`, and of what was copied from `others` (directories): name, version, SPDX
 * licence and its text, in the order of their names. Throws where a package has no licence, or one nobody looked at.
 */
export async function bundledPackages({ outputs }, others = []) {
  const bundled = Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? (PACKAGE.exec(path)?.[1] ?? []) : [])),
  );
  const packages = await Promise.all([...new Set([...bundled, ...others])].sort().map(describe));
  const cldr = { ...CLDR, text: (await readFile(LICENSE_OF_CLDR, 'utf8')).trim() };
  return [...packages, await describeLlhttp(), cldr].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** The text of THIRD-PARTY-LICENSES. */
export function formatLicenses(packages) {
  const parts = packages.map(
    ({ name, version, license, text }) => `${[name, version].join(' ').trim()} (${license})\n\n${text}\n`,
  );
  return [`The following packages are part of this program.\n`, ...parts].join(`\n${'-'.repeat(80)}\n\n`);
}

async function describe(directory) {
  const manifest = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8'));
  const { name, version, author, license = LOOKED_UP[manifest.name] } = manifest;
  if (license === 'MIT' && WITHOUT_TEXT.has(name)) return { name, version, license, text: mitOf(author.name ?? author) };
  if (Object.hasOwn(TEXT_OF, name) && KNOWN.has(license)) {
    const parts = compiledCrates(await readFile(join(directory, 'index_bg.wasm')));
    return { name, version, license, text: (await readFile(TEXT_OF[name], 'utf8')).trim(), parts };
  }
  const file = (await readdir(directory)).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
  if (!KNOWN.has(license) || file === undefined) {
    throw new Error(
      `${name} ${version} (${license}, ${author}) cannot be bundled: its licence is ${file ? 'unknown' : 'missing'}`,
    );
  }
  return { name, version, license, text: (await readFile(join(directory, file), 'utf8')).trim() };
}

/** The text that the name stands for (https://spdx.org/licenses/MIT). */
function mitOf(author) {
  return `Copyright (c) ${author}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the
"Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish,
distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to
the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR
ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH
THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;
}
