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
import type { Service } from '#service/service';
import type { SendDelete } from '#service/service-options';
import type { QrCode } from '#service/shapes';

export interface RunJob extends Pick<PlanInput, 'run' | 'rows'> {
  policy: Policy;
  undoes?: string;
  lock?: PlanInput['lock'];
  ledger: Ledger;
  plan: (input: PlanInput) => Plan;
  listCodes: () => Promise<readonly QrCode[]>;
  /** Reads only the codes of the rows. Set for the verbs `update` and `delete`. */
  readNamed?: (rows: readonly Row[]) => Promise<Listing>;
  service: Pick<Service, 'createCode' | 'updateCode' | 'deleteCode' | 'getCode'>;
  clock: Clock;
  settleMs: number;
  concurrency: number;
  failFast: boolean;
  signal: AbortSignal;
  backUp?: BackUp;
  /** Receives the run's first plan before any change is sent or recorded. Throws to refuse it. */
  onPlan: (plan: Plan) => void | Promise<void>;
  onEvent: (event: RunEvent) => void;
  /**
   * Receives the results before the run's end is recorded, unless the run stopped or an undecided row has
   * candidates.
   */
  beforeEnd?: (ends: readonly RowEnd[]) => Promise<void>;
}

/**
 * Backs up a code, then deletes it with `send`. If an interrupted backup paused it, `code.status` is the
 * status before that.
 */
export type BackUp = (
  code: QrCode,
  send: SendDelete,
  setStatus: (status: string) => Promise<void>,
) => Promise<void>;

export type RunEvent =
  | { is: 'done' | 'failed' | 'lost'; item: PlanItem }
  | { is: 'waiting'; ms: number }
  | { is: 'restored'; code: QrCode }
  | { is: 'still-paused'; code: QrCode; error: unknown };

export interface Altered {
  field: Field | 'type';
  sent: string;
  stored: string;
}

export interface RowEnd {
  /** Plan item as executed, or as last planned if the row is undecided or was not completed. */
  item: PlanItem;
  outcome: RowOutcome;
  error?: string;
  code?: QrCode;
  candidates: readonly QrCode[];
  altered: readonly Altered[];
}

export interface RunEnd {
  run: string;
  plan: Plan;
  ends: readonly RowEnd[];
  stop: unknown;
  firstError: unknown;
  isUnproven: boolean;
}
