/** Lists all scan files below a directory, without states, journals, manifests, summaries, results, and records and tables of codes. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { MANIFEST } from '../../dataset/manifest.ts';
import { realInput } from '../../durable/open-input.ts';
import { UsageError } from '../../errors.ts';
import { cannotRead } from '../../rows/read/input-bytes.ts';
import { findLogName, isLikeLog } from '../../rows/read/rotated-names.ts';
import { COMPANION, HIDDEN, type InputLog, type ListOptions, type LogFile, sortFiles, warnOfUnread } from './input-log.ts';
import { peekInput } from './peek.ts';

/** Returns the logs by name, which is chronological in a dataset. Throws UsageError if there are none. */
export async function listDirectory(directory: string, options: ListOptions): Promise<InputLog[]> {
  const refuse = (cause: unknown) => {
    throw cannotRead(directory, cause);
  };
  await realInput(directory).catch(refuse);
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(refuse);
  const all = new Set(entries.map(({ parentPath, name }) => join(parentPath, name)));
  const datasets = entries.filter(({ name }) => name === MANIFEST).map(({ parentPath }) => parentPath);
  const logs = new Map<string, { keptBy: InputLog['keptBy']; files: LogFile[] }>();
  const unknown: string[] = [];
  for (const entry of entries) {
    if (!entry.isFile() || HIDDEN.test(entry.name) || COMPANION.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    const name = findLogName(entry.name);
    if (!name) {
      if (isLikeLog(entry.name)) unknown.push(path);
      continue;
    }
    const dataset = datasets.find((found) => path.startsWith(join(found, 'dt=')));
    if (dataset !== undefined) {
      // Parts have their order of time by their names.
      add(logs, dataset, { directory: dataset }, { path, name: { ...name, age: undefined } });
    } else if (isData(await peekInput(path))) {
      const base = join(entry.parentPath, name.base);
      add(logs, base, all.has(`${base}.state.json`) ? { file: base } : undefined, { path, name });
    }
  }
  await warnOfUnread(unknown, options);
  if (logs.size === 0) {
    throw new UsageError(`no scan files in ${directory}`, {
      hint: 'Specify a directory with .csv, .ndjson, .json or .parquet files.',
    });
  }
  const sorted = [...logs].sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([, { keptBy, files }]) => ({ keptBy, paths: sortFiles(files) }));
}

/** For other kinds of files, the reader reports the problem. */
function isData(kind: Awaited<ReturnType<typeof peekInput>>): boolean {
  return kind !== 'codes' && kind !== 'record';
}

function add(
  logs: Map<string, { keptBy: InputLog['keptBy']; files: LogFile[] }>,
  key: string,
  keptBy: InputLog['keptBy'],
  file: LogFile,
): void {
  const log = logs.get(key) ?? { keptBy, files: [] };
  log.files.push(file);
  logs.set(key, log);
}
