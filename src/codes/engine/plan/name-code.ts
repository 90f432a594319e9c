/** Rungs 1 and 2 of the ladder: the code that a row names by its cells, by a decision of the user, or by its key. */
import { inQuotes, quote } from '../../../base/text/quote.ts';
import type { Fault } from '../../../files/formats/read/input.ts';
import type { NewCode, QrCode } from '../../../service/shapes.ts';
import { foldKey } from '../lock/lock-file.ts';
import { type Identity, type Ladder, openRows, settle } from './ladder.ts';
import type { How, LedgerView, PlanInput, Row } from './model.ts';
import { isAlike, rowValues, valuesKey } from './values.ts';

interface KeyOwner {
  readonly id: string;
  /** Of the lock file; undefined for a key that only the ledger knows. */
  readonly slug: string | undefined;
}

/** The codes of keys, by the lock file or else by the ledger. */
export function keyedCodes({ lock, ledger }: PlanInput): Map<string, KeyOwner> {
  const owners = new Map<string, KeyOwner>();
  for (const { key, id } of [...ledger.claims.values()].sort((one, other) => one.order - other.order))
    if (key !== undefined) owners.set(key, { id, slug: undefined });
  for (const { key, id, slug } of lock?.values() ?? []) owners.set(key, { id: id.toLowerCase(), slug });
  return owners;
}

/** What the rows of a file are recognized by, besides their values. */
interface Naming {
  readonly find: (name: string) => QrCode | undefined;
  readonly bySlug: ReadonlyMap<string, QrCode>;
  readonly keyOwners: ReadonlyMap<string, KeyOwner>;
  /** Ids and slugs in cells of rows. */
  readonly named: ReadonlySet<string>;
  readonly refuse: (fault: Fault) => void;
}

/** Rungs 1 and 2: the row's own cells, the user's word, and its key. */
export function identifyNamed(row: Row, ladder: Ladder, naming: Naming): Identity | undefined {
  const { line, key, id, slug } = row;
  const { codes } = ladder.input.listing;
  const { find, bySlug, keyOwners, refuse } = naming;
  const owner = key === undefined ? undefined : keyOwners.get(key);
  const chosen = ladder.answers.codeOf(row);
  if (chosen) return { is: 'code', how: 'decision', code: chosen };
  if (id !== undefined || slug !== undefined) {
    const { code, fault } = codeOfCells(row, codes, bySlug);
    const next = code && successorOf(code, ladder.input, naming);
    if (fault) refuse(fault);
    else if (
      code &&
      owner?.slug !== undefined &&
      ![code.id.toLowerCase(), next?.id.toLowerCase()].includes(owner.id) &&
      codes.has(owner.id)
    ) {
      refuse({
        line,
        message: `the key ${inQuotes(key ?? '')} belongs to the code ${quote(codes.get(owner.id)?.slug ?? owner.id)}`,
      });
    }
    if (next) return knownCode(row, { how: 'ledger', id: next.id.toLowerCase(), slug: undefined }, ladder);
    return knownCode(
      row,
      { how: id === undefined ? 'slug' : 'id', id: code?.id.toLowerCase() ?? id, slug },
      ladder,
    );
  }
  // The values of the row tell first whose it is: see `takeKeys`.
  if (owner && isUncertain(row, owner, ladder.input)) return undefined;
  const locked = owner && codes.get(owner.id);
  if (owner?.slug !== undefined && locked && locked.slug !== owner.slug) {
    const message = `the lock file has the slug ${quote(owner.slug)} for this key, but its ID is that of ${quote(locked.slug)}`;
    refuse({ line, message });
  }
  if (owner) return knownCode(row, { how: 'key', ...owner }, ladder);
  const self = key === undefined ? undefined : find(key);
  if (self) return { is: 'code', how: 'id', code: self };
  const similar = key === undefined ? undefined : similarKey(key, ladder.input, keyOwners);
  if (similar === undefined || ladder.answers.newOf(row) > 0) return undefined;
  const code = codes.get(keyOwners.get(similar)?.id ?? '');
  const reason = `its key differs from the key ${inQuotes(similar)}, which the file lacks, only in zeros, case or spaces`;
  return { is: 'undecided', candidates: code ? [code] : [], reason };
}

/** Returns the code that the cells of a row name by its ID, else by its slug. They must not name two. */
export function codeOfCells(
  { line, id, slug }: Pick<Row, 'line' | 'id' | 'slug'>,
  codes: PlanInput['listing']['codes'],
  bySlug: ReadonlyMap<string, QrCode>,
): { code: QrCode | undefined; fault?: Fault } {
  const other = slug === undefined ? undefined : bySlug.get(slug);
  const code = id === undefined ? other : codes.get(id);
  if (!code || !other || other === code) return { code };
  const message = `the ID belongs to ${quote(code.slug)}, but the slug is ${quote(slug ?? '')}: correct one of them`;
  return { code, fault: { line, message } };
}

/**
 * Returns the code of a row that was known by this id; or the one that the user had made in its place, also if the response of its request
 * was lost; or that it is gone. A decision makes one code, however often the command is run.
 */
