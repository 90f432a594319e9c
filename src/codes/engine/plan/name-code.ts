import { foldKey } from '#base/text/clean';
import { inQuotes, quote } from '#base/text/quote';
import { faultOfTwoNames } from '#codes/listing/find-codes';
import type { Fault } from '#files/formats/read/input';
import type { NewCode, QrCode } from '#service/shapes';
import { type Identity, type Ladder, openRows, settle } from './ladder.ts';
import type { How, LedgerView, PlanInput, Row } from './model.ts';
import { indexBy, isAlike, rowValues, valuesKey } from './values.ts';

interface KeyOwner {
  id: string;
  slug?: string;
}

export type OwnersOf = (row: Row) => readonly KeyOwner[];

/** Returns the codes by key: the one in the lock file, or all in the ledger, latest record last. */
export function keyedCodes({ lock, ledger }: PlanInput): Map<string, readonly KeyOwner[]> {
  const claims = [...ledger.claims.values()].sort((one, other) => one.order - other.order);
  const owners: Map<string, readonly KeyOwner[]> = indexBy(claims, ({ key }) => key);
  for (const { key, id, slug } of lock?.values() ?? []) owners.set(key, [{ id: id.toLowerCase(), slug }]);
  return owners;
}

/**
 * Returns a function that finds codes by key. Of several, returns the newest with the row's values, or else
 * all that were not replaced.
 */
export function createOwnerSearch(
  owners: ReadonlyMap<string, readonly KeyOwner[]>,
  { claims, replaced }: LedgerView,
): OwnersOf {
  return (row) => {
    const all = owners.get(row.key ?? '') ?? [];
    if (all.length < 2) return all;
    const key = valuesKey(rowValues(row));
    const hasValues = ({ id }: KeyOwner) => claims.get(id)?.rows.some((one) => valuesKey(one) === key);
    const own = all.findLast(hasValues);
    return own ? [own] : all.filter(({ id }) => !replaced.has(id));
  };
}

interface Naming {
  find: (name: string) => QrCode | undefined;
  bySlug: ReadonlyMap<string, QrCode>;
  ownersOf: OwnersOf;
  missing: ReturnType<typeof missingKeys>;
  named: ReadonlySet<string>;
  refuse: (fault: Fault) => void;
}

export function identifyNamed(row: Row, ladder: Ladder, naming: Naming): Identity | undefined {
  const { line, key, id, slug } = row;
  const { codes } = ladder.input.listing;
  const { find, bySlug, refuse } = naming;
  const [owner, ...more] = naming.ownersOf(row);
  const owned = owner && codes.get(owner.id);
  const chosen = ladder.answers.codeOf(row);
  if (chosen) return { is: 'code', how: 'decision', code: chosen };
  if (id !== undefined || slug !== undefined) {
    const { code, fault } = codeOfCells(row, codes, bySlug);
    const next = code && successorOf(code, ladder.input, naming);
    if (fault) refuse(fault);
    else if (code && owned && owner.slug !== undefined && owned !== code && owned !== next)
      refuse({ line, message: `the key ${inQuotes(key ?? '')} belongs to the code ${quote(owned.slug)}` });
    if (next) return knownCode(row, { how: 'ledger', id: next.id.toLowerCase() }, ladder);
    return knownCode(
      row,
      { how: id === undefined ? 'slug' : 'id', id: code?.id.toLowerCase() ?? id, slug },
      ladder,
    );
  }
  // Leaves uncertain owners to `takeKeys`.
  if (owner && (more.length > 0 || isUncertain(row, owner, ladder.input))) return undefined;
  if (owned && owner.slug !== undefined && owned.slug !== owner.slug) {
    const message = `the lock file has the slug ${quote(owner.slug)} for this key, but its ID is that of ${quote(owned.slug)}`;
    refuse({ line, message });
  }
  if (owned && owned !== find(key ?? '') && mayBeOfAnotherFile(owner, ladder.input)) {
    const isNew = ladder.answers.newOf(row) > 0;
    return isNew ? { is: 'new', isDecided: true } : { is: 'exists', code: owned };
  }
  if (owner) return knownCode(row, { how: 'key', ...owner }, ladder);
  const self = key === undefined ? undefined : find(key);
  if (self) return { is: 'code', how: 'id', code: self };
  const similar = key === undefined ? undefined : naming.missing.get(reduceKey(key));
  if (similar === undefined || ladder.answers.newOf(row) > 0) return undefined;
  const [name, known] = similar;
  const candidates = known.slice(-1).flatMap((one) => codes.get(one.id) ?? []);
  const reason = `its key differs from the key ${inQuotes(name)}, which the file lacks, only in zeros, case or spaces`;
  return { is: 'undecided', candidates, reason };
}

export function codeOfCells(
  { line, id, slug }: Pick<Row, 'line' | 'id' | 'slug'>,
  codes: PlanInput['listing']['codes'],
  bySlug: ReadonlyMap<string, QrCode>,
): { code: QrCode | undefined; fault?: Fault } {
  const other = bySlug.get(slug ?? '');
  const code = id === undefined ? other : codes.get(id);
  if (!code || !other || other === code) return { code };
  return { code, fault: faultOfTwoNames(line, code.slug, other.slug) };
}

/**
 * Identifies a code by ID: as that code, its replacement, a new one that the user requests, or `gone`. A
 * decision creates one code, however often the command runs.
 */
