import { basename } from 'node:path';
import { getOrAdd, sum } from '#base/collections';
import { errorOf, UsageError } from '#base/errors';
import { countOf, formatCount, quote } from '#base/text/quote';
import { type DiskFile, ifPresent } from '#files/durable/disk';
import { withTrusted } from '#files/durable/trusted-file';
import { createIdSet, type IdSet } from '#scans/stats/input/distinct';
import type { RowTail } from './add-rows.ts';
import { checkedHash } from './committed-point.ts';
import { keepOldFile, type OpenJob } from './current-state.ts';
import { isRotated } from './overlap.ts';
import { findFirstRow, readRows } from './read-back.ts';
import { type SavedRow, UnrecognizedRowError } from './row-parsers.ts';
import type { AppendState } from './state.ts';

type Job = Pick<OpenJob, 'disk' | 'paths' | 'identity' | 'begin' | 'signal' | 'remark'>;

type NewFile = Pick<RowTail, 'readBack'> & { rows: number };

export type OldFile = ReturnType<typeof createOldFile>;

export function createOldFile(job: Job, state: AppendState | undefined) {
  let reason: string | undefined;
  return {
    async isNeeded(built: NewFile): Promise<boolean> {
      if (state && isRotated(state.overlaps)) {
        job.remark?.(
          `Rotated files are unchanged. ${basename(job.paths.file)} now also contains their scans, if the service still has them`,
        );
      }
      reason = await reasonToKeep(job, state, built);
      return reason !== undefined;
    },
    async keep(): Promise<void> {
      const path = await keepOldFile(job.disk, job.paths.file);
      if (path !== undefined) job.remark?.(`Kept the old file as ${path}: ${reason}`);
    },
  };
}

/** A31: returns why to keep a file that was edited, can't be compared or has rows not in the new one. */
async function reasonToKeep(
  job: Job,
  state: AppendState | undefined,
  built: NewFile,
): Promise<string | undefined> {
  const { disk, paths, signal } = job;
  const found = await ifPresent(disk.lstat(paths.file));
  if (!found || found.size === 0) return undefined;
  const known = state?.bytes ? state : undefined;
  try {
    return await withTrusted(disk, paths.file, (file) => compare(job, known, file, built));
  } catch (error) {
    signal?.throwIfAborted();
    return `its scans can't be compared with the new ones (${error instanceof Error ? error.message : error})`;
  }
}

async function compare(
  job: Job,
  state: AppendState | undefined,
  file: DiskFile,
  built: NewFile,
): Promise<string | undefined> {
  const { signal } = job;
  const { size } = await file.stat();
  const identity = state?.identity ?? job.identity;
  const start = await findFirstRow(file, size, identity, state ? undefined : job.begin);
  const old: RowReader = async (onRow) => {
    const end = await readRows(file, { start, end: size, strict: true, signal }, identity, onRow);
    if (end < Math.min(state?.bytes ?? size, size)) throw new UnrecognizedRowError('an incomplete row');
  };
  const kept: RowReader = (onRow) => built.readBack(onRow, -Infinity);
  const missing = await countMissingRows({ old, kept, keptRows: built.rows });
  const isShorter = state !== undefined && size < state.bytes;
  const isEdited =
    state &&
    ((await errorOf(checkedHash(job, file, state, false), UsageError)) ||
      (state.stamp !== undefined && size > state.bytes));
  const change = isShorter ? 'it is shorter than the last run left it' : 'it was edited after the last run';
  const reasons = [isEdited ? change : undefined, formatMissing(missing, basename(job.paths.file))];
  return reasons.filter((reason) => reason !== undefined).join(', and ') || undefined;
}

const MOST_CODES = 5;

function formatMissing(missing: ReadonlyMap<string, number>, name: string): string | undefined {
  if (missing.size === 0) return undefined;
  const counts = [...missing].sort(([, one], [, other]) => other - one);
  const scans = sum(missing.values());
  const codes = counts
    .slice(0, MOST_CODES)
    .map(([code, count]) => `${formatCount(count)} from ${quote(code)}`);
  if (counts.length > MOST_CODES)
    codes.push(`the rest from ${countOf(counts.length - MOST_CODES, 'more code')}`);
  return `${countOf(scans, 'scan')} in it ${scans === 1 ? 'is' : 'are'} not in ${name} (${codes.join(', ')})`;
}

export type RowReader = (onRow: (row: Pick<SavedRow, 'code' | 'id'>) => void) => Promise<void>;

const MOST_IDS = 4_000_000;

/** Counts rows per code that only the old file has, in passes of about `mostIds` IDs to save memory. */
export async function countMissingRows(
  { old, kept, keptRows }: { old: RowReader; kept: RowReader; keptRows: number },
  mostIds = MOST_IDS,
): Promise<Map<string, number>> {
  const missing = new Map<string, number>();
  const passes = Math.max(1, Math.ceil(keptRows / mostIds));
  for (let pass = 0; pass < passes; pass++) {
    const isOfPass = (id: string) => Math.abs(Number(id.slice(-DIGITS))) % passes === pass;
    const sets = new Map<string, IdSet>();
    await kept(({ code = '', id }) => {
      if (isOfPass(id)) getOrAdd(sets, code, createIdSet).add(BigInt(id), 0);
    });
    await old(({ code = '', id }) => {
      if (isOfPass(id) && !sets.get(code)?.has(BigInt(id))) missing.set(code, (missing.get(code) ?? 0) + 1);
    });
  }
  return missing;
}

const DIGITS = 9;
