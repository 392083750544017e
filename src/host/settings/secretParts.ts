import { isSecretName, isTokenShaped, knownTokens, type TextMatch } from '../../base/secretWords';

/** A part of a text that is secret because of its place. */
interface SecretPart extends TextMatch {
  name: string;
}

/**
 * Addresses that are secrets themselves, because knowing one is enough to post to it. The part after this one distinguishes
 * them.
 */
const WEBHOOK =
  /https:\/\/(?:hooks\.slack(?:-gov)?\.com\/(?:services|workflows|triggers)\/|(?:[a-z]+\.)?discord(?:app)?\.com\/api\/(?:v\d+\/)?webhooks\/|[\w-]+\.webhook\.office\.com\/|outlook\.office(?:365)?\.com\/webhook\/|hooks\.zapier\.com\/hooks\/catch\/|api\.telegram\.org\/bot)([^\s?#"'<>]+)/gi;
const PATH = /:\/\/[^\s/?#]*(\/[^\s?#"'<>]*)/g;
/** Connection strings of databases and clouds: `AccountName=x;AccountKey=y`, `host=x password=y`. */
const CONNECTION = { ';': /(?<![^;])([^=;]+)=([^;]*)/g, ' ': /(?<!\S)([^=\s]+)=(\S*)/g };

/**
 * The secrets within a text that is not a secret as a whole: the end of a webhook address, random parts in the path of an
 * address, and the values in a connection string that are secret by name. Linear in the text.
 */
export function secretParts(text: string): SecretPart[] {
  if (!text.includes('://')) return literal(inConnection(text));
  const webhooks = [...text.matchAll(WEBHOOK)].map(({ 0: all, 1: value = '', index }) => ({
    name: 'webhook',
    value,
    index: index + all.length - value.length,
  }));
  const paths = [...text.matchAll(PATH)].flatMap(({ 0: all, 1: path = '', index }) => {
    const start = index + all.length - path.length;
    return [...path.matchAll(/[^/]+/g)]
      .filter(([segment]) => isTokenShaped(segment))
      .map(({ 0: value, index: at }) => ({ name: 'path', value, index: start + at }));
  });
  return literal([...webhooks, ...paths, ...inConnection(text)]);
}

/** Those that are not variables. */
const literal = (parts: SecretPart[]) => parts.filter(({ value }) => !value.includes('${'));

function inConnection(text: string): SecretPart[] {
  if (!text.includes('=')) return [];
  const pattern = text.includes(';') ? CONNECTION[';'] : CONNECTION[' '];
  const pairs = [...text.matchAll(pattern)];
  // A single pair is a variable or an option.
  if (pairs.length < 2) return [];
  return pairs.flatMap(({ 0: all, 1: name = '', 2: value = '', index }) =>
    value && isSecretName(name.trim().slice(-100))
      ? [{ name: name.trim().split(/\s/).at(-1)!, value, index: index + all.length - value.length }]
      : [],
  );
}

/** Those, and recognizable tokens. */
export function allSecretParts(text: string): TextMatch[] {
  return [...secretParts(text), ...knownTokens(text)];
}
