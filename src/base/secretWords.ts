/** Words in names that suggest a secret. Used inside the host; a server never gets the result. */

const SECRET_WORDS =
  /^(tokens?|secrets?|pass(word|wd|phrase|code)?|pwd|pat|credentials?|auth|authorization|bearer|cookie|signature|sig|apikey|privatekey|accesskey|key|dsn)$/;
/** Words that are joined to the name before them: `PGPASSWORD`, `authtoken`. */
const SECRET_ENDS =
  /(?:tokens?|secrets?|passwor[dt]|passwd|passphrase|passcode|pwd|sshpass|apikey|accesskey|secretkey|privatekey|accountkey)$/;
/** A name with this ending says where or which a secret is, and does not hold it: `TOKEN_URL`, `KEY_FILE`. */
const NOT_THE_SECRET =
  /^(url|uri|endpoint|host|port|file|path|dir|folder|name|id|type|mode|method|ttl|expiry|timeout|length|size|enabled|scope|scopes|algorithm|user|username|issuer|audience|realm|version|region|provider|socket|sock)$/;

/** Git configuration keys that a launch sets: names of settings, such as programs to run, and no cryptographic keys. */
const GIT_CONFIG_KEY = /^git_config_key_\d+$/i;

/** Whether the name of a variable, a header, a query parameter or an option says that its value is a secret. */
export function isSecretName(name: string): boolean {
  const words = wordsOf(name);
  return !NOT_THE_SECRET.test(words.at(-1) ?? '') && words.some(isSecretWord);
}

/** Whether a field of a form seems to ask for a secret. */
export const asksForSecret = (name: string, title: unknown): boolean => [name, String(title ?? '')].some(isSecretName);

/** Whether a name ends in what it holds: `GITHUB_TOKEN` does, `AUTH_BROWSER` may be anything that has to do with it. */
export const isCredentialName = (name: string): boolean => isSecretWord(wordsOf(name).at(-1) ?? '');

const isSecretWord = (word: string) => SECRET_WORDS.test(word) || SECRET_ENDS.test(word);

function wordsOf(name: string): string[] {
  if (GIT_CONFIG_KEY.test(name)) return [];
  return (
    name
      .slice(0, 200)
      .replace(/([a-z\d])([A-Z])/g, '$1_$2')
      .toLowerCase()
      .split(/[^a-z\d]+/)
      // `TOKEN2` is another token.
      .map(word => word.replace(/\d{1,3}$/, ''))
      .filter(Boolean)
  );
}

/** Tokens recognizable by the prefix that their issuer gives them. Searching for them is linear in the text. */
const PREFIXED = new RegExp(
  `(?<![A-Za-z0-9_])(?:${[
    /gh[pousr]_[A-Za-z0-9]{20,}/,
    /github_pat_\w{20,}/,
    /glpat-[\w-]{18,}/,
    /sk-[\w-]{18,}/,
    /[sr]k_(?:live|test)_\w{16,}/,
    /xox[abeoprs]-[\w-]{10,}/,
    /xapp-[\w-]{10,}/,
    /A(?:KIA|SIA)[A-Z0-9]{16}/,
    /AIza[\w-]{30,}/,
    /ya29\.[\w-]{20,}/,
    /npm_[A-Za-z0-9]{30,}/,
    /pypi-[\w-]{30,}/,
    /hf_[A-Za-z0-9]{20,}/,
    /SG\.[\w-]{16,}\.[\w-]{16,}/,
    /dop_v1_[a-f0-9]{40,}/,
    /shp(?:at|ss|ca|pa)_[a-f0-9]{20,}/,
    /lin_api_\w{20,}/,
    /ntn_\w{20,}/,
  ]
    .map(({ source }) => source)
    .join('|')})`,
  'g',
);
/** A JWT. Matches only at the beginning of a run: starting at every "eyJ" within one would be quadratic. */
const JWT = /(?<![\w-])([\w-]{11,})(?=(\.eyJ[\w-]{8,}\.[\w-]*))/g;
const JWT_HEADER = /(?<![A-Za-z0-9_])eyJ[\w-]{8,}$/;

/** A part of a text. */
export interface TextMatch {
  value: string;
  index: number;
}

