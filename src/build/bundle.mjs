/**
 * Builds dist/ reproducibly: `node src/build/bundle.mjs [DIRECTORY]`. The output is CommonJS, because Node's loader of ES modules takes 10 ms more (a
 * third of `qrctl --version`). It consists of start.js, app.js, and one file per library that few commands need, which is loaded only then. The source
 * map next to each file is read only to locate a defect.
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
  'csv-parse': 'csv-parse',
  'csv-parse-sync': 'csv-parse/sync',
  'cli-table3': 'cli-table3',
  chalk: 'chalk',
  'temporal-polyfill': 'temporal-polyfill',
  'hyparquet-writer': 'hyparquet-writer',
  pdfkit: 'src/files/paper/pdfkit.ts',
  // A report needs only one of the languages.
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
 * Plugin that bundles pdfkit and fontkit as CommonJS, because as ES modules they need import.meta.url, which a bundle lacks. It omits brotli, with
 * which fontkit would read WOFF2: the dictionary has 120 KB, and the embedded fonts are WOFF.
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

/**
 * Plugin that omits atomically, with which conf writes: when loaded, it handles the signals of the process, so that a config file over `ulimit -f`
 * kills it. src/settings/write-store.ts writes instead.
 */
const confWithoutWriter = {
  name: 'conf-without-writer',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^atomically$/ }, ({ importer }) =>
      importer.includes('/conf/') ? { path: 'atomically', namespace: 'conf-without-writer' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'conf-without-writer' }, () => ({
      contents: `export function writeFileSync() { throw new Error('conf writes by itself'); }`,
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
  const FAMILIES = {
    'noto-sans': [
      'latin',
      'latin-ext',
      'cyrillic',
      'greek',
      'vietnamese',
      'cyrillic-ext',
      'greek-ext',
      'devanagari',
    ],
    'noto-sans-arabic': ['arabic'],
    'noto-sans-jp': ['japanese'],
  };
  const WEIGHTS = { 'noto-sans': [400, 600], 'noto-sans-arabic': [400, 600], 'noto-sans-jp': [400] };
  await mkdir(join(staged, 'fonts'));
  for (const [family, subsets] of Object.entries(FAMILIES)) {
    const from = join('node_modules/@fontsource', family);
    for (const subset of subsets) {
      for (const weight of WEIGHTS[family]) {
        const file = `${family}-${subset}-${weight}-normal.woff`;
        await copyFile(join(from, 'files', file), join(staged, 'fonts', file));
      }
    }
  }
  return Object.keys(FAMILIES).map((family) => join('node_modules/@fontsource', family));
}

// Built next to its final path and renamed, because a command that runs during the build must find its files.
const staged = `${directory}-${process.pid}`;
const OPTIONS = {
  bundle: true,
  format: 'cjs',
  platform: 'node',
  target: 'node20', // node20:
  minify: true,
  // Short lines: stacks, debuggers and Node's assertions find a position fast, and print only that line.
  lineLimit: 500,
  outdir: staged,
  logLevel: 'warning',
  metafile: true,
  // `import()` would use the loader of ES modules.
  supported: { 'dynamic-import': false },
  define: { 'import.meta.dirname': '__dirname' },
  // A stack needs only names and lines, not the sources.
  sourcemap: 'external',
  sourcesContent: false,
};
/** Files that src/build/start.ts loads: each is the wrapper function that Node makes of a CommonJS module. */
const LOADED = {
  ...OPTIONS,
  banner: { js: '(function(exports,require,module,__filename,__dirname){' },
  footer: { js: '})' },
};
try {
  await mkdir(staged);
  await build({ ...OPTIONS, entryPoints: { start: 'src/build/start.ts' }, plugins: [splitModules] });
  const plugins = [confWithoutWriter, pdfAsCommonJs, jsonAsCommonJs, splitModules];
  const fonts = await copyFonts();
  // The renderer of logos (src/codes/images/logo-worker.ts).
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
