/** What a run that creates codes, and its plan, are given: the rows, the journal, the listing and the user's decisions. */
import { collectPages } from '../../../base/collections/collect-pages.ts';
import type { Disk } from '../../../files/durable/disk.ts';
import { nodeDisk } from '../../../files/durable/node-disk.ts';
import type { Service } from '../../../service/service.ts';
import type { QrCode } from '../../../service/shapes.ts';
import type { Decisions } from './decisions.ts';
import type { ApplyEdits, InputRows } from './input-rows.ts';
import type { CreationKind } from './journal.ts';
import type { ListedCode } from './journal-records.ts';
import { type FoundJournal, type ListedRow, refuseForgotten } from './listed-rows.ts';
import type { NewRow } from './new-row.ts';
import type { RoundsJob } from './rounds.ts';

export interface CreateJob extends Omit<RoundsJob, 'rows' | 'listed' | 'listCodes'> {
  /** In the order of the input. */
  rows: readonly NewRow[];
  /** Path of the journal. Hold its lock. Undefined: the run keeps none, and cannot be resumed. */
  journalPath: string | undefined;
  disk?: Disk;
  /** Command that owns the journal; default: `qr create`. */
  kind?: CreationKind;
  /** The codes that the results of an earlier run list; undefined if they cannot be read. */
  readListedCodes: () => Promise<readonly ListedCode[] | undefined>;
  /** All rows of these results. */
  readListed: () => Promise<readonly ListedRow[]>;
  /** Every code of the workspace, page by page; throws at the end if the list could not be verified as complete. */
  listPages: () => AsyncIterable<readonly QrCode[]>;
  /** Rows that have a code with their values already are not sent. */
  skipExisting: boolean;
  /** The user's decisions about rows. */
  decisions: Decisions;
  /** Changes the codes of edited rows; missing if that was not requested. */
  applyEdits?: ApplyEdits | undefined;
  /** Value of `--moved-from`. */
  movedFrom?: string | undefined;
}

/** How the changes of edited rows ended. */
export type Edits = Awaited<ReturnType<InputRows['applyEdits']>>;
export const NO_EDITS: Edits = { stop: undefined, failed: new Map(), done: new Map() };

export type JournalJob = Pick<
  CreateJob,
  'rows' | 'journalPath' | 'disk' | 'kind' | 'readListedCodes' | 'readListed' | 'skipExisting' | 'movedFrom'
> & {
  service: GetService;
};

/** Returns the options of the journal. `found`: the codes that the results of an earlier run list. */
export function journalOptions(job: JournalJob, found: readonly ListedCode[] | undefined) {
  const { rows, journalPath: path, disk = nodeDisk, kind, service, skipExisting, readListed, movedFrom } = job;
  const listed = skipExisting ? [] : found;
  return {
    ...{ rows, path, disk, kind, movedFrom, workspace: service.workspace, getCode: service.getCode },
    check: (journal: FoundJournal) => refuseForgotten(path ?? '', { listed, readListed }, journal),
  };
}

type GetService = Pick<Service, 'workspace' | 'getCode'>;

/** The codes of the workspace, in each form that a run needs. */
export function createListing(listPages: CreateJob['listPages']) {
  let first: Promise<readonly QrCode[]> | undefined;
  const read = () => collectPages(listPages());
  return {
    read,
    /** As they were when they were first read. */
    once(): Promise<readonly QrCode[]> {
      first ??= read();
      return first;
    },
    /** As `once`, but not kept if only this needs them. */
    async *pages(): AsyncGenerator<readonly QrCode[]> {
      if (first) yield await first;
      else yield* listPages();
    },
  };
}
