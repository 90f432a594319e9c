import { mkdir, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { buildWorkers } from './chunks.mjs';

// Passes no prebuilt help, which would lack new commands.
const ENTRY = `
  import * as app from './app.ts';
  import { main } from './main.ts';
  export const run = (argv) => main(argv, () => app, () => undefined);
`;

// Builds in node_modules, where imports find the libraries.
const outfile = resolve(`node_modules/.cache/qrctl/dev-${process.pid}.mjs`);
await mkdir('node_modules/.cache/qrctl', { recursive: true });
await buildWorkers('dist');
try {
  await build({
    stdin: { contents: ENTRY, resolveDir: 'src' },
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    outfile,
    sourcemap: 'inline',
    logLevel: 'warning',
    define: { 'import.meta.dirname': JSON.stringify(resolve('src')) },
  });
  process.setSourceMapsEnabled(true);
  const { run } = await import(pathToFileURL(outfile).href);
  process.exitCode = await run(process.argv.slice(2));
} finally {
  await rm(outfile, { force: true });
}
