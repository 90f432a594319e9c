/** Plans the rows of a dated plan by code, and shows the plan and its end by row. Pure. */

import { Temporal } from 'temporal-polyfill';
import { formatInstant, parseInstant } from '../../base/time/time.ts';
import { type Source, showValue } from '../../files/formats/read/input.ts';
import type { RowEnd } from '../engine/executor/job.ts';
import type { Plan, PlanInput, PlanItem } from '../engine/plan/model.ts';
import { plan } from '../engine/plan/plan.ts';
import type { InputCell } from '../input/columns.ts';
import { dueRowsOf, isDueRow, type Share } from './due-wishes.ts';

/** Returns the plan, with one item for each code. `nowMs`: by the service's clock. */
export function planDue(input: PlanInput, due: { nowMs: number; file: Pick<Source, 'form'> }): Plan {
  const { rows, faults } = dueRowsOf(input, due);
  const planned = plan({ ...input, rows });
  return { ...planned, faults: [...faults, ...planned.faults] };
}

/** Returns the items of a plan by row, in the order of the file. The request of a code is shown with the latest row that counts. */
export function itemsByRow(items: readonly PlanItem[]): PlanItem[] {
  const all = items.flatMap((item) => sharesOf(item).map((share) => itemOf(item, share)));
  return all.sort((one, other) => rowOf(one) - rowOf(other));
}

/** Returns how each row ended, in the order of the file. */
export function endsByRow(ends: readonly RowEnd[]): RowEnd[] {
  const all = ends.flatMap((end) => sharesOf(end.item).map((share) => endOf(end, share)));
  return all.sort((one, other) => rowOf(one.item) - rowOf(other.item));
}

function rowOf({ row }: PlanItem): number {
  return row?.row ?? 0;
}

function sharesOf({ row }: PlanItem): readonly Share[] {
  return isDueRow(row) ? row.shares : [];
}

function itemOf(item: PlanItem, { row, is, fields, problem }: Share): PlanItem {
  if (item.action === 'gone') return { ...item, row };
  const quiet = { ...item, row, changes: [], send: {}, reason: undefined };
  if (is === 'later')
    return { ...quiet, action: 'later', reason: `not due until ${formatInstant(row.atMs ?? 0)}` };
  if (is === 'skipped') return { ...quiet, action: 'unchanged', reason: 'skipped by your decision' };
  if (problem !== undefined) return { ...quiet, action: 'failed', reason: problem };
  if (fields.size === 0) return { ...quiet, action: 'unchanged', reason: reasonWithoutFields(item) };
  const changes = item.changes.filter(({ field }) => fields.has(field));
  if (changes.every(({ what }) => what === 'keep')) return { ...quiet, action: 'unchanged', changes };
  const isLead = item.row?.row === row.row;
  const isQuestion = item.action !== 'conflict' || changes.some(({ what }) => what === 'conflict');
  return {
    ...item,
    row,
    changes,
    send: isLead ? item.send : {},
    reason: isQuestion ? item.reason : 'another change of the same code is in conflict',
  };
}

/** Undefined if every cell of the code's rows is as it was saved. */
function reasonWithoutFields({ row }: PlanItem): string | undefined {
  return Object.keys(row?.due ?? {}).length > 0 ? 'superseded by a later row' : undefined;
}

function endOf(end: RowEnd, share: Share): RowEnd {
  const item = itemOf(end.item, share);
  const { action } = item;
  if (action === 'failed') return { ...end, item, outcome: action, error: item.reason, altered: [] };
  if (action === 'later' || action === 'unchanged')
    return { ...end, item, outcome: action, error: undefined, altered: [] };
  const altered = end.altered.filter(({ field }) => field !== 'type' && share.fields.has(field));
  return { ...end, item, altered };
}

const AT =
  /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)\s*(Z|z|[+-]\d\d:?\d\d)?\s*(?:\[?([A-Za-z][\w+-]*(?:\/[\w+-]+)*)\]?)?$/;

/**
 * Returns ms since the epoch, or undefined after reporting the fault to the cell: not a time, or ambiguous. `defaultZone` (IANA) applies
 * if the cell has no zone.
 */
export function readAt(
  { value, fault }: Pick<InputCell, 'value' | 'fault'>,
  defaultZone?: string,
): number | undefined {
  if (value === undefined || value === null || value === '') {
    fault('is empty: each row needs a time');
    return undefined;
  }
  const text = typeof value === 'string' ? value.trim() : '';
  const [, date, time = '', offset, named] = AT.exec(text) ?? [];
  const zone = named ?? (offset === undefined ? defaultZone : undefined);
  const local = `${date}T${time.replace(',', '.')}`;
  if (date === undefined || parseInstant(`${local}Z`) === undefined) {
    fault(
      `${showValue(value)} is not a time (expected a format such as 2026-11-27T18:00+01:00 or 2026-11-27 18:00 Europe/Berlin)`,
    );
    return undefined;
  }
  if (offset === undefined && zone === undefined) {
    fault(
      `${showValue(value)} has no time zone: add Z, an offset such as +01:00, or a name such as Europe/Berlin, or pass --timezone`,
    );
    return undefined;
  }
  const exact = offset === undefined ? undefined : parseInstant(`${local}${offset}`);
  if (zone === undefined) {
    if (exact === undefined) fault(`${showValue(value)} is not a valid time`);
    return exact;
  }
  const possible = instantsOf(local, zone);
  const problem = problemOf(possible, exact);
  if (problem === undefined) return exact ?? possible?.[0];
  fault(`${showValue(value)} ${problem}`);
  return undefined;
}

/**
 * Returns the instants at which the clocks of a zone show this time: one; on days of a clock change none or two; undefined if it is not a
 * zone.
 */
function instantsOf(local: string, zone: string): number[] | undefined {
  try {
    const plain = Temporal.PlainDateTime.from(local);
    const found = (['earlier', 'later'] as const).map((disambiguation) =>
      plain.toZonedDateTime(zone, { disambiguation }),
    );
    const real = found.filter((moment) => moment.toPlainDateTime().equals(plain));
    return [...new Set(real.map(({ epochMilliseconds }) => epochMilliseconds))];
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function problemOf(possible: readonly number[] | undefined, exact: number | undefined): string | undefined {
  if (possible === undefined) return 'has an unknown time zone';
  if (possible.length === 0) return 'does not exist in its time zone because clocks are set forward';
  if (exact !== undefined)
    return possible.includes(exact)
      ? undefined
      : 'has an offset that its time zone does not use at that time';
  return possible.length > 1
    ? 'occurs twice in its time zone because clocks are set back: add an offset'
    : undefined;
}
