/**
 * Builds dist/, the same bytes from the same sources: `node src/build/bundle.mjs [DIRECTORY]`. Start-up time is a promise of this
 * tool, so it is CommonJS (node's loader of ES modules takes 10 ms of processor time more, a third of `qrctl --version`) in a few
 * files, each read only when it is needed. The source map beside each is read only to say where a defect is.
 */
import { copyFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, join, relative } from 'node:path';
import { build, transform } from 'esbuild';
import { formatBillOfMaterials } from './bill-of-materials.mjs';
import { bundledPackages, formatLicenses } from './licenses.mjs';
import { asData, builtInsAsRead, notBuiltIn } from './lighter-libraries.mjs';
import { buildWorkers } from './worker.mjs';

const [directory = 'dist'] = process.argv.slice(2);

const TARGET = 'node20';

/** Modules that get a file of dist/ for themselves, with all they import: large libraries that few commands need. */
const APART = {
  conf: 'conf',
  'csv-parse': 'csv-parse',
  'csv-parse-sync': 'csv-parse/sync',
  'cli-table3': 'cli-table3',
  chalk: 'chalk',
  'temporal-polyfill': 'temporal-polyfill',
  'hyparquet-writer': 'hyparquet-writer',
  pdfkit: 'src/image/pdfkit.ts',
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
      contents: `module.exports = require('./src/text/display-width.ts').displayWidth`,
      resolveDir: '.',
    }));
  },
};

const PARSER = /[\\/]llhttp[\\/]llhttp.*-wasm\.js$/;

/**
 * undici's parser of HTTP, as the file of WebAssembly that it is: as text within the bundle it would be read and compared at each
 * start in a third more bytes, twice, because there is another one for processors without SIMD.
 */
const parserInFiles = {
  name: 'parser-in-files',
  setup({ onResolve, onLoad }) {
    // From our own sources by way of another module: esbuild would copy each of its 54,000 bytes as a property of a module's.
    onResolve({ filter: PARSER }, ({ kind, path }) => (kind === 'import-statement' ? { path, namespace: 'parser' } : undefined));
    onLoad({ filter: /.*/, namespace: 'parser' }, ({ path }) => ({
      contents: `exports.__esModule = true; exports.default = require('${path}');`,
      resolveDir: '.',
    }));
    onResolve({ filter: /\.wasm$/ }, ({ path }) => ({ path, external: true }));
    onLoad({ filter: PARSER }, async ({ path }) => {
      const name = basename(path).replace('-wasm.js', '.wasm');
      await writeFile(join(staged, name), createRequire(import.meta.url)(path));
      return { contents: `module.exports = require('./${name}');` };
    });
  },
};

/**
 * What every command that asks the service needs: `app.js` has these and what they import. All of that file is read, compared and kept
 * in memory at each start, so that a source belongs here only if `qr list` loads it, in a pipe or on a terminal, or if it is as small as `qr get`.
 */
const CORE = [
  'src/app.ts',
  'src/commands/qr/list.ts',
  'src/rows/create-formatter.ts',
  'src/rows/document-sink.ts',
  'src/rows/plan-output.ts',
  'src/service/create-service.ts',
  'src/settings/resolve.ts',
  'src/codes/slug-file.ts',
  'src/settings/store.ts',
  'node_modules/env-paths/index.js',
  'src/terminal/colour.ts',
  'src/terminal/table.ts',
  'src/commands/qr/get.ts',
];

/** Sources of what most commands never touch: they are in `rest.js`, and in `more.js` is what is in neither. */
const REST =
  /^src\/(append|bulk|image|complete|once|output\/xlsx|sandbox|dataset)\/|^src\/commands\/(?!qr\/get\.ts|auth\/status\.ts|[a-z-]+\.ts)/;

/**
 * The program in three files, and in them a function for each part that is imported at a time of its own. esbuild divides it into such
 * parts only as files of ES modules: these are put together again. Left whole, each command would pay for the functions and classes
 * of all. A part of another file is imported by `./FILE.js#PART` (src/start/start.ts).
 */
