/** Worker thread that render-apart.ts starts. The build bundles it into a separate file. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { initWasm } from '@resvg/resvg-wasm';
import type { LogoJob } from './render-apart.ts';
import { serveRenderer } from './serve-renderer.ts';

const { wasm, svg } = workerData as LogoJob;
serveRenderer(parentPort as MessagePort, svg, initWasm(wasm));
