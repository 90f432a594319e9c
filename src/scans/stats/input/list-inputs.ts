import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { getOrAdd, groupBy } from '#base/collections';
import { UsageError } from '#base/errors';
import { countOf } from '#base/text/quote';
import { ifPresent } from '#files/durable/disk';
import { realInput } from '#files/durable/open-input';
import { cannotRead } from '#files/formats/read/input-bytes';
import { findLogName, isLikeLog, readLogName } from '#files/formats/read/rotated-names';
import { wasRotated } from '#scans/append/recorded-log';
import { MANIFEST } from '#scans/dataset/manifest';
import {
  COMPANION,
  filterScans,
  type InputLog,
  inShort,
  type ListOptions,
  type LogFile,
  peekInput,
  recordOf,
  sortFiles,
  warnOfUnread,
} from './input-log.ts';

const STATE = '.state.json';

export async function listInputs(names: readonly string[], options: ListOptions): Promise<InputLog[]> {
  if (names.includes('-')) {
    const hint = 'Save the data to a file first, then pass its path.';
    throw new UsageError("--input can't read standard input", { hint });
  }
  const { kept, skipped } = withoutCompanions(names);
  if (skipped.length > 0)
    options.note(
      `Skipped ${countOf(skipped.length, 'file')} that qrctl keeps next to scan files: ${inShort(skipped)}`,
    );
  const named = new Set(kept.map((name) => resolve(name)));
  const folders = new Map<string, ReturnType<typeof readFolder>>();
  const logs: InputLog[] = [];
  const also: string[] = [];
  for (const name of kept) {
    const refuse = (cause: unknown) => Promise.reject(cannotRead(name, cause));
    const found = await ifPresent(stat(name)).catch(refuse);
    if (found?.isDirectory()) {
      for (const log of await listDirectory(name, options)) logs.push(log);
      continue;
    }
    const folder = dirname(name);
    const { files, unknown } = await getOrAdd(folders, folder, () => readFolder(folder));
    const rotated = options.rotated ? earlierOf(name, files) : [];
    // F22: a file with a rotated name may belong to another code, unless the log was rotated.
    const isRotated = await wasRotated(name);
    const earlier = isRotated ? sortFiles(rotated) : [];
    // A missing file is valid after a rotation without new rows.
    if (!found && earlier.length === 0) await stat(name).catch(refuse);
    for (const path of earlier) if (!named.has(resolve(path))) also.push(path);
    logs.push({
      paths: found ? [...earlier, name] : earlier,
      keptBy: isRotated === undefined ? undefined : { file: name },
    });
    const alike = unknown.filter((file) => file.startsWith(basename(name))).map((file) => join(folder, file));
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

/** Omits companion files, because `--input all.csv*` also matches `all.csv.state.json`. */
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

async function readFolder(directory: string) {
  // Ignores a directory that can't be listed, because its files may be readable.
  const entries = await readdir(directory, { withFileTypes: true }).catch((): Dirent[] => []);
  const names: string[] = [];
  for (const entry of entries) if (await isRegular(entry)) names.push(entry.name);
  const files = groupBy(names, (name) => findLogName(name)?.base ?? '');
  return { files, unknown: names.filter((name) => isLikeLog(name) && !COMPANION.test(name)) };
}

/** D17: excludes FIFOs, sockets and devices, because reading them may block forever. */
async function isRegular(entry: Dirent): Promise<boolean> {
  if (!entry.isSymbolicLink()) return entry.isFile();
  const found = await stat(join(entry.parentPath, entry.name)).catch(() => undefined);
  return found?.isFile() ?? false;
}

/** Returns a log's rotated files, found by prefix if its name has no data extension. */
function earlierOf(path: string, files: ReadonlyMap<string, readonly string[]>): LogFile[] {
  const base = basename(path);
  return (files.get(base) ?? files.get('') ?? []).flatMap((file) => {
    const name = readLogName(file, base);
    return name?.age ? [{ path: join(dirname(path), file), name }] : [];
  });
}

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

async function listDirectory(directory: string, options: ListOptions): Promise<InputLog[]> {
  const refuse = (cause: unknown) => {
    throw cannotRead(directory, cause);
  };
  await realInput(directory).catch(refuse);
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(refuse);
  const all = new Set(entries.map(({ parentPath, name }) => join(parentPath, name)));
  const datasets = entries.filter(({ name }) => name === MANIFEST).map(({ parentPath }) => parentPath);
  const logs = new Map<string, { keptBy: InputLog['keptBy']; files: LogFile[] }>();
  const filesOf = (key: string, keptBy: InputLog['keptBy']) =>
    getOrAdd(logs, key, () => ({ keptBy, files: [] })).files;
  const unknown: string[] = [];
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    const kept = path.slice(0, -STATE.length);
    // F22: lists a missing file with a state, so that its loss is reported.
    if (
      path.endsWith(STATE) &&
      !all.has(kept) &&
      (await isNamedLog(kept)) &&
      (await wasRotated(kept)) !== undefined
    )
      filesOf(kept, { file: kept });
    if (!entry.isFile() || /^[._]/.test(entry.name) || COMPANION.test(entry.name)) continue;
    const isOwn = all.has(path + STATE);
    const name =
      findLogName(entry.name) ??
      (isOwn && (await isNamedLog(path))
        ? { base: entry.name, age: undefined, packing: undefined }
        : undefined);
    if (!name) {
      if (isLikeLog(entry.name)) unknown.push(path);
      continue;
    }
    const dataset = datasets.find((found) => path.startsWith(join(found, 'dt=')));
    if (dataset !== undefined) {
      filesOf(dataset, { directory: dataset }).push({ path, name: { ...name, age: undefined } });
    } else if (!['codes', 'record'].includes(await peekInput(path))) {
      // Skips lists of codes and JSON objects. Includes unrecognized files, which the reader reports.
      const base = isOwn ? path : join(entry.parentPath, name.base);
      filesOf(base, all.has(base + STATE) ? { file: base } : undefined).push({
        path,
        name: isOwn ? { ...name, age: undefined } : name,
      });
    }
  }
  warnOfUnread(await filterScans(unknown), options);
  if (logs.size === 0) {
    throw new UsageError(`no scan files in ${directory}`, {
      hint: 'Specify a directory with .csv, .ndjson, .json or .parquet files.',
    });
  }
  const sorted = [...logs].sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([, { keptBy, files }]) => ({ keptBy, paths: sortFiles(files) }));
}

async function isNamedLog(path: string): Promise<boolean> {
  return findLogName(basename(path)) !== undefined || (await recordOf({ file: path })) !== undefined;
}
