/** E13: step 4 finds the codes of requests without a response by the values sent, never by time. */
import type { NewCode, QrCode } from '#service/shapes';
import { deal, freeCodes, type Identity, type Ladder, openRows, settle } from './ladder.ts';
import type { LedgerView, PlanInput, Row, Sending } from './model.ts';
import type { OwnersOf } from './name-code.ts';
import { indexBy, isAlike, nameKey, placeKey, rowValues, storedForm, valuesKey } from './values.ts';

/** Requests for one row, oldest first. */
interface Chain {
  first: Sending;
  last: Sending;
  all: readonly Sending[];
}

export function matchLost(ladder: Ladder, ownersOf: OwnersOf): void {
  const { ledger } = ladder.input;
  if (ledger.unclear.length === 0) return;
  const chains = chainsOf(ledger.unclear);
  const free = freeCodes(ladder);
  const byValues = indexBy(free, valuesKey);
  const owners = assignRows(ladder, chains);
  const left: Unmatched[] = [];
  const storedKey = ({ first }: Chain) => valuesKey(storedForm(first.values, ledger));
  for (const alike of indexBy(chains, storedKey).values()) {
    const sent = alike[0]?.first;
    if (!sent) continue;
    const mayBeIts = (id: string) => !ladder.taken.has(id) && ledger.claims.get(id)?.origin !== 'made';
    const candidates = candidatesOf(sent, byValues, ledger).filter(
      (code) => isNew(code, alike) && mayBeIts(code.id.toLowerCase()),
    );
    const isClear = candidates.length <= alike.length;
    const rows = new Map(
      alike.flatMap((chain) => (owners.has(chain) ? [[owners.get(chain) as Row, chain] as const] : [])),
    );
    const dealt = new Map(isClear ? deal([...rows.keys()], candidates, ({ status }) => status) : []);
    for (const [row, chain] of rows) {
      const code = dealt.get(row);
      if (code) settle(ladder, row, withCode(row, code, chain.last, ladder));
      else left.push({ row, chain, candidates: isClear ? [] : candidates });
    }
  }
  const unmatched = freeCodes(ladder);
  for (const one of left)
    if (!hasLaterCode(one, ownersOf, ladder)) settle(ladder, one.row, withoutCode(one, unmatched, ladder));
}

/**
 * Returns whether to leave a row to `takeKeys`: its key has a free code, its request has no candidates, and
 * no new code was requested.
 */
function hasLaterCode(
  { row, chain, candidates }: Unmatched,
  ownersOf: OwnersOf,
  { input: { listing }, taken, answers }: Ladder,
): boolean {
  const isDecided = answers.newOf(row) > 0 || chain.all.some(({ decided }) => decided);
  const hasCode = ownersOf(row).some(({ id }) => listing.codes.has(id) && !taken.has(id));
  return hasCode && candidates.length === 0 && !isDecided;
}

interface Unmatched {
  row: Row;
  chain: Chain;
  candidates: readonly QrCode[];
}

/**
 * Assigns a row the code found after a lost response. For an edited row of `qr apply`, the user decides,
 * because another file may have its key.
 */
function withCode(row: Row, code: QrCode, sending: Sending, { input, answers }: Ladder): Identity {
  const isEdited = valuesKey(rowValues(row)) !== valuesKey(sending.values);
  if (isEdited && input.policy.verb === 'apply')
    return {
      is: 'undecided',
      candidates: [code],
      reason: 'a request with other values of its key got no response',
      sending,
    };
  return { is: 'code', how: 'lost', code, sending, isAsked: answers.newOf(row) > 0 };
}

function withoutCode(
  { row, chain, candidates }: Unmatched,
  free: readonly QrCode[],
  { input, answers }: Ladder,
): Identity {
  const sending = chain.last;
  // E7: one decision permits one request.
  const used = chain.all.filter(({ decided }) => decided).length;
  const isDecided = answers.newOf(row) > used;
  const repeats = { ...sending, decided: used > 0 };
  const repeat: Identity = { is: 'new', repeats, isDecided, replaces: sending.replaces };
  const alike = candidates.length > 0 ? candidates : unexplained(chain, free, input);
  if (alike.length === 0) return repeat;
  if (candidates.length === 0 && !input.isSettled) return { ...repeat, sought: alike };
  if (isDecided) return { ...repeat, answered: chain.all.map(({ n }) => n) };
  const again =
    used > 0 ? '; a new code was requested before, so pass --as-new once more for another one' : '';
  const why = candidates.length > 0 ? 'several new codes have its values' : 'a new code resembles it';
  return {
    is: 'undecided',
    candidates: alike,
    reason: `its request got no response, and ${why}${again}`,
    sending,
  };
}

