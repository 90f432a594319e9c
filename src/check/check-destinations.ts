/** Many destinations asked, each once: hosts side by side, one request at a time on each, in memory that holds no answers. */
import { setMaxListeners } from 'node:events';
import { groupBy } from '../group-by.ts';
import { follow, type Trip, type TripOptions } from './follow.ts';
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

/** A second visit comes after so long, or when the other side asked for it, but no later than the longest. */
const RETRY_AFTER_MS = 2000;
const LONGEST_RETRY_AFTER_MS = 10_000;
/** A host on which so many could not even be connected to, one after the other, is down: the rest of it need not be waited for. */
const MOST_DEAD = 2;

/** The verdict on each of these addresses, by its text. Rejects only with the signal's reason, or for a proxy that cannot be used. */
export async function checkDestinations(destinations: Iterable<string>, job: CheckJob): Promise<Map<string, Verdict>> {
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
  // The longest first: it is what everybody waits for at the end.
  queues.sort((a, b) => b.length - a.length);

  async function checkHost(addresses: readonly string[]): Promise<void> {
    const dead = new Map<string, { visits: number; verdict: Verdict }>();
    for (const text of addresses) {
      const url = new URL(text);
      const known = dead.get(url.origin);
      if (known && known.visits >= MOST_DEAD) {
        verdicts.set(text, { ...known.verdict, finalUrl: undefined, ms: undefined });
      } else {
        const { trip, verdict } = await visit(url, options, known === undefined);
        verdicts.set(text, verdict);
        if (isDead(trip)) dead.set(url.origin, { visits: (known?.visits ?? 0) + 1, verdict });
        else dead.delete(url.origin);
      }
      job.onDone();
    }
  }

  let at = 0;
  const worker = async () => {
    for (let queue = queues[at++]; queue !== undefined; queue = queues[at++]) await checkHost(queue);
  };
  const ends = await Promise.allSettled(Array.from({ length: Math.min(job.width, queues.length) }, worker));
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed) throw failed.reason;
  return verdicts;
}

/** One visit, and where that may have met a hiccup and `again` allows it, another. The last one counts. */
async function visit(url: URL, options: TripOptions, again: boolean): Promise<{ trip: Trip; verdict: Verdict }> {
  let trip = await follow(url, options);
  const retry = again ? retryOf(trip) : undefined;
  if (retry) {
    await options.clock.sleep(Math.min(retry.afterMs ?? RETRY_AFTER_MS, LONGEST_RETRY_AFTER_MS), options.signal);
    trip = await follow(url, options);
  }
  return { trip, verdict: judge(trip) };
}

/** Its own host could not be connected to; what went wrong later, elsewhere, says nothing of it. */
function isDead({ end, redirects }: Trip): boolean {
  return redirects === 0 && end.is === 'failed' && end.failure.fault === 'network' && !end.failure.sent;
}

/** K6: what is done on one host comes one after the other, whoever asks for it: a queue or a redirect. */
function createHostTurns(): TripOptions['inTurn'] {
  const last = new Map<string, Promise<unknown>>();
  return async (hostname, work) => {
    const before = last.get(hostname);
    const mine = (async () => {
      await before?.catch(() => undefined);
      return work();
    })();
    last.set(hostname, mine);
    try {
      return await mine;
    } finally {
      if (last.get(hostname) === mine) last.delete(hostname);
    }
  };
}