async function bundleProgram(options) {
  const { outputFiles, metafile } = await build({
    ...options,
    banner: {},
    footer: {},
    entryPoints: { app: 'src/app.ts' },
    format: 'esm',
    splitting: true,
    write: false,
    sourcemap: 'inline',
    supported: {},
    plugins: [measuredAlike, notBuiltIn, builtInsAsRead, parserInFiles, asData, keptApart],
  });
  const parts = new Map(outputFiles.map(({ path, text }) => [`./${basename(path)}`, text]));
  const outputs = new Map(Object.entries(metafile.outputs).map(([path, output]) => [`./${basename(path)}`, output]));
  const sourcesOf = (part) => Object.keys(outputs.get(part).inputs).filter((path) => path.startsWith('src/'));
  const files = new Map();
  function put(part, file) {
    if (!parts.has(part) || files.has(part)) return;
    files.set(part, file);
    for (const { path, kind } of outputs.get(part).imports) if (kind === 'import-statement') put(`./${basename(path)}`, file);
  }
  for (const source of CORE) {
    // A library lies elsewhere where node_modules is a link.
    const entry = [...outputs].find(([, { entryPoint = '' }]) => `/${entryPoint}`.endsWith(`/${source}`));
    if (!entry) throw new Error(`${source} is no longer loaded at a time of its own`);
    put(entry[0], './app.js');
  }
  for (const part of parts.keys()) {
    const sources = sourcesOf(part);
    if (sources.length === 0 || !sources.every((path) => REST.test(path))) put(part, './more.js');
  }
  const fileOf = (part) => files.get(part) ?? './rest.js';
  for (const file of ['./app.js', './more.js', './rest.js']) {
    const here = [...parts.keys()].filter((part) => fileOf(part) === file).sort();
    const entry = {
      contents: `module.exports = { ${here.map((part) => `'${part.slice(2)}': () => require('${part}')`)} };`,
      resolveDir: '.',
    };
    await build({ ...options, stdin: entry, outdir: undefined, outfile: join(staged, file), plugins: [partsOf(file)] });
  }
  return metafile;

  function partsOf(file) {
    return {
      name: 'parts',
      setup({ onResolve, onLoad }) {
        onResolve({ filter: /.*/ }, ({ path }) => {
          if (!parts.has(path)) return { path, external: true };
          return fileOf(path) === file
            ? { path, namespace: 'part' }
            : { path: `${fileOf(path)}#${path.slice(2)}`, external: true };
        });
        onLoad({ filter: /.*/, namespace: 'part' }, async ({ path }) => {
          const made = await transform(withPlainExports(parts.get(path)), {
            format: 'cjs',
            target: TARGET,
            minify: true,
            sourcemap: 'inline',
          });
          return { contents: made.code };
        });
      },
    };
  }
}

/**
 * A part with what it exports as the getters of one object. esbuild would define them on one object and copy them to another, each by a
 * getter of its own, with the functions that do so in every part: more than a millisecond of each command. Where a part ends otherwise
 * it stays as it is; its end alone is changed, because the source map tells places by what stands before them.
 */
function withPlainExports(part) {
  return part.replace(/export\{([^{}]*)\};(?=\s*(?:\/\/# sourceMappingURL=\S*\s*)?$)/, (_, names) => {
    const pairs = names.split(',').map((name) => name.split(' as '));
    const getters = pairs.map(([local, exported = local]) => `get ${exported}(){return ${local}}`);
    return `module.exports={${['__esModule:!0', ...getters]}};`;
  });
}

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

/** The fonts of captions (src/image/caption-fonts.ts). Gives the directories of their packages. */
async function copyFonts() {
  const FAMILIES = {
    'noto-sans': ['latin', 'latin-ext', 'cyrillic', 'greek', 'vietnamese', 'cyrillic-ext', 'greek-ext', 'devanagari'],
    'noto-sans-arabic': ['arabic'],
    'noto-sans-jp': ['japanese'],
  };
  await mkdir(join(staged, 'fonts'));
  for (const [family, subsets] of Object.entries(FAMILIES)) {
    const from = join('node_modules/@fontsource', family);
    for (const subset of subsets) {
      const file = `${family}-${subset}-400-normal.woff`;
      await copyFile(join(from, 'files', file), join(staged, 'fonts', file));
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
  target: TARGET,
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
  const plugins = [measuredAlike, notWrittenByConf, pdfAsBuilt, keptApart];
  const fonts = await copyFonts();
  // What draws logos (src/image/logo-worker.ts).
  await copyFile('node_modules/@resvg/resvg-wasm/index_bg.wasm', join(staged, 'resvg.wasm'));
  const { metafile } = await build({ ...LOADED, entryPoints: APART, plugins });
  const workers = await buildWorkers(staged);
  const { outputs } = await bundleProgram(LOADED);
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
