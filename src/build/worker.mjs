/** Builds the thread that decodes Parquet as one script, which is started from its text: in an executable it is in no file. */
import { join } from 'node:path';
import { build } from 'esbuild';

/** Writes `parquet-worker.js` into the directory. */
export function buildWorker(directory) {
  return build({
    entryPoints: { 'parquet-worker': 'src/parquet/worker.ts' },
    outfile: join(directory, 'parquet-worker.js'),
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    minify: true,
    metafile: true,
    logLevel: 'warning',
  });
}
