import type { Clock } from '#base/time/time';
import type {
  Field,
  Ledger,
  Listing,
  Plan,
  PlanInput,
  PlanItem,
  Policy,
  Row,
} from '#codes/engine/plan/model';
import type { RowOutcome } from '#codes/input/outcomes';
import type { SendDelete, Service } from '#service/service';
import type { QrCode } from '#service/shapes';

export interface RunJob extends Pick<PlanInput, 'run' | 'rows'> {
  readonly policy: Policy;
  readonly undoes?: string;
  readonly lock?: PlanInput['lock'];
  readonly ledger: Ledger;
  readonly plan: (input: PlanInput) => Plan;
  readonly listCodes: () => Promise<readonly QrCode[]>;
  /** Reads the codes of rows that all have an ID or slug, if that costs less than the listing. */
  readonly readNamed?: (rows: readonly Row[]) => Promise<Listing>;
  readonly service: Pick<Service, 'createCode' | 'updateCode' | 'deleteCode' | 'getCode'>;
  readonly clock: Clock;
  readonly settleMs: number;
  readonly concurrency: number;
  readonly failFast: boolean;
  readonly signal: AbortSignal;
  readonly backUp?: BackUp;
  /** Receives the plan before anything is sent or recorded. Throws to refuse it. */
  readonly onPlan: (plan: Plan) => void | Promise<void>;
  readonly onEvent: (event: RunEvent) => void;
}

/** Sends the DELETE with `send` after the backup. `code` has the status from before any pause. */
export type BackUp = (
  code: QrCode,
  send: SendDelete,
  setStatus: (status: string) => Promise<void>,
) => Promise<void>;

export type RunEvent =
  | { readonly is: 'done' | 'failed' | 'lost'; readonly item: PlanItem }
  | { readonly is: 'waiting'; readonly ms: number }
  | { readonly is: 'restored'; readonly code: QrCode }
  | { readonly is: 'still-paused'; readonly code: QrCode; readonly error: unknown };

export interface Altered {
  readonly field: Field | 'type';
  readonly sent: string;
  readonly stored: string;
}

export interface RowEnd {
  /** Plan item as executed, or as last planned if nothing was sent. */
  readonly item: PlanItem;
  readonly outcome: RowOutcome;
  readonly error?: string;
  readonly code?: QrCode;
  readonly candidates: readonly QrCode[];
  readonly altered: readonly Altered[];
}

export interface RunEnd {
  readonly run: string;
  readonly plan: Plan;
  readonly ends: readonly RowEnd[];
  readonly stop: unknown;
  readonly firstError: unknown;
  readonly isUnproven: boolean;
}
