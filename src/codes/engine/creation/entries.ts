/**
 * Entries of the journal: the record of each row of the input, by which the row is recognized at any position. Entries are numbered in the
 * order in which they were first seen; the numbers are the `row` of every line of the journal.
 */
import { hash } from 'node:crypto';
import { type NewCode, newCode, type QrCode } from '../../../service/shapes.ts';
import type { NewRow } from './new-row.ts';

/** Row as last seen. The keys are a format on disk. */
export interface Seen {
  /** Values of its POST; missing in journals of earlier versions, which have fingerprints only. */
  readonly name?: string | undefined;
  readonly type?: string | undefined;
  readonly destination?: string | undefined;
  /** Fingerprint of all its values. */
  readonly all: string;
  /** Fingerprint of the columns that only the user reads; absent if they are empty. */
  readonly own?: string | undefined;
  /** Its code, if the results of a run without this journal list it. */
  readonly id?: string;
  readonly slug?: string;
  /** The user decided that it is a row of its own (`--as-new`). */
  readonly word?: true;
  /** `NewRow.key`. */
  readonly key?: string | undefined;
}

/** Returns the stored form of a row of the input. */
export function seenOf(row: NewRow): Seen {
  const { values, code, key } = row;
  const all = fingerprint(jsonOf(sortedAll([...values.keys()]), values));
  const { name, type, destination } = contentOf(code);
  // All its properties by their names, also those that are undefined: rows with one layout take a third of the memory of rows with several.
  return { name, type, destination, all, own: ownPrint(row), key };
}

/** Returns the fingerprint of the columns that only the user reads, or undefined if they are empty. */
export function ownPrint({ values, own = [], key }: NewRow): string | undefined {
  const json = key === undefined ? jsonOf(sortedOwn(own), values, isFilled) : NO_ENTRIES;
  return json === NO_ENTRIES ? undefined : fingerprint(json);
}

/** Returns the part of `Seen` with the values of this code's POST. */
export function contentOf({ name, type, destination }: NewCode | QrCode): Pick<Seen, 'name' | 'type' | 'destination'> {
  return newCode(name, type === 'url' ? undefined : type, destination || undefined);
}

/** Returns whether an entry contains the sent values, not only a fingerprint. */
export function hasContent(seen: Seen): seen is Seen & { readonly name: string } {
  return seen.name !== undefined;
}

/** Returns the code that an entry requests, or undefined if only its fingerprint is known. */
export function codeOf({ name, type, destination }: Seen): NewCode | undefined {
  if (name === undefined) return undefined;
  return newCode(name, type, destination);
}

export interface EntriesRecord {
  is: 'entries';
  first: number;
  seen: Seen[];
}

/** The code of an entry is about to be changed to these values; until an `entries` line records them, the outcome is unknown. */
export interface ChangingRecord {
  is: 'changing';
  entry: number;
  seen: Seen;
}

export interface OrderRecord {
  is: 'order';
  runs: number[];
}

/** A line of this many entries is read and checked at once. */
const MOST_IN_A_LINE = 500;

/** Returns the journal lines of these entries; runs of consecutive numbers share a line. */
export function entriesRecords(entries: Iterable<readonly [number, Seen]>): EntriesRecord[] {
  const records: EntriesRecord[] = [];
  for (const [row, seen] of entries) {
    const last = records.at(-1);
    if (last && last.first + last.seen.length === row && last.seen.length < MOST_IN_A_LINE) last.seen.push(seen);
    else records.push({ is: 'entries', first: row, seen: [seen] });
  }
  return records;
}

/** Returns the order as its runs of consecutive numbers: the first of each and how many. */
export function toRuns(order: Iterable<number>): number[] {
  const runs: number[] = [];
  let next = 0;
  for (const row of order) {
    if (row === next) runs[runs.length - 1] = (runs.at(-1) ?? 0) + 1;
    else runs.push(row, 1);
    next = row + 1;
  }
  return runs;
}

/** Returns the order that `toRuns` was given, of so many entries; the numbers of others were never recorded, and are dropped. */
export function fromRuns(runs: readonly number[], entries: number): number[] {
  const order: number[] = [];
  for (let at = 0; at < runs.length; at += 2) {
    const first = runs[at] ?? 1;
    const end = Math.min(first + (runs[at + 1] ?? 0), entries + 1);
    for (let row = first; row < end && order.length < entries; row++) order.push(row);
  }
  return order;
}

/** Half of the digest. Made once: a buffer per row would be more garbage than the rows. */
const DIGITS = Buffer.alloc(16);

/** Half a SHA-256, in hexadecimal. */
function fingerprint(json: string): string {
  // Copied, because a slice of a longer text is kept with all of it.
  DIGITS.write(hash('sha256', json), 'latin1');
  return DIGITS.toString('latin1');
}

interface SortedColumn {
  readonly name: string;
  /** Start of its entry in the JSON. */
  readonly opening: string;
}

const NO_ENTRIES = '[]';

/** Returns the entries of these columns as JSON: equal for the same values, in whatever order, form or dialect the file keeps them. */
function jsonOf(columns: readonly SortedColumn[], values: NewRow['values'], isWanted = (_: unknown) => true): string {
  let entries = '';
  for (const { name, opening } of columns) {
    const value = values.get(name);
    if (isWanted(value)) entries += `${entries === '' ? '' : ','}${opening}${formatValue(value)}]`;
  }
  return `[${entries}]`;
}

function formatValue(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : (JSON.stringify(value, withLargeNumbers) ?? 'null');
}

/** Returns a function that sorts the columns of a row: once for all rows of a file, because they have the same. */
function createColumnSorter(): (names: readonly string[]) => readonly SortedColumn[] {
  let before: readonly string[] = [];
  let sorted: readonly SortedColumn[] = [];
  return (names) => {
    const isSame = names.length === before.length && names.every((name, at) => name === before[at]);
    if (isSame) return sorted;
    before = names;
    sorted = [...names].sort().map((name) => ({ name, opening: `[${JSON.stringify(name)},` }));
    return sorted;
  };
}

const sortedAll = createColumnSorter();
const sortedOwn = createColumnSorter();

/** A bigint is not a value of JSON. */
function withLargeNumbers(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value;
}

function isFilled(value: unknown): boolean {
  return value !== undefined && value !== null && (typeof value !== 'string' || value.trim() !== '');
}
