/** The scans of several codes, one after the other, while the first pages of the next are on their way. */
import { NotFoundError, RejectedError, UnavailableError, UnexpectedAnswerError, UnprovenError, UsageError } from '../errors.ts';
import type { Service } from '../service/service.ts';
import type { QrCode, ScanPage } from '../service/shapes.ts';
import { exportScans, type Target } from './export-scans.ts';
import { type FetchInOrder, type ReadScans, readFirst } from './query.ts';

/** What the rows of one code are labelled with; of a code given by its id only that is known. */
export type CodeLabel = Pick<QrCode, 'id'> & Partial<QrCode>;

/** Where the rows of one code go, from when on they are wanted, and how that ends. */
export interface CodeTarget extends Target {
  /** Lower bound for this code, ms since the epoch; undefined: from its first scan. */
  sinceMs: number | undefined;
  /** Rows of this code that are new in the output, so far. */
  rows(): number;
  finish(): Promise<void>;
  /** The code failed: forgets its rows, or keeps what is committed. Never throws; idempotent. */
  abort(): Promise<void>;
}

export interface CodesExport {
  service: Pick<Service, 'listScans' | 'getCode' | 'nowMs'>;
  codes: readonly CodeLabel[];
  /** Exclusive upper bound, ms since the epoch; undefined: the service's clock at the first answer. */
  untilMs: number | undefined;
  /** The machine's clock, for a service that does not tell its time. */
  now(): number;
  fetchInOrder: FetchInOrder;
  width: number;
  openTarget(code: CodeLabel): Promise<CodeTarget>;
  note(line: string): void;
  /** Told after each write: rows exported in all, how many there are once every code was asked, and codes done. */
  progress(state: { rows: number; total: number | undefined; codes: number }): void;
}

export interface CodeFailure {
  code: CodeLabel;
  error: Error;
}

export interface Summary {
  /** Rows that are new in the output. */
  scans: number;
  /** Codes exported. */
  codes: number;
  failures: CodeFailure[];
}

interface Prepared {
  code: CodeLabel;
  target: CodeTarget;
  first: ScanPage;
}

/** Codes in a row that the service fails on, after all retries, before it is taken for down. */
const MOST_DOWN = 1;

/**
 * Exports each code into its target. A code that is gone, cannot be proven, that the service alone fails on or whose file is
 * refused fails alone, is named in the summary, and the others go on; anything else (network, disk, key, interruption) is thrown.
 */
export async function exportCodes(job: CodesExport): Promise<Summary> {
  const summary: Summary = { scans: 0, codes: 0, failures: [] };
  const open = new Set<CodeTarget>();
  let untilMs = job.untilMs ?? job.service.nowMs();
  let expected = 0;
  let asked = 0;
  let down = 0;

  async function prepare(code: CodeLabel): Promise<Prepared> {
    const target = await job.openTarget(code);
    open.add(target);
    untilMs ??= job.service.nowMs();
    const first = await readFirst((request) => job.service.listScans(code.id, request), { sinceMs: target.sinceMs, untilMs });
    untilMs ??= first.serviceTimeMs ?? job.now();
    expected += first.total;
    asked += 1;
    return { code, target, first };
  }

  function start(code: CodeLabel) {
    const prepared = prepare(code);
    prepared.catch(() => undefined); // its turn comes when it is run
    return { code, prepared };
  }

  async function run({ code, target, first }: Prepared): Promise<void> {
    const before = summary.scans;
    const count = () => {
      summary.scans = before + target.rows();
      const total = asked === job.codes.length ? Math.max(expected, summary.scans) : undefined;
      job.progress({ rows: summary.scans, total, codes: summary.codes });
    };
    const counted: Target = {
      startOver: () => target.startOver(),
      write: async (batch) => {
        await target.write(batch);
        count();
      },
    };
    const { service, ...rest } = job;
    const range = { sinceMs: target.sinceMs, untilMs: untilMs ?? job.now() };
    const read: ReadScans = (request) => service.listScans(code.id, request);
    try {
      const checkExists = () => service.getCode(code.id);
      await exportScans({ ...rest, code: code.slug ?? code.id, read, range, first, checkExists }, counted);
      await target.finish();
      summary.codes += 1;
      down = 0;
    } finally {
      await target.abort();
      open.delete(target);
      count();
    }
  }

  async function fail(code: CodeLabel, error: unknown): Promise<void> {
    if (error instanceof UnavailableError) down += 1;
    if (!isOfOneCode(error, { asked, down })) throw error;
    summary.failures.push({ code, error });
  }

  try {
    const [leader, ...others] = job.codes;
    // The first answer freezes the end of the range for all, so nothing else is asked before it is there.
    if (leader)
      await prepare(leader)
        .then(run)
        .catch((error) => fail(leader, error));
    const ahead = job.fetchInOrder(others.keys(), async (i) => start(others[i] as CodeLabel), job.width);
    for await (const { code, prepared } of ahead) await prepared.then(run).catch((error) => fail(code, error));
  } finally {
    for (const target of open) await target.abort();
  }
  return summary;
}

/** A failure that says nothing about the other codes. `asked`: codes whose range the service took, `down`: failed in a row. */
function isOfOneCode(error: unknown, { asked, down }: { asked: number; down: number }): error is Error {
  if (error instanceof RejectedError) return asked > 0;
  if (error instanceof UnavailableError) return error.status !== undefined && down <= MOST_DOWN;
  return [NotFoundError, UnprovenError, UnexpectedAnswerError, UsageError].some((failure) => error instanceof failure);
}
