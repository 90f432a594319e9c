/** From a host's name to the addresses that may be connected to: asked once a run, so that what was checked is what is used. */
import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { quote } from '../text/quote.ts';
import { specialKind } from './address-rules.ts';

/** All addresses of a name, as `dns.promises.lookup` with `all` gives them. */
export type Lookup = (hostname: string) => Promise<readonly LookupAddress[]>;

/** A name, or an address itself, leads to what strangers' names may not lead to. Nothing was sent there. */
export class RefusedAddressError extends Error {}

/**
 * The addresses behind a hostname as a URL has it; throws RefusedAddressError, or what the lookup threw. K1: of what a name has, only
 * addresses that are allowed are handed out, and K2: whoever asks for the same name again in this run gets the same ones. What failed is
 * asked anew. `began` is called when the lookup really begins: waiting for others is not the host's fault. No more than `width` lookups run
 * at once: more would only wait within node, where that cannot be seen.
 */
export function createResolver(
  lookup: Lookup,
  allowPrivate: boolean,
  width: number,
): (hostname: string, began?: () => void) => Promise<readonly LookupAddress[]> {
  const known = new Map<string, readonly LookupAddress[]>();
  const inTurn = createTurns(width);
  return async (hostname, began) => {
    const bare = hostname.replace(/^\[|\]$/g, '');
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
  return new RefusedAddressError(`${leads} is a ${specialKind(address)} address; checking it requires --allow-private`);
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
