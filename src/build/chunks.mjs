import { createRequire } from 'node:module';
import { build } from 'rolldown';

const { resolve } = createRequire(import.meta.url);

export async function buildChunks(dir, input, { plugins, output } = {}) {
  const { output: chunks } = await build({
    input,
    platform: 'node',
    plugins,
    transform: { target: 'node20', define: { 'import.meta.dirname': '__dirname' } }, // node20:
    // As ES modules, pdfkit and fontkit need import.meta.url.
    resolve: { alias: { pdfkit: resolve('pdfkit'), fontkit: resolve('fontkit') } },
    checks: { ineffectiveDynamicImport: false, bundlerTimings: false },
    output: {
      dir,
      format: 'cjs',
      entryFileNames: '[name].js',
      chunkFileNames: '[name].js',
      minify: true,
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

/** Embeds workers as text, because in an executable they are not files. */
export async function buildWorkers(directory) {
  const workers = [
    buildFile(directory, 'parquet-worker', 'src/files/formats/parquet/worker.ts'),
    buildFile(directory, 'logo-worker', 'src/codes/images/logo-worker.ts'),
  ];
  return (await Promise.all(workers)).flat();
}
