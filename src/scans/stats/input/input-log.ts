/** Logs that `--input` consists of: a file with its rotated files, or the parts of a dataset. */
import { basename } from 'node:path';
import { UsageError } from '../../../base/errors.ts';
import { compareAges, type LogName } from '../../../files/formats/read/rotated-names.ts';
import { peekInput } from './peek.ts';

/** Files that one export wrote, the oldest first. */
export interface InputLog {
  paths: string[];
  /** The appended file with a state next to it, or the directory of a dataset; undefined if no export appends to the log. */
  keptBy: { file: string } | { directory: string } | undefined;
}

/** Returns the files of logs that no export appends to. */
export function closedFiles(logs: readonly InputLog[]): Set<string> {
  return new Set(logs.flatMap(({ keptBy, paths }) => (keptBy ? [] : paths)));
}

export interface ListOptions {
  /** Reads the rotated files of a named file too. */
  rotated: boolean;
  note(line: string): void;
  /** Prints warnings about files that look like scans and are not read. */
  warn(line: string): void;
}

/** Matches files that qrctl keeps next to a file; the group is that file. */
export const COMPANION = /^(.+?)(?:\.state\.json|\.journal|\.lock|\.prom|\.results\.[a-z]+)$/i;
/** Names that tools and shells pass over. */
export const HIDDEN = /^[._]/;

/** One file of a log. */
export interface LogFile {
  path: string;
  name: LogName;
}

/** Returns the paths, the oldest first. Throws UsageError for a compression that qrctl doesn't read. */
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

/** F13: returns those of these files that look like scans: backups and the like, which may hold scans that no other file has. */
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

/** Largest number of names in a message. */
const MOST_NAMED = 3;

/** The names of the first files, and how many more there are. */
export function inShort(paths: readonly string[]): string {
  const more = paths.length > MOST_NAMED ? ` and ${paths.length - MOST_NAMED} more` : '';
  return (
    paths
      .slice(0, MOST_NAMED)
      .map((path) => basename(path))
      .join(', ') + more
  );
}
