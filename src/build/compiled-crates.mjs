/** Finds crates of Rust by their source paths in panic messages: a WebAssembly module has no lock file. */

/** Repositories of the forks in the Cargo.toml of resvg-js (https://github.com/yisibl/resvg-js). */
const FORKS = { resvg: 'zimond/resvg', 'woff2-rs': 'yisibl/woff2-rs' };

const PUBLISHED = /(?:registry\/src\/[^/]+|rust\/deps)\/([a-z][\w-]*?)-(\d+\.\d+\.\d+)\/src\//g;
const FROM_GIT = /git\/checkouts\/([\w-]+)-[0-9a-f]{16}\/([0-9a-f]{7,40})\/(?:crates\/([\w-]+)\/)?src\//g;

export function compiledCrates(wasm) {
  const text = wasm.toString('latin1');
  const published = [...text.matchAll(PUBLISHED)].map(([, name, version]) => ({
    name,
    version,
    purl: `pkg:cargo/${name}@${version}`,
  }));
  const fromGit = [...text.matchAll(FROM_GIT)].map(([, repository, version, crate]) => {
    const fork = FORKS[repository];
    if (fork === undefined) throw new Error(`unknown repository of the crate ${repository} (${version})`);
    return {
      name: crate ?? repository,
      version,
      purl: `pkg:github/${fork}@${version}${crate ? `#crates/${crate}` : ''}`,
    };
  });
  const crates = new Map([...published, ...fromGit].map((crate) => [crate.purl, crate]));
  if (crates.size === 0) throw new Error('the WebAssembly contains no path of a crate');
  return [...crates.values()].sort((a, b) => (a.purl < b.purl ? -1 : 1));
}
