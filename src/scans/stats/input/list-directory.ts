/** Lists all scan files below a directory, without states, journals, manifests, summaries, results, and records and tables of codes. */
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { UsageError } from '../../../base/errors.ts';
import { realInput } from '../../../files/durable/open-input.ts';
import { cannotRead } from '../../../files/formats/read/input-bytes.ts';
import { findLogName, isLikeLog } from '../../../files/formats/read/rotated-names.ts';
import { wasRotated } from '../../append/recorded-log.ts';
import { MANIFEST } from '../../dataset/manifest.ts';
import {
  COMPANION,
  filterScans,
  HIDDEN,
  type InputLog,
  type ListOptions,
  type LogFile,
  sortFiles,
  warnOfUnread,
} from './input-log.ts';
import { peekInput } from './peek.ts';
import { recordOf } from './record-of-log.ts';

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
    const path = join(entry.parentPath, entry.name);
    const kept = path.slice(0, -STATE.length);
    // F22: a file that is gone, but whose state is there, has lost its scans.
    if (
      path.endsWith(STATE) &&
      !all.has(kept) &&
      (await isNamedLog(kept)) &&
      (await wasRotated(kept)) !== undefined
    )
      logs.set(kept, { keptBy: { file: kept }, files: logs.get(kept)?.files ?? [] });
    if (!entry.isFile() || HIDDEN.test(entry.name) || COMPANION.test(entry.name)) continue;
    const isOwn = all.has(path + STATE);
    const name =
      findLogName(entry.name) ??
      (isOwn && (await isNamedLog(path)) ? { ...OWN, base: entry.name } : undefined);
    if (!name) {
      if (isLikeLog(entry.name)) unknown.push(path);
      continue;
    }
    const dataset = datasets.find((found) => path.startsWith(join(found, 'dt=')));
    if (dataset !== undefined) {
      // Parts have their order of time by their names.
      add(logs, dataset, { directory: dataset }, { path, name: { ...name, age: undefined } });
    } else if (isData(await peekInput(path))) {
      const base = isOwn ? path : join(entry.parentPath, name.base);
      add(logs, base, all.has(base + STATE) ? { file: base } : undefined, {
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

/** Ending of the state next to an appended file. */
const STATE = '.state.json';

const OWN = { age: undefined, packing: undefined };

/** Returns whether a file is a log by its name, or by its state: `-o scans -f csv` has no extension. */
async function isNamedLog(path: string): Promise<boolean> {
  return findLogName(basename(path)) !== undefined || (await recordOf({ file: path })) !== undefined;
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
