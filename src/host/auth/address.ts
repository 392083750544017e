import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';

/** Addresses that no public server is at (RFC 6890): private networks, link-local with the metadata of clouds, and so on. */
const NOT_PUBLIC = new BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const)
  NOT_PUBLIC.addSubnet(network, bits, 'ipv4');
for (const [network, bits] of [
  ['::', 127],
  ['64:ff9b:1::', 48],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const)
  NOT_PUBLIC.addSubnet(network, bits, 'ipv6');

/** Whether a URL names this machine, in a way that no name server can change. */
export function isLoopback({ hostname }: URL): boolean {
  return /^(localhost|(.+\.)?localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

/** Whether an IP address is outside of the public internet. */
export function isPrivateAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 0) return false;
  // Node looks at an IPv4 address within an IPv6 one (::ffff:10.0.0.1) by the IPv4 rules.
  return NOT_PUBLIC.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** Whether the host of a URL is, or has, an address outside of the public internet. False when it can't be told. */
export async function isPrivateHost(url: URL): Promise<boolean> {
  if (isLoopback(url)) return true;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host)) return isPrivateAddress(host);
  try {
    return (await lookup(host, { all: true })).some(({ address }) => isPrivateAddress(address));
  } catch {
    // Behind a proxy only that knows the address. If nobody does, the request fails by itself.
    return false;
  }
}
