/** Lists the files of `--input`: each file with its rotated files, and directories with all data below them. */
import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { UsageError } from '../../../base/errors.ts';
import { countOf } from '../../../base/text/quote.ts';
import { systemCode } from '../../../files/durable/path-errors.ts';
import { cannotRead } from '../../../files/formats/read/input-bytes.ts';
import { findLogName, isLikeLog, readLogName } from '../../../files/formats/read/rotated-names.ts';
import { wasRotated } from '../../append/recorded-log.ts';
import {
  COMPANION,
  filterScans,
  type InputLog,
  inShort,
  type ListOptions,
  type LogFile,
  sortFiles,
  warnOfUnread,
} from './input-log.ts';
import { listDirectory } from './list-directory.ts';

/** Returns the logs sorted by name, each file once. Throws UsageError for a missing file, or one that can't be decompressed. */
export async function listInputs(names: readonly string[], options: ListOptions): Promise<InputLog[]> {
  // Files that overlap are read twice.
  if (names.includes('-'))
    throw new UsageError("--input can't read standard input", {
      hint: 'Save the data to a file first, then pass its path.',
    });
  const { kept, skipped } = withoutCompanions(names);
  if (skipped.length > 0)
    options.note(
      `Skipped ${countOf(skipped.length, 'file')} that qrctl keeps next to scan files: ${inShort(skipped)}`,
    );
  const named = new Set(kept.map((name) => resolve(name)));
  const folders = createFolders();
  const logs: InputLog[] = [];
  const also: string[] = [];
  for (const name of kept) {
    const found = await stat(name).catch((cause) => {
      if (systemCode(cause) === 'ENOENT') return cannotRead(name, cause);
      throw cannotRead(name, cause);
    });
    const missing = found instanceof UsageError ? found : undefined;
    if (!(found instanceof UsageError) && found.isDirectory()) {
      for (const log of await listDirectory(name, options)) logs.push(log);
      continue;
    }
    const { files, unknown } = await folders(dirname(name));
    const rotated = options.rotated ? earlierOf(name, files) : [];
    // F22: a name alone shows nothing: it may be the file of another code.
    const isRotated = await wasRotated(name);
    const earlier = isRotated ? sortFiles(rotated) : [];
    // Rotation moved it away, and nothing was appended since.
    if (missing && earlier.length === 0) throw missing;
    for (const path of earlier) if (!named.has(resolve(path))) also.push(path);
    logs.push({
      paths: missing ? earlier : [...earlier, name],
      keptBy: isRotated === undefined ? undefined : { file: name },
    });
    const alike = unknown
      .filter((file) => file.startsWith(basename(name)))
      .map((file) => join(dirname(name), file));
    const unread = [...(isRotated ? [] : rotated.map(({ path }) => path)), ...(await filterScans(alike))];
    warnOfUnread(
      unread.filter((path) => !named.has(resolve(path))),
      options,
    );
  }
  if (also.length > 0)
    options.note(
      `Also reading ${countOf(also.length, 'rotated file')}: ${inShort(also)} (add --no-rotated to read only the specified files)`,
    );
  return eachOnce(logs);
}

/** `--input all.csv*` also matches `all.csv.state.json`: files that belong to a listed file are not read. */
function withoutCompanions(names: readonly string[]): { kept: string[]; skipped: string[] } {
  const bases = new Set(
    names.flatMap((name) => [name, join(dirname(name), findLogName(basename(name))?.base ?? '')]),
  );
  const isCompanion = (name: string) => bases.has(COMPANION.exec(name)?.[1] ?? '');
  return {
    kept: [...new Set(names)].filter((name) => !isCompanion(name)),
    skipped: names.filter(isCompanion),
  };
}

interface Folder {
  /** Names of files by the log that they look to be of; under '' those that look to be of none. */
  files: ReadonlyMap<string, readonly string[]>;
  /** Names that begin as those of a log, and are not of one. */
  unknown: readonly string[];
}

/** Reads the names in a directory, each directory once. */
function createFolders(): (directory: string) => Promise<Folder> {
  const folders = new Map<string, Promise<Folder>>();
  return (directory) => {
    const folder = folders.get(directory) ?? readFolder(directory);
    folders.set(directory, folder);
    return folder;
  };
}

async function readFolder(directory: string): Promise<Folder> {
  // Of a directory that can't be listed a file may be readable.
  const entries = await readdir(directory, { withFileTypes: true }).catch((): Dirent[] => []);
  const names: string[] = [];
  for (const entry of entries) if (await isRegular(entry)) names.push(entry.name);
  const files = new Map<string, string[]>();
  for (const name of names) {
    const base = findLogName(name)?.base ?? '';
    const known = files.get(base) ?? [];
    known.push(name);
    files.set(base, known);
  }
  return { files, unknown: names.filter((name) => isLikeLog(name) && !COMPANION.test(name)) };
}

/** D17: a FIFO, socket or device is found by no name: reading it may wait without end. A link to a regular file is. */
async function isRegular(entry: Dirent): Promise<boolean> {
  if (!entry.isSymbolicLink()) return entry.isFile();
  return stat(join(entry.parentPath, entry.name)).then(
    (found) => found.isFile(),
    () => false,
  );
}

/** Groups the rotated files of each log; a name without a data extension is matched by the names that begin with it. */
function earlierOf(path: string, files: Folder['files']): LogFile[] {
  const base = basename(path);
  return (files.get(base) ?? files.get('') ?? []).flatMap((file) => {
    const name = readLogName(file, base);
    return name?.age ? [{ path: join(dirname(path), file), name }] : [];
  });
}

/** A file may be specified, and also be in the directory of another one or in a specified directory: it stays with the largest log. */
function eachOnce(logs: readonly InputLog[]): InputLog[] {
  const owners = new Map<string, InputLog>();
  for (const log of logs) {
    for (const path of log.paths) {
      const owner = owners.get(resolve(path));
      if (!owner || owner.paths.length < log.paths.length) owners.set(resolve(path), log);
    }
  }
  return logs.flatMap((log) => {
    const paths = log.paths.filter((path) => owners.get(resolve(path)) === log);
    return paths.length > 0 || log.paths.length === 0 ? [{ ...log, paths }] : [];
  });
}
