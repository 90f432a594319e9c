/**
 * Prevents SSRF: refuses special-purpose addresses in IANA's registries (RFC 6890, as of 2026) unless
 * `--allow-private` is set.
 */

import type { LookupAddress } from 'node:dns';
import { BlockList, isIP } from 'node:net';
import { quote } from '#base/text/quote';

/** Non-public subnets by kind. Includes tunnels (Teredo, 6to4), because they can lead to any IPv4 address. */
const SPECIAL = {
  loopback: '127.0.0.0/8 0.0.0.0/8 ::1/128 ::/128',
  private: '10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 100.64.0.0/10 fc00::/7 64:ff9b:1::/48 fec0::/10',
  'link-local': '169.254.0.0/16 fe80::/10',
  reserved:
    '192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 ' +
    '2001::/23 2001:db8::/32 2002::/16 3fff::/20',
};

const KINDS = Object.entries(SPECIAL).map(([kind, subnets]) => ({ kind, list: blockList(subnets) }));
/** Subnets that may be public. IPv6 global unicast addresses are assigned only from 2000::/3. */
const PUBLIC = blockList('0.0.0.0/0 2000::/3');

/** Returns the kind of a non-public address, undefined for a public one, and `reserved` for other text. */
export function specialKind(address: string): string | undefined {
  const [plain = ''] = address.split('%', 1);
  const family = isIP(plain) === 4 ? 'ipv4' : 'ipv6';
  const special = KINDS.find(({ list }) => list.check(plain, family))?.kind;
  return special ?? (PUBLIC.check(plain, family) ? undefined : 'reserved');
}

function blockList(subnets: string): BlockList {
  const list = new BlockList();
  for (const subnet of subnets.split(' ')) {
    const [network = '', bits] = subnet.split('/');
    if (network.includes(':')) {
      list.addSubnet(network, Number(bits), 'ipv6');
      continue;
    }
    list.addSubnet(network, Number(bits), 'ipv4');
    for (const prefix of ['::ffff:', '64:ff9b::'])
      list.addSubnet(`${prefix}${network}`, 96 + Number(bits), 'ipv6');
  }
  return list;
}

export type Lookup = (hostname: string) => Promise<readonly LookupAddress[]>;

export type Resolve = (hostname: string, began?: () => void) => Promise<readonly LookupAddress[]>;

export class RefusedAddressError extends Error {}

/** Number of libuv threads. Half of them resolve names, a load that small office resolvers can handle. */
const THREADS = 64;

/**
 * Sets UV_THREADPOOL_SIZE if it is unset, and returns the number of parallel lookups. Call this before libuv
 * starts a thread.
 */
export function widenLookups(env: NodeJS.ProcessEnv): number {
  env.UV_THREADPOOL_SIZE ??= String(THREADS);
  const threads = Number(env.UV_THREADPOOL_SIZE) || 4;
  return Math.max(2, Math.floor(Math.min(threads, 1024) / 2));
}

/**
 * K1, K2: creates a resolver that returns only allowed addresses, and the same ones for a name throughout a
 * run. Calls `began` when a lookup starts, because the time limit excludes the queue.
 */
export function createResolver(lookup: Lookup, allowPrivate: boolean, width: number): Resolve {
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
