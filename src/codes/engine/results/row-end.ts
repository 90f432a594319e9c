/** How the row of a file ended. */
import type { QrCode } from '../../../service/shapes.ts';
import type { RowOutcome } from '../../input/outcomes.ts';
import type { FieldChange, Row } from '../plan/model.ts';

export interface RowEnd {
  readonly row: Row;
  readonly outcome: RowOutcome;
  readonly error?: string | undefined;
  /** As it is on the service now, as far as it is known. */
  readonly code?: QrCode | undefined;
  /** Fields in which row and code differed before the run. */
  readonly changes: readonly FieldChange[];
  /** None of the changes was made: the row failed, was skipped or was not attempted. */
  readonly isOpen: boolean;
}
