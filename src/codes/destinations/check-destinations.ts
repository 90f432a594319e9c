import { setMaxListeners } from 'node:events';
import { groupBy } from '#base/collections';
import { inParallel } from '#base/parallel';
import { follow, type Trip, type TripOptions } from './follow.ts';
import { LateError } from './request.ts';
import { createResolver, type Lookup } from './resolve-host.ts';
import { createTlsSessions } from './tls-sessions.ts';
import { judge, retryOf, type Verdict } from './verdict.ts';

export interface CheckJob extends Omit<TripOptions, 'resolve' | 'inTurn' | 'sessions'> {
  lookup: Lookup;
  lookupWidth: number;
  width: number;
  onDone: () => void;
}

/** Returns a verdict per URL. Checks one URL per host at a time. Rejects only if `follow` does. */
export async function checkDestinations(
  destinations: Iterable<string>,
  job: CheckJob,
): Promise<Map<string, Verdict>> {
  const verdicts = new Map<string, Verdict>();
  // Prevents Node's warning about more than ten listeners, because each request adds one to the signal.
  setMaxListeners(0, job.signal);
  const options: TripOptions = {
    ...job,
    inTurn: createHostTurns(),
    resolve: createResolver(job.lookup, job.allowPrivate, job.lookupWidth),
    sessions: createTlsSessions(),
  };
  const queues = [...groupBy(new Set(destinations), (text) => new URL(text).hostname).values()];
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

async function visit(url: URL, options: TripOptions, patience: HostPatience): Promise<Verdict> {
  let trip = await follow(url, options);
  const retryMs = patience.allowsRetry(url.origin) ? retryOf(trip) : undefined;
  if (retryMs !== undefined) {
    await options.clock.sleep(retryMs, options.signal);
    trip = await follow(url, options);
  }
  const verdict = judge(trip);
  patience.note(url.origin, trip, verdict, retryMs !== undefined);
  return verdict;
}

/** K6: returns a function that runs one request per host at a time, even after redirects. */
function createHostTurns(): TripOptions['inTurn'] {
  const last = new Map<string, Promise<void>>();
  const end = () => {};
  return (hostname, work) => {
    const mine = (last.get(hostname) ?? Promise.resolve()).then(work);
    last.set(hostname, mine.then(end, end));
    return mine;
  };
}

const MOST_DEAD = 2;
/** Maximum number of consecutive timeouts per origin. Exceeds MOST_DEAD, as the next page may be faster. */
const MOST_LATE = 5;
const MOST_FAILED_RETRIES = 3;

type HostPatience = ReturnType<typeof createHostPatience>;

/** K9: limits consecutive failures per origin, because further requests would probably fail, too. */
export function createHostPatience() {
  const hosts = new Map<string, { dead: number; late: number; failedRetries: number; last: Verdict }>();
  return {
    verdict(origin: string): Verdict | undefined {
      const host = hosts.get(origin);
      if (!host || (host.dead < MOST_DEAD && host.late < MOST_LATE)) return undefined;
      const verdict = { ...host.last, finalUrl: undefined, ms: undefined };
      if (host.dead < MOST_DEAD)
        verdict.error = `not requested: ${host.late} addresses on this host failed (${host.last.error})`;
      return verdict;
    },
    allowsRetry(origin: string): boolean {
      const { dead = 0, failedRetries = 0 } = hosts.get(origin) ?? {};
      return dead === 0 && failedRetries < MOST_FAILED_RETRIES;
    },
    note(origin: string, trip: Trip, verdict: Verdict, retried: boolean) {
      const { dead = 0, late = 0, failedRetries = 0 } = hosts.get(origin) ?? {};
      const { end, redirects } = trip;
      // A failure after a redirect counts only in `failedRetries`, because another host may have failed.
      const failure = end.is === 'failed' && redirects === 0 ? end.failure : undefined;
      hosts.set(origin, {
        dead: failure?.fault === 'network' && !failure.sent ? dead + 1 : 0,
        late: failure instanceof LateError ? late + 1 : 0,
        failedRetries: retryOf(trip) !== undefined ? failedRetries + Number(retried) : 0,
        last: verdict,
      });
    },
  };
}
