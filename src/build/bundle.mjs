/**
 * Builds dist/, the same bytes from the same sources: `node src/build/bundle.mjs [DIRECTORY]`. Start-up time is a promise of this
 * tool, so it is CommonJS (node's loader of ES modules takes 10 ms of processor time more, a third of `qrctl --version`) in a few
 * files, each read only when it is needed. The source map beside each is read only to say where a defect is.
 */
import { rename, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { build } from 'esbuild';
import { formatLicenses } from './licenses.mjs';

const [directory = 'dist'] = process.argv.slice(2);

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

/** Leaves an import of one of them to the loader of src/start/start.ts. */
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

/**
 * Gives cli-table3 this program's measure in place of its own of 2021, which takes newer emoji and the marks of many scripts for
 * something else. Not by `overrides` of npm: it loads by `require`, and the newer string-width is an ES module.
 */
const measuredAlike = {
  name: 'measured-alike',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^string-width$/ }, ({ importer }) =>
      importer.includes('/cli-table3/') ? { path: 'string-width', namespace: 'measured-alike' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'measured-alike' }, () => ({
      contents: `module.exports = require('./src/output/display-width.ts').displayWidth`,
      resolveDir: '.',
    }));
  },
};

/**
 * What undici loads with itself for features that are not used here: the classes of node:http it tells streams by, HTTP/2, and fetch.
 * Without it `qrctl qr list` takes 8 ms more, a tenth. Each stand-in has just what undici asks for when it is loaded and throws at
 * anything else, so that an upgrade which asks for more fails in every test that sends a request.
 */
const STAND_INS = {
  'node:http': '{ maxHeaderSize: 16384, IncomingMessage: class {} }',
  './client-h2.js': '{}',
  '../web/fetch/body.js': '{}',
};

const notBuiltIn = {
  name: 'not-built-in',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /.*/ }, ({ importer, path }) =>
      importer.includes('/undici/') && Object.hasOwn(STAND_INS, path) ? { path, namespace: 'not-built-in' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'not-built-in' }, ({ path }) => ({
      contents: `const has = ${STAND_INS[path]};
        const missing = (name) => { throw new Error('${path} is not built in, and undici asks for its ' + String(name)); };
        module.exports = new Proxy(function () {}, { get: (_, name) => (name in has ? has[name] : missing(name)), apply: () => missing('call') });`,
    }));
  },
};

// Made beside its place and put there at once: a command that is running while this builds must find its files.
const staged = `${directory}-${process.pid}`;
try {
  const { metafile } = await build({
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    minify: true,
    outdir: staged,
    logLevel: 'warning',
    metafile: true,
    entryPoints: { start: 'src/start/start.ts', ...APART },
    plugins: [measuredAlike, notBuiltIn, keptApart],
    // `import()` would go through the loader of ES modules again.
    supported: { 'dynamic-import': false },
    define: { 'import.meta.dirname': '__dirname' },
    // Names and lines are enough for a stack; the sources themselves stay in the repository.
    sourcemap: 'external',
    sourcesContent: false,
  });
  await writeFile(join(staged, 'package.json'), '{ "type": "commonjs" }\n');
  await writeFile(join(staged, 'THIRD-PARTY-LICENSES'), await formatLicenses(metafile));
  await rm(directory, { recursive: true, force: true });
  await rename(staged, directory);
} finally {
  await rm(staged, { recursive: true, force: true });
}
