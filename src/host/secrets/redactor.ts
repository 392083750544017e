import { attempt, HostError } from '../../base/errors';
import { MAX_LEVELS } from '../../base/json';
import { type Phrase, withValues } from '../../base/phrase';
import { plainData, plainText } from '../../base/processes';
import { asksForSecret, isCommonValue, isTokenShaped } from '../../base/secretWords';
import { startOf } from '../../base/text';
import type { LaunchGate } from '../definition/launchGate';
import type { ElicitationPort, HostPorts } from '../definition/ports';
import { SENDERS } from '../sdk/methods';
import type { TraceLog } from '../trace/traceLog';
import { secretsOfEntry } from './entrySecrets';
import { LogLengths } from './logLengths';
import { Needles } from './needles';
import { CUT, readings } from './spellings';

/** Redacts everything that leaves the host through the editor's ports. */
export interface GuardedPorts extends Omit<HostPorts, 'launch'> {
  readonly launch: Pick<LaunchGate, 'admit'>;
  readonly redactor: Redactor;
  /** Messages on the wire, unredacted: they are redacted when read. */
  readonly trace: TraceLog;
}

/**
 * Puts the redactor between the host and the editor, so that no part of the host can bypass it: what is logged or remembered
 * goes through it here, and errors where they leave a connection (`ServerConnection`). It also learns secrets here before a
 * server can print them: the values given to a launch, with the variables of its `envFile`.
 */
export function guardPorts(ports: HostPorts, redactor: Redactor, trace: TraceLog): GuardedPorts {
  const { launch, sampling, elicitation, auth, drawsApps, sandbox, watch } = ports;
  const lengths = new LogLengths();
  return {
    redactor,
    trace,
    roots: ports.roots,
    ...(sampling && { sampling }),
    ...(elicitation && { elicitation: learning(elicitation, redactor) }),
    // Its secrets are learned where they are used (`auth/context`).
    ...(auth && { auth }),
    ...(drawsApps && { drawsApps }),
    ...(watch && { watch }),
    sandbox,
    shellPath: () => ports.shellPath(),
    log: {
      log: (definition, entry) => {
        const { source, level, data, logger } = entry;
        ports.log.log(definition, {
          source,
          level,
          // Made plain first, because a colour code within a secret would hide it.
          data: redactor.value(plainData(data, lengths.of(definition.id, data))),
          ...(logger !== undefined && { logger: redactor.text(plainText(logger)) }),
        });
      },
      level: definition => ports.log.level?.(definition),
    },
    memory: {
      read: key => ports.memory.read(key),
      write: (key, value) => ports.memory.write(key, redactor.value(value)),
    },
    launch: {
      admit: async (definition, purpose) => {
        const admitted = await launch.admit(definition, purpose);
        if (!('needs' in admitted)) {
          redactor.learn(definition.id, admitted.secrets);
          redactor.guess(definition.id, secretsOfEntry(admitted.entry));
        }
        return admitted;
      },
    },
  };
}

/** What a person types into a field for a secret is known from then on. */
function learning(port: ElicitationPort, redactor: Redactor): ElicitationPort {
  return {
    capability: server => port.capability(server),
    elicit: async (server, params, signal) => {
      const answer = await port.elicit(server, params, signal);
      const fields = Object(Object(params).requestedSchema?.properties) as Record<
        string,
        { title?: unknown } | undefined
      >;
      const secrets = Object.entries(answer.content ?? {}).flatMap(([name, value]) =>
        typeof value === 'string' && asksForSecret(name, fields[name]?.title) ? [value] : [],
      );
      redactor.learnRenewed(
        server.id,
        secrets.filter(({ length }) => length >= MIN_GUESSED),
      );
      return answer;
    },
    visit: (server, urls, signal) => port.visit(server, urls, signal),
    completed: (server, id) => port.completed(server, id),
  };
}

