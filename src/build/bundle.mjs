/**
 * Builds dist/ reproducibly: `node src/build/bundle.mjs [DIRECTORY]`. The output is CommonJS, because Node's loader of ES modules takes 10
 * ms more.
 */
import { copyFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { build } from 'esbuild';
import { formatBillOfMaterials } from './bill-of-materials.mjs';
import { bundledPackages, formatLicenses } from './licenses.mjs';
import { stubModules } from './stub-modules.mjs';
import { buildWorkers } from './worker.mjs';

const [directory = 'dist'] = process.argv.slice(2);

/** As in src/scans/report/languages/plurals.ts; a test compares both. */
const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pt', 'pl', 'ja', 'ar'];

/** Modules that get their own file in dist/, with all their imports: large libraries that few commands need. */
const SPLIT = {
  conf: 'src/settings/conf.ts',
  'csv-parse-sync': 'csv-parse/sync',
  'cli-table3': 'cli-table3',
  chalk: 'chalk',
  'temporal-polyfill': 'temporal-polyfill',
  'hyparquet-writer': 'hyparquet-writer',
  pdfkit: 'src/files/paper/pdfkit.ts',
  ...Object.fromEntries(
    LANGUAGES.flatMap((language) => [
      [`report-${language}`, `src/scans/report/languages/words/${language}.json`],
      [`cldr-${language}`, `src/scans/report/languages/cldr/${language}.json`],
    ]),
  ),
};

/** Plugin that leaves an import of a split module to the loader in src/build/start.ts. */
const splitModules = {
  name: 'split-modules',
  setup({ onResolve }) {
    onResolve({ filter: /^[.a-z]/ }, ({ importer, kind, path, resolveDir }) => {
      if (kind === 'entry-point' || importer.includes('node_modules')) return undefined;
      const module = path.startsWith('.') ? relative('.', join(resolveDir, path)) : path;
      const [name] = Object.entries(SPLIT).find(([, wanted]) => wanted === module) ?? [];
      return name && { path: `./${name}.js`, external: true };
    });
  },
};

/**
 * Plugin that bundles pdfkit and fontkit as CommonJS, because as ES modules they need import.meta.url, and omits brotli (120 KB), which
 * only WOFF2 needs.
 */
const pdfAsCommonJs = {
  name: 'pdf-as-commonjs',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(pdfkit|fontkit)$/ }, ({ path }) => ({
      path: createRequire(import.meta.url).resolve(path),
    }));
    onResolve({ filter: /^brotli\// }, ({ path }) => ({ path, namespace: 'no-woff2' }));
    onLoad({ filter: /.*/, namespace: 'no-woff2' }, ({ path }) => ({
      contents: `module.exports = () => { throw new Error('${path} is not built in'); };`,
    }));
  },
};

/** Plugin that bundles a JSON file as CommonJS: as an entry point, esbuild makes a module without exports of it. */
const jsonAsCommonJs = {
  name: 'json-as-commonjs',
  setup({ onLoad }) {
    onLoad({ filter: /report.languages.\w+.\w+\.json$/ }, async ({ path }) => ({
      contents: `module.exports = ${await readFile(path, 'utf8')}`,
    }));
  },
};

/** Copies the fonts of PDFs (src/files/paper/caption-fonts.ts). Resolves to the directories of their packages. */
async function copyFonts() {
  const NOTO_SANS = 'latin latin-ext cyrillic greek vietnamese cyrillic-ext greek-ext devanagari'.split(' ');
  const FAMILIES = [
    ['noto-sans', NOTO_SANS, [400, 600]],
    ['noto-sans-arabic', ['arabic'], [400, 600]],
    ['noto-sans-jp', ['japanese'], [400]],
  ];
  await mkdir(join(staged, 'fonts'));
  for (const [family, subsets, weights] of FAMILIES) {
    const names = subsets.flatMap((subset) => weights.map((weight) => `${family}-${subset}-${weight}`));
    for (const file of names.map((name) => `${name}-normal.woff`))
      await copyFile(join('node_modules/@fontsource', family, 'files', file), join(staged, 'fonts', file));
  }
  return FAMILIES.map(([family]) => join('node_modules/@fontsource', family));
}

// Renamed when complete, so that a command that runs during the build finds its files.
const staged = `${directory}-${process.pid}`;
const OPTIONS = {
  bundle: true,
  format: 'cjs',
  platform: 'node',
  target: 'node20', // node20:
  minify: true,
  // Node's assertions and stacks print the whole line of a position.
  lineLimit: 500,
  outdir: staged,
  logLevel: 'warning',
  metafile: true,
  supported: { 'dynamic-import': false },
  define: { 'import.meta.dirname': '__dirname' },
  sourcemap: 'external',
  sourcesContent: false,
};
/** Options of files that src/build/start.ts loads: each is a function, as Node's wrapper of a CommonJS module. */
const LOADED = {
  ...OPTIONS,
  banner: { js: '(function(exports,require,module,__filename,__dirname){' },
  footer: { js: '})' },
};
try {
  await mkdir(staged);
  await build({ ...OPTIONS, entryPoints: { start: 'src/build/start.ts' }, plugins: [splitModules] });
  const plugins = [pdfAsCommonJs, jsonAsCommonJs, stubModules, splitModules];
  const fonts = await copyFonts();
  await copyFile('node_modules/@resvg/resvg-wasm/index_bg.wasm', join(staged, 'resvg.wasm'));
  const { metafile } = await build({ ...LOADED, entryPoints: SPLIT, plugins });
  const workers = await buildWorkers(staged);
  const { outputs } = (
    await build({ ...LOADED, entryPoints: { app: 'src/app.ts' }, plugins: [stubModules, splitModules] })
  ).metafile;
  await writeFile(join(staged, 'package.json'), '{ "type": "commonjs" }\n');
  const packages = await bundledPackages(
    { outputs: { ...metafile.outputs, ...workers.metafile.outputs, ...outputs } },
    fonts,
  );
  await writeFile(join(staged, 'THIRD-PARTY-LICENSES'), formatLicenses(packages));
  const program = JSON.parse(await readFile('package.json', 'utf8'));
  await writeFile(join(staged, 'sbom.cdx.json'), formatBillOfMaterials(program, packages));
  await rm(directory, { recursive: true, force: true });
  await rename(staged, directory);
} finally {
  await rm(staged, { recursive: true, force: true });
}
