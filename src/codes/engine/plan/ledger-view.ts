import { type Claims, createClaims, type KeptClaim } from './claims.ts';
import type { KeptLine, LedgerLine, LedgerRecord } from './ledger-lines.ts';
import { type Claim, FIELDS, type LedgerView, type Sending } from './model.ts';

export type Replay = ReturnType<typeof createReplay>;

type Pending = (Line<'patch'> & { claimBefore: Claim | undefined }) | Line<'delete'>;

interface State {
  claims: Claims;
  sendings: Sendings;
  replaced: Map<string, string>;
  pending: Map<number, Pending>;
  run: string;
  next: number;
}

export function createReplay() {
  const state: State = {
    claims: createClaims(),
    sendings: createSendings(),
    replaced: new Map(),
    pending: new Map(),
    run: '',
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
    take(line: LedgerLine): void {
      if ('n' in line) state.next = Math.max(state.next, line.n + 1);
      (TAKE[line.is] as (state: State, line: LedgerLine) => void)(state, line);
    },
    view: (): LedgerView => view,
    /** Yields lines that restore the same view. The next record must begin a run. */
    kept: () => keptOf(state),
  };
}

type Line<K extends LedgerLine['is']> = Extract<LedgerLine, { is: K }>;

const TAKE: { readonly [K in LedgerLine['is']]: (state: State, line: Line<K>) => void } = {
  run(state, { run, ids = [] }) {
    state.run = run;
    state.sendings.begin(ids);
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
    if (request?.is === 'delete') claims.delete(request.id);
  },
  found({ claims, replaced }, { replaces, ...line }) {
    claims.claim(line.id, { ...line, origin: 'found', isDecided: replaces !== undefined });
    if (replaces !== undefined) replaced.set(replaces, line.id);
  },
  decided: ({ sendings }, { n }) => sendings.close(n),
  end({ claims, sendings }, { run }) {
    claims.end(run);
    sendings.end();
  },
  claim: ({ claims }, { claim }) => claims.restore(claim as KeptClaim),
  stored: ({ claims }, { field, value, stored }) => claims.learn(field, value, stored),
  replaced: ({ replaced }, { id, by }) => replaced.set(id, by),
  first: ({ sendings }, { ids }) => sendings.begin(ids),
  sending: ({ sendings }, { sending }) => sendings.restore(sending as KeptSending),
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
    run,
    origin: 'made',
    key,
    row: values,
    stored,
    isDecided: Boolean(decided || sending?.decided),
    n,
    unsent: status === stored.status ? undefined : status,
  });
  if (!sending) return;
  if (sending.replaces !== undefined) replaced.set(sending.replaces, id);
  sendings.settle(sending, id);
}

function* keptOf({ claims, sendings, replaced, next }: State): Generator<KeptLine> {
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

interface OpenSending extends Sending {
  first: number;
  /** Whether a run has ended since the request's code was found. */
  isChecked?: boolean;
}

type KeptSending = Omit<OpenSending, 'firstIds'>;

type Sendings = ReturnType<typeof createSendings>;

/** E14: tracks POSTs that were repeated, or whose code is unknown. */
function createSendings() {
  const open = new Map<number, OpenSending>();
  const repetitions = new Map<number, number[]>();
  let firstIds: ReadonlySet<string> = new Set();
  let lists: { unclear: Sending[]; repeated: Sending[] } | undefined;

  function add(sending: OpenSending): void {
    lists = undefined;
    open.set(sending.n, sending);
    if (sending.first === sending.n) return;
    const others = repetitions.get(sending.first);
    if (others) others.push(sending.n);
    else repetitions.set(sending.first, [sending.first, sending.n]);
  }

  function repetitionsOf({ first }: OpenSending): OpenSending[] {
    return (repetitions.get(first) ?? []).flatMap((n) => open.get(n) ?? []);
  }

  function listed() {
    if (lists) return lists;
    const all = [...open.values()];
    const isUnclear = ({ rowCode }: Sending) => rowCode === undefined;
    lists = { unclear: all.filter(isUnclear), repeated: all.filter((sending) => !isUnclear(sending)) };
    return lists;
  }

  return {
    begin(ids: readonly string[]) {
      firstIds = new Set(ids);
    },
    open({ is: _, decided = false, ...post }: Extract<LedgerRecord, { is: 'post' }>) {
      const { n, again } = post;
      const first = again === undefined ? n : (open.get(again)?.first ?? again);
      add({ ...post, decided, first, firstIds });
    },
    restore: (sending: KeptSending) => add({ ...sending, firstIds }),
    close(n: number): OpenSending | undefined {
      const sending = open.get(n);
      if (!sending) return undefined;
      lists = undefined;
      open.delete(n);
      // Repeated requests are for one code, so a decision about one of them counts for all.
      return {
        ...sending,
        decided: sending.decided || repetitionsOf(sending).some(({ decided }) => decided),
      };
    },
    settle(sending: OpenSending, rowCode: string) {
      for (const other of repetitionsOf(sending))
        open.set(other.n, { ...other, rowCode: other.rowCode ?? rowCode });
      lists = undefined;
    },
    end() {
      for (const sending of open.values()) {
        if (sending.isChecked) open.delete(sending.n);
        else if (sending.rowCode !== undefined) open.set(sending.n, { ...sending, isChecked: true });
      }
      lists = undefined;
    },
    all: (): readonly OpenSending[] => [...open.values()],
    unclear: (): readonly Sending[] => listed().unclear,
    repeated: (): readonly Sending[] => listed().repeated,
  };
}
