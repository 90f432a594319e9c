/** Types of a run over rows. */
import type { BackUp, RowEnd, RunEnd } from '../../../codes/engine/executor/job.ts';
import type { Plan, PlanInput, Policy, Row } from '../../../codes/engine/plan/model.ts';
import type { CheckedRows, RowsOptions } from '../../../codes/engine/rows/read-rows.ts';
import type { CommonChanges } from '../../../codes/input/check-rows.ts';
import type { RowOutcome } from '../../../codes/input/outcomes.ts';
import type { Column } from '../../../files/formats/columns.ts';
import type { Fault, Input, Source } from '../../../files/formats/read/input.ts';
import type { QrCode } from '../../../service/shapes.ts';
import type { PlanPrinter } from '../plan/print-plan.ts';

/** Plans rows by code, and shows the plan and its end by row. */
export interface ByCode {
  /** Returns faults of the rows that show without the service. */
  readonly faults: (input: Input, rows: readonly Row[]) => readonly Fault[];
  /** `nowMs`: the service's clock; undefined if it sends no time. */
  readonly plan: (input: PlanInput, file: Source, nowMs: number | undefined) => Plan;
  readonly itemsByRow: (items: Plan['items']) => Plan['items'];
  readonly endsByRow: (ends: readonly RowEnd[]) => readonly RowEnd[];
  /** Selects the rows to print; the results have all. */
  readonly isNews: (end: { readonly outcome: RowOutcome }) => boolean;
  /** Columns of a dry run. */
  readonly columns: readonly Column[];
}

/** What distinguishes the verbs with a file. */
export interface RowsVerb {
  readonly policy: Policy;
  /** Names the success in the progress bar: `created`. */
  readonly done: string;
  /** The file may be a list of ids or slugs. */
  readonly bareNames?: boolean;
  readonly keyColumn?: string | undefined;
  /** Values and tags for rows without their own. */
  readonly common?: Omit<CommonChanges, 'force' | 'signal'> & Pick<RowsOptions, 'readAt'>;
  /** Several rows may be about one code. */
  readonly byCode?: ByCode | undefined;
  /** Prompts before anything is sent. Throws to refuse. */
  readonly confirm?: (plan: Plan) => Promise<void>;
  readonly backUp?: BackUp | undefined;
  /** Opens the output of a dry run, unless it is a plan of changes. */
  readonly openPreview?: () => Promise<PlanPrinter>;
  /** The codes of the rows, which were read already: codes of the command line. They use no ledger, unless they are paused for a backup. */
  readonly named?: readonly QrCode[];
  /** Ids in the results of an earlier run over the file. */
  readonly earlierIds?: ReadonlySet<string> | undefined;
  /** Called when the rows are carried out, before the results are written. */
  readonly ended?: (end: RunEnd) => void;
}

/** Rows that were checked, and their source. */
export interface CheckedSource {
  readonly input: Source;
  readonly checked: { readonly rows: readonly Row[]; readonly warnings: readonly Fault[] };
}

/** File of rows that was read and checked. */
export interface RowsFile {
  readonly input: Input;
  readonly checked: CheckedRows;
}
