/** State of the search for the codes of rows: each rung gives some rows an identity and leaves the others to the next. */
import type { QrCode } from '../../../service/shapes.ts';
import type { How, PlanInput, Row, Sending } from './model.ts';
import { indexBy } from './values.ts';

/** Decisions of the user about the rows of a file. */
export interface Answers {
  /** Code that the user assigned to a row; undefined if there is none. */
  codeOf(row: Row): QrCode | undefined;
  /** Number of new codes that the user asked for. */
  newOf(row: Row): number;
}

/** Which code a row is, or what is to be decided about it. */
export type Identity =
  | {
      readonly is: 'code';
      readonly how: How;
      readonly code: QrCode;
      readonly sending?: Sending;
      readonly isAsked?: boolean;
      readonly replaces?: string | undefined;
    }
  /** It was deleted on the service. */
  | {
      readonly is: 'gone';
      readonly how: How;
      readonly id: string | undefined;
      readonly slug: string | undefined;
    }
  /** It has the values of a code that no row has. `replaces`: the user asked for a new code in place of this one, and another machine created it. */
  | { readonly is: 'exists'; readonly code: QrCode; readonly replaces?: string }
  /** It may be an edited row of this code. */
  | { readonly is: 'edited'; readonly code: QrCode }
  | {
      readonly is: 'undecided';
      readonly candidates: readonly QrCode[];
      readonly reason: string;
      readonly sending?: Sending;
    }
  | {
      readonly is: 'new';
      readonly repeats?: Sending;
      readonly isDecided?: boolean;
      readonly replaces?: string;
      /** Requests whose possible codes the user was shown. */
      readonly answered?: readonly number[];
    };

/** State of the ladder: what is taken, and the rows that have no identity yet. */
export interface Ladder {
  readonly input: PlanInput;
  readonly answers: Answers;
  readonly taken: Set<string>;
  readonly found: Map<Row, Identity>;
}

/** Returns the rows without an identity, in their order. */
export function openRows({ input, found }: Ladder): Row[] {
  return input.rows.filter((row) => !found.has(row));
}

/** Returns the codes that no row has, oldest first. */
export function freeCodes({
  input,
  taken,
}: {
  input: Pick<PlanInput, 'listing'>;
  taken: ReadonlySet<string>;
}): QrCode[] {
  return [...input.listing.codes.values()].filter(({ id }) => !taken.has(id.toLowerCase()));
}

/** Gives a row its identity, and takes the code out of the free ones. */
export function settle(ladder: Ladder, row: Row, identity: Identity): void {
  ladder.found.set(row, identity);
  if (identity.is === 'code' || identity.is === 'exists' || identity.is === 'edited')
    ladder.taken.add(identity.code.id.toLowerCase());
}

/** Pairs rows of equal values with codes: rows that want a status get one that has it first, the others what is left, in order. */
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
    const code = row.wish.status === undefined ? undefined : byStatus.get(row.wish.status)?.shift();
    pair(row, code);
    return code === undefined;
  });
  // A row without a status is in step with every code.
  const inStep = others.filter(({ wish }) => wish.status === undefined);
  for (const row of [...inStep, ...others.filter(({ wish }) => wish.status !== undefined)]) {
    const [code] = left;
    pair(row, code);
  }
  return pairs;
}
