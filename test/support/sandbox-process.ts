/** A sandbox in a process of its own, for measurements: it shares neither event loop nor memory with what is measured. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { SandboxOptions } from '#sandbox/options';

export interface SandboxProcess {
  readonly baseUrl: string;
  readonly env: { QRCTL_BASE_URL: string; QRCTL_API_KEY: string };
  /** Kills it. */
  close(): Promise<void>;
}

/** Options that survive the way into another process. */
type PlainOptions = Omit<SandboxOptions, 'clock' | 'idOffset' | 'onRequest' | 'intercept'>;

const SOURCE = fileURLToPath(new URL('../../src/sandbox/sandbox.ts', import.meta.url));

/** Keeps pages of scans once built, up to 512 MiB, so that building them is not measured. Only for logs that hold still. */
const KEEP_PAGES = `
const pages = new Map();
let bytes = 0;
async function keepPages({ request, apply, send }) {
  const key = request.path + '?' + request.query;
  const page = pages.get(key);
  // What asks for nothing is answered at once, with the rate headers of this very request.
  if (page) return send({ ...apply({ ...request, path: '/' }), status: 200, body: page });
  const answer = apply();
  if (answer.status === 200 && key.includes('/scans?') && bytes + answer.body.length <= 512 * 2 ** 20) {
    pages.set(key, Buffer.from(answer.body));
    bytes += answer.body.length;
  }
  return send(answer);
}`;

/** Bundles the sandbox's source, and starts it with these options; with `prepared` it keeps its pages. The caller closes it. */
export async function startSandboxProcess({
  prepared = false,
  ...options
}: PlainOptions & { prepared?: boolean }): Promise<SandboxProcess> {
  const directory = await mkdtemp(join(tmpdir(), 'qrctl-sandbox-'));
  const bundle = join(directory, 'sandbox.mjs');
  await build({
    entryPoints: [SOURCE],
    bundle: true,
    format: 'esm',
    platform: 'node',
    outfile: bundle,
    logLevel: 'error',
  });
  const starter = join(directory, 'start.mjs');
  const lines = [
    `import { startSandbox } from './sandbox.mjs';`,
    ...(prepared ? [KEEP_PAGES, 'const intercept = keepPages;'] : ['const intercept = undefined;']),
    `const { baseUrl, apiKey } = await startSandbox({ ...JSON.parse(process.argv[2]), intercept });`,
    `console.log(JSON.stringify({ QRCTL_BASE_URL: baseUrl, QRCTL_API_KEY: apiKey }));`,
  ];
  await writeFile(starter, lines.join('\n'));
  const child = spawn(process.execPath, [starter, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const env = await new Promise<SandboxProcess['env']>((resolve, reject) => {
    child.stdout.once('data', (line) => resolve(JSON.parse(String(line))));
    child.once('close', (code) => reject(new Error(`the sandbox ended with ${code}`)));
  });

  return {
    baseUrl: env.QRCTL_BASE_URL,
    env,
    async close() {
      child.kill('SIGKILL');
      await ended;
      await rm(directory, { recursive: true, force: true });
    },
  };
}
