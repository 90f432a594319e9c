/**
 * Reads files of the package or, in a single executable, those embedded by src/build/executable.mjs
 * (https://nodejs.org/docs/latest-v24.x/api/single-executable-applications.html).
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getAsset, isSea } from 'node:sea';

/** Root of the package, for `dist/` and for a source. */
const ROOT = import.meta.dirname.replace(/[\\/](?:dist|src[\\/]files[\\/]durable)$/, '');

/** Returns the bytes of a file by its path in the package, such as `dist/app.js`. Throws if it is missing. */
export function readPackaged(path: string): Buffer {
  return isSea() ? Buffer.from(getAsset(path)) : readFileSync(join(ROOT, path));
}

export function readIfPackaged(path: string): Buffer | undefined {
  try {
    return readPackaged(path);
  } catch {
    return undefined;
  }
}
