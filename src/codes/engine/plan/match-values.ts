import { getOrAdd } from '#base/collections';
import type { QrCode } from '#service/shapes';
import { deal, freeCodes, type Identity, type Ladder, openRows, settle } from './ladder.ts';
import type { Claim, LedgerView, Row } from './model.ts';
import { knownCode } from './name-code.ts';
import {
  createAlteredSearch,
  indexBy,
  nameKey,
  placeKey,
  rowValues,
  storedForm,
  valuesKey,
} from './values.ts';

/**
 * Step 3: matches rows without a key to claims with equal values. Prefers existing codes, then those in the
 * file's earlier results, then those requested as new (newest first), then the oldest.
 */
export function takeKnownValues(ladder: Ladder): void {
  const { ledger, listing, earlierIds } = ladder.input;
  const places = new Map([...listing.codes.keys()].map((id, at) => [id, at]));
  const inOrder = (one: Claim, other: Claim) =>
    one.n - other.n || (places.get(one.id) ?? 0) - (places.get(other.id) ?? 0);
  const rank = ({ id, isDecided }: Claim) =>
    (places.has(id) ? 4 : 0) + (earlierIds?.has(id) ? 2 : 0) + (isDecided ? 1 : 0);
  const claims = [...ledger.claims.values()]
    .filter(({ id }) => !ladder.taken.has(id) && !ledger.replaced.has(id))
    .sort(
      (one, other) =>
        rank(other) - rank(one) || (one.isDecided ? other.order - one.order : inOrder(one, other)),
    );
  const keyless = (row: Row) => row.key === undefined;
  const used = new Set<Claim>();
  const statusOf = ({ id }: Claim) => listing.codes.get(id)?.status;
  // Compares the newest values of each code first, then its older ones too.
  for (const most of [1, Infinity]) {
    const open = openRows(ladder).filter(keyless);
    if (open.length === 0) return;
    const known = new Map<string, Claim[]>();
    for (const claim of claims)
      for (const key of new Set(claim.rows.slice(0, most).map(valuesKey)))
        getOrAdd(known, key, () => []).push(claim);
    for (const [key, rows] of indexBy(open, (row) => valuesKey(rowValues(row)))) {
      // Sorts codes by creation, so that equal rows keep their codes.
      const free = (known.get(key) ?? []).filter((claim) => !used.has(claim));
      const needed = free.slice(0, rows.length).sort(inOrder);
      for (const [row, claim] of deal(rows, needed, statusOf)) {
        used.add(claim);
        settle(ladder, row, knownCode(row, { how: 'ledger', id: claim.id }, ladder));
      }
    }
  }
}

/** E3: step 5 matches rows to free codes with equal values, or asks if the match is uncertain. */
export function takeEqual(ladder: Ladder): void {
  takeMadeElsewhere(ladder);
  const free = indexBy(freeCodes(ladder), valuesKey);
  const rows = openRows(ladder).filter((row) => {
    // Ignores a decision `new` in a `qr apply` file if several codes have the values, because an earlier run
    // may have used it.
    const isUsed =
      ladder.input.policy.verb === 'apply' &&
      row.decision?.is === 'new' &&
      (free.get(valuesKey(rowValues(row)))?.length ?? 0) > 1;
    if (ladder.answers.newOf(row) > 0 && !isUsed) settle(ladder, row, { is: 'new', isDecided: true });
    return !ladder.found.has(row);
  });
  const sought = soughtCodes(ladder);
  const formKey = (row: Row) => {
    const own = valuesKey(rowValues(row));
    return free.has(own) ? own : valuesKey(storedForm(rowValues(row), ladder.input.ledger));
  };
  const isContested = createRivalSearch(rows, ladder, formKey);
  for (const [key, alike] of indexBy(rows, formKey)) {
    const codes = free.get(key);
    if (codes === undefined) continue;
    let reason: string | undefined;
    if (codes.some((code) => sought.has(code)))
      reason = 'a code with its values may be that of another row, whose request got no response';
    else if (codes.length > alike.length) reason = `${codes.length} existing codes have its values`;
    else if (alike.some((row) => valuesKey(rowValues(row)) !== key) && isContested(codes, key))
      reason = 'a code with its values may be that of another row, whose values the service changed';
    if (reason !== undefined)
      for (const row of alike) settle(ladder, row, { is: 'undecided', candidates: codes, reason });
    else
      for (const [row, code] of deal(alike, codes, ({ status }) => status))
        settle(ladder, row, { is: 'exists', code });
  }
}

/** Returns a function that tests whether a code may be another row's, altered by the service. */
function createRivalSearch(rows: readonly Row[], ladder: Ladder, keyOf: (row: Row) => string) {
  let rivals: Map<QrCode, string[]> | undefined;
  const find = () => {
    const altered = createAlteredSearch(freeCodes(ladder));
    const found = new Map<QrCode, string[]>();
    for (const row of rows)
      for (const code of altered(rowValues(row))) getOrAdd(found, code, () => []).push(keyOf(row));
    return found;
  };
  return (codes: readonly QrCode[], key: string): boolean => {
    rivals ??= find();
    const found = rivals;
    return codes.some((code) => found.get(code)?.some((other) => other !== key));
  };
}

function soughtCodes({ found }: Ladder): ReadonlySet<QrCode> {
  const soughtBy = (identity: Identity): readonly QrCode[] => {
    if (identity.is === 'new') return identity.sought ?? [];
    return identity.is === 'undecided' && identity.sending ? identity.candidates : [];
  };
  return new Set([...found.values()].flatMap(soughtBy));
}

