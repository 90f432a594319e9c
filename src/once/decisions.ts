/** A person's decisions about rows whose outcome could not be decided here: `--adopt ROW=ID` and `--not-created ROW`. */

import type { CreateRow } from '../bulk/check-create.ts';
import { UsageError } from '../errors.ts';
import type { QrCode } from '../service/shapes.ts';
import type { Ledger } from './row-states.ts';
import { valuesKey } from './same-values.ts';

export interface Word {
  adopt: readonly { row: number; id: string }[];
  notCreated: readonly number[];
}

/** Checks the decisions against the journal, before any request. Throws UsageError. */
export function checkWord({ adopt, notCreated }: Word, ledger: Ledger): void {
  const rows = [...adopt.map(({ row }) => row), ...notCreated];
  const last = ledger.all().length;
  for (const [index, row] of rows.entries()) {
    const flag = index < adopt.length ? '--adopt' : '--not-created';
    if (row > last)
      throw new UsageError(`${flag} ${row}: the input has ${last} rows`, { hint: 'rows of data are counted from 1' });
    if (rows.indexOf(row) < index) throw new UsageError(`row ${row} is decided twice`, { hint: 'say one thing about each row' });
    const { state, id } = ledger.standing(row);
    if (state !== 'unknown') {
      const why = id === undefined ? 'it was not created, and will be sent' : `its code is ${id}`;
      throw new UsageError(`${flag} ${row}: there is nothing to decide about row ${row}: ${why}`, {
        hint: `leave out ${flag} ${row}`,
      });
    }
  }
  const claimed = ledger.claimed();
  for (const [index, { row, id }] of adopt.entries()) {
    const again = adopt.findIndex((other) => other.id === id) < index;
    if (again || claimed.has(id)) throw new UsageError(`--adopt ${row}=${id}: another row has this code already`);
  }
}

export interface WordJob {
  rows: readonly CreateRow[];
  ledger: Ledger;
  getCode: (id: string) => Promise<QrCode>;
  listCodes: () => Promise<QrCode[]>;
  warn: (line: string) => void;
}

/** Records the decisions. Throws NotFoundError when an adopted code does not exist. */
export async function takeWord({ adopt, notCreated }: Word, job: WordJob): Promise<void> {
  const { rows, ledger, getCode, warn } = job;
  const keyOf = (row: number) => valuesKey(rows[row - 1]?.code ?? { name: '' });
  for (const { row, id } of adopt) {
    const code = await getCode(id);
    if (valuesKey(code) !== keyOf(row)) warn(`row ${row} and code ${id} have different values; adopted all the same`);
    await ledger.record({ is: 'adopted', row, id: code.id, slug: code.slug });
  }
  if (notCreated.length === 0) return;
  // What is there now is not the row's: remembered, so that no later doubt comes back to it.
  const listing = await job.listCodes();
  for (const row of notCreated) {
    const before = listing.filter((code) => valuesKey(code) === keyOf(row)).map(({ id }) => id);
    await ledger.record({ is: 'absent', row, before, word: true });
  }
}
