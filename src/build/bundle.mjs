/**
 * Builds dist/, the same bytes from the same sources: `node src/build/bundle.mjs [DIRECTORY]`. Start-up time is a promise of this
 * tool, so it is CommonJS (node's loader of ES modules takes 10 ms of processor time more, a third of `qrctl --version`): the start, the
 * program, and the libraries that few commands need, each a file that is read only if it is needed. The source map beside each is read only to say where a defect is.
 */
import { copyFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { build } from 'esbuild';
import { formatBillOfMaterials } from './bill-of-materials.mjs';
import { bundledPackages, formatLicenses } from './licenses.mjs';
import { notBuiltIn } from './lighter-libraries.mjs';
import { buildWorkers } from './worker.mjs';

const [directory = 'dist'] = process.argv.slice(2);

/** As in src/report/languages/plurals.ts, which a test holds to this. */
const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pt', 'pl', 'ja', 'ar'];

/** Modules that get a file of dist/ for themselves, with all they import: large libraries that few commands need. */
const APART = {
  conf: 'src/settings/conf.ts',
  'csv-parse': 'csv-parse',
  'csv-parse-sync': 'csv-parse/sync',
  'cli-table3': 'cli-table3',
  chalk: 'chalk',
  'temporal-polyfill': 'temporal-polyfill',
  'hyparquet-writer': 'hyparquet-writer',
  pdfkit: 'src/image/pdfkit.ts',
  // A report needs one language of ten.
  ...Object.fromEntries(LANGUAGES.map((language) => [`report-${language}`, `src/report/languages/${language}.ts`])),
};

/** Leaves an import of one of them to the loader of src/start/start.ts. */
const keptApart = {
  name: 'kept-apart',
  setup({ onResolve }) {
    onResolve({ filter: /^[.a-z]/ }, ({ importer, kind, path, resolveDir }) => {
      if (kind === 'entry-point' || importer.includes('node_modules')) return undefined;
      const module = path.startsWith('.') ? relative('.', join(resolveDir, path)) : path;
      const [name] = Object.entries(APART).find(([, wanted]) => wanted === module) ?? [];
      return name && { path: `./${name}.js`, external: true };
    });
  },
};

/**
 * pdfkit and fontkit as CommonJS, because as ES modules they ask where they stand, which in a bundle is nowhere. Without what fontkit
 * reads WOFF2 with: a dictionary of 120 KB, and the fonts that are embedded are not of that kind.
 */
const pdfAsBuilt = {
  name: 'pdf-as-built',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(pdfkit|fontkit)$/ }, ({ path }) => ({ path: createRequire(import.meta.url).resolve(path) }));
    onResolve({ filter: /^brotli\// }, ({ path }) => ({ path, namespace: 'no-woff2' }));
    onLoad({ filter: /.*/, namespace: 'no-woff2' }, ({ path }) => ({
      contents: `module.exports = () => { throw new Error('${path} is not built in'); };`,
    }));
  },
};

/**
 * conf writes by a package that, when it is loaded, takes over the signals of the process: a config that passes `ulimit -f` then kills it.
 * src/settings/write-store.ts writes in its place.
 */
const notWrittenByConf = {
  name: 'not-written-by-conf',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^atomically$/ }, ({ importer }) =>
      importer.includes('/conf/') ? { path: 'atomically', namespace: 'not-written-by-conf' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'not-written-by-conf' }, () => ({
      contents: `export function writeFileSync() { throw new Error('conf writes by itself'); }`,
    }));
  },
};

/** The fonts of PDFs (src/image/caption-fonts.ts). Gives the directories of their packages. */
async function copyFonts() {
  const FAMILIES = {
    'noto-sans': ['latin', 'latin-ext', 'cyrillic', 'greek', 'vietnamese', 'cyrillic-ext', 'greek-ext', 'devanagari'],
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

// Made beside its place and put there at once: a command that is running while this builds must find its files.
const staged = `${directory}-${process.pid}`;
const OPTIONS = {
  bundle: true,
  format: 'cjs',
  platform: 'node',
  target: 'node20', // node20:
  minify: true,
  // Whatever looks for a place in a line (a stack, a debugger, an assertion of node's) finds it at once, and shows no more than that.
  lineLimit: 500,
  outdir: staged,
  logLevel: 'warning',
  metafile: true,
  // `import()` would go through the loader of ES modules again.
  supported: { 'dynamic-import': false },
  define: { 'import.meta.dirname': '__dirname' },
  // Names and lines are enough for a stack; the sources themselves stay in the repository.
  sourcemap: 'external',
  sourcesContent: false,
};
/** What only src/start/start.ts loads is a function of what node gives to a module. */
const LOADED = {
  ...OPTIONS,
  banner: { js: '(function(exports,require,module,__filename,__dirname){' },
  footer: { js: '})' },
};
try {
  await mkdir(staged);
  await build({ ...OPTIONS, entryPoints: { start: 'src/start/start.ts' }, plugins: [keptApart] });
  const plugins = [notWrittenByConf, pdfAsBuilt, keptApart];
  const fonts = await copyFonts();
  // What draws logos (src/image/logo-worker.ts).
  await copyFile('node_modules/@resvg/resvg-wasm/index_bg.wasm', join(staged, 'resvg.wasm'));
  const { metafile } = await build({ ...LOADED, entryPoints: APART, plugins });
  const workers = await buildWorkers(staged);
  const { outputs } = (await build({ ...LOADED, entryPoints: { app: 'src/app.ts' }, plugins: [notBuiltIn, keptApart] })).metafile;
  await writeFile(join(staged, 'package.json'), '{ "type": "commonjs" }\n');
  const packages = await bundledPackages({ outputs: { ...metafile.outputs, ...workers.metafile.outputs, ...outputs } }, fonts);
  await writeFile(join(staged, 'THIRD-PARTY-LICENSES'), formatLicenses(packages));
  const program = JSON.parse(await readFile('package.json', 'utf8'));
  await writeFile(join(staged, 'sbom.cdx.json'), formatBillOfMaterials(program, packages));
  await rm(directory, { recursive: true, force: true });
  await rename(staged, directory);
} finally {
  await rm(staged, { recursive: true, force: true });
}