export function knownCode(
  row: Row,
  { how, id, slug }: { how: How; id?: string; slug?: string },
  { input, answers }: Ladder,
): Identity {
  const { listing, ledger, policy } = input;
  const code = listing.codes.get(id ?? '');
  const own: Identity = code ? { is: 'code', how, code } : { is: 'gone', how, id, slug };
  if (policy.verb === 'update' || policy.verb === 'delete') return own;
  const chain = chainOf(id, ledger.replaced);
  const last = chain.at(-1);
  // A backup restores its code once, even if a decision created that code.
  const restored = row.backupOf === id && last === id ? Infinity : 1;
  const asked = row.backupOf !== undefined && !code ? restored : answers.newOf(row);
  // If the code exists, `qr apply` ignores `new`, because its file may keep a decision that was carried out.
  const wanted = policy.verb === 'create' || !code ? asked : 0;
  const sending = ledger.unclear.findLast(({ replaces }) => replaces !== undefined && replaces === last);
  if (code && wanted === 0 && !(sending && how === 'ledger')) return own;
  if (sending) return { is: 'new', repeats: sending, replaces: last };
  // Backups and `qr apply` files may keep a decision that was carried out. Any other decision counts as new
  // if neither the code nor its replacement exists.
  const next = listing.codes.get(last ?? '');
  const isOfFile = policy.verb === 'apply' && row.decision?.is === 'new' && !answers.isFlagged(row);
  const isKept = row.backupOf !== undefined || isOfFile;
  // If the user requests several codes, counts those that `id` replaced, too.
  const earlier = () => new Map([...ledger.replaced].map(([old, by]) => [by, old]));
  const all = wanted > 1 ? chainOf(last, earlier()) : chain;
  const used = all.filter((one) => ledger.claims.get(one)?.isDecided).length;
  if (wanted > (code || next || isKept ? used : 0)) return { is: 'new', isDecided: true, replaces: last };
  return next && next !== code ? { is: 'code', how: 'ledger', code: next } : own;
}

/** For `qr create` and `qr apply`, returns a code's replacement, unless a row has the new ID or slug. */
function successorOf({ id }: QrCode, { policy, ledger, listing }: PlanInput, { named }: Naming) {
  if (policy.verb !== 'create' && policy.verb !== 'apply') return undefined;
  const code = listing.codes.get(chainOf(id.toLowerCase(), ledger.replaced).at(-1) ?? '');
  return code && (named.has(code.id.toLowerCase()) || named.has(code.slug)) ? undefined : code;
}

function chainOf(id: string | undefined, next: ReadonlyMap<string, string>): string[] {
  const chain = new Set<string>();
  for (let one = id; one !== undefined && !chain.has(one); one = next.get(one)) chain.add(one);
  return [...chain];
}

/** Returns whether `qr apply` asks about a key that only an ended run knows, maybe from another file. */
function mayBeOfAnotherFile({ id, slug }: KeyOwner, { policy, ledger }: PlanInput): boolean {
  const isAsked = policy.verb === 'apply' && !policy.adoptExisting;
  return isAsked && slug === undefined && ledger.claims.get(id)?.isEnded === true;
}

function isUncertain(row: Row, { id, slug }: KeyOwner, input: PlanInput): boolean {
  const key = valuesKey(rowValues(row));
  return slug === undefined && !knownValues(id, input).some((one) => valuesKey(one) === key);
}

function knownValues(id: string, { ledger, listing }: PlanInput): (QrCode | NewCode)[] {
  return [listing.codes.get(id) ?? [], ledger.claims.get(id)?.rows ?? []].flat();
}

/**
 * Decides about rows whose key is known with other values. A row is `gone` if no code of its key exists. If
 * just one free code has or had the row's name or destination, `qr create` assumes an edit. Otherwise, the
 * user decides, unless no code is left.
 */
export function takeKeys(ladder: Ladder, ownersOf: OwnersOf): void {
  const { listing, policy } = ladder.input;
  const isAsked = policy.verb === 'apply' && !policy.adoptExisting;
  for (const row of openRows(ladder)) {
    const ids = ownersOf(row).map(({ id }) => id);
    if (ids.length === 0) continue;
    const codes = ids.flatMap((id) => listing.codes.get(id) ?? []);
    const candidates = isAsked ? codes : codes.filter(({ id }) => !ladder.taken.has(id.toLowerCase()));
    const [code] = candidates;
    const isLikely = ({ id }: QrCode) =>
      knownValues(id.toLowerCase(), ladder.input).some((one) => isAlike(one, rowValues(row)));
    const [likely, ...more] = candidates.filter(isLikely);
    if (codes.length === 0) settle(ladder, row, { is: 'gone', how: 'key', id: ids.at(-1) });
    else if (likely && more.length === 0 && policy.verb === 'create')
      settle(ladder, row, knownCode(row, { how: 'key', id: likely.id.toLowerCase() }, ladder));
    else if (code) settle(ladder, row, { is: 'undecided', candidates, reason: OTHER_VALUES });
  }
}

const OTHER_VALUES = 'the ledger knows its key with other values: it was edited, or is a row of another file';

/** Maps keys without case, spaces and leading zeros to known keys that the file lacks, and their codes. */
export function missingKeys(rows: readonly Row[], owners: ReadonlyMap<string, readonly KeyOwner[]>) {
  const present = new Set(rows.map(({ key }) => key));
  const missing = [...owners].filter(([key]) => !present.has(key));
  return new Map(missing.map((one) => [reduceKey(one[0]), one] as const));
}

function reduceKey(key: string): string {
  return foldKey(key).replace(/^0+/, '');
}
