import { writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from 'node:vm';
import { readIfPackaged, readPackaged } from '#files/durable/packaged-files';
import { main as runLine } from '#main';
import { type CompileCache, openCompileCache } from './compile-cache.ts';

type App = typeof import('#app');

interface Chunk {
  source: Buffer;
  script: Script;
  isStored: boolean;
}

const chunks = new Map<string, Chunk>();
const modules = new Map<string, { exports: unknown }>();
let cache: CompileCache;

export async function main(argv: readonly string[]): Promise<number> {
  process.once('beforeExit', reportEarlyEnd);
  // Node would print the failing line, a whole chunk of 200 KB.
  process.once('uncaughtException', async (error) =>
    process.exit(await loadApp(argv).report(error, { json: false, verbose: false }, process)),
  );
  const code = await runLine(argv, () => loadApp(argv));
  process.off('beforeExit', reportEarlyEnd);
  if (code === 0) keepCompiled();
  return code;
}

/** Fails if Node's event loop ends before the command, because Node would exit with code 0. */
function reportEarlyEnd(): void {
  process.exitCode = 1;
  writeSync(
    2,
    'qrctl: unexpected failure: qrctl ended before the command was complete\n  hint: This is a bug in qrctl. Run the same command with --verbose and report the output.\n',
  );
}

/** Loads the app, from stored code if V8 accepts it. */
function loadApp(argv: readonly string[]): App {
  if (chunks.size === 0) {
    cache = openCompileCache(process, __dirname, commandOf(argv));
    for (const { name, code, isMadeFrom } of cache?.stored ?? []) {
      const source = readIfPackaged(`dist/${name}`);
      if (source && isMadeFrom(source)) compile(name, source, code);
    }
  }
  return requireChunk('./app.js') as App;
}

/** Replaces `require` in the chunks, because Node's `require` can't load compiled code. */
function requireChunk(id: string): unknown {
  if (!id.startsWith('./')) return require(id);
  const known = modules.get(id);
  if (known) return known.exports;
  const module = { exports: {} };
  modules.set(id, module);
  const name = id.slice(2);
  const { script } = chunks.get(name) ?? compile(name, readPackaged(`dist/${name}`));
  script.runInThisContext()(module.exports, requireChunk, module, join(__dirname, name), __dirname);
  return module.exports;
}

/** Compiles a chunk, which the build has wrapped in a function: wrapping it here would copy it. */
function compile(name: string, source: Buffer, code?: Buffer): Chunk {
  const { Script }: typeof import('node:vm') = require('node:vm');
  const script = new Script(source.toString(), { filename: join(__dirname, name), cachedData: code });
  const chunk = { source, script, isStored: code !== undefined };
  chunks.set(name, chunk);
  return chunk;
}

/** Stores new code after the run, because V8 compiles functions on their first call. */
function keepCompiled(): void {
  if (cache === undefined || [...chunks.values()].every(({ isStored }) => isStored)) return;
  const { restoreFlags }: typeof import('#base/run/v8-flags') = require('#base/run/v8-flags');
  restoreFlags();
  cache.write(
    [...chunks].map(([name, { source, script }]) => ({ name, source, code: script.createCachedData() })),
  );
}

function commandOf(argv: readonly string[]): string {
  const words = argv.slice(0, 2).filter((word) => /^[a-z]+$/.test(word));
  const help = argv.some((word) => word === '--help' || word === '-h');
  return [...words, ...(help ? ['help'] : []), 'code'].join('-');
}
