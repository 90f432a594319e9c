/**
 * Address rules against SSRF: a destination may resolve only to addresses of the public internet. From the IANA registries of
 * special-purpose addresses (RFC 6890 and its updates, as of 2026).
 */
import { BlockList, isIP } from 'node:net';

/** Subnets by the kind of their addresses in messages. Tunnels (Teredo, 6to4) contain an IPv4 address that anyone may have chosen. */
const SPECIAL = {
  loopback: '127.0.0.0/8 0.0.0.0/8 ::1/128 ::/128',
  private: '10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 100.64.0.0/10 fc00::/7 64:ff9b:1::/48 fec0::/10',
  'link-local': '169.254.0.0/16 fe80::/10',
  reserved:
    '192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 ' +
    '2001::/23 2001:db8::/32 2002::/16 3fff::/20',
};

const KINDS = Object.entries(SPECIAL).map(([kind, subnets]) => ({ kind, list: blockList(subnets) }));
/** All other addresses of IPv6 are not assigned. */
const PUBLIC = blockList('0.0.0.0/0 2000::/3');

/**
 * Returns the kind of an address outside of the public internet: `loopback`, `private`, `link-local` or `reserved`; undefined if it is
 * public. Text that is not an address is `reserved`.
 */
export function specialKind(address: string): string | undefined {
  const [plain = ''] = address.split('%', 1);
  const family = isIP(plain) === 4 ? 'ipv4' : 'ipv6';
  const special = KINDS.find(({ list }) => list.check(plain, family))?.kind;
  return special ?? (PUBLIC.check(plain, family) ? undefined : 'reserved');
}

/** Returns the subnets as a list; those of IPv4 also as mapped addresses of IPv6, and as those of NAT64. */
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
