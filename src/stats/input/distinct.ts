/**
 * Each scan once, however files overlap. Files as `scans export` writes them hold the scans of a code in order of time: while times and
 * ids only rise, no scan comes twice, and nothing has to be remembered. Where they do not (files that overlap, or late arrivals in a file that is appended
 * to), all is read again with a set of ids.
 */
import { UnprovenError } from '../../errors.ts';
import { quote } from '../../text/quote.ts';
import { createIdSet, type IdSet } from './id-set.ts';

/** Whether a scan was not counted yet; `owner`: what its code is known by, one and the same for all scans whose code is not known. */
export type IsNew = (owner: string, id: number | bigint, ms: number) => boolean;

/** Times or ids do not rise: whether scans come twice cannot be told without remembering them. */
export class OutOfOrderError extends Error {
  override name = 'OutOfOrderError';
}

/** Throws OutOfOrderError at the first scan that is not after those of its code before it. */
export function createOrderCheck(): IsNew {
  const ends = new Map<string, { ms: number; id: number | bigint }>();
  let owner: string | undefined;
  let end = { ms: Number.NEGATIVE_INFINITY, id: 0 as number | bigint };
  return (of, id, ms) => {
    if (of !== owner) {
      owner = of;
      end = ends.get(of) ?? { ms: Number.NEGATIVE_INFINITY, id: 0 };
      ends.set(of, end);
    }
    // F5: only what is later than all before it is new without being looked up.
    if (ms < end.ms || (ms === end.ms && id <= end.id)) throw new OutOfOrderError('scans are not in chronological order');
    end.ms = ms;
    end.id = id;
    return true;
  };
}

/** Remembers every scan, in four bytes. Throws UnprovenError where one id has two times. */
export function createMemory(): IsNew {
  const sets = new Map<string, IdSet>();
  return (owner, id, ms) => {
    const set = sets.get(owner) ?? createIdSet();
    sets.set(owner, set);
    const found = set.add(id, ms);
    // F6: of files that do not name their codes the ids alone could hide a scan behind one of another code.
    if (found === 'other') {
      throw new UnprovenError(
        `cannot remove duplicate scans: two scans with different times have the ID ${id}${owner === '' ? '' : ` in code ${quote(owner)}`}`,
        {
          hint: 'Export the codes again into one file, which adds code IDs: `qrctl scans export CODE CODE -o scans.csv`.',
        },
      );
    }
    return found === 'new';
  };
}
