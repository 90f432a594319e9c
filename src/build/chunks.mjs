import { createRequire } from 'node:module';
import { build } from 'rolldown';

const { resolve } = createRequire(import.meta.url);

const ALIASES = {
  // CommonJS builds, because the ES modules need import.meta.url.
  pdfkit: resolve('pdfkit'),
  fontkit: resolve('fontkit'),
  // Omits undici's second build of its HTTP parser (72 KB), which is faster only for long headers.
  '../llhttp/llhttp_simd-wasm.js': resolve('undici/lib/llhttp/llhttp-wasm.js'),
};

export async function buildChunks(dir, input, { plugins, output } = {}) {
  const { output: chunks } = await build({
    input,
    platform: 'node',
    plugins,
    transform: { target: 'node20', define: { 'import.meta.dirname': '__dirname' } }, // node20:
    resolve: { alias: ALIASES },
    checks: { ineffectiveDynamicImport: false, bundlerTimings: false },
    output: {
      dir,
      format: 'cjs',
      entryFileNames: '[name].js',
      chunkFileNames: '[name].js',
      minify: true,
      charset: 'ascii', // V8 stores Latin-1 text in half the memory and reads it faster.
      sourcemap: 'hidden',
      sourcemapExcludeSources: true,
      ...output,
    },
  });
  return chunks;
}

export function buildFile(directory, name, source) {
  return buildChunks(directory, { [name]: source }, { output: { codeSplitting: false } });
}

/** Builds one file per worker. Workers run from text, because a single executable has no files. */
export async function buildWorkers(directory) {
  const workers = [
    buildFile(directory, 'parquet-worker', 'src/files/formats/parquet/worker.ts'),
    buildFile(directory, 'logo-worker', 'src/codes/images/logo-worker.ts'),
  ];
  return (await Promise.all(workers)).flat();
}
