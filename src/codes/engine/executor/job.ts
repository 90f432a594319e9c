/** Types of the executor: what a run is given, and how each row of it ended. */
import type { Clock } from '../../../base/time/time.ts';
import type { SendDelete, Service } from '../../../service/service.ts';
import type { QrCode } from '../../../service/shapes.ts';
import type { RowOutcome } from '../../input/outcomes.ts';
import type { Field, Ledger, Listing, Plan, PlanInput, PlanItem, Policy, Row } from '../plan/model.ts';

export interface RunJob extends Pick<PlanInput, 'run' | 'rows'> {
  readonly policy: Policy;
  readonly lock?: PlanInput['lock'];
  readonly ledger: Ledger;
  readonly plan: (input: PlanInput) => Plan;
  /** Reads every code of the workspace. Throws UnprovenError if the list could not be verified as complete. */
  readonly listCodes: () => Promise<readonly QrCode[]>;
  /** Reads the codes of rows that all have an id or slug, if that costs less than the listing. */
  readonly readNamed?: ((rows: readonly Row[]) => Promise<Listing>) | undefined;
  readonly service: Pick<Service, 'createCode' | 'updateCode' | 'deleteCode' | 'getCode'>;
  readonly clock: Clock;
  /** Visibility delay of a write whose response was lost, in ms. */
  readonly settleMs: number;
  /** Rows in flight at once; the rate limit is the service's own affair. */
  readonly concurrency: number;
  readonly failFast: boolean;
  readonly signal: AbortSignal;
  /** Step before each DELETE, which calls `send` if the code may be deleted. */
  readonly backUp?: BackUp | undefined;
  /** Receives the plan before anything is sent or recorded; throws to refuse it. */
  readonly onPlan: (plan: Plan) => void | Promise<void>;
  readonly onEvent: (event: RunEvent) => void;
}

/**
 * Backs up a code, then sends its DELETE. `code` is as it was before a run paused it: this one, or one that was killed. `setStatus` pauses
 * it and restores it; the ledger remembers a pause, so that the next run can restore the code after a kill.
 */
export type BackUp = (
  code: QrCode,
  send: SendDelete,
  setStatus: (status: string) => Promise<void>,
) => Promise<void>;

export type RunEvent =
  /** A row ended. `lost`: the response to its POST was lost, so its code is looked up later. */
  | { readonly is: 'done' | 'failed' | 'lost'; readonly item: PlanItem }
  | { readonly is: 'waiting'; readonly ms: number }
  /** A code that an earlier run had paused for its backup has its status again. */
  | { readonly is: 'restored'; readonly code: QrCode }
  | { readonly is: 'still-paused'; readonly code: QrCode; readonly error: unknown };

/** Value that the service stored otherwise than it was sent. */
export interface Altered {
  readonly field: Field | 'type';
  readonly sent: string;
  readonly stored: string;
}

export interface RowEnd {
  /** As it was carried out, or as last planned if nothing was sent. */
  readonly item: PlanItem;
  readonly outcome: RowOutcome;
  readonly error: string | undefined;
  /** As the service showed it last. */
  readonly code: QrCode | undefined;
  /** Codes that may be the row's, or duplicates of it. */
  readonly candidates: readonly QrCode[];
  readonly altered: readonly Altered[];
}

export interface RunEnd {
  /** The plan that `onPlan` received. */
  readonly plan: Plan;
  readonly ends: readonly RowEnd[];
  readonly stop: unknown;
  readonly firstError: unknown;
  readonly isUnproven: boolean;
}
