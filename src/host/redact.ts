import { HostError } from './errors';
import { isCommonValue } from './settings/secretWords';

/** What stands in the place of a secret. */
export const REDACTED = '•••';
/** A shorter piece of base64 may be anything. */
const MIN_ENCODED = 6;
/** A line of a secret of several lines, such as a private key, that is told by itself. */
const MIN_LINE = 12;
/** So much of a secret that a text was cut within is struck out too. */
const MIN_PREFIX = 4;
const CUT = '…';

/**
 * Strikes secrets out of texts by their values, also where those are encoded (base64, URL, JSON). The host has one, which
 * knows the secrets of all its servers: what one server prints may be another's. See `guardPorts` for where it stands.
 */
export class Redactor {
  readonly #secrets = new Map<string, Set<string>>();
  #matcher: Matcher | undefined;

  /** Adds secrets of `owner`. Values that are short or common are left out: they say nothing, and stand everywhere. */
  learn(owner: string, values: Iterable<string>): void {
    const known = this.#secrets.get(owner) ?? new Set();
    const before = known.size;
    for (const value of values) if (!isCommonValue(value)) known.add(value);
    if (known.size === before) return;
    this.#secrets.set(owner, known);
    this.#rebuild();
  }

  /** Nothing of `owner` is said any more. */
  forget(owner: string): void {
    if (this.#secrets.delete(owner)) this.#rebuild();
  }

  get isEmpty(): boolean {
    return !this.#matcher;
  }

  text(text: string): string {
    return this.#matcher ? this.#matcher.redact(text) : text;
  }

  /** The same for any JSON value. Of one that is not to be kept as it is, its text. */
  value(value: unknown): unknown {
    if (!this.#matcher || value === undefined) return value;
    if (typeof value === 'string') return this.#matcher.redact(value);
    if (typeof value !== 'object' && typeof value !== 'number') return value;
    const text = JSON.stringify(value);
    const redacted = this.#matcher.redact(text);
    if (redacted === text) return value;
    try {
      return JSON.parse(redacted);
    } catch {
      return redacted;
    }
  }

  /** An error without secrets in anything that it says. */
  error(error: HostError): HostError {
    if (!this.#matcher) return error;
    const { code, server, action, reason, remedy, rpcCode, stderrTail, cause } = error;
    return new HostError({
      code,
      server,
      action: this.text(action),
      reason: this.text(reason),
      ...(remedy !== undefined && { remedy: this.text(remedy) }),
      ...(rpcCode !== undefined && { rpcCode }),
      stderrTail: stderrTail.map(line => this.text(line)),
      // What the SDK threw has whole messages in it.
      ...(cause instanceof Error && { cause: new Error(this.text(cause.message)) }),
    });
  }

  #rebuild(): void {
    const secrets = [...this.#secrets.values()].flatMap(values => [...values]);
    this.#matcher = secrets.length > 0 ? new Matcher(secrets) : undefined;
  }
}

/** One expression for all forms of all secrets. V8 makes a trie of it: time is linear in the text. */
class Matcher {
  readonly #forms: readonly string[];
  readonly #pattern: RegExp;
  readonly #longest: number;

  constructor(secrets: readonly string[]) {
    // Longest first: of two that begin alike the longer one counts.
    this.#forms = [...new Set(secrets.flatMap(formsOf))].sort((a, b) => b.length - a.length);
    this.#longest = this.#forms[0]!.length;
    this.#pattern = new RegExp(this.#forms.map(form => form.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'), 'g');
  }

  redact(text: string): string {
    const redacted = text.replace(this.#pattern, REDACTED);
    return redacted.includes(CUT) ? this.#redactCut(redacted) : redacted;
  }

  /** Bounded texts end in "…": the beginning of a secret before it is one too. */
  #redactCut(text: string): string {
    const parts = text.split(CUT);
    const redacted = parts.map((part, index) => (index === parts.length - 1 ? part : this.#withoutPrefix(part)));
    return redacted.join(CUT);
  }

  #withoutPrefix(text: string): string {
    for (let length = Math.min(this.#longest - 1, text.length); length >= MIN_PREFIX; length--) {
      const end = text.slice(-length);
      if (this.#forms.some(form => form.length > length && form.startsWith(end)))
        return text.slice(0, -length) + REDACTED;
    }
    return text;
  }
}

/** How a secret may stand in a text. */
function formsOf(secret: string): string[] {
  const lines = secret.includes('\n') ? secret.split(/\r?\n/).filter(line => line.length >= MIN_LINE) : [];
  const url = [encodeURIComponent(secret.toWellFormed()), new URLSearchParams({ '': secret }).toString().slice(1)];
  const json = JSON.stringify(secret).slice(1, -1);
  return [
    secret,
    ...lines,
    json,
    JSON.stringify(json).slice(1, -1),
    json.replace(/[\u0080-\uffff]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
    ...url,
    ...url.map(text => text.replace(/%../g, code => code.toLowerCase())),
    ...base64Forms(secret),
  ];
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
