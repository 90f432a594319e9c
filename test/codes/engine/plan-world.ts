/** Rows, lock entries and codes for tests of the plan. */
import { byAge, type KeyDecisions } from '../../../src/codes/engine/identify.ts';
import type { KeyedRow } from '../../../src/codes/engine/keyed-rows.ts';
import type { LockEntry } from '../../../src/codes/engine/lock-file.ts';
import { type Plan, type PlanOptions, planRows } from '../../../src/codes/engine/plan.ts';
import type { QrCode } from '../../../src/service/shapes.ts';

export const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

export function codeOf(n: number, more: Partial<QrCode> = {}): QrCode {
  const at = new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString();
  const code = {
    id: idOf(n),
    slug: `s${n}`,
    name: `name ${n}`,
    type: 'url',
    destination: `https://${n}.example/`,
    status: 'active',
  };
  return { ...code, created_at: at, updated_at: at, ...more };
}

export function entryOf(
  key: string,
  { id, slug, name, type, destination, status }: QrCode,
  more: Partial<LockEntry> = {},
): LockEntry {
  return { key, id, slug, name, type, destination, status, ...more };
}

export function rowOf(key: string, line: number, more: Partial<KeyedRow> & Pick<Partial<KeyedRow>, 'changes'> = {}): KeyedRow {
  const row = { row: line - 1, line, values: new Map(), key, changes: {}, type: undefined, id: undefined, slug: undefined };
  return { ...row, doubts: [], typeFault: undefined, through: undefined, ...more };
}

/** Row that says what a code has. */
export function rowFor(key: string, line: number, { name, type, destination, status }: QrCode): KeyedRow {
  return rowOf(key, line, { type, changes: { name, status, ...(destination !== null && { destination }) } });
}

export const OPTIONS: PlanOptions = { removed: 'report', keepEdits: false, maxChanges: undefined, force: false };

export function planOf(
  rows: readonly KeyedRow[],
  entries: readonly LockEntry[],
  codes: readonly QrCode[],
  { decisions, ...options }: Partial<PlanOptions> & { decisions?: Partial<KeyDecisions> } = {},
): Plan {
  const known = { rows, entries: new Map(entries.map((entry) => [entry.key, entry])), codes: byAge(codes) };
  const decided = { adopt: new Map<string, string>(), recreate: new Set<string>(), ...decisions };
  return planRows({ ...known, decisions: decided }, { ...OPTIONS, ...options });
}
