/** Builds the error of a run that leaves rows or keys whose outcome only the user can decide. */
import { UnprovenError } from '../../base/errors.ts';
import { joinSome, quote } from '../../base/text/quote.ts';
import type { QrCode } from '../../service/shapes.ts';

/** Row or key that was sent without a response, or has its code and may have a duplicate. */
export interface Undecided {
  /** Name of the row in a sentence, such as `line 4 "Spring"`. */
  readonly name: string;
  /** Its code, if it has one. */
  readonly id: string | undefined;
  /** Codes that may be its own. */
  readonly candidates: readonly QrCode[];
}

/** Words of the command: what its rows are called, where the rest is listed, and how to decide. */
interface DecisionWords {
  thing: 'row' | 'key';
  /** Added if not every row is named, such as `; see the results`. */
  more: string;
  hint: string;
}

/** Rows that are alike may have thousands of candidates each. */
const MOST_NAMED = 20;

/** Returns the error that names the rows, each with the codes that may be its own. */
export function undecidedError(undecided: readonly Undecided[], { thing, more, hint }: DecisionWords): UnprovenError {
  const lines = undecided.slice(0, MOST_NAMED).map(({ name, id, candidates }) => {
    const codes = joinSome(candidates.map(nameCode), { most: MOST_NAMED, separator: '; ' });
    if (id === undefined) return `${name}: sent, but no response was received. Possible codes: ${codes}`;
    return `${name}: sent more than once. Its code is ${id}. Possible duplicate codes: ${codes}`;
  });
  if (undecided.length > MOST_NAMED) lines.push(`and ${undecided.length - MOST_NAMED} more${more}`);
  const count = undecided.length === 1 ? `1 ${thing} needs` : `${undecided.length} ${thing}s need`;
  return new UnprovenError([`${count} your decision`, ...lines].join('\n'), { hint });
}

function nameCode({ id, slug, created_at }: QrCode): string {
  return `${id} (slug ${quote(slug)}, created ${quote(created_at)})`;
}

/** Returns the IDs of the first candidates, for a cell: `ID or ID or 3 others`. */
export function nameIds(candidates: readonly QrCode[]): string {
  return joinSome(
    candidates.map(({ id }) => id),
    { most: MOST_NAMED },
  );
}
