/** Resolves host names to the addresses that may be connected to, once per run, so that the checked address is the one used (TOCTOU, DNS rebinding). */
import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { quote } from '../../base/text/quote.ts';
import { specialKind } from './address-rules.ts';

/** Resolves a name to all its addresses, like `dns.promises.lookup` with `all`. */
export type Lookup = (hostname: string) => Promise<readonly LookupAddress[]>;

/** Host whose addresses are all refused. No data was sent to it. */
export class RefusedAddressError extends Error {}

/**
 * Creates a resolver for the hostname of a URL. It throws RefusedAddressError, or the error of the lookup. K1: it returns only
 * allowed addresses, and K2: the same ones for the same name throughout the run. A failed lookup is
 * repeated on the next call. `began` is called when the lookup starts, so that waiting for others doesn't count against the host. At most `width`
 * lookups run at once: more would wait within Node, where that can't be measured.
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
    const version = isIP(bare);
    const cached = known.get(bare);
    if (cached) return cached;
    const found = version ? [{ address: bare, family: version }] : await inTurn(() => lookup(bare), began);
    const allowed = allowPrivate ? found : found.filter(({ address }) => specialKind(address) === undefined);
    if (allowed.length === 0) throw refusal(bare, found);
    known.set(bare, allowed);
    return allowed;
  };
}

function refusal(hostname: string, found: readonly LookupAddress[]): RefusedAddressError {
  const [{ address } = { address: '' }] = found;
  if (address === '') return new RefusedAddressError(`${quote(hostname)} has no address`);
  const leads = address === hostname ? quote(hostname) : `${quote(hostname)} resolves to ${address}, which`;
  return new RefusedAddressError(
    `${leads} is a ${specialKind(address)} address; checking it requires --allow-private`,
  );
}

/** Runs at most `width` works at once, the others in their order. */
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
