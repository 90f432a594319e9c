import { errorOf, messageOf, NotFoundError, UnavailableError, UnprovenError } from '#base/errors';
import { quote } from '#base/text/quote';
import { labelOf } from '#scans/export/added-columns';
import type { CodeLabel } from '#scans/export/export-codes';
import { exportScans } from '#scans/export/export-scans';
import { type CodeReader, type ReadScans, readerOf, type ScanService, widened } from '#scans/export/range';
import type { ScanRun } from '#scans/scan-run';
import type { Service } from '#service/service';
import type { Scan } from '#service/shapes';
import type { FoundScan, ScanPrinter } from './scan-printer.ts';
import type { TailPosition } from './state-file.ts';

interface FollowJob {
  codes: readonly CodeLabel[];
  service: ScanService & Pick<Service, 'nowMs'>;
  printer: ScanPrinter;
  hasCodes: boolean;
  list: (() => Promise<readonly CodeLabel[]>) | undefined;
  intervalMs: number;
  maxScans: number;
}

const RELIST_INTERVALS = 30;

/** Prints new scans until a signal, `maxScans` or the deletion of the last code. Waits during outages. */
export async function followCodes(run: ScanRun, job: FollowJob): Promise<void> {
  const { clock, signal, console } = run;
  const { codes, service, printer, hasCodes, list, intervalMs, maxScans } = job;
  const followed = new Map(codes.map((code) => [code.id, start(code)]));
  /** Codes followed in this run, to resume a deleted code that is listed again. */
  const known = new Map(followed);
  let isDown = false;
  let left = maxScans;
  try {
    for (let intervals = 0; left > 0 && followed.size > 0; intervals++) {
      const begun = clock.monotonic();
      if (list && intervals % RELIST_INTERVALS === RELIST_INTERVALS - 1) await followNew(list);
      const found = await Promise.all([...followed].map(([id, code]) => newScans(id, code)));
      const scans = found
        .flat()
        .sort((a, b) => a.ms - b.ms)
        .slice(0, left);
      await printer.print(scans);
      left -= scans.length;
      if (left > 0) await clock.sleep(Math.max(0, intervalMs - (clock.monotonic() - begun)), signal);
    }
    await printer.commit();
  } finally {
    await printer.discard();
  }

  function start(code: CodeLabel) {
    const position = printer.positionOf(code.id);
    const nowMs = () => service.nowMs() ?? clock.now();
    const follow = followCode({ ...readerOf(code, service), position, nowMs, note: console.note });
    return { label: hasCodes ? labelOf(code) : {}, position, follow };
  }

  async function followNew(listCodes: () => Promise<readonly CodeLabel[]>): Promise<void> {
    const listed = await listCodes().catch((error) => {
      const passing = [UnavailableError, NotFoundError, UnprovenError];
      if (passing.some((kind) => error instanceof kind)) return [];
      throw error;
    });
    for (const code of listed) {
      if (followed.has(code.id)) continue;
      const entry = known.get(code.id) ?? start(code);
      followed.set(code.id, entry);
      known.set(code.id, entry);
      console.note(`Following the new code ${quote(code.slug ?? code.id)}`);
    }
  }

  async function newScans(
    id: string,
    { follow, label, position }: ReturnType<typeof start>,
  ): Promise<FoundScan[]> {
    try {
      const found = await follow.next().catch(async (error) => {
        if (!(error instanceof NotFoundError)) throw error;
        // S9: only a request for the code itself shows that it is deleted.
        await service.getCode(id);
        return [];
      });
      if (isDown) console.note('The service is responding again');
      isDown = false;
      const hasBegun = follow.hasBegun();
      return found.map(({ ms, row }) => {
        return { codeId: id, position, id: row.id, ms, hasBegun, row: { ...label, ...row, ...label } };
      });
    } catch (error) {
      if (error instanceof NotFoundError && followed.size > 1) {
        followed.delete(id);
        printer.forget(id);
        console.note(`Code ${id} no longer exists`);
      } else if (error instanceof UnavailableError) {
        if (!isDown) console.note(`${messageOf(error)}; resuming when the service responds again`);
        isDown = true;
      } else throw error;
      return [];
    }
  }
}

interface CodeToFollow extends CodeReader {
  position: TailPosition;
  nowMs(): number;
  note(line: string): void;
}

/** Maximum number of known scans in a short reading, so that new scans fit on the page. */
const MOST_KNOWN = 250;
const FOREVER_MS = 8_640_000_000_000_000;

/** Creates a reader of a code's new scans. The printer moves `position`. */
export function followCode({ position, ...job }: CodeToFollow) {
  let shortReadings = 0;
  let hasBegun = false;
  let hasDoubted = false;

  /** Returns the time to read from: the position or, for a short reading, near the newest scans. */
  function nextStart(): number {
    const { fromMs, printed } = position;
    const isShort = hasBegun && shortReadings < printed.size / MOST_KNOWN;
    shortReadings = isShort ? shortReadings + 1 : 0;
    if (!isShort) return fromMs;
    // Ignores scans dated in the future, because they don't show where the newest scans are.
    const nowMs = job.nowMs();
    const times = [...printed.values()].filter((ms) => ms <= nowMs).sort((a, b) => b - a);
    return Math.max(fromMs, times[MOST_KNOWN] ?? 0);
  }

  return {
    /** Returns whether a reading from the position on was complete. */
    hasBegun: () => hasBegun,
    /** Returns unprinted scans, oldest first. After an error, the next call returns them. */
    async next() {
      const found = new Map<number | bigint, { ms: number; row: Scan }>();
      const fromMs = nextStart();
      const range = { sinceMs: fromMs, untilMs: FOREVER_MS };
      const asked = widened({ sinceMs: fromMs });
      async function read(request: Parameters<ReadScans>[0]) {
        const page = await job.read(request);
        for (const [at, row] of page.rows.entries()) {
          const ms = page.times[at] ?? 0;
          if (ms >= fromMs && !position.printed.has(row.id)) found.set(row.id, { ms, row });
        }
        return page;
      }
      const reading = exportScans(
        { ...job, read, range, asked, isKnown: true },
        // Allows repeated rows, because `found` has one row per ID.
        { write: async ({ rows }) => rows.length, checkpoint: async () => async () => true },
      );
      // Accepts an unverified reading, because the returned scans exist.
      const doubt = await errorOf(reading, UnprovenError);
      if (doubt && !hasDoubted) job.note(`${messageOf(doubt)}. Printing the scans that the service returned`);
      hasDoubted = doubt !== undefined;
      hasBegun ||= !hasDoubted;
      return [...found.values()].sort((a, b) => a.ms - b.ms || (a.row.id < b.row.id ? -1 : 1));
    },
  };
}
