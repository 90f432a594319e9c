/** Builds the threads that may be ended, each as one script, which is started from its text: in an executable it is in no file. */
import { build } from 'esbuild';

/** By the names of their files in dist/. */
const WORKERS = {
  'parquet-worker': 'src/rows/parquet/worker.ts',
  'logo-worker': 'src/image/logo-worker.ts',
};

/** Writes `NAME.js` of each into the directory. */
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
