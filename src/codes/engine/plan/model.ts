/**
 * Types of the engine for rows. `plan` is a pure function of them: rows (what the file asks for), listing (what the service has), ledger
 * (what neither of the two can show) and policy (what the verb may do). It imports nothing that reads, writes or waits.
 */
import type { UtmTags } from '../../../base/text/utm.ts';
import type { Fault, InputRow } from '../../../files/formats/read/input.ts';
import type { CodeChanges, NewCode, QrCode } from '../../../service/shapes.ts';
import type { Doubt } from '../../input/read-changes.ts';
import type { LockEntry } from '../lock/lock-file.ts';

export const FIELDS = ['name', 'destination', 'status'] as const;
export type Field = (typeof FIELDS)[number];

/** Values of the three fields as text; an absent destination is ''. A field that is missing is not known. */
export type Values = Readonly<Partial<Record<Field, string>>>;

/** Fingerprints of the values that a row was saved with, from its `base` cell. A field that is missing has none. */
export type Base = Readonly<Partial<Record<Field, string>>>;

/** What a plan of dated changes says about a field since a time. */
export interface DueMark {
  readonly atMs: number;
  readonly says: string;
}

/** Dated change of a field whose time has come. */
export interface DueWish extends DueMark {
  /** Values that rows with earlier times gave the field. */
  readonly earlier: readonly string[];
}

/** Answer in the `decision` column of a results file. */
export type RowDecision =
  /** Id or slug: "it is that one". */
  | { readonly is: 'code'; readonly name: string }
  /** `new`: a new code. `mine`: the values of the row. `theirs`: those of the service. `skip`: nothing. */
  | { readonly is: 'new' | 'mine' | 'theirs' | 'skip' };

export interface Row extends InputRow {
  readonly key: string | undefined;
  /** In lower case. */
  readonly id: string | undefined;
  readonly slug: string | undefined;
  /** Wanted values; a field that is absent stays as it is. The destination includes the tags. */
  readonly wish: CodeChanges;
  readonly type: string | undefined;
  /** Tags for the destination that the code has, if the row has none. */
  readonly utm: UtmTags | undefined;
  readonly base: Base | undefined;
  /** Its `updated_at`, ms since the epoch. */
  readonly updatedAtMs: number | undefined;
  readonly decision: RowDecision | undefined;
  /** Kind of file, if a spreadsheet may have saved it. */
  readonly through: 'csv' | 'xlsx' | undefined;
  /** Faults of cells that are valid if the code already has their value. */
  readonly doubts: readonly Doubt[];
  /** `qr update --due`: its time, ms since the epoch. */
  readonly atMs?: number | undefined;
  /** `qr update --due`: what the plan says about the code now, by field; of a row that represents all rows of a code. */
  readonly due?: Readonly<Partial<Record<Field, DueWish>>>;
  /** Fault of a type that qrctl doesn't know, valid for a code that has it. */
  readonly typeFault: Fault | undefined;
  /** Fault of the whole file, if a new code needs a destination and the file has no column of them. */
  readonly noDestination: Fault | undefined;
}

export interface Listing {
  /** By id in lower case, oldest first. */
  readonly codes: ReadonlyMap<string, QrCode>;
  /** Every code of the workspace is there; false if only the codes that the rows specify were read. */
  readonly isWhole: boolean;
}

/** Decisions of the command line. ROW is the number of a line or a key. */
export interface Decisions {
  /** `--adopt ROW=CODE`: id or slug by ROW. */
  readonly adopt: ReadonlyMap<string, string>;
  /** `--as-new ROW`: number of times that it was passed, by ROW. */
  readonly asNew: ReadonlyMap<string, number>;
  /** `--as-new all` */
  readonly asNewAll: boolean;
}

/** What a verb may do with a row. */
export interface Policy {
  readonly verb: 'create' | 'update' | 'apply' | 'delete';
  /** Which side wins where both changed a field; `ask`: the row is left (9). */
  readonly conflicts: 'ask' | 'file' | 'service';
  /** `qr update --due`: the plan may run unattended, so that the number of changes is not limited by default. */
  readonly isDated: boolean;
  /** `qr create`: rows that differ from their codes are sent. */
  readonly applyEdits: boolean;
  /** `qr apply`: codes with the values of a row are the row's. */
  readonly adoptExisting: boolean;
  /** `qr apply`: what happens to the codes of keys that the file no longer has. */
  readonly removed: 'report' | 'pause';
  /** Greatest number of changes, not counting creations; undefined: the default. */
  readonly maxChanges: { readonly count: number } | { readonly percent: number } | undefined;
  /** Destinations that cannot be opened, a column sorted by itself, and ids of another workspace are wanted. */
  readonly force: boolean;
  readonly decisions: Decisions;
}