export function knownCode(
  row: Row,
  { how, id, slug }: { how: How; id: string | undefined; slug: string | undefined },
  { input, answers }: Ladder,
): Identity {
  const { listing, ledger, policy } = input;
  const code = listing.codes.get(id ?? '');
  const own: Identity = code ? { is: 'code', how, code } : { is: 'gone', how, id, slug };
  // What changes or deletes a code never takes another one for it.
  if (policy.verb === 'update' || policy.verb === 'delete') return own;
  // Decisions may stay in the file of `apply`: if the code exists, an earlier run carried it out, perhaps on another machine.
  const wanted = policy.verb === 'create' || !code ? answers.newOf(row) : 0;
  const replaced = id === undefined ? undefined : lastReplacement(id, ledger.replaced);
  const sending = ledger.unclear.findLast(
    ({ replaces }) => replaces !== undefined && replaces === (replaced ?? id),
  );
  if (code && wanted === 0 && !(sending && how === 'ledger')) return own;
  if (sending) return { is: 'new', repeats: sending, replaces: sending.replaces ?? '' };
  if (wanted > decidedCount(id, ledger))
    return { is: 'new', isDecided: true, ...(id !== undefined && { replaces: replaced ?? id }) };
  const next = listing.codes.get(replaced ?? '');
  return next ? { is: 'code', how: 'ledger', code: next } : own;
}

/** The code that the user had made in place of this one, unless the file has both. */
function successorOf(
  { id }: QrCode,
  { policy, ledger, listing }: PlanInput,
  { named }: Naming,
): QrCode | undefined {
  if (policy.verb !== 'create' && policy.verb !== 'apply') return undefined;
  const code = listing.codes.get(lastReplacement(id.toLowerCase(), ledger.replaced) ?? '');
  return code && (named.has(code.id.toLowerCase()) || named.has(code.slug)) ? undefined : code;
}

/** A key that only the ledger knows may be that of another file of the workspace: it is certain only if all values are equal. */
function isUncertain(row: Row, { id, slug }: KeyOwner, { ledger, listing }: PlanInput): boolean {
  const code = listing.codes.get(id);
  const key = valuesKey(rowValues(row));
  return (
    slug === undefined &&
    code !== undefined &&
    !knownValues(code, ledger).some((one) => valuesKey(one) === key)
  );
}

/** Values of a code: those of the service, and those of its row as they were sent or found. */
function knownValues(code: QrCode, { claims }: LedgerView): (QrCode | NewCode)[] {
  return [code, ...(claims.get(code.id.toLowerCase())?.rows ?? [])];
}

/**
 * Rows whose values no code has, and whose key the ledger knows with other values: edited rows, or those of another file with the same keys.
 * The user is asked, unless `qr create` asks anyway because name or destination is the same.
 */
export function takeKeys(ladder: Ladder, owners: ReadonlyMap<string, KeyOwner>): void {
  const { ledger, listing, policy } = ladder.input;
  for (const row of openRows(ladder)) {
    const id = owners.get(row.key ?? '')?.id;
    const code = listing.codes.get(id ?? '');
    if (!code || id === undefined || ladder.taken.has(id) || ladder.answers.newOf(row) > 0) continue;
    const isLikely = knownValues(code, ledger).some((one) => isAlike(one, rowValues(row)));
    const reason = 'the ledger knows its key with other values: it was edited, or is a row of another file';
    if (isLikely && policy.verb === 'create')
      settle(ladder, row, knownCode(row, { how: 'key', id, slug: undefined }, ladder));
    else settle(ladder, row, { is: 'undecided', candidates: [code], reason });
  }
}

/** Number of new codes that the user asked for in place of this one. */
function decidedCount(id: string | undefined, { claims, replaced }: LedgerView): number {
  let count = 0;
  const seen = new Set<string>();
  for (let next = id; next !== undefined && !seen.has(next); next = replaced.get(next)) {
    seen.add(next);
    if (claims.get(next)?.isDecided) count += 1;
  }
  return count;
}

function lastReplacement(id: string, replaced: ReadonlyMap<string, string>): string | undefined {
  let last: string | undefined;
  for (let next = replaced.get(id); next !== undefined && next !== last; next = replaced.get(next))
    last = next;
  return last;
}

const KEYS = new WeakMap<PlanInput, ReadonlyMap<string, string>>();

/** A known key that no row has, and that a spreadsheet may have made this one of. */
function similarKey(
  key: string,
  input: PlanInput,
  owners: ReadonlyMap<string, KeyOwner>,
): string | undefined {
  const reduce = (text: string) => foldKey(text).replace(/^0+(?=.)/, '');
  let keys = KEYS.get(input);
  if (!keys) {
    const present = new Set(input.rows.flatMap((row) => row.key ?? []));
    keys = new Map(
      [...owners.keys()].filter((known) => !present.has(known)).map((known) => [reduce(known), known]),
    );
    KEYS.set(input, keys);
  }
  return keys.get(reduce(key));
}
