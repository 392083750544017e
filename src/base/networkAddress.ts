import { isIP } from 'node:net';

/** Where it leads: this machine, the local link (a cloud's metadata service too), a private network, the internet. */
export type Place = 'machine' | 'link' | 'private' | 'public';

interface Network {
  family: 4 | 6;
  address: bigint;
  bits: number;
}

/** IPv4 addresses by their place; of what is left, no public server is in `OTHER_V4` (IANA's registry of special purposes). */
const MACHINE = networks('0.0.0.0/8 127.0.0.0/8 ::/127');
// Azure's metadata service has an address among public ones.
const LINK = networks('169.254.0.0/16 168.63.129.16/32 fe80::/10');
const OTHER_V4 = networks(
  '10.0.0.0/8 100.64.0.0/10 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15',
  '198.51.100.0/24 203.0.113.0/24 224.0.0.0/3',
);
/** All public IPv6 servers are in 2000::/3; but not where it has Teredo and ORCHID, 6to4, and addresses for documents. */
const GLOBAL_V6 = networks('2000::/3');
const OTHER_V6 = networks('2001::/23 2001:db8::/32 2002::/16 3fff::/20');
/** IPv6 addresses that lead to the IPv4 one in their last 32 bits: mapped, and over NAT64. */
const AS_V4 = networks('::ffff:0:0/96 64:ff9b::/96');

/** The IP address that is the host of a URL, in the canonical form of its parser. Undefined if the host is a name. */
export function literalOf({ hostname }: Pick<URL, 'hostname'>): string | undefined {
  const host = hostname.replace(/^\[|\]$/g, '');
  return isIP(host) ? host : undefined;
}

/** Where an IP address leads. Anything that is not an IP address counts as the least trusted place: `machine`. */
export function placeOf(text: string): Place {
  const address = addressOf(text);
  return address ? place(address) : 'machine';
}

/** Whether an IP address is one of these, also where one is within the other, as `::ffff:10.0.0.1`. */
export function isAmong(text: string, others: readonly string[]): boolean {
  const address = addressOf(text);
  return others.map(addressOf).some(other => other?.family === address?.family && other?.value === address?.value);
}

type Address = Pick<Network, 'family'> & { readonly value: bigint };

function addressOf(text: string): Address | undefined {
  const [address = ''] = text.split('%', 1);
  const family = isIP(address);
  if (family === 0) return undefined;
  const value = family === 4 ? numberOfV4(address) : numberOfV6(address);
  return family === 6 && !isIn(AS_V4, 6, value) ? { family, value } : { family: 4, value: value & 0xffff_ffffn };
}

function place({ family, value }: Address): Place {
  if (isIn(MACHINE, family, value)) return 'machine';
  if (isIn(LINK, family, value)) return 'link';
  if (family === 4) return isIn(OTHER_V4, 4, value) ? 'private' : 'public';
  return isIn(GLOBAL_V6, 6, value) && !isIn(OTHER_V6, 6, value) ? 'public' : 'private';
}

function isIn(list: readonly Network[], family: 4 | 6, value: bigint): boolean {
  const width = family === 4 ? 32 : 128;
  return list.some(({ address, bits, ...network }) => {
    const rest = BigInt(width - bits);
    return network.family === family && value >> rest === address >> rest;
  });
}

function networks(...lines: string[]): Network[] {
  return lines
    .join(' ')
    .split(' ')
    .map(text => {
      const [address = '', bits] = text.split('/');
      const isV6 = address.includes(':');
      return { family: isV6 ? 6 : 4, address: isV6 ? numberOfV6(address) : numberOfV4(address), bits: Number(bits) };
    });
}

function numberOfV4(address: string): bigint {
  return address.split('.').reduce((value, part) => (value << 8n) | BigInt(part), 0n);
}

function numberOfV6(address: string): bigint {
  // The URL parser writes an IPv4 end as two groups.
  const [head = '', tail] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split('::');
  const groups = (part = '') => part.split(':').filter(Boolean);
  const [before, after] = [groups(head), groups(tail)];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return [...before, ...zeros, ...after].reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n);
}
