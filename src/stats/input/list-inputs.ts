/** The files that `--input` names: files, and directories with all data below them. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../../errors.ts';
import { cannotRead } from './input-bytes.ts';

/** What is data in a directory; states, manifests and files that are still being written are not. */
const DATA = /\.(csv|tsv|ndjson|jsonl|json|parquet)(\.gz)?$/i;
const NO_DATA = /\.state\.json$/i;

/** The files, those of a directory by name, which of a dataset is their order of time. Throws UsageError for what is not there. */
export async function listInputs(names: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const name of names) {
    // Files that overlap are read twice.
    if (name === '-') throw new UsageError('--input reads files, not standard input', { hint: 'save it as a file first' });
    const isDirectory = await stat(name).then(
      (stats) => stats.isDirectory(),
      (cause) => {
        throw cannotRead(name, cause);
      },
    );
    if (!isDirectory) found.push(name);
    else {
      const below = await listDirectory(name);
      if (below.length === 0)
        throw new UsageError(`${name} holds no file of scans`, { hint: 'they end in .csv, .ndjson, .json or .parquet' });
      for (const path of below) found.push(path);
    }
  }
  return [...new Set(found)];
}

async function listDirectory(directory: string): Promise<string[]> {
  const names = await readdir(directory, { recursive: true, withFileTypes: true });
  return names
    .filter((entry) => entry.isFile() && !/^[._]/.test(entry.name) && DATA.test(entry.name) && !NO_DATA.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
