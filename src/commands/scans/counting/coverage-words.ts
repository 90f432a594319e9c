/** Words the coverage of a range by files, partial or none. */
import { UnprovenError } from '../../../base/errors.ts';
import { capitalize } from '../../../base/text/sentence.ts';
import { createLocalTime } from '../../../base/time/local-time.ts';
import type { Context } from '../../../context.ts';
import type { Counted } from '../../../scans/stats/counted.ts';
import type { Coverage } from '../../../scans/stats/coverage.ts';
import { formatRange } from '../../range-options.ts';

/** Sentences for the terminal, none if the files cover the range. */
function coverageWords(
  coverage: Coverage | undefined,
  zone: string,
): { start: string | undefined; end: string | undefined } {
  const { format } = createLocalTime(zone);
  const at = (ms: number) => `${format(ms).slice(0, -':00'.length)} (${zone})`;
  const { startsLateMs: start, endsEarlyMs: end } = coverage ?? {
    startsLateMs: undefined,
    endsEarlyMs: undefined,
  };
  return {
    start:
      start === undefined
        ? undefined
        : `the data begins at ${at(start)}; earlier scans, if any, are not included`,
    end: end === undefined ? undefined : `the data ends at ${at(end)}; later scans, if any, are not included`,
  };
}

export function tellCoverage({ note, warn }: Context['console'], coverage: Coverage, zone: string): void {
  const { start, end } = coverageWords(coverage, zone);
  if (start !== undefined) warn(start);
  if (end !== undefined) note(capitalize(end));
}

/**
 * Throws UnprovenError for a requested period without scans, unless the files are known to cover all of it: a page of zeros would state
 * that there were no scans.
 */
export function refuseUncovered({ current, span, coverage }: Counted, zone: string): void {
  const { sinceMs, untilMs } = span;
  if (
    current.total() > 0 ||
    !coverage ||
    coverage.isWhole ||
    (sinceMs === undefined && untilMs === undefined)
  )
    return;
  const range =
    untilMs === undefined
      ? `since ${createLocalTime(zone).format(sinceMs ?? 0)} (${zone})`
      : formatRange({ sinceMs, untilMs }, zone);
  const { start, end } = coverageWords(coverage, zone);
  throw new UnprovenError(
    [`no scans ${range} in these files, and their coverage could not be verified`, start, end]
      .filter((line) => line !== undefined)
      .join('\n'),
    { hint: 'Use --input with files that cover this range, or omit --input to query the service.' },
  );
}
