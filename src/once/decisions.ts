/** A person's decisions about rows whose outcome could not be decided here: `--adopt ROW=ID` and `--not-created ROW`. */
import { UsageError } from '../errors.ts';
import type { QrCode } from '../service/shapes.ts';
import type { NewRow } from './journal.ts';
import type { RecordedStates, RowStates } from './row-states.ts';
import { valuesKey } from './same-values.ts';

export interface Decisions {
  /** This code is the one the row created. */
  adopt: readonly { row: number; id: string }[];
  /** The row created no code. */
  notCreated: readonly number[];
}

/** O12: checks the decisions against the journal, before any request. Throws UsageError. */
export function checkDecisions({ adopt, notCreated }: Decisions, states: RowStates): void {
  const decided = new Set<number>();
  for (const { row } of adopt) checkDecision(row, '--adopt', states, decided);
  for (const row of notCreated) checkDecision(row, '--not-created', states, decided);
  const claimedIds = states.claimedIds();
  for (const { row, id } of adopt) {
    if (claimedIds.has(id) && states.of(row).id !== id)
      throw new UsageError(`--adopt ${row}=${id}: another row has this code already`);
    claimedIds.add(id);
  }
}

function checkDecision(row: number, flag: string, states: RowStates, decided: Set<number>): void {
  const last = states.all().length;
  if (row > last) throw new UsageError(`${flag} ${row}: the input has ${last} rows`, { hint: 'rows of data are counted from 1' });
  if (decided.has(row)) throw new UsageError(`row ${row} is decided twice`, { hint: 'say one thing about each row' });
  decided.add(row);
  const { state, id, attempts } = states.of(row);
  // O20: a row that was sent again may have a second code.
  if (state === 'unknown' || (id !== undefined && attempts.length > 0)) return;
  const why = id === undefined ? 'it was not created, and will be sent' : `its code is ${id}`;
  throw new UsageError(`${flag} ${row}: there is nothing to decide about row ${row}: ${why}`, {
    hint: `leave out ${flag} ${row}`,
  });
}

interface DecisionsOptions {
  rows: readonly NewRow[];
  states: RecordedStates;
  getCode: (id: string) => Promise<QrCode>;
  /** Every code of the workspace, proven complete. */
  listCodes: () => Promise<QrCode[]>;
  warn: (line: string) => void;
}

/** Records the decisions. Throws NotFoundError when an adopted code does not exist. */
export async function recordDecisions({ adopt, notCreated }: Decisions, options: DecisionsOptions): Promise<void> {
  const { rows, states, getCode, warn } = options;
  const keyOf = (row: number) => {
    const found = rows[row - 1];
    return found && valuesKey(found.code);
  };
  for (const { row, id } of adopt) {
    const code = await getCode(id);
    if (valuesKey(code) !== keyOf(row)) warn(`row ${row} and code ${id} have different values; adopted all the same`);
    const before = states.of(row).asked?.filter((shown) => shown !== code.id) ?? [];
    await states.record([{ is: 'adopted', row, id: code.id, slug: code.slug, before }]);
  }
  // O13: what the person was shown is not the row's, or else what is there now; remembered, so that no later doubt comes back to it.
  // What nobody has seen yet may be its own still.
  const isUnseen = (row: number) => states.of(row).asked === undefined;
  const listing = notCreated.some(isUnseen) ? await options.listCodes() : [];
  for (const row of notCreated) {
    const alike = () => listing.filter((code) => valuesKey(code) === keyOf(row)).map(({ id }) => id);
    const before = states.of(row).asked ?? alike();
    await states.record([{ is: 'absent', row, before: [...before], word: true }]);
  }
}
