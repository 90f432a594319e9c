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
  atMs: number;
  says: string;
}

export interface DueWish extends DueMark {
  earlier: readonly string[];
}

export type RowDecision =
  | { is: 'code'; name: string }
  /** `mine`: send the row's values. `theirs`: keep the service's values. */
  | { is: 'new' | 'mine' | 'theirs' | 'skip' };

export interface Row extends InputRow {
  key?: string;
  id?: string;
  slug?: string;
  /** Wanted values. A missing field stays unchanged, apart from the tags in `utm`. */
  wish: CodeChanges;
  type?: string;
  utm?: UtmTags;
  /** Whether all UTM tags come from flags. If so, a code without a web address gets none. */
  mayLackUtm?: boolean;
  keepUtm?: boolean;
  /** ID of the code if the row is its backup. */
  backupOf?: string;
  base?: Base;
  updatedAtMs?: number;
  decision?: RowDecision;
  /** Set if this run assigned a code to the row (`named`), or if the row failed. */
  inRun?: 'named' | 'failed';
  /** Format of the file, if a spreadsheet may have saved it. */
  through?: 'csv' | 'xlsx';
  doubts: readonly Doubt[];
  atMs?: number;
  due?: Readonly<Partial<Record<Field, DueWish>>>;
  typeFault?: Fault;
  noDestination?: Fault;
}

export interface Listing {
  codes: ReadonlyMap<string, QrCode>;
  isWhole: boolean;
}

export interface Decisions {
  adopt: ReadonlyMap<string, string>;
  asNew: ReadonlyMap<string, number>;
  asNewAll: boolean;
}

export interface Policy {
  verb: 'create' | 'update' | 'apply' | 'delete';
  /** Side that wins if both sides changed a field. With `ask`, nothing is sent for the row. */
  conflicts: 'ask' | 'file' | 'service';
  isDated: boolean;
  applyEdits: boolean;
  adoptExisting: boolean;
  removed: 'report' | 'pause';
  /** Maximum number of codes to change, or their percentage of the known codes. New codes don't count. */
  maxChanges: { count: number } | { percent: number } | undefined;
  force: boolean;
  decisions: Decisions;
}

export interface OwnChange {
  from: string;
  sent: string;
  stored: string;
}

export interface Claim {
  id: string;
  key?: string;
  /** Values of the code's row as sent or found, newest first. */
  rows: readonly NewCode[];
  origin: 'made' | 'found' | 'changed';
  /** Number of the POST that created the code; 0 if unknown. Decides the order of equal codes. */
  n: number;
  /** Position of the code's latest record in the ledger. */
  order: number;
  /** Run that created or found the code; '' if runs only changed the code. */
  run: string;
  /** Whether the run in `run` recorded its end. */
  isEnded?: boolean;
  stored: Values;
  /** Changes sent by qrctl, oldest first. */
  changes: Readonly<Record<Field, readonly OwnChange[]>>;
  /** Dated changes that runs sent or that needed no request, oldest first. Only the last one per time is stored. */
  due?: Readonly<Partial<Record<Field, readonly DueMark[]>>>;
  /** Whether the user requested this code as a new one. If so, the decision is not used again. */
  isDecided: boolean;
  unsent?: string;
  paused?: { why: 'removed' | 'backup'; status: string };
  isDeleted: boolean;
}

/** POST that has no clear response, or that was repeated. */
export interface Sending {
  n: number;
  run: string;
  values: NewCode;
  key?: string;
  replaces?: string;
  decided: boolean;
  status?: string;
  again?: number;
  firstIds: ReadonlySet<string>;
  /** Code of a repeated request. Another new code with the same values may be a duplicate. */
  rowCode?: string;
}

export interface LedgerView {
  claims: ReadonlyMap<string, Claim>;
  /** POSTs without a known code, oldest first. */
  unclear: readonly Sending[];
  /** POSTs that were repeated, until a later run has looked for duplicates. */
  repeated: readonly Sending[];
  /** IDs of new codes that the user requested, by the IDs of the codes that they replace. */
  replaced: ReadonlyMap<string, string>;
  /** Returns the value that the service stores for a sent value, if they differ. */
  storedOf(field: Field, value: string): string | undefined;
  next: number;
}

/** How a code was found. `guess`: by its name or destination. */
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
  field: Field;
  old: string;
  new: string;
  /**
   * `overwrite`: the row wins over a later change. `keep`: the service's value stays. `edit`: `qr create`
   * needs `--apply-edits` to send it. `drift`: an unmanaged status differs from the last applied one.
   */
  what: 'send' | 'overwrite' | 'keep' | 'conflict' | 'edit' | 'drift';
  base?: string;
}

export interface PlanItem {
  row?: Row;
  key?: string;
  action: PlanAction;
  how: How;
  code?: QrCode;
  goneId?: string;
  goneSlug?: string;
  changes: readonly FieldChange[];
  values?: NewCode;
  send: CodeChanges;
  pause?: 'removed' | 'backup';
  isNews?: boolean;
  /** Unclear POST that the row's POST repeats. Until `isSettled`, the row waits for another look-up. */
  repeats?: Sending;
  isWaiting: boolean;
  isDecided: boolean;
  replaces?: string;
  candidates: readonly QrCode[];
  reason?: string;
  nextStep?: string;
  /** Whether the code is a guess in a file with IDs. If so, `--apply-edits` does not change it. */
  isForeign?: boolean;
  learned: readonly LedgerRecord[];
}

export interface Brake {
  is: 'max-changes' | 'all-removed' | 'shifted' | 'other-workspace';
  message: string;
  advice?: string;
  flag: string;
}

export interface Plan {
  items: readonly PlanItem[];
  absent: readonly QrCode[];
  unmanaged: number;
  brakes: readonly Brake[];
  faults: readonly Fault[];
  warnings: readonly Fault[];
}

export interface PlanInput {
  run: string;
  rows: readonly Row[];
  listing: Listing;
  ledger: LedgerView;
  lock: ReadonlyMap<string, LockEntry> | undefined;
  policy: Policy;
  /**
   * Whether the listing was read after the visibility delay, so that POSTs without a code were not applied.
   */
  isSettled: boolean;
  /** IDs in the file's earlier results. If most do not exist, this may be a different workspace. */
  earlierIds?: ReadonlySet<string>;
}

export interface Ledger {
  view(): LedgerView;
  /** Appends records; resolves when they are on disk. */
  append(records: readonly LedgerRecord[]): Promise<void>;
  /** Appends records that become durable with the next `append`. */
  note(records: readonly LedgerRecord[]): void;
}
