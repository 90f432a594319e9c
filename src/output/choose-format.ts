/** Which format an output gets: asked for > the file's extension > the profile > what suits the place. */
import type { Format } from '../settings/settings.ts';
import type { Shape } from './formatter.ts';

const EXTENSION = /\.(csv|json|ndjson|jsonl)(\.gz)?$/i;

/** The format an output path names by its extension (`.csv .json .ndjson .jsonl`, each also with `.gz`), or undefined. */
export function formatOfPath(path: string): Exclude<Format, 'table'> | undefined {
  const found = EXTENSION.exec(path)?.[1]?.toLowerCase();
  if (found === 'csv' || found === 'json') return found;
  return found === undefined ? undefined : 'ndjson';
}

/** Whether an output path asks for compression. */
export function isCompressed(path: string): boolean {
  return /\.gz$/i.test(path);
}

export interface FormatChoice {
  /** `--format`. */
  asked: Format | undefined;
  /** `--output`; undefined for standard output. */
  path: string | undefined;
  /** `format` of the profile. */
  setting: Format | undefined;
  isTerminal: boolean;
  shape: Shape;
}

/** The format in force. A table goes into a file only when `--format table` asks for it, never by a profile's habit. */
export function chooseFormat({ asked, path, setting, isTerminal, shape }: FormatChoice): Format {
  if (asked) return asked;
  const plain = shape === 'list' ? 'csv' : 'json';
  if (path !== undefined) return formatOfPath(path) ?? (setting === 'table' ? undefined : setting) ?? plain;
  return setting ?? (isTerminal ? 'table' : plain);
}
