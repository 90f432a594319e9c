/**
 * Address rules against SSRF: a destination may resolve only to addresses of the public internet, because DNS can return
 * a local router. From the IANA registries of special-purpose addresses (RFC 6890 and its updates, as of 2026).
 */
import { BlockList, isIP } from 'node:net';

/** Kinds of addresses, by their names in messages. */
const SPECIAL = [
  { kind: 'loopback', ipv4: ['127.0.0.0/8', '0.0.0.0/8'], ipv6: ['::1/128', '::/128'] },
  {
    kind: 'private',
    ipv4: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10'],
    ipv6: ['fc00::/7', '64:ff9b:1::/48', 'fec0::/10'],
  },
  { kind: 'link-local', ipv4: ['169.254.0.0/16'], ipv6: ['fe80::/10'] },
  {
    kind: 'reserved',
    ipv4: [
      ...[
        '192.0.0.0/24',
        '192.0.2.0/24',
        '192.88.99.0/24',
        '198.18.0.0/15',
        '198.51.100.0/24',
        '203.0.113.0/24',
      ],
      ...['224.0.0.0/4', '240.0.0.0/4'],
    ],
    // Tunnels (Teredo, 6to4) hold an IPv4 address of anybody's choice; no name of today leads through one.
    ipv6: ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'],
  },
];

/** IPv6 addresses that are an IPv4 address: mapped ones, and those of NAT64, by which networks without IPv4 see all others. */
const IPV4_WITHIN = ['::ffff:', '64:ff9b::'];

const KINDS = SPECIAL.map(({ kind, ipv4, ipv6 }) => ({
  kind,
  list: blockList([...ipv4, ...ipv4.flatMap(within), ...ipv6]),
}));
/** Public unless it is special: of IPv6 only this much is given out. */
const PUBLIC = blockList(['0.0.0.0/0', '2000::/3', ...within('0.0.0.0/0')]);

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

/** A subnet of IPv4 as IPv6 has it. */
function within(subnet: string): string[] {
  const [network, bits] = subnet.split('/');
  return IPV4_WITHIN.map((prefix) => `${prefix}${network}/${96 + Number(bits)}`);
}

function blockList(subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [network = '', bits] = subnet.split('/');
    list.addSubnet(network, Number(bits), network.includes(':') ? 'ipv6' : 'ipv4');
  }
  return list;
}
