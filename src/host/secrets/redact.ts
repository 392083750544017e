import { HostError } from '../../base/errors';
import { type Phrase, withValues } from '../../base/phrase';
import { isCommonValue, isTokenShaped } from '../../base/secretWords';
import { Needles } from './needles';
import { CUT, readings } from './spellings';

/** What stands in the place of a secret. */
export const REDACTED = '•••';
/** What stands in the place of a whole text that could not be looked through. */
export const WITHHELD = '[withheld: redaction failed]';
/** A shorter piece of base64 may be anything. */
const MIN_ENCODED = 6;
/** A line of a secret of several lines, such as a private key, that is told by itself. */
const MIN_LINE = 12;
const MAX_LINES = 1_000;
/** So much of a secret that a text was cut within is struck out too. */
const MIN_PREFIX = 4;
/** Nobody has more secrets; their forms would fill the memory. */
const MAX_SECRETS = 15_000;
/** Tokens that are known of one server: a sign-in has a few, and each renewal brings new ones. */
const MAX_TOKENS = 64;

/**
 * Strikes secrets out of texts by their values, however those are spelled: in JSON, in a URL, in base64, and in these within
 * each other. The host has one, which knows the secrets of all its servers: what one server prints may be another's. See
 * `guardPorts` for where it stands. Linear in what it is given; it never throws, and what it fails at is withheld.
 */
export class Redactor {
  readonly #secrets = new Map<string, Set<string>>();
  /** Those that servers have given, the newest last. */
  readonly #tokens = new Map<string, Set<string>>();
  /** Made when a text comes: secrets come in groups. Null when it could not be made. */
  #matcher: Matcher | null | undefined;

  /** Adds secrets of `owner`. Values that are short or common are left out: they say nothing, and stand everywhere. */
  learn(owner: string, values: Iterable<string>): void {
    const known = this.#secrets.get(owner) ?? new Set();
    const before = known.size;
    for (const value of values) if (!isCommonValue(value)) known.add(value);
    if (known.size === before) return;
    this.#secrets.set(owner, known);
    this.#matcher = undefined;
  }

  /**
   * Adds what a server of `owner` has given as a token, only when it has the shape of one: a server may call any text so. Of
   * many the newest count.
   */
  learnTokens(owner: string, values: Iterable<string>): void {
    const known = this.#tokens.get(owner) ?? new Set();
    const before = [...known].join();
    for (const value of values) {
      if (!isTokenShaped(value)) continue;
      known.delete(value);
      known.add(value);
    }
    for (const value of [...known].slice(0, -MAX_TOKENS)) known.delete(value);
    if ([...known].join() === before) return;
    this.#tokens.set(owner, known);
    this.#matcher = undefined;
  }

  /** Nothing of `owner` is said any more. */
  forget(owner: string): void {
    const [secrets, tokens] = [this.#secrets.delete(owner), this.#tokens.delete(owner)];
    if (secrets || tokens) this.#matcher = undefined;
  }

  get isEmpty(): boolean {
    return this.#secrets.size === 0 && this.#tokens.size === 0;
  }

  text(text: string): string {
    return this.isEmpty ? text : this.#try(matcher => matcher.redact(text));
  }

  /** The same for any JSON value: its texts, keys and numbers. Of one that is a secret as a whole, its text. */
  value(value: unknown): unknown {
    if (this.isEmpty || value === undefined) return value;
    if (typeof value === 'string') return this.text(value);
    if (typeof value !== 'object' && typeof value !== 'number') return value;
    return this.#try(matcher => {
      const redacted = matcher.redactValue(value);
      if (typeof redacted !== 'object') return redacted;
      // A secret may be JSON itself.
      const text = JSON.stringify(redacted);
      const whole = matcher.redact(text);
      return whole === text ? redacted : whole;
    });
  }

  /** An error without secrets in anything that it says. */
  error(error: HostError): HostError {
    if (this.isEmpty) return error;
    const { code, server, phrases, rpcCode, limit, stderrTail, cause } = error;
    const bare = (phrase: Phrase | string) => withValues(phrase, value => this.text(value));
    return new HostError({
      code,
      server,
      action: bare(phrases.action),
      reason: bare(phrases.reason),
      ...(phrases.remedy && { remedy: bare(phrases.remedy) }),
      ...(rpcCode !== undefined && { rpcCode }),
      ...(limit && { limit }),
      stderrTail: stderrTail.map(line => this.text(line)),
      // What the SDK threw has whole messages in it.
      ...(cause instanceof Error && { cause: new Error(this.text(cause.message)) }),
    });
  }

  #try<T>(redact: (matcher: Matcher) => T): T | typeof WITHHELD {
    try {
      if (this.#matcher === undefined) {
        this.#matcher = null;
        this.#matcher = new Matcher([...this.#secrets.values(), ...this.#tokens.values()].flatMap(set => [...set]));
      }
      return this.#matcher ? redact(this.#matcher) : WITHHELD;
    } catch {
      // Whatever it says may have secrets in it.
      return WITHHELD;
    }
  }
}

