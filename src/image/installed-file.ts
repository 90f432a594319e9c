/** Files of libraries that are read when they are needed: built they lie in dist/, beside the sources in node_modules/. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readIfPackaged } from '../durable/packaged-files.ts';
import { LocalError } from '../errors.ts';

const MODULES = join(import.meta.dirname, '../../node_modules');

/** The bytes of a file by its path in the package, or where that was not built by its path in node_modules. Throws LocalError where it is missing. */
export async function readInstalled(packaged: string, installed: string): Promise<Buffer> {
  const bytes = readIfPackaged(packaged);
  if (bytes) return bytes;
  return readFile(join(MODULES, installed)).catch((cause: unknown) => {
    throw damagedInstallation(packaged, 'is missing', cause);
  });
}

/** What somebody can mend who installs it again, and no defect of the program. */
export function damagedInstallation(packaged: string, what: string, cause: unknown): LocalError {
  return new LocalError(`the qrctl installation is corrupt: ${packaged} ${what}`, { cause, hint: 'Reinstall qrctl.' });
}
