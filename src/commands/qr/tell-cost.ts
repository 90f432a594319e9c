import type { Context } from '../../context.ts';
import { costOf } from '../../limit/rate-limit.ts';
import type { Service } from '../../service/service.ts';
import { formatDuration } from '../../time.ts';

/** The last line of a dry run: `12 rows would be …: 12 requests, 1 window of 60 requests a minute; nothing was sent`. */
export function tellCost({ console }: Context, service: Service, what: string, requests: number): void {
  const limit = service.rateLimit();
  const { windows, waitMs } = costOf(requests, limit);
  const counted = `${requests.toLocaleString('en')} request${requests === 1 ? '' : 's'}`;
  const spread =
    windows === undefined ? '' : `, ${windows} window${windows === 1 ? '' : 's'} of ${limit.limit} requests a minute`;
  const wait = waitMs > 0 ? `, about ${formatDuration(waitMs)}` : '';
  console.note(`${what}: ${counted}${spread}${wait}; nothing was changed`);
}
