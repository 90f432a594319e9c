import { getOrAdd, inChunks } from '#base/collections';
import type { Row, RowSink } from '#files/formats/row-sink';
import { CLOCK_NOISE_MS, type ClockReading, OVERLAP_MS, setBackOf } from '#scans/append/overlap';
import type { TailPosition, TailRun, TailStateFile } from './state-file.ts';

export interface FoundScan {
  codeId: string;
  position: TailPosition;
  id: number | bigint;
  ms: number;
  row: Row;
  hasBegun: boolean;
}

export type ScanPrinter = Awaited<ReturnType<typeof openScanPrinter>>;

const BATCH_SCANS = 500;

export async function openScanPrinter(
  file: TailStateFile | undefined,
  run: TailRun,
  { openSink, flush, now }: { openSink(): Promise<RowSink>; flush(): Promise<void>; now(): ClockReading },
) {
  const start = await file?.begin(run);
  const progress = createTailProgress(start?.sinceMs ?? run.sinceMs, start?.positions ?? new Map());
  const sink = await openSink();
  return {
    isContinued: start?.isContinued ?? false,
    positionOf: (codeId: string): TailPosition => progress.resume(codeId, now()),
    async print(scans: readonly FoundScan[]): Promise<void> {
      // S2: a kill leaves at most one batch printed but not recorded.
      for (const batch of inChunks(scans, BATCH_SCANS)) {
        await sink.write(batch.map(({ row }) => row));
        // S1: flushes the batch before the state that records it.
        if (file) await flush();
        for (const scan of batch) progress.print(scan, now());
        progress.prune();
        await file?.record(progress.positions);
      }
    },
    forget: (codeId: string) => void progress.positions.delete(codeId),
    commit: () => sink.commit(),
    discard: () => sink.discard(),
  };
}

const MOST_HELD = 10_000;

export function createTailProgress(sinceMs: number, positions: Map<string, TailPosition>) {
  return {
    positions,
    resume(code: string, now: ClockReading): TailPosition {
      const position = getOrAdd(positions, code, () => ({ fromMs: sinceMs, at: now, printed: new Map() }));
      const { at } = position;
      // If the service's clock was set back, time of the last write by this clock. Later scans are new.
      const wroteMs = setBackOf({ writtenAt: at }, now, OVERLAP_MS)?.toMs ?? Infinity;
      const latestMs = Math.min(wroteMs, now.serviceMs ?? now.machineMs) - OVERLAP_MS;
      position.fromMs = Math.max(Math.min(sinceMs, position.fromMs), Math.min(position.fromMs, latestMs));
      return position;
    },
    print({ codeId, position, id, ms, hasBegun }: Omit<FoundScan, 'row'>, now: ClockReading): void {
      // S9: a code that was deleted and is listed again keeps its position.
      positions.set(codeId, position);
      position.printed.set(id, ms);
      const fromMs = ms - OVERLAP_MS;
      const isTrusted =
        ms <= trustedMs(position.at, now) || (position.printed.size > MOST_HELD && ms <= timeOf(now));
      // S3: late scans may follow within the overlap. A scan dated in the future must not move the position.
      if (hasBegun && isTrusted && fromMs > position.fromMs) Object.assign(position, { fromMs, at: now });
    },
    prune(): void {
      for (const { fromMs, printed } of positions.values())
        for (const [id, ms] of printed) if (ms < fromMs) printed.delete(id);
    },
  };
}

function timeOf({ serviceMs, machineMs }: ClockReading): number {
  return serviceMs ?? machineMs;
}

/** S8: returns up to when scan times are trusted, because either clock may be ahead. */
function trustedMs(at: ClockReading, now: ClockReading): number {
  if (at.serviceMs === undefined) return timeOf(now);
  return Math.min(timeOf(now), at.serviceMs + Math.max(now.machineMs - at.machineMs, 0) + CLOCK_NOISE_MS);
}
