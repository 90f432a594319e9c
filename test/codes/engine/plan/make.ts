/** Builds rows, codes and plans for tests of the rules. */

import type { LedgerRecord } from '#codes/engine/plan/ledger-lines';
import { createReplay } from '#codes/engine/plan/ledger-view';
import type { Decisions, Plan, PlanInput, Policy, Row } from '#codes/engine/plan/model';
import { plan } from '#codes/engine/plan/plan';
import type { CodeChanges, QrCode } from '#service/shapes';
import { makeCode } from '../../../support/make.ts';

/** Returns the ID of the code with this number. */
export function idOf(number: number): string {
  return `c0de0000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

export function codeOf(number: number, values: Partial<QrCode> = {}): QrCode {
  return makeCode({
    id: idOf(number),
    slug: `n${String(number).padStart(4, '0')}`,
    name: `Code ${number}`,
    destination: `https://example.com/${number}`,
    ...values,
  });
}

/** Returns a row with the values of a code, as a list has it, with the given changes. */
export function rowOf(line: number, values: Partial<Row> & { of?: QrCode } = {}): Row {
  const { of, ...given } = values;
  const wish = of ? { name: of.name, destination: of.destination ?? '', status: of.status } : {};
  return {
    row: line - 1,
    line,
    values: new Map(),
    key: undefined,
    id: of?.id,
    slug: of?.slug,
    type: of?.type,
    utm: undefined,
    base: undefined,
    updatedAtMs: undefined,
    decision: undefined,
    through: undefined,
    doubts: [],
    typeFault: undefined,
    noDestination: undefined,
    ...given,
    wish: { ...wish, ...given.wish },
  };
}

/** Returns a row without a code: name, and destination if there is one. */
export function newRow(line: number, name: string, destination?: string, rest: Partial<Row> = {}): Row {
  return rowOf(line, { ...rest, wish: destination === undefined ? { name } : { name, destination } });
}

export const POLICY: Policy = {
  verb: 'create',
  conflicts: 'ask',
  isDated: false,
  applyEdits: false,
  adoptExisting: false,
  removed: 'report',
  maxChanges: undefined,
  force: false,
  decisions: { adopt: new Map(), asNew: new Map(), asNewAll: false },
};

/** Returns a policy with these decisions, and no other ones. */
export function decide(decisions: Partial<Decisions>): { decisions: Decisions } {
  return { decisions: { ...POLICY.decisions, ...decisions } };
}

/** Returns a policy with the decision that the row, by line or key, gets a new code. */
export function asNew(row: string, times = 1): { decisions: Decisions } {
  return decide({ asNew: new Map([[row, times]]) });
}

interface World {
  codes?: readonly QrCode[];
  ledger?: readonly LedgerRecord[];
  policy?: Partial<Policy>;
  lock?: PlanInput['lock'];
  isSettled?: boolean;
  earlierIds?: ReadonlySet<string>;
}

export function planOf(
  rows: readonly Row[],
  { codes = [], ledger = [], policy, lock, isSettled = false, earlierIds }: World = {},
): Plan {
  const replay = createReplay();
  for (const record of ledger) replay.take(record);
  const listing = { codes: new Map(codes.map((code) => [code.id.toLowerCase(), code])), isWhole: true };
  return plan({
    run: 'now',
    rows,
    listing,
    ledger: replay.view(),
    lock,
    policy: { ...POLICY, ...policy },
    isSettled,
    earlierIds,
  });
}

/** Returns the actions of the items, with the slugs of their codes. */
export function actionsOf({ items }: Plan): string[] {
  return items.map(({ action, code }) => (code ? `${action} ${code.slug}` : action));
}

/** Returns the records of a PATCH that was applied as it was sent. */
export function patched(
  n: number,
  number: number,
  set: CodeChanges,
  before: CodeChanges,
  run = 'before',
): LedgerRecord[] {
  return [
    { is: 'patch', run, n, id: idOf(number), set, before },
    { is: 'set', n, stored: set },
  ];
}

/** Returns the record of a code that the request created as it is. */
export function made(n: number, { id, slug, name, destination, status }: QrCode): LedgerRecord {
  return { is: 'made', n, id, slug, stored: { name, destination: destination ?? '', status } };
}

/** Returns the records of a run that created codes of these rows. */
export function madeBefore(codes: readonly QrCode[], rows: readonly Row[] = []): LedgerRecord[] {
  return [
    { is: 'run', run: 'before', ids: [] },
    ...codes.flatMap((code, at): LedgerRecord[] => {
      const { name, type, destination } = code;
      const { wish, key } = rows[at] ?? {};
      const values = { name: wish?.name ?? name, type, destination: wish?.destination ?? destination ?? '' };
      return [
        { is: 'post', run: 'before', n: at + 1, values, ...(key !== undefined && { key }) },
        made(at + 1, code),
      ];
    }),
    { is: 'end', run: 'before' },
  ];
}
