import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LocalError } from '#base/errors';
import { readIfPackaged } from './packaged-files.ts';

const MODULES = join(import.meta.dirname, '../../../node_modules');

/** Reads a library's file from the package or, if missing, from node_modules. Throws LocalError. */
export async function readInstalled(packaged: string, installed: string): Promise<Buffer> {
  const bytes = readIfPackaged(packaged);
  if (bytes) return bytes;
  return readFile(join(MODULES, installed)).catch((cause: unknown) => {
    throw damagedInstallation(packaged, 'is missing', cause);
  });
}

export function damagedInstallation(packaged: string, what: string, cause: unknown): LocalError {
  return new LocalError(`the qrctl installation is corrupt: ${packaged} ${what}`, {
    cause,
    hint: 'Reinstall qrctl.',
  });
}