/** Replaces a secret. */
export const REDACTED = '•••';
/** Replaces a whole text that could not be searched. */
export const WITHHELD = '[withheld: redaction failed]';
/** The shortest piece of base64 to search for; a shorter one may be anything. */
const MIN_ENCODED = 6;
/** The shortest line of a multi-line secret, such as a private key, that is recognized separately. */
const MIN_LINE = 12;
const MAX_LINES = 1_000;
/** If a text was cut in the middle of a secret, a beginning of at least this length is struck out too. */
const MIN_PREFIX = 4;
/** The most secrets that are known at once: the forms of more would fill the memory. */
const MAX_SECRETS = 15_000;
/** What is only guessed to be a secret, by its name, is searched for if it is at least this long: a shorter value occurs by chance. */
const MIN_GUESSED = 8;
/** The words of the protocol, which stay readable: a value that is part of one reveals nothing. */
const PROTOCOL_WORDS = [
  ...Object.values(SENDERS),
  'elicitation/create notifications/elicitation/complete notifications/message notifications/prompts/list_changed',
  'notifications/resources/list_changed notifications/resources/updated notifications/tools/list_changed roots/list',
  'sampling/createMessage additionalProperties annotations arguments capabilities clientCapabilities clientInfo',
  'contents description destructiveHint idempotentHint inputRequests inputResponses',
  'inputSchema instructions jsonrpc lastModified listChanged maxTokens messages metadata mimeType modelPreferences',
  'nextCursor openWorldHint outputSchema progressToken properties protocolVersion readOnlyHint requestId requestState',
  'requestedSchema resourceTemplates resultType serverInfo stopReason structuredContent systemPrompt',
  'toolChoice uriTemplate',
].join(' ');
/** In characters, of all ways in which one text can be read: more would take seconds. */
const MAX_WORK = 60_000_000;
/** How many tokens of one server are remembered: a sign-in has a few, and each renewal brings new ones. */
const MAX_TOKENS = 64;

/**
 * Strikes secrets out of texts by value, in whatever encoding: JSON, URL, base64, and these nested. The host has one, which
 * knows the secrets of all its servers, because one server may print another's. See `guardPorts` for where it is applied. It
 * is linear in its input and never throws; a text on which it fails is withheld.
 */
export class Redactor {
  readonly #secrets = new Map<string, Set<string>>();
  /** Tokens that servers or programs have given, the newest last. */
  readonly #tokens = new Map<string, Set<string>>();
  /** Built when a text arrives, because secrets are added in groups. Null if it could not be built. */
  #matcher: Matcher | null | undefined;

  /** Adds secrets of `owner`. Values that reveal nothing are left out: they occur everywhere. */
  learn(owner: string, values: Iterable<string>): void {
    const known = this.#secrets.get(owner) ?? new Set();
    const before = known.size;
    for (const value of values) if (isTelling(value)) known.add(value);
    if (known.size === before) return;
    this.#secrets.set(owner, known);
    this.#matcher = undefined;
  }

  /** Learns values that only their name marks as secrets: see `MIN_GUESSED`. */
  guess(owner: string, values: readonly string[]): void {
    this.learn(
      owner,
      values.filter(({ length }) => length >= MIN_GUESSED),
    );
  }

  /** Adds what a server of `owner` gave as a token if it looks like one: a server can call any text a token. */
  learnTokens(owner: string, values: Iterable<string>): void {
    this.learnRenewed(owner, [...values].filter(isTokenShaped));
  }

  /** Adds secrets that are replaced again and again. If there are many, only the newest count. */
  learnRenewed(owner: string, values: readonly string[]): void {
    const known = this.#tokens.get(owner) ?? new Set();
    const before = [...known].join();
    for (const value of values.filter(isTelling)) {
      known.delete(value);
      known.add(value);
    }
    for (const value of [...known].slice(0, -MAX_TOKENS)) known.delete(value);
    if ([...known].join() === before) return;
    this.#tokens.set(owner, known);
    this.#matcher = undefined;
  }

  /** Forgets the secrets of `owner`, which no longer says anything. */
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

  /**
   * A text that a program or model reads, whose server may have written guesses into it to see which are struck out: only whole secrets
   * are. So it is to be redacted before it is cut.
   */
  textForProgram(text: string): string {
    return this.isEmpty ? text : this.#try(matcher => matcher.redact(text, false));
  }

  /** Redacts the strings, keys and numbers of a JSON value. If all of it is a secret, returns its redacted text. */
  value(value: unknown): unknown {
    if (this.isEmpty || value === undefined) return value;
    if (typeof value === 'string') return this.text(value);
    if (typeof value !== 'object' && typeof value !== 'number') return value;
    return this.#try(matcher => matcher.redactWhole(value));
  }

