const [BASE, T_MIN, T_MAX, SKEW, DAMP] = [36, 1, 26, 38, 700];

/** There is no disk in a web window. */
export function fileURLToPath(uri: string): never {
  throw new Error(`${uri} is not on a disk of this window.`);
}

/** A host name as browsers may draw it: its labels `xn--…` decoded, as far as they can be. */
export function domainToUnicode(host: string): string {
  return host.split('.').map(drawn).join('.');
}

function drawn(label: string): string {
  if (!label.startsWith('xn--')) return label;
  try {
    const decoded = decodeLabel(label.slice(4));
    return /\p{C}/u.test(decoded) ? label : decoded;
  } catch {
    return label;
  }
}

/** Punycode (RFC 3492, 6.2). @throws RangeError for anything else. */
function decodeLabel(text: string): string {
  const cut = text.lastIndexOf('-');
  const characters = [...text.slice(0, Math.max(0, cut))].map(character => character.codePointAt(0)!);
  let [code, at, bias] = [128, 0, 72];
  for (let next = cut + 1; next < text.length; ) {
    const before = at;
    for (let weight = 1, k = BASE; ; k += BASE) {
      const digit = digitOf(text[next++]);
      at += digit * weight;
      const limit = Math.min(Math.max(k - bias, T_MIN), T_MAX);
      if (digit < limit) break;
      weight *= BASE - limit;
    }
    const count = characters.length + 1;
    bias = adapt(at - before, count, before === 0);
    code += Math.floor(at / count);
    at %= count;
    characters.splice(at++, 0, code);
  }
  return String.fromCodePoint(...characters);
}

function digitOf(character = ''): number {
  if (/^[a-z]$/i.test(character)) return character.toLowerCase().charCodeAt(0) - 97;
  if (/^\d$/.test(character)) return Number(character) + 26;
  throw new RangeError('It is not Punycode.');
}

function adapt(difference: number, count: number, isFirst: boolean): number {
  let delta = Math.floor(difference / (isFirst ? DAMP : 2));
  delta += Math.floor(delta / count);
  let k = 0;
  for (; delta > ((BASE - T_MIN) * T_MAX) / 2; k += BASE) delta = Math.floor(delta / (BASE - T_MIN));
  return k + Math.floor(((BASE - T_MIN + 1) * delta) / (delta + SKEW));
}