interface Span {
  start: number;
  end: number;
}

class Matcher {
  readonly #needles: Needles;
  readonly #hasSpaces: boolean;

  constructor(secrets: readonly string[]) {
    if (secrets.length > MAX_SECRETS) throw new RangeError('There are too many secrets.');
    this.#needles = new Needles(new Set(secrets.flatMap(formsOf)), CUT, MIN_PREFIX);
    this.#hasSpaces = secrets.some(secret => secret.includes(' '));
  }

  redact(text: string): string {
    const spans: Span[] = [];
    for (const { text: read, places } of readings(text, this.#hasSpaces)) {
      this.#needles.find(read, (start, end, isStart) => {
        const place = places?.();
        // What was left of an escape that was cut belongs to the start before it.
        const stop = isStart ? place?.from[end] : place?.to[end - 1];
        spans.push({ start: place?.from[start] ?? start, end: stop ?? end });
      });
    }
    return spans.length === 0 ? text : replaced(text, spans);
  }

  /** The value itself when there is nothing to strike out. */
  redactValue(value: unknown): unknown {
    if (typeof value === 'string') return this.redact(value);
    if (typeof value === 'number') {
      const text = String(value);
      return this.redact(text) === text ? value : REDACTED;
    }
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) {
      const items = value.map(item => this.redactValue(item));
      return items.every((item, index) => Object.is(item, value[index])) ? value : items;
    }
    const members = Object.entries(value);
    const redacted = members.map(([key, item]) => [this.redact(key), this.redactValue(item)] as const);
    const isSame = redacted.every(([key, item], n) => key === members[n]![0] && Object.is(item, members[n]![1]));
    return isSame ? value : Object.fromEntries(redacted);
  }
}

function replaced(text: string, spans: Span[]): string {
  spans.sort((a, b) => a.start - b.start || b.end - a.end);
  const parts: string[] = [];
  let done = 0;
  for (let at = 0; at < spans.length; ) {
    const { start } = spans[at]!;
    let { end } = spans[at++]!;
    while (at < spans.length && spans[at]!.start < end) end = Math.max(end, spans[at++]!.end);
    parts.push(text.slice(done, start), REDACTED);
    done = end;
  }
  return parts.join('') + text.slice(done);
}

/** How a secret may stand in a text, the ways aside in which the text itself is read. */
function formsOf(secret: string): string[] {
  const lines = /[\r\n]/.test(secret) ? secret.split(/[\r\n]+/, MAX_LINES).filter(line => line.length >= MIN_LINE) : [];
  // What goes into base64 is spelled before: credentials of OAuth (RFC 6749, 2.3.1), JSON.
  const spelled = [secret, encodeURIComponent(secret.toWellFormed()), JSON.stringify(secret).slice(1, -1)];
  const encoded = [...new Set(spelled)].flatMap(base64Forms);
  return [secret, secret.trim(), ...lines, ...encoded].filter(form => form.length >= MIN_PREFIX + 1);
}

/**
 * The three texts that a secret may be within longer base64, by where it begins in a group of three bytes, as in the
 * credentials of Basic. Without the characters at both ends that its neighbours have a part in.
 */
function base64Forms(secret: string): string[] {
  const forms = [0, 1, 2].map(shift => {
    const bytes = Buffer.concat([Buffer.alloc(shift), Buffer.from(secret)]);
    const text = bytes.toString('base64').replace(/=+$/, '');
    const start = [0, 2, 3][shift]!;
    return text.slice(start, bytes.length % 3 === 0 ? undefined : -1);
  });
  return forms
    .filter(form => form.length >= MIN_ENCODED)
    .flatMap(form => [form, form.replaceAll('+', '-').replaceAll('/', '_')]);
}
