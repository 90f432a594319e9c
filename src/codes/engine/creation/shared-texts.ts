/** Lets the entries that are read from a journal share the texts of the input's rows, which are in memory anyway. */
import type { NewCode } from '../../../service/shapes.ts';
import type { Seen } from './entries.ts';
import type { JournalRecord } from './journal-records.ts';
import type { NewRow } from './new-row.ts';

/** Returns a function that returns a line of the journal with the texts of these rows, where they are equal. */
export function createTextSharing(rows: readonly Pick<NewRow, 'code'>[]): (record: JournalRecord) => JournalRecord {
  /** By name: usually it is that of one row. Most journals are new, and have no entries to share them with. */
  let codes: ReadonlyMap<string, NewCode> | undefined;
  const share = (seen: Seen): Seen => {
    codes ??= new Map(rows.map(({ code }) => [code.name, code]));
    const code = codes.get(seen.name ?? '');
    if (!code) return seen;
    const { type, all, own, key } = seen;
    const destination = seen.destination === code.destination ? code.destination : seen.destination;
    // All its properties in this order, as in `seenOf`.
    const shared = { name: code.name, type, destination, all, own, key };
    return seen.id === undefined && seen.word === undefined ? shared : { ...seen, ...shared };
  };
  return (record) => (record.is === 'entries' ? { ...record, seen: record.seen.map(share) } : record);
}