/** The tokens in a text that are recognizable by their prefix or form, in order. */
export function knownTokens(text: string): TextMatch[] {
  const prefixed = [...text.matchAll(PREFIXED)].map(({ 0: value, index }) => ({ value, index }));
  const jwts = [...text.matchAll(JWT)].flatMap(({ 1: run = '', 2: rest = '', index }) => {
    const header = JWT_HEADER.exec(run);
    return header ? [{ value: header[0] + rest, index: index + header.index }] : [];
  });
  return [...prefixed, ...jwts].sort((a, b) => a.index - b.index);
}

/** The text with `by`, or what it returns, in place of each recognizable token. */
export function withoutKnownTokens(text: string, by: string | ((token: string) => string)): string {
  const parts: string[] = [];
  let done = 0;
  for (const { value, index } of knownTokens(text)) {
    if (index < done) continue;
    parts.push(text.slice(done, index), typeof by === 'string' ? by : by(value));
    done = index + value.length;
  }
  return parts.join('') + text.slice(done);
}

export const hasKnownToken = (text: string) => knownTokens(text).length > 0;

/** No token is longer than this, nor the header that it would be sent in. */
const MAX_TOKEN = 100_000;

/** At the end of the name of a package or an image: `@1.2.3`, `==1.2.3`, `:1.2.3-slim`, `@sha256:…`. It is random to the eye. */
const VERSION = /(?:(?:@|[=~<>]=|:)v?\d{1,9}(?:\.\d{1,9}){1,3}(?:[-+.][\w.-]{1,40})?|@sha256:[0-9a-f]{64})$/;

/**
 * Whether something that a server calls a token looks like one: visible ASCII of sensible length (RFC 6749, appendix A) that
 * is random, and so not a word, sentence, name, path or address. Only such a text is struck out wherever it occurs;
 * otherwise a server could make other texts unreadable.
 */
export function isTokenShaped(text: string): boolean {
  if (text.length > MAX_TOKEN || !/^[\x21-\x7e]+$/.test(text)) return false;
  const [known] = knownTokens(text);
  if (known?.value === text) return true;
  const value = text.replace(VERSION, '');
  if (!isRandom(value)) return false;
  // Words are runs of letters; random text keeps switching between kinds of characters.
  const runs = value.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g) ?? [];
  const digits = value.replace(/\D+/g, '').length;
  const perRun = value.length / runs.length;
  if (perRun <= 2.6 || (digits >= 3 && perRun <= 5)) return true;
  // Of random texts of 43, one in 250 has longer runs by chance. Words have more vowels.
  const letters = value.replace(/[^a-z]/gi, '').length;
  const vowels = value.replace(/[^aeiou]/gi, '').length;
  return value.length >= 32 && perRun <= 3.6 && vowels / letters < 0.33;
}

const COMMON = new Set(
  `true false null undefined none yes no on off auto default enabled disabled node npx npm python python3 docker production
  development staging debug info notice warning error test testing local localhost stdio http https utf-8 utf8 bearer basic
  token password secret application/json admin root user guest example changeme placeholder`.split(/\s+/),
);

/** A value likely to occur for other reasons than being a secret: short, a common word, a number, a path. */
export function isCommonValue(value: string): boolean {
  if (value.length < 5 || COMMON.has(value.toLowerCase())) return true;
  if (/^[\d.,:-]+$/.test(value) && value.length < 8) return true;
  return isPath(value) || /^[a-z][a-z\d+.-]*:\/\//i.test(value);
}

/** A generated secret may have slashes too; the parts of a path are words. */
function isPath(value: string): boolean {
  const hasFolders = /^(?:\/|~\/|\.{1,2}\/|[A-Za-z]:[\\/])[^\s=]*[\\/]/.test(value);
  if (!hasFolders && !/^(?:~?\/|[A-Za-z]:[\\/])[\w.-]+$/.test(value)) return false;
  const isWord = (part: string) => part.length < 12 || !(/\d/.test(part) && /[a-z]/.test(part) && /[A-Z]/.test(part));
  return value.split(/[\\/:;]/).every(isWord);
}

/** Whether a value has the randomness of a generated secret: letters and digits mixed, few of them twice. */
export function isRandom(value: string): boolean {
  if (value.length < 16 || /\s/.test(value) || isCommonValue(value)) return false;
  const classes = [/[a-z]/, /[A-Z]/, /\d/].filter(pattern => pattern.test(value)).length;
  return classes >= 2 && entropy(value) >= 3;
}

/** Shannon entropy, in bits per character. */
function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}
