/** Requests of a run, each with its records before and after it, and a place to die before and after each of them. */

import type { LedgerRecord } from '#codes/engine/plan/ledger-lines';
import { FIELDS, type Field, type PlanItem, type Row, type Values } from '#codes/engine/plan/model';
import type { CodeChanges, QrCode } from '#service/shapes';
import type { Job, Moment, Surroundings } from './run.ts';
import type { SheetRow } from './sheet.ts';
import { fieldOf } from './values.ts';

/** The process ended. */
export class Killed extends Error {}

export interface Requests {
  /** What was done for rows. */
  readonly done: ReadonlyMap<SheetRow, Done>;
  /** Number of requests, and whether one of them failed or repeated an earlier one. */
  readonly count: { sent: number; isTroubled: boolean; hasRepeated: boolean };
  append(...records: readonly LedgerRecord[]): void;
  /** Sends what the plan wants sent, except for rows that are done. */
  carryOut(moment: Moment): void;
  /** Notes that nothing more is sent for a row. */
  end(row: SheetRow, outcome: string): void;
}

interface Done {
  readonly outcome: string;
  readonly code: QrCode | undefined;
}

/** Returns the requests of a run. They throw Killed. */
export function createRequests(
  { sheet, memory, killAfter }: Job,
  { service, judge, run }: Surroundings,
): Requests {
  const done = new Map<SheetRow, Done>();
  const count = { sent: 0, isTroubled: false, hasRepeated: false };
  let steps = 0;
  const step = () => {
    steps += 1;
    if (steps > killAfter) throw new Killed();
  };
  const append = (...records: readonly LedgerRecord[]) => {
    for (const record of records) {
      step();
      memory.take(record);
    }
  };
  /** Returns what the service answers. */
  const send = <T>(request: () => T): T => {
    step();
    count.sent += 1;
    const response = request();
    step();
    return response;
  };
  const post = (item: PlanItem, row: SheetRow, moment: Moment) => {
    const { values, repeats, replaces, isDecided } = item;
    const { status } = item.send;
    if (!values) throw new Error('A creation has no values.');
    judge.post(item, row, moment);
    const n = memory.view().next;
    count.hasRepeated ||= repeats !== undefined;
    append({
      is: 'post',
      run,
      n,
      values,
      ...(row.key !== undefined && { key: row.key }),
      ...(repeats && { again: repeats.n }),
      ...(replaces !== undefined && { replaces }),
      ...(status !== undefined && { status }),
      ...(isDecided && { decided: true }),
    });
    const posted = send(() => {
      const response = service.post(values, row.token, sheet.copy);
      if (response.is !== 'not') judge.sent(item, row, moment);
      return response;
    });
    count.isTroubled ||= posted.is !== 'made';
    if (posted.is === 'lost') return;
    if (posted.is === 'not') {
      append({ is: 'not', n });
      done.set(row, { outcome: 'failed', code: undefined });
      return;
    }
    const { code } = posted.made;
    append({ is: 'made', n, id: code.id, slug: code.slug, stored: valuesOf(code) });
    done.set(row, { outcome: 'created', code });
    if (hasAny(item.send)) patch({ ...item, code }, row, 'created', moment);
  };
  const patch = (item: PlanItem, row: SheetRow | undefined, outcome: string, moment: Moment) => {
    const { code, send: set, pause, key } = item;
    if (!code) throw new Error('A change has no code.');
    judge.patch(item, row, moment);
    const n = memory.view().next;
    append({
      is: 'patch',
      run,
      n,
      id: code.id,
      set,
      before: pickFields(code, set),
      ...(key !== undefined && { key }),
      ...(item.row && { row: newCodeOf(item.row) }),
      ...(pause && { pause }),
    });
    const { code: changed, isLost } = send(() => service.patch(code.id, set, sheet.copy));
    count.isTroubled ||= changed === undefined;
    if (changed) append({ is: 'set', n, stored: pickFields(changed, set) });
    else if (!isLost) append({ is: 'not', n });
    if (row) done.set(row, { outcome: changed ? outcome : 'failed', code: changed ?? code });
  };
  const remove = (item: PlanItem, row: SheetRow, moment: Moment) => {
    const { code } = item;
    if (!code) throw new Error('A deletion has no code.');
    judge.delete(item, row, moment);
    const n = memory.view().next;
    append({ is: 'delete', run, n, id: code.id });
    send(() => service.delete(code.id));
    append({ is: 'deleted', n });
    done.set(row, { outcome: 'deleted', code: undefined });
  };
  return {
    done,
    count,
    append,
    carryOut(moment) {
      append(...moment.plan.items.flatMap(({ learned }) => learned));
      for (const item of moment.plan.items) {
        const { action, isWaiting } = item;
        const row = item.row && moment.rowOf.get(item.row);
        if (isWaiting || (row && done.has(row))) continue;
        if (action === 'create' && row) post(item, row, moment);
        else if (action === 'delete' && row) remove(item, row, moment);
        else if (hasAny(item.send)) patch(item, row, 'updated', moment);
      }
    },
    end: (row, outcome) => done.set(row, { outcome, code: undefined }),
  };
}

function valuesOf(code: QrCode): Values {
  return { name: code.name, destination: fieldOf(code, 'destination'), status: code.status };
}

function pickFields(code: QrCode, set: CodeChanges): Values {
  const picked: Partial<Record<Field, string>> = {};
  for (const field of FIELDS) if (set[field] !== undefined) picked[field] = fieldOf(code, field);
  return picked;
}

function newCodeOf({ wish, type }: Row) {
  return {
    name: wish.name ?? '',
    type: type ?? 'url',
    ...(wish.destination !== undefined && { destination: wish.destination }),
  };
}

function hasAny(set: CodeChanges): boolean {
  return FIELDS.some((field) => set[field] !== undefined);
}