/** Line of the ledger. `n` numbers the requests; it rises over all runs of a ledger. Ids are in lower case. */
export type LedgerRecord =
  /** A run begins. `ids`: those of its first listing, if it may create. */
  | { readonly is: 'run'; readonly run: string; readonly ids?: readonly string[] }
  /** Before a POST. `again`: the earlier request of the same row. `replaces`: the code that the row had. `decided`: the user asked for it. */
  | {
      readonly is: 'post';
      readonly run: string;
      readonly n: number;
      readonly values: NewCode;
      readonly key?: string;
      readonly again?: number;
      readonly replaces?: string;
      readonly decided?: true;
      /** Status that the new code is to get. */
      readonly status?: string;
    }
  /** A POST, or an unclear one that was looked up, made this code. `stored`: its values as the service has them. */
  | {
      readonly is: 'made';
      readonly n: number;
      readonly id: string;
      readonly slug: string;
      readonly stored: Values;
      /** The run that looked it up was asked for a new code of its row, and takes this one for it. */
      readonly decided?: true;
    }
  /** The POST or PATCH was certainly not applied. */
  | { readonly is: 'not'; readonly n: number }
  /** Before a PATCH. `row`: the values of the row. `pause`: the key was removed from the file, or `qr delete --backup` stops scans. */
  | {
      readonly is: 'patch';
      readonly run: string;
      readonly n: number;
      readonly id: string;
      readonly set: Values;
      readonly before: Values;
      readonly key?: string;
      readonly row?: NewCode;
      readonly pause?: 'removed' | 'backup';
      /** The dated changes that it makes. */
      readonly due?: Readonly<Partial<Record<Field, DueMark>>>;
    }
  /** The PATCH was applied; the values of its fields as the service has them. */
  | { readonly is: 'set'; readonly n: number; readonly stored: Values }
  /** The time of dated changes came, and nothing is sent for them. `stored`: the values that the code has and keeps. */
  | {
      readonly is: 'due';
      readonly run: string;
      readonly id: string;
      readonly due: Readonly<Partial<Record<Field, DueMark>>>;
      readonly stored: Values;
    }
  /** Before a DELETE. */
  | { readonly is: 'delete'; readonly run: string; readonly n: number; readonly id: string }
  | { readonly is: 'deleted'; readonly n: number }
  /** A row turned out to be an existing code. */
  | {
      readonly is: 'found';
      readonly run: string;
      readonly id: string;
      readonly row: NewCode;
      readonly stored: Values;
      readonly key?: string;
      /** The user asked for a new code in place of this one, and another machine created it. */
      readonly replaces?: string;
    }
  /** The user decided about an unclear POST, or about one that was sent twice: it is not looked up again. */
  | { readonly is: 'decided'; readonly n: number }
  /** A run ended, and looked up every unclear request that was older than itself. */
  | { readonly is: 'end'; readonly run: string };

/** One change of ours of a field, as the ledger has it. */
export interface OwnChange {
  readonly from: string;
  readonly sent: string;
  readonly stored: string;
}

/** What the ledger knows about a code. */
export interface Claim {
  readonly id: string;
  readonly key: string | undefined;
  /** Values of its row as they were sent or found, newest first. */
  readonly rows: readonly NewCode[];
  readonly origin: 'made' | 'found' | 'changed';
  /** Number of the request that made it; 0 if none is known. Equal rows keep their codes in this order. */
  readonly n: number;
  /** Number that rises with the order of the ledger: the newest claim of equal ones counts first. */
  readonly order: number;
  /** Newest run in which its row took part. */
  readonly run: string;
  /** Values after our last change of each field. */
  readonly stored: Values;
  /** Our changes of each field, oldest first. */
  readonly changes: Readonly<Record<Field, readonly OwnChange[]>>;
  /** Dated changes of each field that are done, or begun; the newest of each time, oldest first. */
  readonly due?: Readonly<Partial<Record<Field, readonly DueMark[]>>>;
  /** The user asked for it as a new code: the same decision makes no other one. */
  readonly isDecided: boolean;
  /** Status that its row had when it was created, and that was not sent yet. */
  readonly unsent: string | undefined;
  /** We paused it: its key was removed, or a backup was being made. `status`: what it had before. */
  readonly paused: { readonly why: 'removed' | 'backup'; readonly status: string } | undefined;
  readonly isDeleted: boolean;
}

/** POST whose response was lost, or that was repeated. */
export interface Sending {
  readonly n: number;
  readonly run: string;
  readonly values: NewCode;
  readonly key: string | undefined;
  readonly replaces: string | undefined;
  readonly decided: boolean;
  readonly status: string | undefined;
  /** The earlier request of the same row that it repeats. */
  readonly again: number | undefined;
  /** Ids of the first listing of its run. */
  readonly firstIds: ReadonlySet<string>;
  /** It was repeated, and its row has this code: an additional code with its values would be a duplicate. */
  readonly rowCode: string | undefined;
}

