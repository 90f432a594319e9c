/** Checks many destinations, each once: hosts in parallel, one request at a time per host, without keeping responses in memory. */
import { setMaxListeners } from 'node:events';
import { groupBy } from '../../base/collections.ts';
import { follow, type TripOptions } from './follow.ts';
import { createHostPatience, type HostPatience } from './host-patience.ts';
import { createResolver, type Lookup } from './resolve-host.ts';
import { createTlsSessions } from './tls-sessions.ts';
import { judge, retryOf, type Verdict } from './verdict.ts';

export interface CheckJob extends Omit<TripOptions, 'resolve' | 'inTurn' | 'sessions'> {
  lookup: Lookup;
  /** Names looked up at once. */
  lookupWidth: number;
  /** Requests in flight at once, each on another host. */
  width: number;
  /** One destination more is done. */
  onDone: () => void;
}

/** Delay before a second visit, or the one that the server requested, up to a maximum. */
const RETRY_AFTER_MS = 2000;
const LONGEST_RETRY_AFTER_MS = 10_000;

/** Returns the verdict on each address, by its text. Rejects only with the signal's reason, or for an unusable proxy. */
export async function checkDestinations(
  destinations: Iterable<string>,
  job: CheckJob,
): Promise<Map<string, Verdict>> {
  const verdicts = new Map<string, Verdict>();
  // Every request in flight listens; Node takes more than ten for a leak and warns on standard error.
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

  async function checkHost(addresses: readonly string[]): Promise<void> {
    const patience = createHostPatience();
    for (const text of addresses) {
      const url = new URL(text);
      verdicts.set(text, patience.verdict(url.origin) ?? (await visit(url, options, patience)));
      job.onDone();
    }
  }

  let at = 0;
  const worker = async () => {
    for (let queue = queues[at++]; queue !== undefined; queue = queues[at++]) await checkHost(queue);
  };
  const ends = await Promise.allSettled(Array.from({ length: job.width }, worker));
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed) throw failed.reason;
  return verdicts;
}

/** Visits a destination, and again after a failure that may be transient. The last visit counts. */
async function visit(url: URL, options: TripOptions, patience: HostPatience): Promise<Verdict> {
  let trip = await follow(url, options);
  const retry = patience.allowsRetry(url.origin) ? retryOf(trip) : undefined;
  if (retry) {
    await options.clock.sleep(
      Math.min(retry.afterMs ?? RETRY_AFTER_MS, LONGEST_RETRY_AFTER_MS),
      options.signal,
    );
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
    const before = last.get(hostname) ?? Promise.resolve();
    const mine = before.then(work);
    // Without its response.
    last.set(hostname, mine.then(end, end));
    return mine;
  };
}
