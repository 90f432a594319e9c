/** Replays the records of a ledger, and compacts them. */
import { type Claims, createClaims, type KeptClaim } from './claims.ts';
import { type Claim, FIELDS, type Field, type LedgerRecord, type LedgerView } from './model.ts';
import { createSendings, type OpenSending, type Sendings } from './sendings.ts';

/** Line of a compacted ledger, for the lines before it. */
type KeptRecord =
  | { readonly is: 'claim'; readonly claim: KeptClaim }
  | { readonly is: 'stored'; readonly field: Field; readonly value: string; readonly stored: string }
  | { readonly is: 'replaced'; readonly id: string; readonly by: string }
  /** First listing of the sendings that follow. */
  | { readonly is: 'first'; readonly ids: readonly string[] }
  | { readonly is: 'sending'; readonly sending: Omit<OpenSending, 'firstIds'> }
  | { readonly is: 'counters'; readonly next: number; readonly order: number };

/** Line of a ledger after its header. */
export type LedgerLine = LedgerRecord | KeptRecord;

/** Memory of a ledger, record by record. */
export interface Replay {
  take(line: LedgerLine): void;
  /** Returns the state as of the last record. It changes with the next one. */
  view(): LedgerView;
  /** Yields the lines from which another replay gets the same view. The next record must begin a run. */
  kept(): Generator<KeptRecord>;
}

type Pending =
  | (Extract<LedgerRecord, { is: 'patch' }> & { claimBefore: Claim | undefined })
  | Extract<LedgerRecord, { is: 'delete' }>;

interface State {
  readonly claims: Claims;
  readonly sendings: Sendings;
  readonly replaced: Map<string, string>;
  /** Each PATCH and DELETE without an outcome. */
  readonly pending: Map<number, Pending>;
  run: string | undefined;
  next: number;
}

export function createReplay(): Replay {
  const state: State = {
    claims: createClaims(),
    sendings: createSendings(),
    replaced: new Map(),
    pending: new Map(),
    run: undefined,
    next: 1,
  };
  const { claims, sendings, replaced } = state;
  const view: LedgerView = {
    claims: claims.byId,
    get unclear() {
      return sendings.unclear();
    },
    get repeated() {
      return sendings.repeated();
    },
    replaced,
    storedOf: (field, value) => claims.stored[field].get(value),
    get next() {
      return state.next;
    },
  };
  return {
    take(line) {
      if ('n' in line) state.next = Math.max(state.next, line.n + 1);
      (TAKE[line.is] as (state: State, line: LedgerLine) => void)(state, line);
    },
    view: () => view,
    kept: () => keptOf(state),
  };
}

type Line<K extends LedgerLine['is']> = Extract<LedgerLine, { is: K }>;

/** What each kind of line does. */
const TAKE: { readonly [K in LedgerLine['is']]: (state: State, line: Line<K>) => void } = {
  run(state, { run, ids = [] }) {
    state.run = run;
    state.sendings.begin(run, ids);
  },
  post: ({ sendings }, line) => sendings.open(line),
  made: takeMade,
  not({ claims, sendings, pending }, { n }) {
    const request = pending.get(n);
    pending.delete(n);
    if (request?.is === 'patch') claims.undo(request.id, request.claimBefore);
    sendings.close(n);
  },
  patch({ claims, pending }, line) {
    pending.set(line.n, { ...line, claimBefore: claims.byId.get(line.id) });
    claims.patch(line);
  },
  set({ claims, pending }, { n, stored }) {
    const request = pending.get(n);
    pending.delete(n);
    if (request?.is === 'patch') claims.set(request, stored);
  },
  due: ({ claims }, line) => claims.keep(line),
  delete: ({ pending }, line) => pending.set(line.n, line),
  deleted({ claims, pending }, { n }) {
    const request = pending.get(n);
    pending.delete(n);
    if (request?.is === 'delete') claims.delete(request.id, request.run);
  },
  found({ claims, replaced }, { replaces, ...line }) {
    claims.claim(line.id, { ...line, origin: 'found', isDecided: replaces !== undefined });
    if (replaces !== undefined) replaced.set(replaces, line.id);
  },
  decided: ({ sendings }, { n }) => sendings.close(n),
  end: ({ sendings }, { run }) => sendings.end(run),
  claim: ({ claims }, { claim }) => claims.restore(claim),
  stored: ({ claims }, { field, value, stored }) => claims.learn(field, value, stored),
  replaced: ({ replaced }, { id, by }) => replaced.set(id, by),
  first: ({ sendings }, { ids }) => sendings.begin('', ids),
  sending: ({ sendings }, { sending }) => sendings.restore(sending),
  counters(state, { next, order }) {
    state.next = next;
    state.claims.count(order);
  },
};

function takeMade(
  { claims, sendings, replaced, run }: State,
  { n, id, stored, decided }: Line<'made'>,
): void {
  const sending = sendings.close(n);
  const { values, key, status } = sending ?? {};
  for (const field of ['name', 'destination'] as const) claims.learn(field, values?.[field], stored[field]);
  claims.claim(id, {
    run: run ?? sending?.run ?? '',
    origin: 'made',
    key,
    row: values,
    stored,
    isDecided: decided ?? sending?.decided,
    n,
    unsent: status === stored.status ? undefined : status,
  });
  if (!sending) return;
  if (sending.replaces !== undefined) replaced.set(sending.replaces, id);
  sendings.settle(sending, id);
}

function* keptOf({ claims, sendings, replaced, next }: State): Generator<KeptRecord> {
  for (const { changes, ...claim } of claims.byId.values()) {
    const isChanged = FIELDS.some((field) => changes[field].length > 0);
    yield { is: 'claim', claim: isChanged ? { ...claim, changes } : claim };
  }
  for (const field of FIELDS)
    for (const [value, stored] of claims.stored[field]) yield { is: 'stored', field, value, stored };
  for (const [id, by] of replaced) yield { is: 'replaced', id, by };
  let last: ReadonlySet<string> | undefined;
  for (const { firstIds, ...sending } of sendings.all()) {
    if (firstIds !== last) yield { is: 'first', ids: [...firstIds] };
    last = firstIds;
    yield { is: 'sending', sending };
  }
  yield { is: 'counters', next, order: claims.order() };
}
