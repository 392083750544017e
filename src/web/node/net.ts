/** 4, 6, or 0 for what is no IP address. */
export function isIP(text: string): 0 | 4 | 6 {
  if (/^(\d{1,3})(\.\d{1,3}){3}$/.test(text)) return text.split('.').every(part => Number(part) < 256) ? 4 : 0;
  return text.includes(':') && URL.canParse(`http://[${text}]/`) ? 6 : 0;
}

type Family = 'ipv4' | 'ipv6';

/** Networks, and whether an address is in one of them. An IPv4 address within an IPv6 one counts as that. */
export class BlockList {
  readonly #networks: { family: Family; address: bigint; bits: number }[] = [];

  addSubnet(network: string, bits: number, family: Family): void {
    this.#networks.push({ family, address: numberOf(network, family), bits });
  }

  check(text: string, family: Family): boolean {
    const address = numberOf(text, family);
    if (family === 'ipv6' && address >> 32n === 0xffffn) return this.#has(address & 0xffff_ffffn, 'ipv4');
    return this.#has(address, family);
  }

  #has(address: bigint, family: Family): boolean {
    const width = family === 'ipv4' ? 32 : 128;
    return this.#networks.some(network => {
      const rest = BigInt(width - network.bits);
      return network.family === family && address >> rest === network.address >> rest;
    });
  }
}

function numberOf(text: string, family: Family): bigint {
  if (family === 'ipv4') return text.split('.').reduce((value, part) => (value << 8n) | BigInt(part), 0n);
  // The URL parser writes an IPv4 end as two groups.
  const [head = '', tail] = new URL(`http://[${text}]/`).hostname.slice(1, -1).split('::');
  const groups = (part = '') => part.split(':').filter(Boolean);
  const [before, after] = [groups(head), groups(tail)];
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length;
  const all = [...before, ...Array.from({ length: zeros }, () => '0'), ...after];
  return all.reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n);
}
