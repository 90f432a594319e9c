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
  faults: (input: Input, rows: readonly Row[]) => readonly Fault[];
  itemsByRow: (items: Plan['items']) => Plan['items'];
  endsByRow: (ends: readonly RowEnd[]) => readonly RowEnd[];
  isNews: (end: { outcome: RowOutcome }) => boolean;
  columns: readonly Column[];
}

export interface RowsVerb {
  policy: Policy;
  /** Names the success in the progress bar: `created`. */
  done: string;
  bareNames?: boolean;
  keyColumn?: string;
  common?: Omit<CommonChanges, 'force' | 'signal'> & Pick<RowsOptions, 'readAt'>;
  plan?: (input: PlanInput, file: Source, nowMs: number | undefined) => Plan;
  byCode?: ByCode;
  undoes?: string;
  confirm?: (plan: Plan) => Promise<void>;
  backUp?: BackUp;
  openPreview?: () => Promise<PlanPrinter>;
  /** Codes of the command line that were read already. They use no ledger, unless a backup pauses them. */
  named?: readonly QrCode[];
  earlierIds?: ReadonlySet<string>;
  ended?: (end: RunEnd) => void;
}

export interface CheckedSource {
  input: Source;
  checked: { rows: readonly Row[]; warnings: readonly Fault[] };
}

export interface RowsFile {
  input: Input;
  checked: CheckedRows;
}
