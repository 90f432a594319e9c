/** Input of a run over rows, and how each row ended. */
import type { Clock } from '../../../base/time/time.ts';
import type { SendDelete, Service } from '../../../service/service.ts';
import type { QrCode } from '../../../service/shapes.ts';
import type { RowOutcome } from '../../input/outcomes.ts';
import type { Field, Ledger, Listing, Plan, PlanInput, PlanItem, Policy, Row } from '../plan/model.ts';

export interface RunJob extends Pick<PlanInput, 'run' | 'rows'> {
  readonly policy: Policy;
  /** The run whose changes this one puts back. */
  readonly undoes?: string;
  readonly lock?: PlanInput['lock'];
  readonly ledger: Ledger;
  readonly plan: (input: PlanInput) => Plan;
  /** Throws UnprovenError if the list could not be verified as complete. */
  readonly listCodes: () => Promise<readonly QrCode[]>;
  /** Reads the codes of rows that all have an ID or slug, if that costs less than the listing. */
  readonly readNamed?: (rows: readonly Row[]) => Promise<Listing>;
  readonly service: Pick<Service, 'createCode' | 'updateCode' | 'deleteCode' | 'getCode'>;
  readonly clock: Clock;
  /** Visibility delay of a write whose response was lost, in ms. */
  readonly settleMs: number;
  readonly concurrency: number;
  readonly failFast: boolean;
  readonly signal: AbortSignal;
  readonly backUp?: BackUp;
  /** Receives the plan before anything is sent or recorded. Throws to refuse it. */
  readonly onPlan: (plan: Plan) => void | Promise<void>;
  readonly onEvent: (event: RunEvent) => void;
}

/**
 * Backs up a code, then sends its DELETE with `send`. `code` has the status from before any pause, by this
 * run or a killed one. The ledger records the pause that `setStatus` sends, so the next run can undo it.
 */
export type BackUp = (
  code: QrCode,
  send: SendDelete,
  setStatus: (status: string) => Promise<void>,
) => Promise<void>;

export type RunEvent =
  /** `lost`: no response to the POST of the row; its code is looked up later. */
  | { readonly is: 'done' | 'failed' | 'lost'; readonly item: PlanItem }
  | { readonly is: 'waiting'; readonly ms: number }
  /** An interrupted backup had paused the code; its status is restored. */
  | { readonly is: 'restored'; readonly code: QrCode }
  | { readonly is: 'still-paused'; readonly code: QrCode; readonly error: unknown };

export interface Altered {
  readonly field: Field | 'type';
  readonly sent: string;
  readonly stored: string;
}

export interface RowEnd {
  /** As it was carried out, or as last planned if nothing was sent. */
  readonly item: PlanItem;
  readonly outcome: RowOutcome;
  readonly error?: string;
  readonly code?: QrCode;
  /** Codes that may belong to the row, or duplicates. */
  readonly candidates: readonly QrCode[];
  readonly altered: readonly Altered[];
}

export interface RunEnd {
  readonly plan: Plan;
  readonly ends: readonly RowEnd[];
  readonly stop: unknown;
  readonly firstError: unknown;
  readonly isUnproven: boolean;
}
