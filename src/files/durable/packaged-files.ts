import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getAsset, isSea } from 'node:sea';
import { orUndefined } from '#base/errors';

const ROOT = import.meta.dirname.replace(/[\\/](?:dist|src[\\/]files[\\/]durable)$/, '');

export function readPackaged(path: string): Buffer {
  return isSea() ? Buffer.from(getAsset(path)) : readFileSync(join(ROOT, path));
}

export function readIfPackaged(path: string): Buffer | undefined {
  return orUndefined(() => readPackaged(path));
}
