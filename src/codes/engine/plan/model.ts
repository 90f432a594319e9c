import type { UtmTags } from '#base/text/utm';
import type { LockEntry } from '#codes/engine/lock/lock-file';
import type { Doubt } from '#codes/input/read-changes';
import type { Fault, InputRow } from '#files/formats/read/input';
import type { CodeChanges, NewCode, QrCode } from '#service/shapes';
import type { LedgerRecord } from './ledger-lines.ts';

export const FIELDS = ['name', 'destination', 'status'] as const;
export type Field = (typeof FIELDS)[number];

/** Values of the fields as text. An absent destination is '', and a missing field is unknown. */
export type Values = Readonly<Partial<Record<Field, string>>>;

export type Base = Readonly<Partial<Record<Field, string>>>;

export interface DueMark {
  readonly atMs: number;
  readonly says: string;
}

export interface DueWish extends DueMark {
  readonly earlier: readonly string[];
}

export type RowDecision =
  | { readonly is: 'code'; readonly name: string }
  /** `mine`: send the values of the row. `theirs`: keep those of the service. */
  | { readonly is: 'new' | 'mine' | 'theirs' | 'skip' };

export interface Row extends InputRow {
  readonly key?: string;
  readonly id?: string;
  readonly slug?: string;
  /** Wanted values, including tags. A missing field stays unchanged. */
  readonly wish: CodeChanges;
  readonly type?: string;
  readonly utm?: UtmTags;
  readonly keepUtm?: boolean;
  /** ID of the code whose backup the row is. */
  readonly backupOf?: string;
  readonly base?: Base;
  readonly updatedAtMs?: number;
  readonly decision?: RowDecision;
  readonly isFailed?: boolean;
  /** Format of the row's file, if a spreadsheet may have saved it. */
  readonly through?: 'csv' | 'xlsx';
  /** Faults of cells that are valid if the code already has their value. */
  readonly doubts: readonly Doubt[];
  readonly atMs?: number;
  readonly due?: Readonly<Partial<Record<Field, DueWish>>>;
  /** Fault of an unknown type, which is valid if the code has that type. */
  readonly typeFault?: Fault;
  readonly noDestination?: Fault;
}

export interface Listing {
  readonly codes: ReadonlyMap<string, QrCode>;
  readonly isWhole: boolean;
}

export interface Decisions {
  readonly adopt: ReadonlyMap<string, string>;
  readonly asNew: ReadonlyMap<string, number>;
  readonly asNewAll: boolean;
}

export interface Policy {
  readonly verb: 'create' | 'update' | 'apply' | 'delete';
  /** Side that wins if both changed a field. `ask`: nothing is sent (9). */
  readonly conflicts: 'ask' | 'file' | 'service';
  readonly isDated: boolean;
  readonly applyEdits: boolean;
  readonly adoptExisting: boolean;
  readonly removed: 'report' | 'pause';
  /** Maximum number of changes, without creations; undefined for the default. */
  readonly maxChanges: { readonly count: number } | { readonly percent: number } | undefined;
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
  /** Values of the code's row as sent or found, newest first. */
  readonly rows: readonly NewCode[];
  readonly origin: 'made' | 'found' | 'changed';
  /** Number of the POST that created the code; 0 if unknown. Equal rows keep their codes in this order. */
  readonly n: number;
  /** Position in the ledger; the newest of equal claims takes precedence. */
  readonly order: number;
  readonly run: string;
  readonly stored: Values;
  /** Changes sent by qrctl, oldest first. */
  readonly changes: Readonly<Record<Field, readonly OwnChange[]>>;
  /** Dated changes that are applied or begun: the newest per time, oldest first. */
  readonly due?: Readonly<Partial<Record<Field, readonly DueMark[]>>>;
  /** Whether the user requested the code as a new one; that decision creates no other. */
  readonly isDecided: boolean;
  readonly unsent?: string;
  readonly paused?: { readonly why: 'removed' | 'backup'; readonly status: string };
  readonly isDeleted: boolean;
}

/** POST that has no clear response, or that was repeated. */
export interface Sending {
  readonly n: number;
  readonly run: string;
  readonly values: NewCode;
  readonly key?: string;
  readonly replaces?: string;
  readonly decided: boolean;
  readonly status?: string;
  readonly again?: number;
  readonly firstIds: ReadonlySet<string>;
  /** Code of the request's row, if the request was repeated. Another code with its values is a duplicate. */
  readonly rowCode?: string;
}

export interface LedgerView {
  readonly claims: ReadonlyMap<string, Claim>;
  /** POSTs without a known code, oldest first. */
  readonly unclear: readonly Sending[];
  /** POSTs that were repeated, until a later run has looked for duplicates. */
  readonly repeated: readonly Sending[];
  /** IDs of new codes that the user requested, by the IDs of the codes that they replace. */
  readonly replaced: ReadonlyMap<string, string>;
  /** Returns the value that the service stores for a sent one, if they differ. */
  storedOf(field: Field, value: string): string | undefined;
  readonly next: number;
}

/** `guess`: it has the row's name or destination, and no other row's. */
export type How = 'id' | 'slug' | 'key' | 'ledger' | 'lost' | 'equal' | 'guess' | 'decision' | 'none';

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
  | 'later'
  | 'removed';

export interface FieldChange {
  readonly field: Field;
  readonly old: string;
  readonly new: string;
  /**
   * `overwrite`: another client changed the field too, and the row wins. `keep`: the service's value stays.
   * `edit`: `qr create` sends it only with `--apply-edits`. `drift`: an unmanaged status differs from the
   * last applied one.
   */
  readonly what: 'send' | 'overwrite' | 'keep' | 'conflict' | 'edit' | 'drift';
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
  readonly send: CodeChanges;
  readonly pause?: 'removed' | 'backup';
  readonly isNews: boolean;
  /** Unclear POST that the row's POST repeats. Until `isSettled`, the row waits for another look-up. */
  readonly repeats?: Sending;
  readonly isWaiting: boolean;
  readonly isDecided: boolean;
  readonly replaces?: string;
  readonly candidates: readonly QrCode[];
  readonly reason?: string;
  /** Next step for the user, in place of that for all items with this action. */
  readonly nextStep?: string;
  readonly learned: readonly LedgerRecord[];
}

export interface Brake {
  readonly is: 'max-changes' | 'all-removed' | 'shifted' | 'other-workspace';
  readonly message: string;
  readonly hint: string;
}

export interface Plan {
  readonly items: readonly PlanItem[];
  readonly absent: readonly QrCode[];
  readonly unmanaged: number;
  readonly brakes: readonly Brake[];
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
  /** Whether the listing is from after the visibility delay, so POSTs that it lacks were not applied. */
  readonly isSettled: boolean;
  /** IDs in earlier results of the file. If the workspace has none of them, it may be a different one. */
  readonly earlierIds?: ReadonlySet<string>;
}

export interface Ledger {
  view(): LedgerView;
  /** Appends records; resolves when they are on disk. */
  append(records: readonly LedgerRecord[]): Promise<void>;
  /** Appends records that become durable with the next `append`. */
  note(records: readonly LedgerRecord[]): void;
}
