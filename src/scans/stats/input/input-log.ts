/** Logs that `--input` consists of: a file with its rotated files, or the parts of a dataset. */
import { basename } from 'node:path';
import { UnprovenError, UsageError } from '../../../base/errors.ts';
import { readInputBytes } from '../../../files/formats/read/input-bytes.ts';
import { compareAges, type LogName } from '../../../files/formats/read/rotated-names.ts';
import { lossOfLog, wasRotated } from '../../append/recorded-log.ts';
import type { AppendState } from '../../append/state.ts';
import type { Manifest } from '../../dataset/manifest.ts';

/** Files that one export wrote, oldest first. */
export interface InputLog {
  paths: string[];
  /** The appended file with a state next to it, or the directory of a dataset; undefined if no export appends to the log. */
  keptBy: { file: string } | { directory: string } | undefined;
}

/** Returns the files of logs that no export appends to. */
export function closedFiles(logs: readonly InputLog[]): Set<string> {
  return new Set(logs.flatMap(({ keptBy, paths }) => (keptBy ? [] : paths)));
}

/** Returns what an append recorded about a log; undefined without a usable state or manifest. Locks and repairs nothing. */
export async function recordOf(keptBy: InputLog['keptBy']): Promise<AppendState | Manifest | undefined> {
  if (!keptBy) return undefined;
  if ('directory' in keptBy)
    return (await import('../../dataset/open-dataset.ts')).readDatasetState(keptBy.directory);
  return (await import('../../append/append-file.ts')).readLogState(keptBy.file);
}

export interface ListOptions {
  rotated: boolean;
  note(line: string): void;
  warn(line: string): void;
}

/**
 * F22: throws UnprovenError if a log differs from the state or manifest of its export: figures without the lost scans would look complete. Warns of
 * a log whose rotated files are elsewhere: their scans are not counted.
 */
export async function refuseLosses(
  logs: readonly InputLog[],
  { rotated, warn }: ListOptions,
  signal: AbortSignal,
): Promise<void> {
  for (const { keptBy, paths } of logs) {
    if (!keptBy) continue;
    const isFile = 'file' in keptBy;
    const place = isFile ? keptBy.file : keptBy.directory;
    const name = basename(place);
    const loss = isFile
      ? await lossOfLog(place, paths, signal)
      : await (await import('../../dataset/open-dataset.ts')).lossOfDataset(place);
    if (loss !== undefined) {
      const copy = isFile
        ? `copy ${name} to another directory`
        : `specify the directories in ${name} with --input`;
      const otherwise =
        isFile && paths.length === 0
          ? `If you deleted the file on purpose, delete ${name}.state.json too.`
          : `To count only the scans that are left, ${copy}.`;
      throw new UnprovenError(`cannot read the scans of ${place}: ${loss}`, {
        hint: `Restore it from a backup. ${otherwise}`,
      });
    }
    // Archived files may be among the others.
    if (isFile && rotated && paths.length === 1 && logs.length === 1 && (await wasRotated(place)))
      warn(`${name} was rotated, but no rotated files are next to it. Their scans are not counted`);
  }
}

/** Matches files that qrctl keeps next to a file; the group is that file. */
export const COMPANION = /^(.+?)(?:\.state\.json|\.journal|\.lock|\.prom|\.results\.[a-z]+)$/i;

export interface LogFile {
  path: string;
  name: LogName;
}

/** Returns the paths, oldest first. Throws UsageError for a compression that qrctl doesn't read. */
export function sortFiles(files: readonly LogFile[]): string[] {
  for (const { path, name } of files) {
    // F13: the figures would be too low.
    if (name.packing === undefined || name.packing === 'gz') continue;
    throw new UsageError(`cannot read ${path}: qrctl decompresses .gz, not .${name.packing}`, {
      hint: `Decompress ${basename(path)}, or move it to another directory to count without it.`,
    });
  }
  const sorted = [...files].sort((a, b) => compareAges(a.name, b.name) || (a.path < b.path ? -1 : 1));
  return sorted.map(({ path }) => path);
}

/** F13: returns the files that look like scans, such as backups, which may have scans that no other file has. */
export async function filterScans(paths: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) if ((await peekInput(path)) === 'scans') found.push(path);
  return found;
}

/** F13: warns of files that look like scans and are not read. */
export function warnOfUnread(paths: readonly string[], { warn }: ListOptions): void {
  if (paths.length === 0) return;
  const [looks, it] =
    paths.length === 1 ? ['looks like a scan file but was', 'it'] : ['look like scan files but were', 'them'];
  warn(`${inShort(paths)} ${looks} not read. To count ${it}, specify ${it} with --input`);
}

const MOST_NAMED = 3;

/** Returns the names of the first files, and how many more there are. */
export function inShort(paths: readonly string[]): string {
  const names = paths.slice(0, MOST_NAMED).map((path) => basename(path));
  const more = paths.length > MOST_NAMED ? ` and ${paths.length - MOST_NAMED} more` : '';
  return names.join(', ') + more;
}

export type InputKind = 'scans' | 'codes' | 'record' | 'other';

/**
 * Detects the kind of a file from its beginning. Returns `scans` (also if the file is empty or can't be read, because the reader reports the
 * reason), `codes` for a table of codes or of results, `record` for one JSON object, such as the summary of a run, or `other`.
 */
export async function peekInput(path: string): Promise<InputKind> {
  const start = await firstPiece(path);
  if (start === undefined || start.toString('latin1', 0, 4) === 'PAR1') return 'scans';
  const text = start
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimStart();
  if (text === '') return 'scans';
  if (text[0] === '[' || text[0] === '{') return kindOfJson(text, /\.json$/i.test(path));
  const names = (/^[^\r\n]*/.exec(text)?.[0] ?? '')
    .split(/[,;\t|]/)
    .map((name) => name.replaceAll('"', '').trim());
  if (names.includes('ts')) return 'scans';
  return names.includes('slug') || names.includes('outcome') ? 'codes' : 'other';
}

async function firstPiece(path: string): Promise<Buffer | undefined> {
  try {
    for await (const piece of readInputBytes(path)) return Buffer.from(piece);
    return Buffer.of();
  } catch {
    return undefined;
  }
}

function kindOfJson(text: string, isOneDocument: boolean): InputKind {
  const end = text.indexOf('}');
  const first = end < 0 ? text : text.slice(0, end);
  if (/"ts"\s*:/.test(first) || /^\[\s*\]/.test(text)) return 'scans';
  if (text[0] === '{' && isOneDocument) return 'record';
  return /"slug"\s*:/.test(first) ? 'codes' : 'other';
}
