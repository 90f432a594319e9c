/**
 * Loads the bundles of dist/ with V8's code cache beside them, so that starting does not mean compiling. Node 22 and later keep such
 * a cache themselves; for Node 20 the build makes one. A cache belongs to one version of V8: any other refuses it and compiles.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from 'node:vm';
import { main as run } from './main.ts';

const scripts = new Map<string, Script>();
const modules = new Map<string, unknown>();

function requireHere(id: string): unknown {
  if (!id.startsWith('./')) return require(id);
  if (!modules.has(id)) modules.set(id, load(join(__dirname, id)));
  return modules.get(id);
}

/** The exports of a bundle, as `require` would give them. */
function load(filename: string): unknown {
  const vm: typeof import('node:vm') = require('node:vm');
  // esbuild writes ASCII only; read as Latin-1 it takes half the memory and no decoding.
  const source = `(function(exports,require,module,__filename){${readFileSync(filename, 'latin1')}\n})`;
  const script = new vm.Script(source, { filename, cachedData: readCache(filename) });
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

/** From Node 22.8 on, through which `require` then keeps caches of its own. */
function keepsCompileCache(): boolean {
  const nodeModule: object = require('node:module');
  if (!('enableCompileCache' in nodeModule) || typeof nodeModule.enableCompileCache !== 'function') return false;
  nodeModule.enableCompileCache(join(__dirname, 'compile-cache'));
  return true;
}

let app: typeof import('./app.ts') | undefined;

function loadApp(): typeof import('./app.ts') {
  const bundle = './app.js';
  app ??= (keepsCompileCache() ? require(bundle) : requireHere(bundle)) as typeof import('./app.ts');
  return app;
}

/** Runs one command line to its end and returns the exit code, as main.ts does, from the bundles. */
export function main(argv: readonly string[]): Promise<number> {
  return run(argv, loadApp);
}
