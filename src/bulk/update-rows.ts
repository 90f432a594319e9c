/** Bulk update: what each row asks for against what is there; only differences are sent. */
import { NotFoundError } from '../errors.ts';
import type { Service } from '../service/service.ts';
import type { CodeChanges, QrCode } from '../service/shapes.ts';
import type { TargetRow, UpdateRow } from './check-changes.ts';
import type { Lookup } from './find-targets.ts';
import { groupBy } from './group-by.ts';
import type { RowResult } from './results.ts';

/** The changes that are not so already. */
export function differences(code: QrCode, { name, destination, status }: CodeChanges): CodeChanges {
  return {
    ...(name !== undefined && name !== code.name && { name }),
    ...(destination !== undefined && destination !== (code.destination ?? '') && { destination }),
    ...(status !== undefined && status !== code.status && { status }),
  };
}

/** A function that brings one row about and says how; it remembers what earlier rows changed. */
export function createUpdater(service: Pick<Service, 'updateCode'>, lookup: Lookup): (row: UpdateRow) => Promise<RowResult> {
  const changed = new Map<string, QrCode>();
  return async (row) => {
    const found = requireCode(row, lookup);
    const code = changed.get(found.id) ?? found;
    const { id, slug } = code;
    const changes = differences(code, row.changes);
    if (Object.keys(changes).length === 0) return { id, slug, outcome: 'unchanged' };
    changed.set(id, await service.updateCode(id, changes));
    return { id, slug, outcome: 'updated' };
  };
}

/** Rows about the same code together, in their order. */
export function groupByCode<R extends TargetRow>(rows: readonly R[], lookup: Lookup): R[][] {
  return [...groupBy(rows, (row) => lookup(row)?.id ?? row.id ?? `slug ${row.slug}`).values()];
}

/** The code a row names. Throws NotFoundError where the service has none. */
export function requireCode(row: TargetRow, lookup: Lookup): QrCode {
  const code = lookup(row);
  if (code) return code;
  throw new NotFoundError(`no code has the ${row.id === undefined ? `slug ${row.slug}` : `id ${row.id}`}`);
}
