import type { ScanPage } from '../../service/shapes.ts';
import { orderOf } from '../export/export-scans.ts';
import { cut, pageReader, pageSizeOf, type ReadScans } from '../export/range.ts';
import { countRange, type RangeCount } from '../export/truncated-total.ts';
import { type Evidence, hoursBefore, type LastScan, type Windows } from './judge.ts';

interface EvidenceJob {
  read: ReadScans;
  createdMs?: number;
  windows: Windows;
}

/** Reads the evidence; its functions send more requests. Throws the errors of the service. */
export async function readEvidence({ read, createdMs, windows }: EvidenceJob): Promise<Evidence> {
  const { startMs, middleMs, weekMs, endMs } = windows;
  const all = await look(startMs, endMs);
  const isYoung = (createdMs ?? startMs) > startMs;
  if (all.isWhole) {
    const recent = cut(all.page, { sinceMs: weekMs, untilMs: endMs }).rows.length;
    const last = newestOf(all, endMs) ?? 'none';
    const baseline = all.scans - recent;
    return { ...asking(), recent, baseline, isCapped: false, last, isYoung, findLast: async () => last };
  }
  const week = await look(weekMs, endMs);
  const parts = all.isCapped ? await splitWeeks(week) : undefined;
  const baseline = parts ? parts.older.scans + parts.newer.scans : Math.max(0, all.scans - week.scans);
  const last = newestOf(week, endMs) ?? newestOf(all, endMs) ?? 'unknown';
  const latest = parts ? [week, parts.newer, parts.older].find(({ scans }) => scans > 0) : all;
  const findLast = async () => (latest ? lastPageOf(latest, endMs, all) : 'unknown');
  const isCapped = parts?.isCapped ?? false;
  return { ...asking(), recent: week.scans, baseline, isCapped, last, isYoung, findLast };

  /** W8: the margin includes every scan, whatever bounds the service applies. */
  function look(sinceMs: number | undefined, untilMs: number): Promise<RangeCount> {
    return countRange(read, { sinceMs, untilMs });
  }

  /** W7: counts the eight weeks in two halves; a total below that of the whole is not capped. */
  async function splitWeeks(week: RangeCount) {
    const older = await look(startMs, middleMs);
    const newer = await look(middleMs, weekMs);
    return { older, newer, isCapped: [older, newer, week].some(({ page }) => page.total >= all.page.total) };
  }

  function asking(): Pick<Evidence, 'countSameHours' | 'hasSince' | 'hasEarlier' | 'findEarlier'> {
    let before: Promise<RangeCount> | undefined;
    const earlier = () => {
      before ??= look(undefined, startMs);
      return before;
    };
    return {
      async countSameHours(weeks, lastMs) {
        const { sinceMs, untilMs } = hoursBefore(weeks, lastMs, endMs);
        return (await look(sinceMs, untilMs)).scans;
      },
      hasSince: async (sinceMs) => (await look(sinceMs, endMs)).scans > 0,
      hasEarlier: async () => (await earlier()).scans > 0,
      async findEarlier() {
        const found = await earlier();
        return found.scans === 0 ? 'none' : (newestOf(found, startMs) ?? (await lastPageOf(found, startMs)));
      },
    };
  }

  async function lastPageOf(
    { asked, page, isCapped }: RangeCount,
    untilMs: number,
    of?: RangeCount,
  ): Promise<LastScan> {
    const { total } = page;
    if (orderOf(page) !== 'ascending' || (isCapped && total >= (of?.page.total ?? 0))) return 'unknown';
    const last = await pageReader({ read, asked }, page)(Math.ceil(total / pageSizeOf(page)));
    return newestIn(last, untilMs) ?? 'unknown';
  }
}

function newestOf({ page, isWhole }: RangeCount, untilMs: number): { ms: number } | undefined {
  return isWhole || orderOf(page) === 'descending' ? newestIn(page, untilMs) : undefined;
}

function newestIn({ times }: ScanPage, untilMs: number): { ms: number } | undefined {
  const ms = times.reduce((newest, time) => (time < untilMs ? Math.max(newest, time) : newest), -Infinity);
  return Number.isFinite(ms) ? { ms } : undefined;
}
