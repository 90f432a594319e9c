/** Words the last line of a count: the number of scans, the range and the cost. */
import type { Context } from '../../../context.ts';
import type { Counted } from '../../../stats/counted.ts';
import { countOf } from '../../../text/quote.ts';
import { formatRange } from '../../range-options.ts';

/** Returns the range with both ends; an end that was not requested is that of the last scan. Empty if there is neither. */
export function readRange({ span, current }: Counted, zone: string): string {
  const untilMs = span.untilMs ?? (current.span()?.lastMs ?? 0) + 1;
  return current.total() === 0 && span.untilMs === undefined ? '' : formatRange({ sinceMs: span.sinceMs, untilMs }, zone);
}

/** Returns `1,000 scans from … to …, 4 requests`, or only the requests if no zone is given. */
export async function closingWords(context: Context, counted: Counted, zone: string | undefined): Promise<string> {
  const requests = counted.codes ? (await context.service()).stats().requests : 0;
  const scans = countOf(counted.current.total(), 'scan');
  const words = zone === undefined ? [] : [`${scans} ${readRange(counted, zone)}`.trim()];
  return [...words, countOf(requests, 'request')].join(', ');
}
