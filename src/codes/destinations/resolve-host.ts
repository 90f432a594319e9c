/** Resolves host names to the addresses that may be connected to, once per run, so that the checked address is the one used (TOCTOU, DNS rebinding). */
import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { quote } from '../../base/text/quote.ts';
import { specialKind } from './address-rules.ts';

export type Lookup = (hostname: string) => Promise<readonly LookupAddress[]>;

/** Host whose addresses are all refused. No data was sent to it. */
export class RefusedAddressError extends Error {}

/** Number of threads of libuv, which uses half of them for names: a resolver of a small office handles that many lookups at once. */
const THREADS = 64;

/**
 * Increases the number of parallel DNS lookups, which Node makes in libuv's threads, and returns it: 200 names of 100 ms each took 10 s, and
 * take 1 s. libuv reads the variable when the first thread starts. A value that the user set is kept.
 */
export function widenLookups(env: NodeJS.ProcessEnv): number {
  env.UV_THREADPOOL_SIZE ??= String(THREADS);
  const threads = Number(env.UV_THREADPOOL_SIZE) || 4;
  return Math.max(2, Math.floor(Math.min(threads, 1024) / 2));
}

/**
 * Creates a resolver for the hostname of a URL. It throws RefusedAddressError, or the error of the lookup. K1: it returns only
 * allowed addresses, and K2: the same ones for the same name throughout the run. A failed lookup is repeated on the next call. `began` is
 * called when the lookup starts, so that waiting for others doesn't count against the host. At most `width` lookups run at once: more would
 * wait within Node, where that can't be measured.
 */
export function createResolver(
  lookup: Lookup,
  allowPrivate: boolean,
  width: number,
): (hostname: string, began?: () => void) => Promise<readonly LookupAddress[]> {
  const known = new Map<string, readonly LookupAddress[]>();
  const inTurn = createTurns(width);
  return async (hostname, began) => {
    const bare = hostname.replace(/[[\]]/g, '');
    const cached = known.get(bare);
    if (cached) return cached;
    const family = isIP(bare);
    const found = family ? [{ address: bare, family }] : await inTurn(() => lookup(bare), began);
    const allowed = allowPrivate ? found : found.filter(({ address }) => specialKind(address) === undefined);
    if (allowed.length === 0) throw refusal(bare, found[0]?.address);
    known.set(bare, allowed);
    return allowed;
  };
}

function refusal(hostname: string, address: string | undefined): RefusedAddressError {
  if (address === undefined) return new RefusedAddressError(`${quote(hostname)} has no address`);
  const subject = address === hostname ? quote(hostname) : `${quote(hostname)} resolves to ${address}, which`;
  return new RefusedAddressError(
    `${subject} is a ${specialKind(address)} address; checking it requires --allow-private`,
  );
}

function createTurns(width: number): <T>(work: () => Promise<T>, began?: () => void) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work, began) => {
    if (running >= width) await new Promise<void>((go) => waiting.push(go));
    else running += 1;
    began?.();
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
