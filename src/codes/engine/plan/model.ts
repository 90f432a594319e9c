/**
 * Types of the engine for rows. `plan` is a pure function of rows (what the file requests), listing (what the
 * service has), ledger (what neither shows) and policy (what the verb may do).
 */
import type { UtmTags } from '../../../base/text/utm.ts';
import type { Fault, InputRow } from '../../../files/formats/read/input.ts';
import type { CodeChanges, NewCode, QrCode } from '../../../service/shapes.ts';
import type { Doubt } from '../../input/read-changes.ts';
import type { LockEntry } from '../lock/lock-file.ts';
import type { LedgerRecord } from './ledger-lines.ts';

export const FIELDS = ['name', 'destination', 'status'] as const;
export type Field = (typeof FIELDS)[number];

/** Values of the fields as text. An absent destination is '', and a missing field is unknown. */
export type Values = Readonly<Partial<Record<Field, string>>>;

export type Base = Readonly<Partial<Record<Field, string>>>;

/** Value that a dated plan gives a field since a time. */
export interface DueMark {
  readonly atMs: number;
  readonly says: string;
}

export interface DueWish extends DueMark {
  /** Values that earlier rows gave the field. */
  readonly earlier: readonly string[];
}

export type RowDecision =
  | { readonly is: 'code'; readonly name: string }
  /** `mine`: send the values of the row. `theirs`: keep those of the service. */
  | { readonly is: 'new' | 'mine' | 'theirs' | 'skip' };

export interface Row extends InputRow {
  readonly key?: string;
  /** In lower case. */
  readonly id?: string;
  readonly slug?: string;
  /** Wanted values, including tags. A missing field stays unchanged. */
  readonly wish: CodeChanges;
  readonly type?: string;
  /** Tags for the current destination of the code, if the row has none. */
  readonly utm?: UtmTags;
  /** Carries the tags of the old destination over to a new one. */
  readonly keepUtm?: boolean;
  /** Record of a code that a deletion saved. */
  readonly isBackup?: boolean;
  readonly base?: Base;
  /** In ms since the epoch. */
  readonly updatedAtMs?: number;
  readonly decision?: RowDecision;
  /** The service refused to create its code in this run. */
  readonly isFailed?: boolean;
  /** Kind of file, if a spreadsheet may have saved it. */
  readonly through?: 'csv' | 'xlsx';
  /** Faults of cells that are valid if the code already has their value. */
  readonly doubts: readonly Doubt[];
  /** Due time in ms since the epoch, with `qr update --due`. */
  readonly atMs?: number;
  /** Due values by field, of a row that represents all rows of a code. */
  readonly due?: Readonly<Partial<Record<Field, DueWish>>>;
  /** Fault of an unknown type; it is valid if the code has that type. */
  readonly typeFault?: Fault;
  /** Fault of a file without destinations, if a new code requires one. */
  readonly noDestination?: Fault;
}

export interface Listing {
  readonly codes: ReadonlyMap<string, QrCode>;
  /** False if only the codes of the rows were read. */
  readonly isWhole: boolean;
}

/** Decisions of the command line. ROW is a line number or a key. */
export interface Decisions {
  readonly adopt: ReadonlyMap<string, string>;
  /** Number of times that `--as-new ROW` was passed, by ROW. */
  readonly asNew: ReadonlyMap<string, number>;
  readonly asNewAll: boolean;
}

export interface Policy {
  readonly verb: 'create' | 'update' | 'apply' | 'delete';
  /** Side that wins if both changed a field. `ask`: nothing is sent (9). */
  readonly conflicts: 'ask' | 'file' | 'service';
  /** With `qr update --due`: changes have no default limit, because cron may run the plan. */
  readonly isDated: boolean;
  /** Sends the edits of `qr create`. */
  readonly applyEdits: boolean;
  /** Assigns free codes with the values of a row to its key, with `qr apply`. */
  readonly adoptExisting: boolean;
  readonly removed: 'report' | 'pause';
  /** Maximum number of changes, without creations; undefined for the default. */
  readonly maxChanges: { readonly count: number } | { readonly percent: number } | undefined;
  /** Accepts unusable destinations, sorted columns and IDs of another workspace. */
  readonly force: boolean;
  readonly decisions: Decisions;
}

export interface OwnChange {
  readonly from: string;
  readonly sent: string;
  readonly stored: string;
}

export interface Claim {
  readonly id: string;
  readonly key?: string;
  /** Values of its row as sent or found, newest first. */
  readonly rows: readonly NewCode[];
  readonly origin: 'made' | 'found' | 'changed';
  /** Number of the POST that created it; 0 if unknown. Equal rows keep their codes in this order. */
  readonly n: number;
  /** Position in the ledger; the newest of equal claims takes precedence. */
  readonly order: number;
  readonly run: string;
  /** Values after our last change of each field. */
  readonly stored: Values;
  /** Oldest first. */
  readonly changes: Readonly<Record<Field, readonly OwnChange[]>>;
  /** Dated changes that are applied or begun: the newest per time, oldest first. */
  readonly due?: Readonly<Partial<Record<Field, readonly DueMark[]>>>;
  /** The user requested it as a new code; the same decision creates no other one. */
  readonly isDecided: boolean;
  /** Status of its row at creation that was not sent yet. */
  readonly unsent?: string;
  /** Reason for which we paused it, and its status before. */
  readonly paused?: { readonly why: 'removed' | 'backup'; readonly status: string };
  readonly isDeleted: boolean;
}

