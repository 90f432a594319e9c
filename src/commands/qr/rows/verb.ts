import type { BackUp, RowEnd, RunEnd } from '../../../codes/engine/executor/job.ts';
import type { Plan, PlanInput, Policy, Row } from '../../../codes/engine/plan/model.ts';
import type { CheckedRows, RowsOptions } from '../../../codes/engine/rows/read-rows.ts';
import type { CommonChanges } from '../../../codes/input/check-rows.ts';
import type { RowOutcome } from '../../../codes/input/outcomes.ts';
import type { Column } from '../../../files/formats/columns.ts';
import type { Fault, Input, Source } from '../../../files/formats/read/input.ts';
import type { QrCode } from '../../../service/shapes.ts';
import type { PlanPrinter } from '../plan/print-plan.ts';

/** Checks rows by code, and shows plan and results by row. */
export interface ByCode {
  /** Returns faults of the rows that don't require the service. */
  readonly faults: (input: Input, rows: readonly Row[]) => readonly Fault[];
  readonly itemsByRow: (items: Plan['items']) => Plan['items'];
  readonly endsByRow: (ends: readonly RowEnd[]) => readonly RowEnd[];
  /** Selects the rows to print; the results have all. */
  readonly isNews: (end: { readonly outcome: RowOutcome }) => boolean;
  readonly columns: readonly Column[];
}

/** Differences between the verbs with a file. */
export interface RowsVerb {
  readonly policy: Policy;
  /** Names the success in the progress bar: `created`. */
  readonly done: string;
  /** The file may be a list of IDs or slugs. */
  readonly bareNames?: boolean;
  readonly keyColumn?: string;
  /** Values for rows without their own. */
  readonly common?: Omit<CommonChanges, 'force' | 'signal'> & Pick<RowsOptions, 'readAt'>;
  /** Plans the rows in its own way. `nowMs`: time of the service; undefined if it sends none. */
  readonly plan?: (input: PlanInput, file: Source, nowMs: number | undefined) => Plan;
  /** Several rows may concern one code. */
  readonly byCode?: ByCode;
  /** The run whose changes this one puts back. */
  readonly undoes?: string;
  /** Prompts before anything is sent. Throws to refuse. */
  readonly confirm?: (plan: Plan) => Promise<void>;
  readonly backUp?: BackUp;
  /** Opens the output of a dry run that is not a plan of changes. */
  readonly openPreview?: () => Promise<PlanPrinter>;
  /** Codes of the command line that were read already. They use no ledger, unless a backup pauses them. */
  readonly named?: readonly QrCode[];
  readonly earlierIds?: ReadonlySet<string>;
  /** Called before the results are written. */
  readonly ended?: (end: RunEnd) => void;
}

export interface CheckedSource {
  readonly input: Source;
  readonly checked: { readonly rows: readonly Row[]; readonly warnings: readonly Fault[] };
}

export interface RowsFile {
  readonly input: Input;
  readonly checked: CheckedRows;
}
