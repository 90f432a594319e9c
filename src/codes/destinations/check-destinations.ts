import { setMaxListeners } from 'node:events';
import { groupBy } from '../../base/collections.ts';
import { inParallel } from '../../base/parallel.ts';
import { follow, type TripOptions } from './follow.ts';
import { createHostPatience, type HostPatience } from './host-patience.ts';
import { createResolver, type Lookup } from './resolve-host.ts';
import { createTlsSessions } from './tls-sessions.ts';
import { judge, retryOf, type Verdict } from './verdict.ts';

export interface CheckJob extends Omit<TripOptions, 'resolve' | 'inTurn' | 'sessions'> {
  lookup: Lookup;
  /** Maximum number of names looked up at once. */
  lookupWidth: number;
  /** Maximum number of requests in flight, each on another host. */
  width: number;
  onDone: () => void;
}

/** Delay before a second visit, and the maximum of the one that a server requests. */
const RETRY_AFTER_MS = 2000;
const LONGEST_RETRY_AFTER_MS = 10_000;

/**
 * Checks each destination once: hosts in parallel, one request at a time per host. Returns the verdict on each address, by its text.
 * Rejects only with the signal's reason, or for an unusable proxy.
 */
export async function checkDestinations(
  destinations: Iterable<string>,
  job: CheckJob,
): Promise<Map<string, Verdict>> {
  const verdicts = new Map<string, Verdict>();
  // Each request in flight adds a listener; Node would warn of a leak above ten.
  setMaxListeners(0, job.signal);
  const options: TripOptions = {
    ...job,
    inTurn: createHostTurns(),
    resolve: createResolver(job.lookup, job.allowPrivate, job.lookupWidth),
    sessions: createTlsSessions(),
  };
  const queues = [...groupBy(new Set(destinations), (text) => new URL(text).hostname).values()];
  // The longest queue first: the run ends with it.
  queues.sort((a, b) => b.length - a.length);
  await inParallel(queues, job.width, async (addresses) => {
    const patience = createHostPatience();
    for (const text of addresses) {
      const url = new URL(text);
      verdicts.set(text, patience.verdict(url.origin) ?? (await visit(url, options, patience)));
      job.onDone();
    }
  });
  return verdicts;
}

/** Visits a destination, and again after a failure that may be transient. The last visit counts. */
async function visit(url: URL, options: TripOptions, patience: HostPatience): Promise<Verdict> {
  let trip = await follow(url, options);
  const retry = patience.allowsRetry(url.origin) ? retryOf(trip) : undefined;
  if (retry) {
    const delayMs = Math.min(retry.afterMs ?? RETRY_AFTER_MS, LONGEST_RETRY_AFTER_MS);
    await options.clock.sleep(delayMs, options.signal);
    trip = await follow(url, options);
  }
  const verdict = judge(trip);
  patience.note(url.origin, trip, verdict, retry !== undefined);
  return verdict;
}

/** K6: the requests of one host are sent one after the other, from a queue or from a redirect. */
function createHostTurns(): TripOptions['inTurn'] {
  const last = new Map<string, Promise<void>>();
  const end = () => {};
  return (hostname, work) => {
    const mine = (last.get(hostname) ?? Promise.resolve()).then(work);
    last.set(hostname, mine.then(end, end));
    return mine;
  };
}
