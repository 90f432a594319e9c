/**
 * Builds dist/ for a fast start. Start-up time is a promise of this tool, so everything here is measured by `npm run bench -- startup`:
 * CommonJS, because node's loader of ES modules costs as much as all of `qrctl --version`; few files, each read only when it is needed; and V8's code cache beside each, so that nothing is compiled twice.
 */
import { spawnSync } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { build } from 'esbuild';
import { formatLicenses } from './licenses.mjs';

/** Modules that get a file of dist/ for themselves, with all they import: what few commands need, and what several files share. */
const APART = {
  app: 'src/app.ts',
  errors: 'src/errors.ts',
  sandbox: 'src/sandbox/sandbox.ts',
  undici: 'src/service/undici.ts',
  commander: 'commander',
  conf: 'conf',
  'csv-parse': 'csv-parse/sync',
  'cli-table3': 'cli-table3',
  chalk: 'chalk',
  'env-paths': 'env-paths',
  'lossless-json': 'lossless-json',
  'string-width': 'string-width',
  'temporal-polyfill': 'temporal-polyfill',
};

/** What libraries load for features that are not used here; each takes node milliseconds to read. */
const UNUSED = [
  { of: /undici/, path: /^node:http$/, instead: 'module.exports = { maxHeaderSize: 16384, IncomingMessage: class {} }' },
  { of: /undici/, path: /\/client-h2\.js$/, instead: 'module.exports = () => { throw new Error("HTTP/2 is not built in") }' },
  { of: /undici/, path: /\/fetch\/body\.js$/, instead: 'module.exports = {}' },
  { of: /commander/, path: /^node:child_process$/, instead: 'module.exports = {}' },
];

const withoutUnused = {
  name: 'without-unused',
  setup({ onResolve, onLoad }) {
    for (const { of, path, instead } of UNUSED) {
      onResolve({ filter: path }, ({ importer, path: name }) =>
        of.test(importer) ? { path: name, namespace: 'unused', pluginData: instead } : undefined,
      );
    }
    onLoad({ filter: /.*/, namespace: 'unused' }, ({ pluginData }) => ({ contents: pluginData, loader: 'js' }));
  },
};

const keptApart = {
  name: 'kept-apart',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[.a-z]/ }, ({ importer, kind, path, resolveDir }) => {
      if (kind === 'entry-point' || importer.includes('node_modules')) return undefined;
      const module = path.startsWith('.') ? relative('.', join(resolveDir, path)) : path;
      const [name] = Object.entries(APART).find(([, wanted]) => wanted === module) ?? [];
      return name && { path: name, namespace: 'apart' };
    });
    onResolve({ filter: /.*/, namespace: 'apart' }, ({ path }) => ({ path, external: true }));
    // By way of a module of its own, because esbuild reads the default of a direct import differently in a package of ES modules.
    onLoad({ filter: /.*/, namespace: 'apart' }, ({ path }) => ({
      contents: `export * from './${path}.js'; export { default } from './${path}.js';`,
    }));
  },
};

const shared = {
  bundle: true,
  format: 'cjs',
  platform: 'node',
  target: 'node20',
  minify: true,
  outdir: 'dist',
  logLevel: 'warning',
  // `import()` would go through the loader of ES modules again.
  supported: { 'dynamic-import': false },
};

await rm('dist', { recursive: true, force: true });
const { metafile } = await build({
  ...shared,
  metafile: true,
  entryPoints: { start: 'src/start.ts', ...APART },
  plugins: [withoutUnused, keptApart],
  define: { 'import.meta.url': 'module.url' },
  banner: { js: 'Object.defineProperty(module,"url",{get:()=>require("node:url").pathToFileURL(__filename)});' },
});
await writeFile('dist/THIRD-PARTY-LICENSES', await formatLicenses(metafile));
await writeFile('dist/package.json', '{ "type": "commonjs" }\n');
const { status } = spawnSync(process.execPath, ['src/build/code-cache.mjs'], { stdio: ['ignore', 'ignore', 'inherit'] });
process.exitCode = status ?? 1;
