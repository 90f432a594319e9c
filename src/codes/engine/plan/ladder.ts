import type { QrCode } from '#service/shapes';
import type { How, PlanInput, Row, Sending } from './model.ts';
import { indexBy } from './values.ts';

export interface Answers {
  codeOf(row: Row): QrCode | undefined;
  newOf(row: Row): number;
  isFlagged(row: Row): boolean;
}

export type Identity =
  | {
      is: 'code';
      how: How;
      code: QrCode;
      sending?: Sending;
      isAsked?: boolean;
      isForeign?: boolean;
      replaces?: string;
    }
  | {
      is: 'gone';
      how: How;
      id?: string;
      slug?: string;
    }
  /** `replaces`: ID of the code that another machine replaced with this code. */
  | { is: 'exists'; code: QrCode; replaces?: string }
  | {
      is: 'undecided';
      candidates: readonly QrCode[];
      reason: string;
      sending?: Sending;
    }
  | {
      is: 'new';
      repeats?: Sending;
      isDecided?: boolean;
      replaces?: string;
      answered?: readonly number[];
      /** Codes that the lost request may have created; no other row takes them. */
      sought?: readonly QrCode[];
    };

export interface Ladder {
  input: PlanInput;
  answers: Answers;
  taken: Set<string>;
  found: Map<Row, Identity>;
}

/** Returns rows without an identity. Skipped ones come last, so that they take no code from other rows. */
export function openRows({ input, found }: Ladder): Row[] {
  const isSkipped = ({ decision }: Row) => Number(decision?.is === 'skip');
  const open = input.rows.filter((row) => !found.has(row));
  return open.sort((one, other) => isSkipped(one) - isSkipped(other));
}

/** Returns codes that match no row yet, oldest first. */
export function freeCodes({
  input,
  taken,
}: {
  input: Pick<PlanInput, 'listing'>;
  taken: ReadonlySet<string>;
}): QrCode[] {
  return [...input.listing.codes.values()].filter(({ id }) => !taken.has(id.toLowerCase()));
}

export function settle(ladder: Ladder, row: Row, identity: Identity): void {
  ladder.found.set(row, identity);
  if (identity.is === 'code' || identity.is === 'exists') ladder.taken.add(identity.code.id.toLowerCase());
  if (identity.is === 'new' && identity.replaces !== undefined) ladder.taken.add(identity.replaces);
}

/** Pairs rows with codes of equal values: first by status, then rows without a status, then the rest. */
export function deal<T>(
  rows: readonly Row[],
  codes: readonly T[],
  statusOf: (code: T) => string | undefined,
): [Row, T][] {
  const left = new Set(codes);
  const pairs: [Row, T][] = [];
  const pair = (row: Row, code: T | undefined) => {
    if (code === undefined) return;
    left.delete(code);
    pairs.push([row, code]);
  };
  const byStatus = indexBy(codes, statusOf);
  const others = rows.filter((row) => {
    const code = byStatus.get(row.wish.status ?? '')?.shift();
    pair(row, code);
    return code === undefined;
  });
  const inStep = others.filter(({ wish }) => wish.status === undefined);
  for (const row of [...inStep, ...others.filter(({ wish }) => wish.status !== undefined)]) {
    const [code] = left;
    pair(row, code);
  }
  return pairs;
}
