/** Evidence on one code from the totals of the service: one request if a page shows all scans of the nine weeks, otherwise two. */
import type { ScanPage } from '../../service/shapes.ts';
import { orderOf } from '../export/export-scans.ts';
import {
  type Bounds,
  cut,
  pageReader,
  pageSizeOf,
  type ReadScans,
  readFirst,
  widened,
} from '../export/range.ts';
import { mayBeTruncated } from '../export/truncated-total.ts';
import { type Evidence, hoursBefore, type LastScan } from './judge.ts';
import type { Windows } from './windows.ts';

export interface EvidenceJob {
  /** Reads pages of the code. */
  read: ReadScans;
  /** When the code was created, ms since the epoch; undefined if unknown. */
  createdMs: number | undefined;
  windows: Windows;
}

/** The first page of a range, and what it shows. */
interface Look {
  asked: Bounds;
  page: ScanPage;
  total: number;
  scans: number;
  /** The service may have more scans than it counts. */
  isCapped: boolean;
  /** The page has all rows. */
  isWhole: boolean;
}

/** Sends the requests of every code; the functions of the result send more. Throws the errors of the service. */
export async function readEvidence({ read, createdMs, windows }: EvidenceJob): Promise<Evidence> {
  const { startMs, middleMs, weekMs, endMs } = windows;
  const all = await look(startMs, endMs);
  const isYoung = (createdMs ?? startMs) > startMs;
  if (all.isWhole) {
    const recent = inside(all.page, weekMs, endMs);
    const last = newestOf(all, endMs) ?? 'none';
    return {
      ...asking(),
      recent,
      baseline: all.scans - recent,
      isCapped: false,
      last,
      isYoung,
      findLast: async () => last,
    };
  }
  const week = await look(weekMs, endMs);
  const parts = all.isCapped ? await splitWeeks(week) : undefined;
  const baseline = parts ? parts.older.scans + parts.newer.scans : Math.max(0, all.scans - week.scans);
  const last = newestOf(week, endMs) ?? newestOf(all, endMs) ?? 'unknown';
  // W7: a capped total does not say which page is the last, but the total of a part may.
  const latest = parts ? [week, parts.newer, parts.older].find(({ scans }) => scans > 0) : all;
  const findLast = async () => (latest ? lastPageOf(latest, endMs, all) : 'unknown');
  return {
    ...asking(),
    recent: week.scans,
    baseline,
    isCapped: parts?.isCapped ?? false,
    last,
    isYoung,
    findLast,
  };

  /** W8: asked with the margin of an export, so that whatever bounds the service applies, no scan is missing. */
  async function look(sinceMs: number | undefined, untilMs: number): Promise<Look> {
    const asked = widened({ sinceMs, untilMs });
    const page = await readFirst(read, asked);
    const { total, rows } = page;
    const outside = rows.length - inside(page, sinceMs, untilMs);
    const isCapped = mayBeTruncated({ total, pageSize: pageSizeOf(page) });
    return {
      asked,
      page,
      total,
      scans: Math.max(0, total - outside),
      isCapped,
      isWhole: rows.length >= total && !isCapped,
    };
  }

  /** W7: counts the eight weeks in two halves. All totals are capped at the same number; a total below that of the whole is not capped. */
  async function splitWeeks(week: Look): Promise<{ older: Look; newer: Look; isCapped: boolean }> {
    const older = await look(startMs, middleMs);
    const newer = await look(middleMs, weekMs);
    return { older, newer, isCapped: [older, newer, week].some(({ total }) => total >= all.total) };
  }

  function asking(): Pick<Evidence, 'countSameHours' | 'hasSince' | 'hasEarlier' | 'findEarlier'> {
    let before: Promise<Look> | undefined;
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

  /** `of`: a range that includes this one. */
  async function lastPageOf(
    { asked, page, total, isCapped }: Look,
    untilMs: number,
    of?: Look,
  ): Promise<LastScan> {
    if (orderOf(page) !== 'ascending' || (isCapped && total >= (of?.total ?? 0))) return 'unknown';
    const last = await pageReader({ read, asked }, page)(Math.ceil(total / pageSizeOf(page)));
    return newestIn(last, untilMs) ?? 'unknown';
  }
}

/** Returns the latest scan before `untilMs`, if the page shows it: it has all rows, or the newest first. */
function newestOf({ page, isWhole }: Look, untilMs: number): { ms: number } | undefined {
  return isWhole || orderOf(page) === 'descending' ? newestIn(page, untilMs) : undefined;
}

function newestIn({ times }: ScanPage, untilMs: number): { ms: number } | undefined {
  const ms = times.reduce(
    (newest, time) => (time < untilMs ? Math.max(newest, time) : newest),
    Number.NEGATIVE_INFINITY,
  );
  return Number.isFinite(ms) ? { ms } : undefined;
}

function inside(page: ScanPage, sinceMs: number | undefined, untilMs: number): number {
  return cut(page, { sinceMs, untilMs }).rows.length;
}