/** If a decision `new` replaces a code, matches its row to a code that another machine may have created. */
function takeMadeElsewhere(ladder: Ladder): void {
  const { claims, replaced: old } = ladder.input.ledger;
  let free: Map<string, QrCode[]> | undefined;
  for (const [row, identity] of ladder.found) {
    if (identity.is !== 'new' || identity.repeats || row.decision?.is !== 'new') continue;
    const { replaces } = identity;
    if (replaces === undefined) continue;
    free ??= indexBy(freeCodes(ladder), valuesKey);
    const isOpen = (id: string) => !claims.has(id) && !old.has(id) && !ladder.taken.has(id);
    const code = free.get(valuesKey(rowValues(row)))?.find(({ id }) => isOpen(id.toLowerCase()));
    if (code) settle(ladder, row, { is: 'exists', code, replaces });
  }
}

/** E4: step 6 finds rows that may be edits, or whose values the service changed. */
export function findEdits(ladder: Ladder): void {
  const { rows, policy, listing, ledger, lock, isSettled } = ladder.input;
  const open = rows.filter((row) => {
    const identity = ladder.found.get(row);
    if (identity?.is !== 'new') return identity === undefined;
    // Includes rows with a request to repeat, unless decided, because a copy of the row may have a code.
    const { repeats, isDecided } = identity;
    return isSettled && repeats && !repeats.decided && !isDecided;
  });
  if (open.length === 0) return;
  // Excludes codes whose replacement exists, because they belong to no row.
  const free = freeCodes(ladder).filter(
    ({ id }) => !listing.codes.has(ledger.replaced.get(id.toLowerCase()) ?? ''),
  );
  const keyed = [...ledger.claims.values()].filter(({ key }) => key !== undefined);
  const owned = new Set([...keyed, ...(lock?.values() ?? [])].map(({ id }) => id.toLowerCase()));
  const searchIn = (codes: readonly QrCode[]) => ({
    altered: createAlteredSearch(codes),
    byName: createAlike(open, codes, nameKey, ledger),
    byPlace: createAlike(open, codes, placeKey, ledger),
  });
  // A row with a key is not an edit of a code that has a different key.
  const unowned = () => free.filter(({ id }) => !owned.has(id.toLowerCase()));
  const searches = new Map<boolean, ReturnType<typeof searchIn>>();
  const searchOf = ({ key }: Row) => {
    const hasKey = key !== undefined;
    return getOrAdd(searches, hasKey, () => searchIn(hasKey ? unowned() : free));
  };
  const wanted = new Map<QrCode, number>();
  const named = new Set(open.flatMap((row) => searchOf(row).byName(rowValues(row)).flatMap(one)));
  const placed = (codes: readonly QrCode[]) =>
    one(codes.length > 1 ? codes.filter((code) => !named.has(code)) : codes);
  const isForeign = rows.some(({ id, slug, inRun }) => inRun === undefined && (id ?? slug) !== undefined);
  const isKnown = (row: Row) => (ladder.found.get(row)?.is ?? 'new') !== 'new';
  const isVersion = named.size > 0 || rows.some(isKnown);
  const clues = open.map((row) => {
    const values = rowValues(row);
    const { altered, byName, byPlace } = searchOf(row);
    const changed = altered(values);
    const alike = isVersion ? [...byName(values).flat(), ...byPlace(values).flatMap(placed)] : [];
    const candidates = [...new Set(alike)];
    for (const code of candidates) wanted.set(code, (wanted.get(code) ?? 0) + 1);
    return { row, changed, candidates };
  });
  const sought = soughtCodes(ladder);
  for (const { row, changed, candidates } of clues) {
    const [code, ...more] = candidates;
    const isFree = code && wanted.get(code) === 1 && !sought.has(code);
    const isOne = isFree && more.length === 0 && policy.verb === 'create';
    if (changed.length > 0) settle(ladder, row, { is: 'undecided', candidates: changed, reason: ALTERED });
    else if (isOne) settle(ladder, row, { is: 'code', how: 'guess', code, isForeign });
    else if (code)
      settle(ladder, row, {
        is: 'undecided',
        candidates,
        reason: 'it may be an edited row of an existing code',
      });
  }
}

const ALTERED = 'the service may have made an existing code of its values by changing them';

function one(codes: readonly QrCode[]): readonly QrCode[] {
  return codes.length === 1 ? codes : [];
}

type KeyOf = typeof placeKey;

/**
 * Returns a function that finds free codes that have, or had when sent, a row's name or destination. Finds
 * none if several open rows have it.
 */
function createAlike(rows: readonly Row[], free: readonly QrCode[], keyOf: KeyOf, { claims }: LedgerView) {
  const now = indexBy(free, keyOf);
  const before = indexBy(free, (code) => {
    const [row] = claims.get(code.id.toLowerCase())?.rows ?? [];
    const sent = row && keyOf(row);
    return sent === keyOf(code) ? undefined : sent;
  });
  const own = indexBy(rows, (row) => keyOf(rowValues(row)));
  return (values: ReturnType<typeof rowValues>): (readonly QrCode[])[] => {
    const key = keyOf(values) ?? '';
    if (own.get(key)?.length !== 1) return [];
    return [now.get(key) ?? [], before.get(key) ?? []];
  };
}
