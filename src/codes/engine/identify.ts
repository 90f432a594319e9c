/** Decides which code each key is: by the lock file, by what the row or the user specifies, or by equal values. Pure. */
import { groupBy } from '../../base/collections/group-by.ts';
import { quote } from '../../base/text/quote.ts';
import { parseScanTime } from '../../service/scan-times.ts';
import { type NewCode, newCode, type QrCode } from '../../service/shapes.ts';
import { restKey, valuesKey } from './creation/same-values.ts';
import type { KeyedRow } from './keyed-rows.ts';
import type { LockEntry } from './lock-file.ts';

/** Which code a row's key is. */
export type Identity =
  /** By the lock file. */
  | { is: 'known'; code: QrCode; entry: LockEntry }
  /** In the lock file, or specified by the row, and deleted on the service. */
  | { is: 'gone'; id: string | undefined; slug: string | undefined }
  /** No key had it: specified, or the one with the row's values. */
  | { is: 'adopted'; code: QrCode }
  /** One of these may be the row's; only the user knows. */
  | { is: 'asked'; candidates: readonly QrCode[] }
  | { is: 'new' };

/** Decisions of the user, by key. */
export interface KeyDecisions {
  /** The id of the code that is the key's. */
  readonly adopt: ReadonlyMap<string, string>;
  /** A new code is to be created. */
  readonly recreate: ReadonlySet<string>;
}

export interface Known {
  readonly rows: readonly KeyedRow[];
  /** By key. */
  readonly entries: ReadonlyMap<string, LockEntry>;
  /** Every code of the workspace, oldest first, by id in lower case. */
  readonly codes: ReadonlyMap<string, QrCode>;
  readonly decisions: KeyDecisions;
}

/** Row that contradicts what is known. */
interface Contradiction {
  readonly line: number;
  readonly message: string;
}

export interface Identities {
  /** In the order of the rows. */
  readonly rows: readonly { readonly row: KeyedRow; readonly identity: Identity }[];
  /** Ids of codes that keys have, in lower case. */
  readonly owned: ReadonlySet<string>;
  readonly contradictions: readonly Contradiction[];
}

/** Returns the codes by id, oldest first: the order in which equal codes are given to equal rows. */
export function byAge(codes: Iterable<QrCode>): Map<string, QrCode> {
  const timeOf = ({ created_at }: QrCode) => parseScanTime(created_at) ?? Number.POSITIVE_INFINITY;
  const sorted = [...codes].sort((one, other) => timeOf(one) - timeOf(other) || (one.id < other.id ? -1 : 1));
  return new Map(sorted.map((code) => [code.id.toLowerCase(), code]));
}

export function identifyRows(known: Known): Identities {
  const { rows, entries, codes } = known;
  const contradictions: Contradiction[] = [];
  const keys = new Set(rows.map(({ key }) => key));
  const certain = rows.map((row) => identifyAlone(row, known, (message) => contradictions.push({ line: row.line, message })));
  // Y6: a code that another key has is not this row's, unless that key is no longer in the file and the row specifies the code.
  const owned = new Map<string, KeyedRow | undefined>();
  for (const { id, key } of entries.values()) if (keys.has(key)) owned.set(id.toLowerCase(), undefined);
  for (const [at, identity] of certain.entries()) {
    const row = rows[at];
    if (!row || identity?.is !== 'adopted') continue;
    const id = identity.code.id.toLowerCase();
    const other = owned.get(id);
    const whose = other ? `line ${other.line}` : 'another key';
    if (owned.has(id))
      contradictions.push({ line: row.line, message: `the code ${quote(identity.code.slug)} belongs to ${whose}` });
    else owned.set(id, row);
  }
  const removed: QrCode[] = [];
  for (const { id } of entries.values()) {
    if (owned.has(id.toLowerCase())) continue;
    owned.set(id.toLowerCase(), undefined);
    const code = codes.get(id.toLowerCase());
    if (code) removed.push(code);
  }
  const free = [...codes.values()].filter(({ id }) => !owned.has(id.toLowerCase()));
  const unknown = rows.filter((_, at) => certain[at] === undefined);
  const found = identifyUnknown(unknown, free, removed);
  const identities = rows.map((row, at) => ({ row, identity: certain[at] ?? found.get(row) ?? { is: 'new' as const } }));
  for (const identity of found.values()) if (identity.is === 'adopted') owned.set(identity.code.id.toLowerCase(), undefined);
  return { rows: identities, owned: new Set(owned.keys()), contradictions };
}

