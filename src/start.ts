/**
 * Loads the bundles of dist/ with V8's code cache beside them, so that node neither reads ahead in nor compiles what it runs. A cache
 * belongs to one version of V8: any other refuses it, and compiles as usual.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';

interface Loaded {
  script: Script;
  exports: unknown;
}

const loaded = new Map<string, Loaded>();

/** The exports of a bundle beside this file, as CommonJS would give them. */
function load(name: string): Loaded {
  const known = loaded.get(name);
  if (known) return known;
  const filename = join(__dirname, name);
  // esbuild writes ASCII only; read as Latin-1 it takes half the memory and no decoding.
  const source = `(function(exports,require,module,__filename){${readFileSync(filename, 'latin1')}\n})`;
  const script = new Script(source, { filename, cachedData: readCache(filename) });
  const module = { exports: {} };
  const bundle = { script, exports: module.exports };
  script.runInThisContext()(module.exports, requireHere, module, filename);
  bundle.exports = module.exports;
  loaded.set(name, bundle);
  return bundle;
}

function requireHere(id: string): unknown {
  return id.startsWith('./') ? load(id).exports : require(id);
}

function readCache(filename: string): Buffer | undefined {
  try {
    return readFileSync(`${filename}.cache`);
  } catch {
    return undefined;
  }
}

/** main.ts, as it is in dist/. */
export const { main } = load('./main.js').exports as typeof import('./main.ts');

/** Writes the caches of the bundles loaded so far, with what has been compiled until now (build/code-cache.mjs). */
export function writeCaches(): void {
  for (const [name, { script }] of loaded) writeFileSync(join(__dirname, `${name}.cache`), script.createCachedData());
}
