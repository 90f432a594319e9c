/** What the model knows and the rules do not, and what a history left behind. */
import type { PlanItem } from '#codes/engine/plan/model';
import type { ModelService } from './service.ts';
import type { SheetRow } from './sheet.ts';

/** What a history left behind. */
export interface Tally {
  /** What must not happen. */
  readonly problems: string[];
  /** Number of each outcome, question and excluded case. */
  readonly counts: Map<string, number>;
}

/** Adds one to a count. */
export function count({ counts }: Tally, what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1);
}

/** What the model knows, besides the service. */
export interface Truth {
  readonly service: ModelService;
  readonly tally: Tally;
  /** Rows whose user asked for one more code, and for how many. */
  readonly permits: Map<number, number>;
  /** Rows for which the design makes no promise any more. */
  readonly excluded: Map<number, string>;
  /** Identities of rows before they became others. */
  readonly before: Map<number, number>;
  /** Identity for a row that became another one. */
  newToken(): number;
}

export function createTruth(service: ModelService): Truth {
  let tokens = 0;
  return {
    service,
    tally: { problems: [], counts: new Map() },
    permits: new Map(),
    excluded: new Map(),
    before: new Map(),
    newToken: () => ++tokens,
  };
}

/** Adds a problem with a row and its item. */
export type Tell = (what: string, row: SheetRow | undefined, item: PlanItem) => void;

export function createTell({ problems }: Tally): Tell {
  return (what, row, { action, how, code, values, changes }) => {
    const short = row && { ...row, seen: undefined, base: row.base && 'base', decision: row.decision?.is };
    const details = { action, how, code: code?.id.slice(-3), values, changes, row: short, seen: row?.seen };
    problems.push(`${what}: ${JSON.stringify(details)}`);
  };
}