/** Which code a row is by itself; undefined if only its values can tell. */
function identifyAlone(
  row: KeyedRow,
  { entries, codes, decisions }: Known,
  refuse: (message: string) => void,
): Identity | undefined {
  const { key, id, slug } = row;
  const entry = entries.get(key);
  const isNew = decisions.recreate.has(key);
  const chosen = codes.get(decisions.adopt.get(key) ?? '');
  const named = findNamed(row, codes, refuse);
  const present = entry && codes.get(entry.id.toLowerCase());
  if (entry && present) {
    if (chosen && chosen !== present) refuse(`--adopt can't be used: the key already has the code ${quote(present.slug)}`);
    const isOther = (id !== undefined && id !== present.id.toLowerCase()) || (slug !== undefined && slug !== present.slug);
    if (isOther)
      refuse(`specifies a different code than the lock file, which has ${quote(present.slug)} (${present.id}) for this key`);
    return { is: 'known', code: present, entry };
  }
  const code = chosen ?? named;
  if (code) return { is: 'adopted', code };
  if (isNew) return { is: 'new' };
  if (entry) return { is: 'gone', id: entry.id, slug: entry.slug };
  return id === undefined && slug === undefined ? undefined : { is: 'gone', id, slug };
}

/** The code that the row's own columns specify. */
function findNamed({ id, slug }: KeyedRow, codes: Known['codes'], refuse: (message: string) => void): QrCode | undefined {
  if (id === undefined) return slugsOf(codes).get(slug ?? '');
  const ofId = codes.get(id);
  if (ofId && slug !== undefined && ofId.slug !== slug)
    refuse(`the ID belongs to ${quote(ofId.slug)}, but the slug is ${quote(slug)}: correct one of them`);
  return ofId;
}

const SLUGS = new WeakMap<Known['codes'], ReadonlyMap<string, QrCode>>();

/** By slug; made once for each listing. */
function slugsOf(codes: Known['codes']): ReadonlyMap<string, QrCode> {
  const made = SLUGS.get(codes) ?? new Map([...codes.values()].map((code) => [code.slug, code]));
  SLUGS.set(codes, made);
  return made;
}

/**
 * Y7: gives rows without a code the free codes with their values: as many as there are rows, or fewer. If there are more, or if a code
 * that is left resembles a row that has none, the user must decide: a key whose lock entry was lost may be an edited row.
 */
function identifyUnknown(
  rows: readonly KeyedRow[],
  free: readonly QrCode[],
  removed: readonly QrCode[],
): Map<KeyedRow, Identity> {
  const found = new Map<KeyedRow, Identity>();
  const equal = groupBy(free, valuesKey);
  const left = new Set(free);
  for (const [values, alike] of groupBy(rows, (row) => valuesKey(codeOf(row)))) {
    const codes = equal.get(values) ?? [];
    if (codes.length > alike.length) {
      for (const row of alike) found.set(row, { is: 'asked', candidates: codes });
      continue;
    }
    for (const [at, row] of alike.entries()) {
      const code = codes[at];
      if (!code) break;
      found.set(row, { is: 'adopted', code });
      left.delete(code);
    }
  }
  const unmatched = rows.filter((row) => !found.has(row));
  const similar = createSimilar([...left], unmatched.map(codeOf));
  const renamed = groupBy(removed, valuesKey);
  for (const row of unmatched) {
    const candidates = [...new Set([...(renamed.get(valuesKey(codeOf(row))) ?? []), ...similar(codeOf(row))])];
    if (candidates.length > 0) found.set(row, { is: 'asked', candidates });
  }
  return found;
}

/** Returns what a POST of the row says. */
export function codeOf({ changes: { name, destination }, type }: KeyedRow): NewCode {
  return newCode(name ?? '', type, destination || undefined);
}

/**
 * Y8: returns a function that finds the codes which a row may have been before it was edited: of its type, with its name or its destination.
 * A destination tells only if no other of these rows has it: many new codes of one landing page are not edits of an older one.
 */
function createSimilar(codes: readonly QrCode[], rows: readonly NewCode[]): (code: NewCode) => readonly QrCode[] {
  const nameKey = ({ name, type }: NewCode | QrCode) => valuesKey(newCode(name, type, undefined));
  const byName = groupBy(codes, nameKey);
  const byPlace = groupBy(codes, restKey);
  const rowsByPlace = groupBy(rows, restKey);
  const alikeInPlace = (code: NewCode) => {
    const isPlaceOwn = code.destination !== undefined && rowsByPlace.get(restKey(code))?.length === 1;
    return isPlaceOwn ? (byPlace.get(restKey(code)) ?? []) : [];
  };
  return (code) => [...(byName.get(nameKey(code)) ?? []), ...alikeInPlace(code)];
}
