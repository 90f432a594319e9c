import { basename } from 'node:path';
import { UnprovenError, UsageError } from '#base/errors';
import { listSome } from '#base/text/quote';
import { columnsOf } from '#files/formats/kept-file';
import { readInputBytes } from '#files/formats/read/input-bytes';
import { compareAges, type LogName } from '#files/formats/read/rotated-names';
import { type LogPlace, lossOfLog, placeOf, readLogState, wasRotated } from '#scans/append/recorded-log';
import type { AppendState } from '#scans/append/state';
import type { Manifest } from '#scans/dataset/manifest';

export interface InputLog {
  paths: string[];
  /** File or dataset that has a state, if any. */
  keptBy?: LogPlace;
}

export function filesOf(logs: readonly InputLog[]) {
  const closed = new Set(logs.flatMap(({ keptBy, paths }) => (keptBy ? [] : paths)));
  return { paths: logs.flatMap(({ paths }) => paths), closed };
}

export async function recordOf(keptBy: LogPlace | undefined): Promise<AppendState | Manifest | undefined> {
  if (!keptBy) return undefined;
  if ('directory' in keptBy)
    return (await import('#scans/dataset/open-dataset')).readDatasetState(keptBy.directory);
  return readLogState(keptBy.file);
}

export async function lossOfInput(
  keptBy: LogPlace,
  paths: readonly string[],
  signal?: AbortSignal,
): Promise<string | undefined> {
  if ('file' in keptBy) return lossOfLog(keptBy.file, paths, signal);
  return (await import('#scans/dataset/open-dataset')).lossOfDataset(keptBy.directory);
}

export interface ListOptions {
  rotated: boolean;
  note(line: string): void;
  warn(line: string): void;
}

/** F22: throws UnprovenError if a log lacks recorded scans. Warns if a single log lacks rotated files. */
export async function refuseLosses(
  logs: readonly InputLog[],
  { rotated, warn }: ListOptions,
  signal: AbortSignal,
): Promise<void> {
  for (const { keptBy, paths } of logs) {
    if (!keptBy) continue;
    const isFile = 'file' in keptBy;
    const place = placeOf(keptBy);
    const name = basename(place);
    const loss = await lossOfInput(keptBy, paths, signal);
    if (loss !== undefined) {
      const copy = isFile
        ? `copy ${name} to another directory`
        : `specify the directories in ${name} with --input`;
      const otherwise =
        isFile && paths.length === 0
          ? `If you deleted the file on purpose, delete ${name}.state.json too`
          : `To count only the scans that are left, ${copy}`;
      throw cannotReadScans(keptBy, loss, `Restore it from a backup. ${otherwise}.`);
    }
    if (isFile && rotated && paths.length === 1 && logs.length === 1 && (await wasRotated(place)))
      warn(`${name} was rotated, but no rotated files are next to it. Their scans are not counted`);
  }
}

export function cannotReadScans(keptBy: LogPlace, loss: string, hint: string): UnprovenError {
  return new UnprovenError(`cannot read the scans of ${placeOf(keptBy)}: ${loss}`, { hint });
}

/** Matches a file that qrctl keeps next to another file, whose name is group 1. */
export const COMPANION = /^(.+?)(?:\.state\.json|\.journal|\.lock|\.prom|\.results\.[a-z]+)$/i;

export interface LogFile {
  path: string;
  name: LogName;
}

export function sortFiles(files: readonly LogFile[]): string[] {
  for (const { path, name } of files) {
    // F13: refuses compression other than gzip, because figures would lack these files.
    if (name.packing === undefined || name.packing === 'gz') continue;
    throw new UsageError(`cannot read ${path}: qrctl decompresses .gz, not .${name.packing}`, {
      hint: `Decompress ${basename(path)}, or move it to another directory to count without it.`,
    });
  }
  const sorted = [...files].sort((a, b) => compareAges(a.name, b.name) || (a.path < b.path ? -1 : 1));
  return sorted.map(({ path }) => path);
}

/** F13: returns files that look like scans, such as backups. */
export async function filterScans(paths: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) if ((await peekInput(path)) === 'scans') found.push(path);
  return found;
}

/** F13: warns of unread files that look like scans. */
export function warnOfUnread(paths: readonly string[], { warn }: ListOptions): void {
  if (paths.length === 0) return;
  const [looks, it] =
    paths.length === 1 ? ['looks like a scan file but was', 'it'] : ['look like scan files but were', 'them'];
  warn(`${inShort(paths)} ${looks} not read. To count ${it}, specify ${it} with --input`);
}

export function inShort(paths: readonly string[]): string {
  const names = paths.map((path) => basename(path));
  return listSome(names, 3);
}

type InputKind = 'scans' | 'codes' | 'record' | 'other';

/** Returns the kind of a file. Unreadable files count as `scans`, so that the reader reports them. */
export async function peekInput(path: string): Promise<InputKind> {
  const start = await firstPiece(path);
  const text = start.replace(/^\ufeff/, '').trimStart();
  if (text === '' || text.startsWith('PAR1') || /^\[\s*\]/.test(text)) return 'scans';
  const isJson = /^[[{]/.test(text);
  const names = columnsOf(isJson ? (text.split('}', 1)[0] ?? '') : text);
  if (names.includes('ts')) return 'scans';
  if (text.startsWith('{') && /\.json$/i.test(path)) return 'record';
  return names.includes('slug') || (!isJson && names.includes('outcome')) ? 'codes' : 'other';
}

async function firstPiece(path: string): Promise<string> {
  try {
    for await (const piece of readInputBytes(path)) return Buffer.from(piece).toString();
  } catch {}
  return '';
}