/** What a ledger says, replayed from its records. */
export interface LedgerView {
  /** By id in lower case. */
  readonly claims: ReadonlyMap<string, Claim>;
  /** POSTs without a known code: their rows are looked up before anything is sent for them. Oldest first. */
  readonly unclear: readonly Sending[];
  /** POSTs that were repeated after no code was found, while a later run has not looked. */
  readonly repeated: readonly Sending[];
  /** Codes that a `new` of the user replaced: by the id of the old one, id of the new one. */
  readonly replaced: ReadonlyMap<string, string>;
  /** Returns what the service made of exactly this value, if it stored another; undefined if that is not known. */
  storedOf(field: Field, value: string): string | undefined;
  /** Number for the next request. */
  readonly next: number;
}

/** How a row was recognized. */
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
  /** `qr update --due`: its time has not come. */
  | 'later'
  /** `qr apply`: the file no longer has the key. */
  | 'removed';

/** Field in which row and code differ. */
export interface FieldChange {
  readonly field: Field;
  readonly old: string;
  readonly new: string;
  /**
   * `send`: only the row changed it. `overwrite`: another client changed it too, and the row wins. `keep`: the value of the service stays.
   * `conflict`: the user decides. `edit`: a change that `qr create` sends only with `--apply-edits`. `drift`: a status that the file does
   * not manage differs from the last applied one.
   */
  readonly what: 'send' | 'overwrite' | 'keep' | 'conflict' | 'edit' | 'drift';
  /** Value that the row was saved with, if it is known. */
  readonly base: string | undefined;
}

export interface PlanItem {
  /** Undefined for a key that was removed from the file. */
  readonly row: Row | undefined;
  readonly key: string | undefined;
  readonly action: PlanAction;
  readonly how: How;
  readonly code: QrCode | undefined;
  readonly goneId: string | undefined;
  readonly goneSlug: string | undefined;
  readonly changes: readonly FieldChange[];
  readonly values: NewCode | undefined;
  /** Body of the PATCH, also after a POST; empty if there is none. */
  readonly send: CodeChanges;
  readonly pause: 'removed' | 'backup' | undefined;
  /** A removed key that no earlier run reported. */
  readonly isNews: boolean;
  /** Unclear POST that this one repeats. Before `isSettled`, the row waits: it is looked up once more first. */
  readonly repeats: Sending | undefined;
  readonly isWaiting: boolean;
  /** The POST uses a decision of the user, and replaces this code. */
  readonly isDecided: boolean;
  readonly replaces: string | undefined;
  /** For `undecided` and `exists`: codes that may be the row's. */
  readonly candidates: readonly QrCode[];
  /** Reason of a question, in words; undefined if the action says it. */
  readonly reason: string | undefined;
  /** Records for the ledger that follow from the plan alone, whether or not anything is sent. */
  readonly learned: readonly LedgerRecord[];
}

/** Reason to send nothing at all until the user agrees (9). */
export interface Brake {
  readonly is: 'max-changes' | 'all-removed' | 'shifted' | 'other-workspace';
  readonly message: string;
  readonly hint: string;
}

export interface Plan {
  /** In the order of the file; then removed keys, sorted. */
  readonly items: readonly PlanItem[];
  /** Codes whose rows took part in an earlier run with rows of this file, and are no longer in the file. */
  readonly absent: readonly QrCode[];
  /** Codes of the workspace that no row has. */
  readonly unmanaged: number;
  readonly brakes: readonly Brake[];
  /** Nothing is sent if there are any (2). */
  readonly faults: readonly Fault[];
  readonly warnings: readonly Fault[];
}

export interface PlanInput {
  readonly run: string;
  readonly rows: readonly Row[];
  readonly listing: Listing;
  readonly ledger: LedgerView;
  /** `qr apply`: entries of the lock file, by key. */
  readonly lock: ReadonlyMap<string, LockEntry> | undefined;
  readonly policy: Policy;
  /** The listing was read after `--settle` had passed since the unclear POSTs: what it lacks was not created. */
  readonly isSettled: boolean;
  /** Ids in the results of an earlier run over the file: if the workspace has none of them, it may be another one. */
  readonly earlierIds?: ReadonlySet<string> | undefined;
}

/** Memory of the runs over files in one workspace. */
export interface Ledger {
  /** As of the last record. */
  view(): LedgerView;
  /** Adds records, in order; resolves when they are on disk. */
  append(records: readonly LedgerRecord[]): Promise<void>;
  /** Adds records that become durable with the next `append`. */
  note(records: readonly LedgerRecord[]): void;
}
