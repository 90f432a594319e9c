import { inChunks } from '../../base/collections.ts';
import type { Row, RowSink } from '../../files/formats/row-sink.ts';
import type { ClockReading } from '../append/overlap.ts';
import { createTailProgress } from './progress.ts';
import type { TailRun, TailStateFile } from './state-file.ts';

export interface FoundScan {
  codeId: string;
  id: number | bigint;
  ms: number;
  row: Row;
  hasBegun: boolean;
}

export interface ScanPrinter {
  isContinued: boolean;
  startOf(codeId: string): { sinceMs: number; seen: ReadonlyMap<number | bigint, number> };
  print(scans: readonly FoundScan[]): Promise<void>;
  forget(codeId: string): void;
  commit(): Promise<void>;
  discard(): Promise<void>;
}

interface PrinterOutput {
  openSink(): Promise<RowSink>;
  flush(): Promise<void>;
  now(): ClockReading;
}

const BATCH_SCANS = 500;

export async function openScanPrinter(
  file: TailStateFile | undefined,
  run: TailRun,
  { openSink, flush, now }: PrinterOutput,
): Promise<ScanPrinter> {
  const start = await file?.begin(run);
  const progress = createTailProgress(start?.sinceMs ?? run.sinceMs, start?.positions ?? new Map());
  const sink = await openSink();
  return {
    isContinued: start?.isContinued ?? false,
    startOf(codeId) {
      if (!file) return { sinceMs: run.sinceMs, seen: new Map() };
      const { fromMs, printed } = progress.resume(codeId, now());
      return { sinceMs: fromMs, seen: printed };
    },
    async print(scans) {
      // S2: at most one batch is printed and not recorded.
      for (const batch of inChunks(scans, file ? BATCH_SCANS : Math.max(1, scans.length))) {
        await sink.write(batch.map(({ row }) => row));
        if (!file) continue;
        // S1: on disk before the state that records it.
        await flush();
        for (const { codeId, id, ms, hasBegun } of batch)
          progress.print(codeId, { id, ms }, { now: now(), hasBegun });
        progress.prune();
        await file.record(progress.positions);
      }
    },
    forget: (codeId) => void progress.positions.delete(codeId),
    commit: () => sink.commit(),
    discard: () => sink.discard(),
  };
}
