/** Builds each worker thread as one script. A worker is started from its text, because in an executable it is not a file. */
import { build } from 'esbuild';

/** Entry points by the names of their files in dist/. */
const WORKERS = {
  'parquet-worker': 'src/files/formats/parquet/worker.ts',
  'logo-worker': 'src/codes/images/logo-worker.ts',
};

export function buildWorkers(directory) {
  return build({
    entryPoints: WORKERS,
    outdir: directory,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    minify: true,
    lineLimit: 500,
    metafile: true,
    logLevel: 'warning',
  });
}
