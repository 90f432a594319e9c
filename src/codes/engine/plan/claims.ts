import type { NewCode } from '#service/shapes';
import type { LedgerRecord } from './ledger-lines.ts';
import { type Claim, type DueMark, FIELDS, type Field, type OwnChange, type Values } from './model.ts';

const MOST_KEPT = 20;

type Patch = Extract<LedgerRecord, { is: 'patch' }>;
type Due = Extract<LedgerRecord, { is: 'due' }>;

const NO_CHANGES: Claim['changes'] = { name: [], destination: [], status: [] };

interface Participation extends Partial<Pick<Claim, 'unsent' | 'n'>> {
  run: string;
  isDecided: boolean;
  origin: 'made' | 'found';
  key?: string;
  row?: NewCode;
  stored: Values;
}

const UNKNOWN: Omit<Claim, 'id'> = {
  rows: [],
  origin: 'changed',
  n: 0,
  order: 0,
  run: '',
  stored: {},
  changes: NO_CHANGES,
  isDecided: false,
  isDeleted: false,
};

export type KeptClaim = Omit<Claim, 'changes'> & { changes?: Claim['changes'] };

export type Claims = ReturnType<typeof createClaims>;

export function createClaims() {
  const byId = new Map<string, Claim>();
  const storedOf: Readonly<Record<Field, Map<string, string>>> = {
    name: new Map(),
    destination: new Map(),
    status: new Map(),
  };
  let order = 0;
  const claimed = new Set<string>();

  function update(id: string, change: (old: Claim) => Partial<Claim>): void {
    const old = byId.get(id) ?? { ...UNKNOWN, id };
    order += 1;
    byId.set(id, { ...old, ...change(old), order });
  }

  function learn(field: Field, value: string | undefined, stored: string | undefined): void {
    if (value === undefined || stored === undefined) return;
    if (value === stored) storedOf[field].delete(value);
    else storedOf[field].set(value, stored);
  }

  return {
    byId: byId as ReadonlyMap<string, Claim>,
    stored: storedOf,
    order: () => order,
    learn,
    count(last: number) {
      order = last;
    },
    restore: (claim: KeptClaim) =>
      void byId.set(claim.id, { ...claim, changes: claim.changes ?? NO_CHANGES }),
    claim(id: string, { run, origin, key, row, stored, isDecided, unsent, n }: Participation) {
      claimed.add(id);
      update(id, (old) => ({
        run,
        isEnded: false,
        origin: old.origin === 'made' ? old.origin : origin,
        key: key ?? old.key,
        rows: withRow(old.rows, row),
        stored: { ...old.stored, ...stored },
        isDecided: isDecided || old.isDecided,
        unsent: unsent ?? old.unsent,
        n: n ?? old.n,
      }));
    },
    patch: ({ id, key, row, due, ...patch }: Patch) =>
      update(id, (old) => ({
        key: key ?? old.key,
        rows: withRow(old.rows, row),
        due: withMarks(old.due, due),
        ...begun(old, patch),
      })),
    keep: ({ id, due, stored }: Due) =>
      update(id, (old) => ({ due: withMarks(old.due, due), stored: { ...old.stored, ...stored } })),
    set({ id, set, pause }: Patch, stored: Values) {
      for (const field of FIELDS) learn(field, set[field], stored[field]);
      const isSent = set.status !== undefined;
      update(id, (old) => ({
        ...applied(old, set, stored),
        ...(isSent && !isPause(pause) && { paused: undefined }),
        ...(isSent && { unsent: undefined }),
      }));
    },
    undo(id: string, before: Claim | undefined) {
      const claim = byId.get(id);
      const { stored = {}, changes = NO_CHANGES, paused, due } = before ?? {};
      if (claim) byId.set(id, { ...claim, stored, changes, paused, due });
    },
    delete: (id: string) => update(id, () => ({ isDeleted: true, paused: undefined })),
    end(run: string) {
      for (const id of claimed) {
        const claim = byId.get(id);
        if (claim?.run === run) byId.set(id, { ...claim, isEnded: true });
      }
      claimed.clear();
    },
  };
}

function withRow(rows: readonly NewCode[], row: NewCode | undefined): readonly NewCode[] {
  if (row === undefined) return rows;
  const others = rows.filter(
    ({ name, type, destination }) =>
      name !== row.name || type !== row.type || destination !== row.destination,
  );
  return [row, ...others].slice(0, MOST_KEPT);
}

/** Applies a PATCH before its response. `stored` keeps the old value, so that a lost PATCH is sent again. */
function begun(old: Claim, { set, before, pause }: Pick<Patch, 'set' | 'before' | 'pause'>): Partial<Claim> {
  const changes = { ...old.changes };
  const stored = { ...old.stored };
  for (const field of FIELDS) {
    const [from, sent] = [before[field], set[field]];
    if (from === undefined || sent === undefined) continue;
    stored[field] = from;
    changes[field] = withChange(changes[field], { from, sent, stored: sent });
  }
  return { changes, stored, paused: pausedBy(old, pause, before.status) };
}

function withChange(changes: readonly OwnChange[], change: OwnChange): readonly OwnChange[] {
  return [...changes.filter(({ from }) => from !== change.from), change].slice(-MOST_KEPT);
}

function withMarks(old: Claim['due'], due: Due['due'] | undefined): Claim['due'] {
  if (due === undefined) return old;
  const marks: Partial<Record<Field, readonly DueMark[]>> = { ...old };
  for (const field of FIELDS) {
    const mark = due[field];
    if (mark)
      marks[field] = [...(old?.[field] ?? []).filter(({ atMs }) => atMs !== mark.atMs), mark].slice(
        -MOST_KEPT,
      );
  }
  return marks;
}

function isPause(why: Patch['pause']): why is Exclude<Patch['pause'], 'restored' | undefined> {
  return why !== undefined && why !== 'restored';
}

/** Records why a PATCH paused a code, if it did, and the status before the first of consecutive pauses. */
function pausedBy({ paused }: Claim, why: Patch['pause'], status: string | undefined): Claim['paused'] {
  if (!isPause(why) || status === undefined) return paused;
  return { why, status: paused && status === 'paused' ? paused.status : status };
}

function applied(old: Claim, set: Values, answered: Values): Partial<Claim> {
  const changes = { ...old.changes };
  const stored = { ...old.stored };
  for (const field of FIELDS) {
    const [sent, value] = [set[field], answered[field]];
    if (sent === undefined || value === undefined) continue;
    stored[field] = value;
    const last = changes[field].at(-1);
    if (last?.sent === sent) changes[field] = [...changes[field].slice(0, -1), { ...last, stored: value }];
  }
  return { changes, stored };
}
