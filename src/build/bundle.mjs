/** Builds dist/ as CommonJS, because Node's loader for ES modules takes 10 ms more. */
import { copyFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { buildChunks, buildFile, buildWorkers } from './chunks.mjs';
import { bundledPackages, formatBillOfMaterials, formatLicenses } from './licenses.mjs';
import { stubModules } from './stub-modules.mjs';

/** Modules that most commands load, in two chunks, so that few files are opened. */
const SHARED = {
  core: [
    'src/app.ts',
    'src/commands/qr/list.ts',
    'src/commands/qr/get.ts',
    'src/commands/candidates.ts',
    'src/settings/store.ts',
    'src/settings/resolve.ts',
    'src/settings/resolve-key.ts',
    'src/codes/listing/code-cache.ts',
    'src/service/slug-memory.ts',
    'src/files/formats/plan-output.ts',
    'src/files/formats/create-formatter.ts',
    'node_modules/env-paths/index.js',
  ],
  http: ['src/service/create-service.ts'],
};
const SHARED_BY = 8;

function createGrouping() {
  const chunkOf = new Map();
  return (id, context) => {
    if (chunkOf.size === 0)
      for (const [chunk, roots] of Object.entries(SHARED))
        for (const root of roots) visit(resolve(root), chunk, context);
    return chunkOf.get(id);
  };

  function visit(id, chunk, context) {
    if (chunkOf.has(id)) return;
    chunkOf.set(id, chunk);
    for (const imported of context.getModuleInfo(id)?.importedIds ?? []) visit(imported, chunk, context);
  }
}

const [directory = 'dist'] = process.argv.slice(2);

async function copyFonts() {
  const BOTH = 'latin latin-ext cyrillic greek vietnamese cyrillic-ext greek-ext'.split(' ');
  const FAMILIES = [
    ['noto-sans', BOTH, [400, 600]],
    ['noto-sans', ['devanagari'], [400]],
    ['noto-sans-arabic', ['arabic'], [400]],
    ['m-plus-1p', ['japanese'], [400]],
  ];
  await mkdir(join(staged, 'fonts'));
  for (const [family, subsets, weights] of FAMILIES) {
    const names = subsets.flatMap((subset) => weights.map((weight) => `${family}-${subset}-${weight}`));
    for (const file of names.map((name) => `${name}-normal.woff`))
      await copyFile(join('node_modules/@fontsource', family, 'files', file), join(staged, 'fonts', file));
  }
  return FAMILIES.map(([family]) => join('node_modules/@fontsource', family));
}

// The complete directory is renamed, so that commands during the build find their files.
const staged = `${directory}-${process.pid}`;

function buildApp() {
  return buildChunks(
    staged,
    { app: 'src/app.ts' },
    {
      plugins: [stubModules],
      output: {
        codeSplitting: {
          groups: [
            { name: createGrouping(), priority: 1 },
            { name: 'common', minShareCount: SHARED_BY },
          ],
        },
        dynamicImportInCjs: false,
        postBanner: '(function(exports,require,module,__filename,__dirname){',
        postFooter: '})',
      },
    },
  );
}

try {
  await mkdir(staged);
  const fonts = await copyFonts();
  const wasm = await readFile('node_modules/@resvg/resvg-wasm/index_bg.wasm');
  await writeFile(
    join(staged, 'resvg.wasm.br'),
    brotliCompressSync(wasm, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  );
  const chunks = await Promise.all([
    buildFile(staged, 'start', 'src/build/start.ts'),
    buildWorkers(staged),
    buildApp(),
  ]);
  await writeFile(join(staged, 'package.json'), '{ "type": "commonjs" }\n');
  const packages = await bundledPackages(chunks.flat(), fonts);
  await writeFile(join(staged, 'THIRD-PARTY-LICENSES'), formatLicenses(packages));
  const program = JSON.parse(await readFile('package.json', 'utf8'));
  await writeFile(join(staged, 'sbom.cdx.json'), formatBillOfMaterials(program, packages));
  await rm(directory, { recursive: true, force: true });
  await rename(staged, directory);
} finally {
  await rm(staged, { recursive: true, force: true });
}