function unexplained(chain: Chain, free: readonly QrCode[], { ledger }: PlanInput): QrCode[] {
  return free.filter((code) => {
    const isUnknown = isNew(code, [chain]) && !ledger.claims.has(code.id.toLowerCase());
    // If request and code lack a destination, the code may be the one sought, with an edited name.
    return (
      isUnknown &&
      chain.all.some(({ values }) => isAlike(values, code) || !(values.destination || code.destination))
    );
  });
}

function chainsOf(unclear: readonly Sending[]): Chain[] {
  const chains = new Map<number, Chain>();
  const roots = new Map<number, number>();
  for (const sending of unclear) {
    const { n, again = n } = sending;
    const root = roots.get(again) ?? again;
    roots.set(n, root);
    const { first, all } = chains.get(root) ?? { first: sending, all: [] };
    chains.set(root, { first, last: sending, all: [...all, sending] });
  }
  return [...chains.values()];
}

function assignRows(ladder: Ladder, chains: readonly Chain[]): Map<Chain, Row> {
  const owners = new Map<Chain, Row>();
  const taken = new Set<Row>();
  const replacing = new Map(
    [...ladder.found].map(([row, identity]) => [identity.is === 'new' ? identity.repeats : undefined, row]),
  );
  const open = openRows(ladder);
  const assign = (rowOf: (sending: Sending) => Row | undefined) => {
    for (const chain of chains) {
      const row = owners.has(chain) ? undefined : rowOf(chain.last);
      if (!row || taken.has(row)) continue;
      owners.set(chain, row);
      taken.add(row);
    }
  };
  assign((sending) => replacing.get(sending));
  const byKey = indexBy(open, ({ key }) => key);
  assign((sending) => byKey.get(sending.key ?? '')?.find((row) => isAlike(rowValues(row), sending.values)));
  const byValues = indexBy(open, (row) => valuesKey(rowValues(row)));
  const equal = ({ key, values }: Sending) =>
    (byValues.get(valuesKey(values)) ?? []).filter(
      (row) => !taken.has(row) && (key === undefined || row.key === undefined),
    );
  const statusOf = ({ wish: { status } }: Row) => (status === 'active' ? undefined : status);
  assign((sending) => equal(sending).find((row) => statusOf(row) === sending.status));
  assign((sending) => equal(sending)[0]);
  for (const keyOf of [nameKey, placeKey]) assign(onlyAlike(keyOf, open, chains, { owners, taken }));
  return owners;
}

/**
 * Returns a function that finds the edited row of a lost request by a name or destination that no other open
 * row or request has. Neither may have a key.
 */
function onlyAlike(
  keyOf: (values: NewCode) => string | undefined,
  open: readonly Row[],
  chains: readonly Chain[],
  { owners, taken }: { owners: ReadonlyMap<Chain, Row>; taken: ReadonlySet<Row> },
): (sending: Sending) => Row | undefined {
  const rows = indexBy(
    open.filter((row) => !taken.has(row)),
    (row) => keyOf(rowValues(row)),
  );
  const left = indexBy(
    chains.filter((chain) => !owners.has(chain)),
    ({ last }) => keyOf(last.values),
  );
  return ({ key, values }) => {
    const own = keyOf(values) ?? '';
    const [row, ...more] = rows.get(own) ?? [];
    const isOne = more.length === 0 && left.get(own)?.length === 1;
    return isOne && key === undefined && row?.key === undefined ? row : undefined;
  };
}

export function candidatesOf(
  { values }: Sending,
  byValues: ReadonlyMap<string, readonly QrCode[]>,
  ledger: Pick<LedgerView, 'storedOf'>,
): readonly QrCode[] {
  return byValues.get(valuesKey(values)) ?? byValues.get(valuesKey(storedForm(values, ledger))) ?? [];
}

function isNew({ id }: QrCode, chains: readonly Chain[]): boolean {
  return chains.some(({ all }) => all.some(({ firstIds }) => !firstIds.has(id.toLowerCase())));
}
