import {
  isOfOneCode,
  type NotFoundError,
  RejectedError,
  UnavailableError,
  UnprovenError,
  UsageError,
} from '#base/errors';
import { fetchInOrder } from '#base/parallel';
import { type Clock, formatInstant } from '#base/time/time';
import type { CodeSink, TimedRows } from '#files/formats/row-sink';
import type { Service } from '#service/service';
import type { QrCode, ScanPage } from '#service/shapes';
import { exportScans } from './export-scans.ts';
import {
  countsBeyond,
  MARGIN_MS,
  type Range,
  type ReadScans,
  readerOf,
  readFirst,
  type ScanService,
  widened,
  widest,
} from './range.ts';

/** Code, or only an ID. `missing` is the error of a request that did not find the code. */
export type CodeLabel = Pick<QrCode, 'id'> & Partial<QrCode> & { missing?: NotFoundError };

export interface CodesExport {
  service: ScanService & Pick<Service, 'nowMs'>;
  codes: readonly CodeLabel[];
  /** End of the range (exclusive) in ms; undefined for the current time. */
  untilMs?: number;
  clock: Pick<Clock, 'now' | 'sleep'>;
  signal?: AbortSignal;
  proveBeyond?: boolean;
  openSink(code: CodeLabel): Promise<CodeSink>;
  note(line: string): void;
  progress(state: { rows: number; total?: number; estimate: number; codes: number; range?: Range }): void;
}

export interface CodeFailure {
  code: CodeLabel;
  error: Error;
}

const MOST_DOWN = 1;

/** Exports codes. Throws errors that concern all of them, and returns others as `failures`. */
export async function exportCodes(job: CodesExport) {
  const failures: CodeFailure[] = [];
  const summary = { scans: 0, codes: 0, failures, range: undefined as Range | undefined };
  const open = new Set<CodeSink>();
  let { untilMs } = job;
  let expected = 0;
  let asked = 0;
  let down = 0;

  /** C16: fetches page 1 of a code's scans in advance, but writes no rows. */
  async function prepare(code: CodeLabel) {
    // C14: a missing code needs no request.
    if (code.missing) throw code.missing;
    const sink = await job.openSink(code);
    open.add(sink);
    untilMs ??= job.service.nowMs();
    const reader = readerOf(code, job.service);
    const { read } = reader;
    const sinceBy = (endMs: number | undefined) => {
      const sinceMs = endMs === undefined || !sink.sinceFor ? sink.sinceMs : sink.sinceFor(endMs);
      refuseEmptyRange(sinceMs, endMs);
      return sinceMs;
    };
    let firstIsOpen = untilMs === undefined;
    const askedMs = sinceBy(untilMs);
    let first = await readFirst(read, widened({ sinceMs: askedMs, untilMs }));
    // C1: the first response fixes the end of an open range.
    untilMs ??= first.serviceTimeMs ?? (await machineTime(read, job.clock.now(), first));
    const sinceMs = sinceBy(untilMs);
    const bounds = widened({ sinceMs, untilMs });
    if (sinceMs !== askedMs || (firstIsOpen && countsBeyond(first, bounds))) {
      first = await readFirst(read, bounds);
      firstIsOpen = false;
    }
    expected += first.total;
    asked += 1;
    const range = { sinceMs, untilMs };
    summary.range = widest(summary.range, range);
    return { code, sink, reader, range, first, firstIsOpen };
  }

  function start(code: CodeLabel) {
    const prepared = prepare(code);
    prepared.catch(() => undefined);
    return { code, prepared };
  }

  async function run({ code, sink, reader, ...reading }: Awaited<ReturnType<typeof prepare>>): Promise<void> {
    const before = summary.scans;
    const count = () => {
      summary.scans = before + sink.added();
      const total = asked === job.codes.length ? Math.max(expected, summary.scans) : undefined;
      const estimate = Math.max(summary.scans, Math.round((expected * job.codes.length) / asked));
      job.progress({ rows: summary.scans, total, estimate, codes: summary.codes, range: summary.range });
    };
    const counted = {
      checkpoint: () => sink.checkpoint(),
      write: async (batch: TimedRows) => {
        const added = await sink.write(batch);
        count();
        return added;
      },
    };
    const { proveBeyond, note } = job;
    const { untilMs } = reading.range;
    const bounded = { ...reading, asked: widened(reading.range), awaitEnd: () => awaitMargin(job, untilMs) };
    const isKnown = code.slug !== undefined;
    try {
      await exportScans({ ...reader, ...bounded, isKnown, proveBeyond, note }, counted);
      await sink.commit();
      summary.codes += 1;
      down = 0;
    } finally {
      // C17: drops the rows of a failed code.
      await sink.discard();
      open.delete(sink);
      count();
    }
  }

  function isFailureOfOneCode(error: unknown): error is Error {
    if (error instanceof RejectedError) return asked > 0;
    if (error instanceof UnavailableError) return error.status !== undefined && down <= MOST_DOWN;
    return isOfOneCode(error) || error instanceof UnprovenError || error instanceof UsageError;
  }

  async function fail(code: CodeLabel, error: unknown): Promise<void> {
    if (error instanceof UnavailableError) down += 1;
    // C17: continues only if the failure concerns this code alone.
    if (!isFailureOfOneCode(error)) throw error;
    failures.push({ code, error });
  }

  try {
    const takeTurn = ({ code, prepared }: ReturnType<typeof start>) =>
      prepared.then(run).catch((error) => fail(code, error));
    let alone = 0;
    // C1: exports codes one at a time until the end of the range is known.
    for (; alone === 0 || untilMs === undefined; alone++) {
      const code = job.codes[alone];
      if (!code) break;
      await takeTurn(start(code));
    }
    const others = job.codes.slice(alone);
    const ahead = fetchInOrder(others, async (code) => start(code), job.service.concurrency);
    for await (const turn of ahead) await takeTurn(turn);
  } finally {
    for (const sink of open) await sink.discard();
  }
  return summary;
}

/** C2: if the range ends now, waits until new scans are outside the margin of its end. */
async function awaitMargin({ service, clock, signal }: CodesExport, untilMs: number): Promise<void> {
  const leftMs = untilMs + MARGIN_MS - (service.nowMs() ?? clock.now());
  if (leftMs > 0 && leftMs <= MARGIN_MS) await clock.sleep(leftMs, signal);
}

/** C18: returns this machine's time. Throws UnprovenError if the service has later scans. */
async function machineTime(read: ReadScans, nowMs: number, first: ScanPage): Promise<number> {
  const request = { page: 1, limit: 1, sinceMs: nowMs + MARGIN_MS };
  if (!first.times.some((time) => time > nowMs) && (await read(request)).total === 0) return nowMs;
  throw new UnprovenError(
    `the service sends no Date header and has scans later than this machine's clock (${formatInstant(nowMs)})`,
    { hint: 'Set the clock of this machine, or specify the end of the range with --until.' },
  );
}

/** C19: refuses an empty range. */
function refuseEmptyRange(sinceMs: number | undefined, untilMs: number | undefined): void {
  if (sinceMs === undefined || untilMs === undefined || sinceMs < untilMs) return;
  throw new UsageError(
    `the end of the range (${formatInstant(untilMs)}) is not after its start (${formatInstant(sinceMs)})`,
    {
      hint: "Pass an earlier --since or a later --until. Without --until, the range ends at the service's current time.",
    },
  );
}
