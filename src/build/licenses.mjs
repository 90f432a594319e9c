/**
 * The licences of what is bundled, from esbuild's own account of it, so that a new library cannot be forgotten. All of them ask that
 * their text goes along with copies.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const PACKAGE = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//;

/** Who wants no more than to be named; anything else is for a person to decide. */
const KNOWN = new Set(['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'Apache-2.0']);

/** The text of THIRD-PARTY-LICENSES for a build with `metafile: true`. Throws where a package has no licence, or one nobody looked at. */
export async function formatLicenses({ outputs }) {
  const bundled = Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? (PACKAGE.exec(path)?.[1] ?? []) : [])),
  );
  const parts = await Promise.all([...new Set(bundled)].sort().map(formatOne));
  return [`The following packages are part of this program.\n`, ...parts].join(`\n${'-'.repeat(80)}\n\n`);
}

async function formatOne(directory) {
  const { name, version, license, author } = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8'));
  const file = (await readdir(directory)).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
  if (!KNOWN.has(license) || file === undefined) {
    throw new Error(
      `${name} ${version} (${license}, ${author}) cannot be bundled: its licence is ${file ? 'unknown' : 'missing'}`,
    );
  }
  return `${name} ${version} (${license})\n\n${(await readFile(join(directory, file), 'utf8')).trim()}\n`;
}
