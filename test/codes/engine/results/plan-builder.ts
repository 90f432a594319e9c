/** Builds plans by hand: items with everything that a test does not care about filled in. */

import type { RowEnd } from '#codes/engine/executor/job';
import type { FieldChange, Plan, PlanItem, Row } from '#codes/engine/plan/model';
import type { QrCode } from '#service/shapes';
import { makeCode } from '../../../support/make.ts';
import { rowOf as plainRow } from '../plan/make.ts';

/** A code whose id and name follow from its slug. */
export function codeOf(slug: string, more: Partial<QrCode> = {}): QrCode {
  return makeCode({
    id: `id-${slug}`,
    slug,
    name: slug,
    destination: `https://example.com/${slug}`,
    ...more,
  });
}

export function rowOf(line: number, more: Partial<Row> = {}): Row {
  return plainRow(line, { through: 'csv', ...more });
}

/** An item of a row at this line; a number of 0 is a key that the file no longer has. */
export function itemOf(line: number, action: PlanItem['action'], more: Partial<PlanItem> = {}): PlanItem {
  return {
    row: line === 0 ? undefined : rowOf(line),
    key: undefined,
    action,
    how: 'id',
    code: undefined,
    goneId: undefined,
    goneSlug: undefined,
    changes: [],
    values: undefined,
    send: {},
    pause: undefined,
    isNews: false,
    repeats: undefined,
    isWaiting: false,
    isDecided: false,
    replaces: undefined,
    candidates: [],
    reason: undefined,
    learned: [],
    ...more,
  };
}

/** A new code with this name. */
export function creation(line: number, name = `New ${line}`): PlanItem {
  return itemOf(line, 'create', {
    how: 'none',
    values: { name, destination: `https://example.com/new-${line}` },
  });
}

export function change(what: FieldChange['what'], old: string, value: string, base?: string): FieldChange {
  return { field: 'destination', old, new: value, what, base };
}

/** A row whose new destination is sent. */
export function update(line: number, slug: string, value: string): PlanItem {
  const code = codeOf(slug);
  return itemOf(line, 'update', {
    code,
    changes: [change('send', code.destination ?? '', value)],
    send: { destination: value },
  });
}

export function planOf(items: readonly PlanItem[], more: Partial<Plan> = {}): Plan {
  return { items, absent: [], unmanaged: 0, brakes: [], faults: [], warnings: [], ...more };
}

export function endOf(item: PlanItem, outcome: RowEnd['outcome'], more: Partial<RowEnd> = {}): RowEnd {
  return {
    item,
    outcome,
    error: undefined,
    code: item.code,
    candidates: item.candidates,
    altered: [],
    ...more,
  };
}
