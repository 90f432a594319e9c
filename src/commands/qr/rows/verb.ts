import type { BackUp, RowEnd, RunEnd } from '../../../codes/engine/executor/job.ts';
import type { Plan, PlanInput, Policy, Row } from '../../../codes/engine/plan/model.ts';
import type { CheckedRows, RowsOptions } from '../../../codes/engine/rows/read-rows.ts';
import type { CommonChanges } from '../../../codes/input/check-rows.ts';
import type { RowOutcome } from '../../../codes/input/outcomes.ts';
import type { Column } from '../../../files/formats/columns.ts';
import type { Fault, Input, Source } from '../../../files/formats/read/input.ts';
import type { QrCode } from '../../../service/shapes.ts';
import type { PlanPrinter } from '../plan/print-plan.ts';

export interface ByCode {
  readonly faults: (input: Input, rows: readonly Row[]) => readonly Fault[];
  readonly itemsByRow: (items: Plan['items']) => Plan['items'];
  readonly endsByRow: (ends: readonly RowEnd[]) => readonly RowEnd[];
  readonly isNews: (end: { readonly outcome: RowOutcome }) => boolean;
  readonly columns: readonly Column[];
}

export interface RowsVerb {
  readonly policy: Policy;
  /** Names the success in the progress bar: `created`. */
  readonly done: string;
  readonly bareNames?: boolean;
  readonly keyColumn?: string;
  readonly common?: Omit<CommonChanges, 'force' | 'signal'> & Pick<RowsOptions, 'readAt'>;
  readonly plan?: (input: PlanInput, file: Source, nowMs: number | undefined) => Plan;
  readonly byCode?: ByCode;
  readonly undoes?: string;
  readonly confirm?: (plan: Plan) => Promise<void>;
  readonly backUp?: BackUp;
  readonly openPreview?: () => Promise<PlanPrinter>;
  /** Codes of the command line that were read already. They use no ledger, unless a backup pauses them. */
  readonly named?: readonly QrCode[];
  readonly earlierIds?: ReadonlySet<string>;
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
