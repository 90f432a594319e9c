/** Returns whether conf reads `text` from the config. */

import { basename, dirname, extname } from 'node:path';
import Conf from 'conf';
import { FILE_MODE } from './config-directory.ts';
import { CONFIG_SCHEMA } from './store.ts';

export function isStored(file: string, text: string): boolean {
  try {
    const { store } = new Conf<Record<string, unknown>>({
      cwd: dirname(file),
      configName: basename(file, extname(file)),
      configFileMode: FILE_MODE,
      schema: CONFIG_SCHEMA,
      clearInvalidConfig: false,
      accessPropertiesByDotNotation: false, // Profile names may have dots.
    });
    return JSON.stringify(store, undefined, '\t') === text;
  } catch {
    return false; // Errors from conf may quote keys.
  }
}
