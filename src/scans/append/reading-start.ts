import { basename } from 'node:path';
import { UnprovenError } from '#base/errors';
import { type Clock, formatDuration, formatInstant } from '#base/time/time';
import type { AppendRun } from './identity.ts';
import {
  type ClockReading,
  type CodeOverlap,
  positionBy,
  positionOf,
  readFrom,
  type SetBack,
  setBackOf,
} from './overlap.ts';

export interface ReadingStartJob
  extends Pick<AppendRun, 'overlapMs' | 'sinceMs' | 'untilMs' | 'serviceNow' | 'note' | 'warn'> {
  path: string;
  clock: Pick<Clock, 'now'>;
}

export function createReadingStart(job: ReadingStartJob) {
  const { path, overlapMs, sinceMs, clock, serviceNow = () => undefined, note, warn } = job;
  let hasNoted = false;
  let hasWarned = false;

  const now = (): ClockReading => ({ serviceMs: serviceNow(), machineMs: clock.now() });

  /** A23: without --until, throws if only this machine's clock is known and is behind the newest scan. */
  function refuseSlowClock({ watermarkMs }: CodeOverlap, { serviceMs, machineMs }: ClockReading): void {
    if (job.untilMs !== undefined || serviceMs !== undefined) return;
    if (watermarkMs === undefined || watermarkMs <= machineMs) return;
    const message = `the service sends no Date header, and this machine's clock (${formatInstant(machineMs)}) is earlier than the newest scan in ${path}`;
    const hint =
      'No rows were added. Set the clock of this machine, or specify the end of the range with --until.';
    throw new UnprovenError(message, { hint });
  }

  function noteOnce(position: number, fromMs: number | undefined): void {
    if (hasNoted) return;
    hasNoted = true;
    const from = fromMs === undefined ? 'all scans' : `scans from ${formatInstant(fromMs)}`;
    note?.(
      `${basename(path)}: the file has scans up to ${formatInstant(position)}, which is later than the service's clock. ` +
        `The clock was set back, or a scan is dated in the future. Reading ${from} and skipping scans that the file already has`,
    );
  }

  function warnOfClocks({ byMs, isCertain }: SetBack, { movedUntilMs }: CodeOverlap): void {
    if (isCertain || byMs <= overlapMs || movedUntilMs === undefined || hasWarned) return;
    hasWarned = true;
    warn?.(
      `${basename(path)}: the clock of this machine or of the service was set by ${formatDuration(byMs)} since the last run. ` +
        'If it was the clock of the service, the log may lack scans: compare it with `qrctl scans verify`',
    );
  }

  return {
    now,
    lowerBound(overlap: CodeOverlap, endMs: number | undefined): number | undefined {
      const reading = now();
      if (endMs !== undefined) refuseSlowClock(overlap, reading);
      const position = positionBy(overlap, reading, overlapMs, endMs);
      const fromMs = readFrom(overlap, overlapMs, sinceMs, position);
      const { serviceMs = Infinity } = reading;
      if (serviceMs < positionOf(overlap) && job.untilMs === undefined) noteOnce(positionOf(overlap), fromMs);
      const back = setBackOf(overlap, reading, overlapMs);
      if (back) warnOfClocks(back, overlap);
      return fromMs;
    },
  };
}