  /** An error without secrets in any of its texts. Programs may read it: see `textForProgram`. */
  error(error: HostError): HostError {
    const redact = (text: string) => this.textForProgram(text);
    const { code, server, phrases, rpcError, status, limit, stderrTail, tellingAt, packages, cause } = error;
    const bare = (phrase: Phrase | string) => withValues(phrase, redact);
    return new HostError({
      code,
      server,
      action: bare(phrases.action),
      reason: bare(phrases.reason),
      ...(phrases.remedy && { remedy: bare(phrases.remedy) }),
      ...(rpcError && {
        rpcError: {
          ...rpcError,
          message: redact(startOf(rpcError.message, MAX_ERROR)),
          data:
            lengthOf(rpcError.data) > MAX_ERROR ? undefined : this.#try(all => all.redactWhole(rpcError.data, false)),
        },
      }),
      ...(status !== undefined && { status }),
      ...(limit && { limit }),
      stderrTail: stderrTail.map(redact),
      ...(tellingAt !== undefined && { tellingAt }),
      ...(packages && { packages }),
      // Errors of the SDK contain whole messages.
      ...(cause instanceof Error && { cause: new Error(redact(cause.message)) }),
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
      // Any of its texts may contain secrets.
      return WITHHELD;
    }
  }
}

/** How many characters of a server's error are searched and kept: a server could make a longer search take seconds. */
const MAX_ERROR = 20_000;
/** Of its JSON. What can't be told is too long. */
const lengthOf = (data: unknown): number =>
  attempt(() => (JSON.stringify(data) ?? '').length) ?? Number.POSITIVE_INFINITY;

/** An address with more than the place to which it leads: a user, parameters. */
const SAYS_MORE = /^[a-z][a-z\d+.-]*:\/\/[^?#@]*[?#@]/i;
/** Short or common values, and words of the protocol, reveal nothing. */
const isTelling = (value: string) =>
  (!isCommonValue(value) || SAYS_MORE.test(value)) && !PROTOCOL_WORDS.includes(value);

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

  /** @param heedsCuts whether the beginning of a secret counts where the text was cut. */
  redact(text: string, heedsCuts = true): string {
    const spans: Span[] = [];
    let work = 0;
    for (const { text: read, places } of readings(text, this.#hasSpaces)) {
      work += read.length;
      if (work > MAX_WORK) throw new RangeError('The text is spelled in too many ways.');
      this.#needles.find(
        read,
        (start, end, isStart) => {
          const place = places?.();
          // The rest of an escape that was cut belongs to the start before it.
          const stop = isStart ? place?.from[end] : place?.to[end - 1];
          spans.push({ start: place?.from[start] ?? start, end: stop ?? end });
        },
        heedsCuts,
      );
    }
    return spans.length === 0 ? text : replaced(text, spans);
  }

  /** A JSON value; its text if all of it is a secret. */
  redactWhole(value: unknown, heedsCuts = true): unknown {
    const redacted = this.#redactValue(value, heedsCuts);
    if (typeof redacted !== 'object') return redacted;
    // A secret may be JSON itself.
    const text = JSON.stringify(redacted);
    const whole = this.redact(text, heedsCuts);
    return whole === text ? redacted : whole;
  }

  /** Returns the value itself if there is nothing to strike out. */
  #redactValue(value: unknown, heedsCuts: boolean, depth = 0): unknown {
    // As in `mapTexts`. What is deeper is withheld.
    if (depth > MAX_LEVELS) throw new RangeError('The value is nested too deeply.');
    if (typeof value === 'string') return this.redact(value, heedsCuts);
    if (typeof value === 'number') {
      const text = String(value);
      return this.redact(text) === text ? value : REDACTED;
    }
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) {
      const items = value.map(item => this.#redactValue(item, heedsCuts, depth + 1));
      return items.every((item, index) => Object.is(item, value[index])) ? value : items;
    }
    const members = Object.entries(value);
    const redacted = members.map(
      ([key, item]) => [this.redact(key, heedsCuts), this.#redactValue(item, heedsCuts, depth + 1)] as const,
    );
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

/** The forms in which a secret may appear in a text, apart from those that decoding the text undoes. */
function formsOf(secret: string): string[] {
  // Of a key whose line breaks are escaped, a program prints lines, too.
  const broken = secret.replace(/\\r(?=\\n)/g, '').replaceAll('\\n', '\n');
  const lines = /[\r\n]/.test(broken) ? broken.split(/[\r\n]+/, MAX_LINES).filter(line => line.length >= MIN_LINE) : [];
  // What goes into base64 may have been encoded before: OAuth credentials (RFC 6749, 2.3.1), JSON.
  const spelled = [secret, broken, encodeURIComponent(secret.toWellFormed()), JSON.stringify(secret).slice(1, -1)];
  const encoded = [...new Set(spelled)].flatMap(base64Forms);
  return [secret, secret.trim(), ...lines, ...encoded].filter(form => form.length >= MIN_PREFIX + 1);
}

/**
 * The three forms of a secret within longer base64, such as Basic credentials, depending on its offset in a group of three
 * bytes. Without the characters at both ends that its neighbours influence.
 */
function base64Forms(secret: string): string[] {
  const forms = [0, 1, 2].map(shift => {
    const bytes = Buffer.concat([Buffer.alloc(shift), Buffer.from(secret)]);
    const text = bytes.toString('base64').replace(/(?<!=)=+$/, '');
    const start = [0, 2, 3][shift]!;
    return text.slice(start, bytes.length % 3 === 0 ? undefined : -1);
  });
  return forms
    .filter(form => form.length >= MIN_ENCODED)
    .flatMap(form => [form, form.replaceAll('+', '-').replaceAll('/', '_')]);
}
