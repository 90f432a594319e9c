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
  compiled: Compiled | undefined;
  /** V8 rejected the stored code, and would reject it again. */
  refused: boolean;
}

const MAX_COMMANDS = 64;

const bundles = new Map<string, Bundle>();
const modules = new Map<string, unknown>();
let cache: CompileCache | undefined;

/** Runs one command line from the bundles, and returns the exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  process.once('beforeExit', reportEarlyEnd);
  const code = await runLine(argv, loadApp);
  process.off('beforeExit', reportEarlyEnd);
  if (code === 0) keepCompiled(commandOf(argv));
  return code;
}

/** Called if Node would exit with 0 before the run has ended, because nothing is left to wait for. */
function reportEarlyEnd(): void {
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

/** Replaces `require` in the bundles: Node's own accepts no compiled code. */
function requireBundle(id: string): unknown {
  if (!id.startsWith('./')) return require(id);
  const name = id.slice(2);
  if (!modules.has(name)) modules.set(name, run(name, readPackaged(`dist/${name}`)));
  return modules.get(name);
}

function run(name: string, source: Buffer): unknown {
  const { Script }: typeof import('node:vm') = require('node:vm');
  const filename = join(__dirname, name);
  const compiled = cache?.read(name, source);
  // esbuild writes ASCII only, which as Latin-1 takes half the memory and no decoding. The bundle is a function expression already, because
  // wrapping it here would copy it.
  const script = new Script(source.toString('latin1'), { filename, cachedData: compiled?.code });
  const refused = script.cachedDataRejected === true;
  bundles.set(name, { source, script, compiled, refused });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, requireBundle, module, filename, __dirname);
  return module.exports;
}

/** Stores the compiled code of each bundle after a command that has not run with it yet, because V8 compiles functions on their first call. */
function keepCompiled(command: string): void {
  if (cache === undefined) return;
  const due = [...bundles].filter(([, { compiled, refused }]) => !refused && isNew(command, compiled));
  if (due.length === 0) return;
  const { restoreFlags }: typeof import('../base/run/v8-flags.ts') = require('../base/run/v8-flags.ts');
  restoreFlags();
  for (const [name, { source, script, compiled }] of due) {
    const commands = [...(compiled?.commands ?? []), command];
    cache.write(name, source, { code: script.createCachedData(), commands });
  }
}

function isNew(command: string, { commands }: Pick<Compiled, 'commands'> = { commands: [] }): boolean {
  return !commands.includes(command) && commands.length < MAX_COMMANDS;
}

/** Returns the command of a line, for the list of commands of the compiled code. */
function commandOf(argv: readonly string[]): string {
  const words = argv.slice(0, 2).filter((word) => /^[a-z]+$/.test(word));
  const help = argv.some((word) => word === '--help' || word === '-h');
  return [...words, ...(help ? ['--help'] : [])].join(' ');
}
