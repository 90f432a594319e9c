import { UnprovenError } from '../../base/errors.ts';
import { createLocalTime } from '../../base/time/local-time.ts';
import { DAY_MS, formatInstant, QUARTER_MS } from '../../base/time/time.ts';

export const PARTITIONS = ['day', 'month'] as const;

export interface Partitioning {
  by: (typeof PARTITIONS)[number];
  timezone: string;
}

const LENGTHS = { day: '2026-10-01'.length, month: '2026-10'.length } as const;

/** Formats `dt=2026-10-01`. Engines don't read a year without four digits. */
export function createPartitioner({ by, timezone }: Partitioning): (timeMs: number) => string {
  const { offsetMs } = createLocalTime(timezone);
  let lastDay = Number.NaN;
  let last = '';
  return (timeMs) => {
    const localMs = timeMs + offsetMs(timeMs);
    const day = Math.floor(localMs / DAY_MS);
    if (day === lastDay) return last;
    const [date = ''] = formatInstant(localMs).split('T');
    const partition = `dt=${date.slice(0, LENGTHS[by])}`;
    if (!isPartition(partition)) throw yearError(date, timezone);
    lastDay = day;
    last = partition;
    return last;
  };
}

function yearError(date: string, timezone: string): UnprovenError {
  return new UnprovenError(
    `cannot assign a scan dated ${date} (${timezone}) to a partition: the year must have four digits`,
    { hint: 'Exclude the scan with --since or --until, or use another --timezone for a new --output-dir.' },
  );
}

/** Returns the end of the partition that contains an instant, both in ms since the epoch. */
export function partitionEnd(partitionOf: (timeMs: number) => string, timeMs: number): number {
  let endMs = (Math.floor(timeMs / QUARTER_MS) + 1) * QUARTER_MS;
  while (partitionOf(endMs) === partitionOf(timeMs)) endMs += QUARTER_MS;
  return endMs;
}

export function isPartition(name: string): boolean {
  return /^dt=\d{4}-\d\d(-\d\d)?$/.test(name);
}
