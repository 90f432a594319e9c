/** Rungs 3, 5 and 6 of the ladder: rows are recognized by their values. */
import type { QrCode } from '../../../service/shapes.ts';
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

/** Rung 3: rows without a key, by their values as an earlier run sent or found them; the newest claim first. */
export function takeKnownValues(ladder: Ladder): void {
  const { ledger, listing } = ladder.input;
  const isThere = ({ id }: Claim) => listing.codes.has(id);
  const claims = [...ledger.claims.values()]
    .filter(({ id }) => !ladder.taken.has(id) && !ledger.replaced.has(id))
    .sort((one, other) => Number(isThere(other)) - Number(isThere(one)) || other.order - one.order);
  const newest = indexBy(claims, ({ rows: [row] }) => row && valuesKey(row));
  const older = indexBy(
    claims.flatMap((claim) => claim.rows.slice(1).map((row) => ({ claim, key: valuesKey(row) }))),
    ({ key }) => key,
  );
  const keyless = openRows(ladder).filter(({ key }) => key === undefined);
  const used = new Set<Claim>();
  const statusOf = ({ id }: Claim) => listing.codes.get(id)?.status;
  const take = (rows: readonly Row[], known: readonly Claim[]) => {
    // Equal rows keep their codes: the newest claims that are needed, in the order in which they were made.
    const needed = known.filter((one) => !used.has(one)).slice(0, rows.length);
    needed.sort((one, other) => one.n - other.n);
    for (const [row, claim] of deal(rows, needed, statusOf)) {
      used.add(claim);
      settle(ladder, row, knownCode(row, { how: 'ledger', id: claim.id, slug: undefined }, ladder));
    }
  };
  for (const [key, rows] of indexBy(keyless, (row) => valuesKey(rowValues(row))))
    take(rows, newest.get(key) ?? []);
  for (const [key, rows] of indexBy(
    keyless.filter((row) => !ladder.found.has(row)),
    (row) => valuesKey(rowValues(row)),
  ))
    take(
      rows,
      (older.get(key) ?? []).map(({ claim }) => claim),
    );
}

/** E3: rung 5: codes without a row that have a row's values. */
export function takeEqual(ladder: Ladder): void {
  const free = indexBy(freeCodes(ladder), valuesKey);
  takeMadeElsewhere(ladder, free);
  const rows = openRows(ladder).filter((row) => {
    if (ladder.answers.newOf(row) > 0) settle(ladder, row, { is: 'new', isDecided: true });
    return !ladder.found.has(row);
  });
  const formKey = (row: Row) => {
    const own = valuesKey(rowValues(row));
    return free.has(own) ? own : valuesKey(storedForm(rowValues(row), ladder.input.ledger));
  };
  for (const [key, alike] of indexBy(rows, formKey)) {
    const codes = free.get(key) ?? [];
    const reason = `${codes.length} existing codes have its values`;
    if (codes.length > alike.length)
      for (const row of alike) settle(ladder, row, { is: 'undecided', candidates: codes, reason });
    else
      for (const [row, code] of deal(alike, codes, ({ status }) => status))
        settle(ladder, row, { is: 'exists', code });
  }
}

/** A decision of a results file that was carried out on another machine: its new code has exactly the values of the row. */
function takeMadeElsewhere(ladder: Ladder, free: Map<string, QrCode[]>): void {
  for (const [row, identity] of ladder.found) {
    if (identity.is !== 'new' || identity.repeats || row.decision?.is !== 'new') continue;
    const { replaces } = identity;
    if (replaces === undefined) continue;
    const isOther = ({ id }: QrCode) =>
      id.toLowerCase() !== replaces && !ladder.input.ledger.claims.has(id.toLowerCase());
    const code = free
      .get(valuesKey(rowValues(row)))
      ?.find((one) => isOther(one) && !ladder.taken.has(one.id.toLowerCase()));
    if (code) settle(ladder, row, { is: 'exists', code, replaces });
  }
}

/** E4: rung 6: a row that may be an edited one, or whose values the service evidently changed. */
export function findEdits(ladder: Ladder): void {
  const { rows, policy, ledger, lock } = ladder.input;
  // Before a request is repeated whose response was lost: another copy of its row may have got a code since.
  const isRepeat = (identity: Identity | undefined) =>
    identity?.is === 'new' && identity.repeats && !identity.repeats.decided && !identity.isDecided;
  const open = rows.filter(
    (row) => !ladder.found.has(row) || (ladder.input.isSettled && isRepeat(ladder.found.get(row))),
  );
  if (open.length === 0) return;
  const free = freeCodes(ladder);
  const altered = createAlteredSearch(free);
  const keyed = [...ledger.claims.values()].filter(({ key }) => key !== undefined);
  const owned = new Set([...keyed, ...(lock?.values() ?? [])].map(({ id }) => id.toLowerCase()));
  const isVersion = rows.some((row) => isKnown(ladder.found.get(row)));
  const byName = createAlike(open, free, nameKey, ledger);
  const byPlace = createAlike(open, free, placeKey, ledger);
  const wanted = new Map<QrCode, number>();
  const clues = open.map((row) => {
    const values = rowValues(row);
    const changed = altered(values);
    const named = byName(values);
    const only = isVersion ? [...named, ...one(byPlace(values))] : one(named);
    // A key tells rows apart for good, if another key of the workspace has the code.
    const candidates = [...new Set(only)].filter(
      ({ id }) => row.key === undefined || !owned.has(id.toLowerCase()),
    );
    for (const code of candidates) wanted.set(code, (wanted.get(code) ?? 0) + 1);
    return { row, changed, candidates };
  });
  for (const { row, changed, candidates } of clues) {
    const [code, ...more] = candidates;
    const isOne = code && more.length === 0 && wanted.get(code) === 1 && policy.verb === 'create';
    if (changed.length > 0) settle(ladder, row, { is: 'undecided', candidates: changed, reason: ALTERED });
    else if (isOne) settle(ladder, row, { is: 'edited', code });
    else if (code)
      settle(ladder, row, {
        is: 'undecided',
        candidates,
        reason: 'it may be an edited row of an existing code',
      });
  }
}

const ALTERED = 'the service may have made an existing code of its values by changing them';

function isKnown(identity: Identity | undefined): boolean {
  // Codes of the workspace have the row's values, whichever of them is its own.
  if (identity?.is === 'exists' || identity?.is === 'undecided') return true;
  return (identity?.is === 'code' || identity?.is === 'gone') && identity.how !== 'none';
}

/** Several codes tell nothing. */
function one(codes: readonly QrCode[]): readonly QrCode[] {
  return codes.length === 1 ? codes : [];
}

type KeyOf = typeof placeKey;

/**
 * Returns a function that finds the free codes with the key of a row's values, if no other row without a code has that key. A code that
 * another client changed also has the key of its row, as it was last sent or found.
 */
function createAlike(rows: readonly Row[], free: readonly QrCode[], keyOf: KeyOf, { claims }: LedgerView) {
  const codes = indexBy(free, keyOf);
  for (const code of free) {
    const [row] = claims.get(code.id.toLowerCase())?.rows ?? [];
    const sent = row && keyOf(row);
    if (sent !== undefined && sent !== keyOf(code)) codes.set(sent, [...(codes.get(sent) ?? []), code]);
  }
  const own = indexBy(rows, (row) => keyOf(rowValues(row)));
  return (values: ReturnType<typeof rowValues>): readonly QrCode[] => {
    const key = keyOf(values);
    return key === undefined || own.get(key)?.length !== 1 ? [] : (codes.get(key) ?? []);
  };
}