/** POST without a clear response, or one that was repeated. */
export interface Sending {
  readonly n: number;
  readonly run: string;
  readonly values: NewCode;
  readonly key?: string;
  readonly replaces?: string;
  readonly decided: boolean;
  readonly status?: string;
  readonly again?: number;
  /** IDs of the first listing of its run. */
  readonly firstIds: ReadonlySet<string>;
  /** Code of its row, if the request was repeated. Another code with its values is a duplicate. */
  readonly rowCode?: string;
}

/** State of a ledger, replayed from its records. */
export interface LedgerView {
  readonly claims: ReadonlyMap<string, Claim>;
  /** POSTs without a known code, oldest first. Their rows are looked up before anything is sent for them. */
  readonly unclear: readonly Sending[];
  /** POSTs that were repeated, until a later run has looked for duplicates. */
  readonly repeated: readonly Sending[];
  /** IDs of new codes that the user requested, by the IDs of the codes that they replace. */
  readonly replaced: ReadonlyMap<string, string>;
  /** Value that the service stores for exactly this one, if it differs. */
  storedOf(field: Field, value: string): string | undefined;
  readonly next: number;
}

export type How = 'id' | 'slug' | 'key' | 'ledger' | 'lost' | 'equal' | 'decision' | 'none';

/** What a run does for a row, or the outcome of a row for which nothing is sent. */
export type PlanAction =
  | 'create'
  | 'update'
  | 'delete'
  | 'adopt'
  | 'unchanged'
  | 'deleted'
  | 'exists'
  | 'edited'
  | 'conflict'
  | 'gone'
  | 'undecided'
  | 'failed'
  /** Not due yet, with `qr update --due`. */
  | 'later'
  | 'removed';

export interface FieldChange {
  readonly field: Field;
  readonly old: string;
  readonly new: string;
  /**
   * `overwrite`: another client changed it too, and the row wins. `keep`: the value of the service stays.
   * `edit`: `qr create` sends it only with `--apply-edits`. `drift`: an unmanaged status differs from the
   * last applied one.
   */
  readonly what: 'send' | 'overwrite' | 'keep' | 'conflict' | 'edit' | 'drift';
  /** Value that the row was saved with, if known. */
  readonly base?: string;
}

export interface PlanItem {
  readonly row?: Row;
  readonly key?: string;
  readonly action: PlanAction;
  readonly how: How;
  readonly code?: QrCode;
  readonly goneId?: string;
  readonly goneSlug?: string;
  readonly changes: readonly FieldChange[];
  readonly values?: NewCode;
  /** Body of the PATCH, also after a POST. */
  readonly send: CodeChanges;
  readonly pause?: 'removed' | 'backup';
  /** Removed key that no earlier run reported. */
  readonly isNews: boolean;
  /** Unclear POST that this one repeats. Before `isSettled`, the row waits for another look-up. */
  readonly repeats?: Sending;
  readonly isWaiting: boolean;
  /** The POST uses up a decision of the user. */
  readonly isDecided: boolean;
  readonly replaces?: string;
  /** For `undecided` and `exists`: codes that may belong to the row. */
  readonly candidates: readonly QrCode[];
  /** Reason of a question; undefined if the action states it. */
  readonly reason?: string;
  /** Records of what the plan found, independent of requests. */
  readonly learned: readonly LedgerRecord[];
}

/** Reason to send nothing without consent (9). */
export interface Brake {
  readonly is: 'max-changes' | 'all-removed' | 'shifted' | 'other-workspace';
  readonly message: string;
  readonly hint: string;
}

export interface Plan {
  /** In the order of the file; then removed keys, sorted. */
  readonly items: readonly PlanItem[];
  /** Codes whose rows were in an earlier version of this file. */
  readonly absent: readonly QrCode[];
  readonly unmanaged: number;
  readonly brakes: readonly Brake[];
  /** Faults of the file; nothing is sent if there are any (2). */
  readonly faults: readonly Fault[];
  readonly warnings: readonly Fault[];
}

export interface PlanInput {
  readonly run: string;
  readonly rows: readonly Row[];
  readonly listing: Listing;
  readonly ledger: LedgerView;
  readonly lock: ReadonlyMap<string, LockEntry> | undefined;
  readonly policy: Policy;
  /** The listing was read after the visibility delay, so unclear POSTs that it lacks were not applied. */
  readonly isSettled: boolean;
  /** IDs in earlier results of the file. If the workspace has none of them, it may be a different one. */
  readonly earlierIds?: ReadonlySet<string>;
}

/** Memory of the runs over files in one workspace. */
export interface Ledger {
  /** State as of the last record. */
  view(): LedgerView;
  /** Appends records, and resolves when they are on disk. */
  append(records: readonly LedgerRecord[]): Promise<void>;
  /** Appends records that become durable with the next `append`. */
  note(records: readonly LedgerRecord[]): void;
}
