/**
 * The files that come with the program: those of the package or, where it is one executable, those embedded in it
 * (https://nodejs.org/docs/latest-v24.x/api/single-executable-applications.html). src/build/executable.mjs embeds them.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getAsset, isSea } from 'node:sea';

/** Of the package: this file runs from `dist/`, or as a source. */
const ROOT = import.meta.dirname.replace(/[\\/](?:dist|src[\\/]durable)$/, '');

/** The bytes of a file by its path in the package, such as `dist/app.js`. Throws where there is none. */
export function readPackaged(path: string): Buffer {
  return isSea() ? Buffer.from(getAsset(path)) : readFileSync(join(ROOT, path));
}

/** As `readPackaged`; undefined where there is none. */
export function readIfPackaged(path: string): Buffer | undefined {
  try {
    return readPackaged(path);
  } catch {
    return undefined;
  }
}
