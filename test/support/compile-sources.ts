/**
 * Compiles src/ for the tests, file by file, so that Node loads it. Vite would replace each use of an import by a call of a getter, which
 * took a seventh of the processor time of all tests. Vitest finds the lines of the sources by the maps in the compiled files.
 */
import { mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SRC = join(ROOT, 'src');
/** Below node_modules/, where packages are found too. */
const CACHE = join(ROOT, 'node_modules/.cache/qrctl');
/** Before the process ID of a run. */
const PREFIX = 'tested-';
/** The variable with the directory of the compiled files. */
const VARIABLE = 'QRCTL_TEST_SOURCES';

/** Compiles all sources; the result removes what was written. */
export async function compileSources(): Promise<() => void> {
  mkdirSync(CACHE, { recursive: true });
  for (const name of readdirSync(CACHE))
    if (isLeftBehind(name)) rmSync(join(CACHE, name), { recursive: true, force: true });
  // Without links, since a module that is loaded by two names is two modules.
  const directory = join(realpathSync(CACHE), `${PREFIX}${process.pid}`);
  const names = readdirSync(SRC, { recursive: true, encoding: 'utf8' });
  await build({
    entryPoints: names.filter((name) => name.endsWith('.ts')).map((name) => join(SRC, name)),
    outdir: join(directory, 'src'),
    outbase: SRC,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: 'inline',
    logLevel: 'warning',
    plugins: [eachFile],
  });
  const manifest = { type: 'module', imports: { '#*': './src/*.js' } };
  writeFileSync(join(directory, 'package.json'), JSON.stringify(manifest));
  process.env[VARIABLE] = directory;
  return () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
}

/** Whether it is the directory of a run that was killed. */
function isLeftBehind(name: string): boolean {
  if (!name.startsWith(PREFIX)) return false;
  try {
    return !process.kill(Number(name.slice(PREFIX.length)), 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'EPERM';
  }
}

/** Leaves every import to Node but those of JSON, and gives each file the directory and the `require` that it has as a source. */
const eachFile: Plugin = {
  name: 'each-file',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /.*/ }, ({ path, kind }) => {
      if (kind === 'entry-point' || path.endsWith('.json')) return undefined;
      return { path: path.startsWith('.') ? `${path.replace(/\.ts$/, '')}.js` : path, external: true };
    });
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8').replaceAll(
        'import.meta.dirname',
        JSON.stringify(dirname(path)),
      );
      return { loader: 'ts', contents: text.includes('require(') ? REQUIRE + text : text };
    });
  },
};

const REQUIRE = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`;

/** Plugin of Vite: what tests import from src/ is the compiled file, as soon as there is one. */
export const compiledSources = {
  name: 'compiled-sources',
  enforce: 'pre' as const,
  resolveId(source: string) {
    const directory = process.env[VARIABLE];
    if (directory === undefined || !source.startsWith('#')) return undefined;
    return { id: join(directory, 'src', `${source.slice(1)}.js`), external: true };
  },
};
