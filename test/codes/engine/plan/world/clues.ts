/** What of rows, listing, ledger and lock file shows that a code is a row's: with a clue, no rule may create another one in silence. */
import type { PlanItem } from '#codes/engine/plan/model';
import type { QrCode } from '#service/shapes';
import type { Moment } from './run.ts';
import type { ModelCode } from './service.ts';
import type { SheetRow } from './sheet.ts';
import { canon, isEqual, sharesDestination, sharesName } from './values.ts';

/** Fewest characters of a beginning that is evidently a shortened name. */
const EVIDENT = 16;

/** Returns the clue by which one of the row's own codes could have been recognized; undefined if there is none. */
export function findClue(
  row: SheetRow,
  own: readonly ModelCode[],
  item: PlanItem,
  moment: Moment,
): string | undefined {
  const listed = own.flatMap(({ code }) => moment.listing.get(code.id) ?? []);
  for (const code of own.map((model) => model.code)) {
    if (isRemembered(row, code, moment)) return 'remembered';
  }
  for (const code of listed) {
    if (isEqual(code, row)) return 'equal';
    if (isSent(row, code, moment)) return 'sent';
    if (isShortened(row, code)) return 'shortened';
    if (!isSentWith(code, item, moment) && isEdit(row, code, item, moment))
      return row.key === undefined ? 'edited' : 'edited, with a key';
  }
  return undefined;
}

function isRemembered(row: SheetRow, code: QrCode, { view, job }: Moment): boolean {
  const { key } = row;
  if (key !== undefined && job.lock?.get(key)?.id === code.id) return true;
  const claim = view.claims.get(code.id);
  if (!claim || view.replaced.has(code.id)) return false;
  if (key !== undefined && claim.key !== undefined) return key === claim.key;
  return key === undefined && claim.rows.some((known) => isEqual(known, row));
}

function isSent(row: SheetRow, code: QrCode, { view }: Moment): boolean {
  if (view.claims.has(code.id)) return false;
  return view.unclear.some(
    ({ values, firstIds }) =>
      isEqual(values, row) &&
      !firstIds.has(code.id) &&
      (sharesName(code, values) || sharesDestination(code, values)),
  );
}

function isShortened(row: SheetRow, code: QrCode): boolean {
  const [name, beginning] = [canon('name', row.name), canon('name', code.name)];
  return beginning.length >= EVIDENT && name.startsWith(beginning) && sharesDestination(code, row);
}

/** The clue of rule 6: exactly one code that no row has, and no other row like it. */
function isEdit(row: SheetRow, code: QrCode, item: PlanItem, moment: Moment): boolean {
  const { plan, listing, job } = moment;
  if (row.key !== undefined && hasOtherKey(row.key, code, moment)) return false;
  const taken = new Set(
    plan.items.flatMap((other) => (other.row && other.code && !isGuess(other) ? other.code.id : [])),
  );
  const free = [...listing.values()].filter(({ id }) => !taken.has(id));
  const isOnly = (shares: typeof sharesName) =>
    shares(code, row) &&
    free.filter((other) => shares(other, row)).length === 1 &&
    job.sheet.rows.every((other) => other === row || !shares(other, row));
  const isVersion = plan.items.some(
    (other) => other !== item && (other.how === 'ledger' || other.how === 'key' || other.action === 'exists'),
  );
  return isOnly(sharesName) || (row.destination !== '' && isVersion && isOnly(sharesDestination));
}

function hasOtherKey(key: string, { id }: QrCode, { view, job }: Moment): boolean {
  const owner =
    [...(job.lock?.values() ?? [])].find((entry) => entry.id === id)?.key ?? view.claims.get(id)?.key;
  return owner !== undefined && owner !== key;
}

/** A row that may be an edit leaves its code to others. */
function isGuess({ how, action }: PlanItem): boolean {
  return (how === 'guess' || how === 'lost') && (action === 'edited' || action === 'update');
}

/** The lost request and the one that made the code were of two rows of one run. */
function isSentWith(code: QrCode, { repeats }: PlanItem, { view }: Moment): boolean {
  return repeats !== undefined && view.claims.get(code.id)?.run === repeats.run;
}
