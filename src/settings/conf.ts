/** Reads config.json back with conf, which checks it against a schema. A file of its own, as few commands need the library. */
import { basename, dirname, extname } from 'node:path';
import Conf from 'conf';
import { FILE_MODE } from './config-directory.ts';
import { CONFIG_SCHEMA } from './stored.ts';

/** Returns the content of the config. Throws an Error for a file that is not JSON or does not match the schema. */
export function readWithConf(file: string): Record<string, unknown> {
  return new Conf<Record<string, unknown>>({
    cwd: dirname(file),
    configName: basename(file, extname(file)),
    configFileMode: FILE_MODE,
    schema: CONFIG_SCHEMA,
    clearInvalidConfig: false,
    accessPropertiesByDotNotation: false, // a profile's name may have a dot
  }).store;
}
