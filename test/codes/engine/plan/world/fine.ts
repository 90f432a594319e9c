/** A run that says that all is fine is right. */
import { FIELDS, type PlanItem } from '#codes/engine/plan/model';
import type { QrCode } from '#service/shapes';
import type { End } from './run.ts';
import type { ModelService } from './service.ts';
import type { SheetRow } from './sheet.ts';
import type { Truth } from './truth.ts';
import { fieldOf, isSame } from './values.ts';

/** Outcomes after which a run reports that all is fine. */
const FINE: ReadonlySet<string> = new Set([
  'created',
  'updated',
  'deleted',
  'adopted',
  'unchanged',
  'exists',
]);

/** Tests whether the run ends with 0. */
export function isFine({ reports, end, plan }: End, verb: string): boolean {
  const isAsking = plan?.items.some(({ row, action }) => row === undefined && action === 'undecided');
  return (
    end === 'through' &&
    !isAsking &&
    reports.every(({ outcome }) => FINE.has(outcome) && !(outcome === 'exists' && verb === 'apply'))
  );
}

/** If a run says that all is fine, each row has a code with its values, except for those that it says are others. */
export function judgeEnd({ service, tally }: Truth, report: End, verb: string): void {
  if (!isFine(report, verb)) return;
  for (const { row, item, code, outcome } of report.reports) {
    if (row.decision?.is === 'skip') continue;
    const there = code && service.get(code.id);
    if (verb === 'delete') {
      if (there) tally.problems.push(`fine, but ${there.id} was not deleted`);
      continue;
    }
    if (!there)
      tally.problems.push(`fine, but the row has no code: ${outcome} ${item.how} ${JSON.stringify(row)}`);
    else if (!agrees(row, item, there, service)) {
      tally.problems.push(
        `fine, but values differ: ${outcome} ${item.how} ${JSON.stringify({ row, there, changes: item.changes })}`,
      );
    }
  }
}

function agrees(row: SheetRow, item: PlanItem, code: QrCode, { traits }: ModelService): boolean {
  return FIELDS.every((field) => {
    const current = fieldOf(code, field);
    if (row[field] === '' || isSame(field, row[field], current)) return true;
    if (row.decision?.is === 'theirs') return true;
    const what = item.changes.find((change) => change.field === field)?.what;
    if (what === 'keep' || what === 'drift') return true;
    return (
      traits.shortens &&
      field === 'name' &&
      current !== '' &&
      row.name.replace(/\s+/g, ' ').trim().startsWith(current.trim())
    );
  });
}
