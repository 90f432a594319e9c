/** What an apply run is given: rows, files, service and decisions. */
import type { Disk } from '../../files/durable/disk.ts';
import type { Processes } from '../../files/durable/replace-file.ts';
import type { Source } from '../../files/formats/read/input.ts';
import type { Service } from '../../service/service.ts';
import type { QrCode } from '../../service/shapes.ts';
import type { CreateJob } from './creation/create-job.ts';
import type { KeyedRow } from './keyed-rows.ts';
import type { LockFile } from './lock-file.ts';
import type { Plan, PlanItem, PlanOptions } from './plan.ts';

/** Y12: what can be done here: nothing deletes. */
export type ApplyService = CreateJob['service'] & Pick<Service, 'updateCode'>;

export interface ApplyJob
  extends Pick<CreateJob, 'askClock' | 'clock' | 'uptimeMs' | 'signal' | 'concurrency' | 'settleMs' | 'movedFrom'> {
  /** Every code of the workspace; rejects if the list could not be verified as complete. */
  readonly listCodes: () => Promise<QrCode[]>;
  readonly rows: readonly KeyedRow[];
  readonly file: Source;
  readonly lockPath: string;
  readonly disk: Disk;
  readonly processes: Processes;
  readonly service: ApplyService;
  readonly options: PlanOptions;
  /** By key: id or slug of its code (`--adopt`). */
  readonly adopt: ReadonlyMap<string, string>;
  /** Keys that get a new code (`--recreate`). */
  readonly recreate: ReadonlySet<string>;
  /** Told of the plan before anything is sent. */
  readonly onPlan: (plan: Plan) => void;
  readonly onEvent: (event: ApplyEvent) => void;
}

export type ApplyEvent =
  | Exclude<Parameters<CreateJob['onEvent']>[0], { row: number }>
  | { is: 'done' | 'failed' }
  /** The rows of an interrupted run, looked up before the plan is made. */
  | { is: 'finishing' }
  /** The code changed while the run was under way: its row was planned again. */
  | { is: 'replanned'; item: PlanItem };

/** Plan of a run, and the lock file that it was made from. */
export interface Prepared {
  readonly plan: Plan;
  readonly lock: LockFile;
  /** As it is on disk. */
  readonly before: LockFile | undefined;
}
