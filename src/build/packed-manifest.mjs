/**
 * The package.json of the tarball: what users need, without scripts (npm warns of install scripts), development dependencies and settings
 * of tools. `npm pack` packs the package.json that it finds, so this replaces it as `prepack`, and `--restore` puts it back as `postpack`.
 * npm skips `postpack` if packing fails or is killed: for that `--guard MS` waits in the background, and puts it back after that time.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const MANIFEST = 'package.json';
/** The package.json of the clone meanwhile. */
const KEPT = 'node_modules/.cache/qrctl/package.json';
/** What only a clone has a use for. */
const OF_CLONES = ['scripts', 'devDependencies', 'knip'];
/** Packing takes a few seconds. */
const LONGEST_PACK_MS = 30_000;

const [mode, ms] = process.argv.slice(2);
if (mode === '--restore') restore();
else if (mode === '--guard') await guard(Number(ms));
else clean();

function clean() {
  const text = readFileSync(MANIFEST, 'utf8');
  mkdirSync(dirname(KEPT), { recursive: true });
  replace(KEPT, text);
  replace(MANIFEST, packed(text));
  const args = [fileURLToPath(import.meta.url), '--guard', `${LONGEST_PACK_MS}`];
  spawn(process.execPath, args, { detached: true, stdio: 'ignore' }).unref();
}

function packed(text) {
  const manifest = JSON.parse(text);
  for (const key of OF_CLONES) delete manifest[key];
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** Nothing to do if it was put back already. */
function restore() {
  if (!existsSync(KEPT)) return;
  const text = readFileSync(KEPT, 'utf8');
  // What is there now may be newer: somebody checked it out again.
  if (readFileSync(MANIFEST, 'utf8') === packed(text)) replace(MANIFEST, text);
  rmSync(KEPT);
}

async function guard(untilMs) {
  for (let waitedMs = 0; waitedMs < untilMs && existsSync(KEPT); waitedMs += 100) await sleep(100);
  restore();
}

/** At no instant is there half of it. */
function replace(path, text) {
  writeFileSync(`${path}.partial`, text);
  renameSync(`${path}.partial`, path);
}
