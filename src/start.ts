/**
 * Loads the bundles of dist/ with V8's code cache beside them, so that starting does not mean compiling. Node 22 and later keep such
 * a cache themselves; for Node 20 the build makes one. A cache belongs to one version of V8: any other refuses it and compiles.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { join } from 'node:path';
import { Script } from 'node:vm';

const scripts = new Map<string, Script>();
const modules = new Map<string, unknown>();

function requireHere(id: string): unknown {
  if (!id.startsWith('./')) return require(id);
  if (!modules.has(id)) modules.set(id, load(join(__dirname, id)));
  return modules.get(id);
}

/** The exports of a bundle, as `require` would give them. */
function load(filename: string): unknown {
  // esbuild writes ASCII only; read as Latin-1 it takes half the memory and no decoding.
  const source = `(function(exports,require,module,__filename){${readFileSync(filename, 'latin1')}\n})`;
  const script = new Script(source, { filename, cachedData: readCache(filename) });
  scripts.set(filename, script);
  const module = { exports: {} };
  script.runInThisContext()(module.exports, requireHere, module, filename);
  return module.exports;
}

function readCache(filename: string): Buffer | undefined {
  try {
    return readFileSync(`${filename}.cache`);
  } catch {
    return undefined;
  }
}

/** Writes the caches of the bundles loaded so far, with what has been compiled until now (src/build/code-cache.mjs). */
export function writeCaches(): void {
  for (const [filename, script] of scripts) writeFileSync(`${filename}.cache`, script.createCachedData());
}

function keepsCompileCache(): boolean {
  if (!('enableCompileCache' in nodeModule) || typeof nodeModule.enableCompileCache !== 'function') return false;
  nodeModule.enableCompileCache(join(__dirname, 'compile-cache'));
  return true;
}

const bundle = './main.js';
/** main.ts, as it is in dist/. */
export const { main } = (keepsCompileCache() ? require(bundle) : requireHere(bundle)) as typeof import('./main.ts');
