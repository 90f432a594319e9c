/**
 * Parses names of rotated logs, but not of backups (`.bak`, `.old`, `~`). logrotate writes `scans.csv.2.gz`,
 * `scans.csv-20261101.gz` or `scans-20261101.csv`.
 */
import { isUuid } from '#service/checks';

export interface LogName {
  /** Name of the log, such as `scans.csv` for `scans.csv.2.gz`. */
  base: string;
  age: readonly [kind: number, value: number] | undefined;
  packing: string | undefined;
}

const PACKED = /\.(gz|bz2|xz|zst|lz4|lzma|lzo|zip|Z)$/;
const EXTENSIONS = '\\.(?:csv|tsv|ndjson|jsonl|json|parquet)';
const DATA = new RegExp(`${EXTENSIONS}$`, 'i');
const DATA_INSIDE = new RegExp(`${EXTENSIONS}(?=[-_.~])`, 'gi');
const DATE = '(?:19|20)\\d\\d-?(?:0[1-9]|1[0-2])-?(?:0[1-9]|[12]\\d|3[01])';
const TIME = '[-_.T]?(?:[01]\\d|2[0-3])(?:[-_.:]?[0-5]\\d){0,2}';
const ROTATION = new RegExp(`^(?:\\.(\\d{1,4})|[-_.](${DATE}(?:${TIME})?)(?:-\\d{9,10})?|-(\\d{10}))$`);

export function readLogName(name: string, base: string): LogName | undefined {
  const { plain, packing } = unpacked(name);
  if (name === base) return { base, age: undefined, packing };
  const extension = DATA.exec(base)?.[0] ?? '';
  const stem = base.slice(0, base.length - extension.length);
  const age =
    (plain.startsWith(base) ? ageOf(plain.slice(base.length)) : undefined) ??
    (plain.startsWith(stem) && plain.endsWith(extension)
      ? ageOf(plain.slice(stem.length, plain.length - extension.length))
      : undefined);
  return age && { base, age, packing };
}

export function findLogName(name: string): LogName | undefined {
  const { plain, packing } = unpacked(name);
  const inside = [...plain.matchAll(DATA_INSIDE)].at(-1);
  const behind = inside && plain.slice(0, inside.index + inside[0].length);
  const named = behind === undefined ? undefined : readLogName(name, behind);
  if (named) return named;
  const extension = DATA.exec(plain)?.[0];
  if (extension === undefined) return undefined;
  const stem = plain.slice(0, -extension.length);
  // Skips a UUID, because its last group may look like a date.
  const first = isUuid(stem) ? stem.length : Math.max(1, stem.length - LONGEST);
  for (let at = first; at < stem.length; at++) {
    const age = '-_.'.includes(stem[at] as string) ? ageOf(stem.slice(at)) : undefined;
    if (age) return { base: stem.slice(0, at) + extension, age, packing };
  }
  return { base: plain, age: undefined, packing };
}

export function isLikeLog(name: string): boolean {
  return findLogName(name) === undefined && name.search(DATA_INSIDE) > 0;
}

/** Maximum length of a suffix such as `-2026-11-01T03:00:00-1793500000`. */
const LONGEST = 32;

export function stemOfLog(name: string): string {
  return (findLogName(name)?.base ?? name.replace(/\.gz$/i, '')).replace(/\.[a-z]+$/i, '');
}

/** Compares files of one log: oldest first, the log itself last. */
export function compareAges({ age: a }: LogName, { age: b }: LogName): number {
  if (!a || !b) return Number(b !== undefined) - Number(a !== undefined);
  return a[0] - b[0] || a[1] - b[1];
}

function unpacked(name: string): { plain: string; packing: string | undefined } {
  return { plain: name.replace(PACKED, ''), packing: PACKED.exec(name)?.[1] };
}

function ageOf(rotation: string): LogName['age'] {
  const [, number, date, seconds] = ROTATION.exec(rotation) ?? [];
  if (number !== undefined) return [1, -Number(number)];
  if (date !== undefined) return [0, Number(date.replace(/\D/g, '').padEnd(14, '0'))];
  return seconds === undefined ? undefined : [0, Number(seconds)];
}
