/** Collects what a ledger says about codes: whose row they are, and what we changed. */
import type { NewCode } from '../../../service/shapes.ts';
import {
  type Claim,
  type DueMark,
  FIELDS,
  type Field,
  type LedgerRecord,
  type OwnChange,
  type Values,
} from './model.ts';

/** Maximum number of values of a row, and of changes of a field, that are kept; the newest ones. */
const MOST_KEPT = 20;

type Patch = Extract<LedgerRecord, { is: 'patch' }>;
type Due = Extract<LedgerRecord, { is: 'due' }>;

/** Shared by the codes that we did not change, which are most. */
const NO_CHANGES: Claim['changes'] = { name: [], destination: [], status: [] };

/** A row took part in a run, and is this code. */
interface Participation extends Partial<Pick<Claim, 'isDecided' | 'unsent' | 'n'>> {
  readonly run: string;
  readonly origin: Claim['origin'];
  readonly key?: string | undefined;
  readonly row?: NewCode | undefined;
  readonly stored: Values;
}

/** Claim of a code before the first record that names it. */
const UNKNOWN: Omit<Claim, 'id'> = {
  key: undefined,
  rows: [],
  origin: 'changed',
  n: 0,
  order: 0,
  run: '',
  stored: {},
  changes: NO_CHANGES,
  isDecided: false,
  unsent: undefined,
  paused: undefined,
  isDeleted: false,
};

export interface Claims {
  readonly byId: ReadonlyMap<string, Claim>;
  /** The claim of this code is the newest. A key that is undefined leaves the earlier one. */
  claim(id: string, part: Participation): void;
  /** Puts back the claim of a compacted ledger. */
  restore(claim: KeptClaim): void;
  patch(patch: Patch): void;
  /** A PATCH was applied. */
  set(patch: Patch, stored: Values): void;
  /** A PATCH was not applied; `before`: the claim before it. */
  undo(id: string, before: Claim | undefined): void;
  /** Nothing is sent for dated changes. */
  keep(due: Due): void;
  delete(id: string, run: string): void;
  /** The service stores this value for the other one. */
  learn(field: Field, value: string | undefined, stored: string | undefined): void;
  /** By field: what the service stores for a value, where it differs. */
  readonly stored: Readonly<Record<Field, ReadonlyMap<string, string>>>;
  /** Number of the newest claim. */
  order(): number;
  /** Counts on from the number of a compacted ledger. */
  count(order: number): void;
}

/** Claim in a compacted ledger, without the changes if there are none. */
export type KeptClaim = Omit<Claim, 'changes'> & { readonly changes?: Claim['changes'] };

export function createClaims(): Claims {
  const byId = new Map<string, Claim>();
  const storedOf = {
    name: new Map<string, string>(),
    destination: new Map<string, string>(),
    status: new Map<string, string>(),
  };
  let order = 0;

  function update(id: string, run: string, change: (old: Claim) => Partial<Claim>): void {
    const old = byId.get(id) ?? { ...UNKNOWN, id };
    order += 1;
    byId.set(id, { ...old, ...change(old), run, order });
  }

  function learn(field: Field, value: string | undefined, stored: string | undefined): void {
    if (value === undefined || stored === undefined) return;
    if (value === stored) storedOf[field].delete(value);
    else storedOf[field].set(value, stored);
  }

  return {
    byId,
    stored: storedOf,
    order: () => order,
    learn,
    count(last) {
      order = last;
    },
    restore: (claim) => void byId.set(claim.id, { ...claim, changes: claim.changes ?? NO_CHANGES }),
    claim: (id, { run, origin, key, row, stored, isDecided = false, unsent, n }) =>
      update(id, run, (old) => ({
        origin: strongerOf(old.origin, origin),
        key: key ?? old.key,
        rows: withRow(old.rows, row),
        stored: { ...old.stored, ...stored },
        isDecided: isDecided || old.isDecided,
        unsent: unsent ?? old.unsent,
        n: n ?? old.n,
      })),
    patch: ({ id, run, key, row, due, ...patch }) =>
      update(id, run, (old) => ({
        key: key ?? old.key,
        rows: withRow(old.rows, row),
        due: withMarks(old.due, due),
        ...begun(old, patch),
      })),
    keep: ({ id, run, due, stored }) =>
      update(id, run, (old) => ({ due: withMarks(old.due, due), stored: { ...old.stored, ...stored } })),
    set({ id, run, set, pause }, stored) {
      for (const field of FIELDS) learn(field, set[field], stored[field]);
      const isResumed = set.status !== undefined && pause === undefined;
      const isSent = set.status !== undefined;
      update(id, run, (old) => ({
        ...applied(old, set, stored),
        ...(isResumed && { paused: undefined }),
        ...(isSent && { unsent: undefined }),
      }));
    },
    undo(id, before) {
      const claim = byId.get(id);
      const { stored = {}, changes = NO_CHANGES, paused, due } = before ?? {};
      if (claim) byId.set(id, { ...claim, stored, changes, paused, due });
    },
    delete: (id, run) => update(id, run, () => ({ isDeleted: true, paused: undefined })),
  };
}

function strongerOf(old: Claim['origin'], origin: Claim['origin']): Claim['origin'] {
  return old === 'made' || origin === 'changed' ? old : origin;
}

/** Puts the newest values of a row first, once. */
function withRow(rows: readonly NewCode[], row: NewCode | undefined): readonly NewCode[] {
  if (row === undefined) return rows;
  const others = rows.filter(
    ({ name, type, destination }) =>
      name !== row.name || type !== row.type || destination !== row.destination,
  );
  return [row, ...others].slice(0, MOST_KEPT);
}

/**
 * Returns what a PATCH changes that may or may not be applied, as after a kill. Its value counts as ours if the service has it; what it
 * replaced is the value to compare with, so that a PATCH that was lost is sent again, and a later edit by another client is a conflict.
 */
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

/** Adds a change; of several from one value the last one counts. */
function withChange(changes: readonly OwnChange[], change: OwnChange): readonly OwnChange[] {
  return [...changes.filter(({ from }) => from !== change.from), change].slice(-MOST_KEPT);
}

/** Adds marks; of several with one time the last one counts. */
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

/** A code that is paused by us already keeps the status that it had before that. */
function pausedBy({ paused }: Claim, why: Patch['pause'], status: string | undefined): Claim['paused'] {
  if (why === undefined || status === undefined) return paused;
  return { why, status: paused && status === 'paused' ? paused.status : status };
}

function applied(old: Claim, set: Values, answered: Values): Partial<Claim> {
  const changes = { ...old.changes };
  const stored = { ...old.stored };
  for (const field of FIELDS) {
    const [sent, value] = [set[field], answered[field]];
    // A field that the service left unchanged stays as before the response: it is sent again.
    if (sent === undefined || value === undefined) continue;
    stored[field] = value;
    const last = changes[field].at(-1);
    if (last?.sent === sent) changes[field] = [...changes[field].slice(0, -1), { ...last, stored: value }];
  }
  return { changes, stored };
}
