/**
 * Removes duplicate scans of overlapping files. `scans export` writes the scans of a code in chronological order: while times and
 * IDs only rise, no scan is a duplicate and nothing has to be remembered. Otherwise (overlapping files, or late arrivals in an appended
 * file), everything is read again with a set of IDs.
 */
import { UnprovenError } from '../../../base/errors.ts';
import { quote } from '../../../base/text/quote.ts';
import { createIdSet, type IdSet } from './id-set.ts';

/** Returns whether a scan was not counted yet; `owner`: identity of its code, equal for all scans of unknown codes. */
export type IsNew = (owner: string, id: number | bigint, ms: number) => boolean;

/** Thrown if times or IDs don't rise, so that duplicates can be found only by remembering all IDs. */
export class OutOfOrderError extends Error {
  override name = 'OutOfOrderError';
}

/** Creates a check that throws OutOfOrderError at the first scan that is not later than the previous ones of its code. */
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
    // F5: only a scan later than all earlier ones is new without a lookup.
    if (ms < end.ms || (ms === end.ms && id <= end.id))
      throw new OutOfOrderError('scans are not in chronological order');
    end.ms = ms;
    end.id = id;
    return true;
  };
}

/** Creates a memory of every scan, in four bytes each. It throws UnprovenError if one ID has two times. */
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
