/** Entry point of bin/: loads the bundles of dist/, with the code that V8 compiled in earlier runs, and runs the command line. */
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from 'node:vm';
import { readPackaged } from '../files/durable/packaged-files.ts';
import { main as runLine } from '../main.ts';
import { type CompileCache, type Compiled, openCompileCache } from './compile-cache.ts';

type App = typeof import('../app.ts');

interface Bundle {
  source: Buffer;
  script: Script;
  /** Compiled code it was loaded with, if V8 accepted it. */
  compiled: Compiled | undefined;
  /** V8 rejected the stored code: written again, it would be rejected again. */
  refused: boolean;
}

/** More than there are commands. */
const MOST_COMMANDS = 64;

const bundles = new Map<string, Bundle>();
const modules = new Map<string, unknown>();
let cache: CompileCache | undefined;

/** Runs one command line to its end and returns the exit code, as main.ts does, from the bundles. */
export async function main(argv: readonly string[]): Promise<number> {
  process.once('beforeExit', endedUnsaid);
  const code = await runLine(argv, loadApp);
  process.off('beforeExit', endedUnsaid);
  if (code === 0) keepCompiled(commandOf(argv));
  return code;
}

/** Nothing is left to wait for, and the run has not ended: node would exit with 0. */
function endedUnsaid(): void {
  process.exitCode = 1;
  writeSync(
    2,
    'qrctl: unexpected failure: qrctl ended before the command was complete\n  hint: This is a bug in qrctl. Run the same command with --verbose and report the output.\n',
  );
}

function loadApp(): App {
  if (bundles.size === 0) cache = openCompileCache(process);
  return requireBundle('./app.js') as App;
}

/** `require` for the bundles: theirs by this loader, because node's own takes no compiled code; all else by node's. */
function requireBundle(id: string): unknown {
  if (!id.startsWith('./')) return require(id);
  const name = id.slice(2);
  if (!modules.has(name)) modules.set(name, run(name, readPackaged(`dist/${name}`)));
  return modules.get(name);
}

/** Returns the exports of a bundle, as `require` would. */
function run(name: string, source: Buffer): unknown {
  const { Script }: typeof import('node:vm') = require('node:vm');
  const filename = join(__dirname, name);
  const compiled = cache?.read(name, source);
  // esbuild writes ASCII only; read as Latin-1 it takes half the memory and no decoding. The build has made a function of it
  // already: to do that here would copy all of it, and V8 would collect garbage while the command is still being loaded.
  const script = new Script(source.toString('latin1'), { filename, cachedData: compiled?.code });
  const refused = script.cachedDataRejected === true;
  bundles.set(name, { source, script, compiled, refused });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, requireBundle, module, filename, __dirname);
  return module.exports;
}

/**
 * Stores the compiled code when all work is done and printed: once per bundle, and once more for each command that had not run with it yet,
 * because V8 compiles a function on its first call.
 */
function keepCompiled(command: string): void {
  if (cache === undefined) return;
  const due = [...bundles].filter(
    ([, { compiled, refused }]) => !refused && isNews(compiled?.commands ?? [], command),
  );
  if (due.length === 0) return;
  const { restoreFlags }: typeof import('../base/run/v8-flags.ts') = require('../base/run/v8-flags.ts');
  restoreFlags();
  for (const [name, { source, script, compiled }] of due) {
    cache.write(name, source, {
      code: script.createCachedData(),
      commands: [...(compiled?.commands ?? []), command],
    });
  }
}

function isNews(commands: readonly string[], command: string): boolean {
  return !commands.includes(command) && commands.length < MOST_COMMANDS;
}

/** Returns the command of a line, from its words alone: it only selects the compiled code to store. */
function commandOf(argv: readonly string[]): string {
  const words = argv.slice(0, 2).filter((word) => /^[a-z]+$/.test(word));
  const help = argv.some((word) => word === '--help' || word === '-h');
  return [...words, ...(help ? ['--help'] : [])].join(' ');
}
