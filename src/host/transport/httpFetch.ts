import { setTimeout as delay } from 'node:timers/promises';
import type { FetchLike, JSONRPCMessage, RequestId } from '@modelcontextprotocol/client';
import { retryAfterMs } from './backoff';
import { type EventRelay, isEventStream, standInFor } from './eventStreams';
import { busy, elsewhere, notAllowed, redirected, seconds } from './httpFaults';
import { AnswerStream, StandingStream } from './httpStreams';
import type { Wire } from './incomingMessages';
import { capped, type Outgoing, outgoingOf, plainAnswer, refusal, shortened } from './postAnswer';
import { isTransportFault, type TransportFault } from './transportFault';

/** How servers refuse the stream that was just negotiated, without saying that they have none (405). */
const NO_STREAM = new Set([400, 406, 415, 422, 501]);
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

export interface HttpFetchOptions {
  url: URL;
  kind: 'http' | 'sse';
  /** Headers to send to the origin of `url` and nowhere else. */
  headers: Readonly<Record<string, string>>;
  maxMessageBytes: number;
  /** How long a request may take, in milliseconds, by its method; undefined for anything that is not a request. */
  limitMs(method: string | undefined): number;
  /** Sends requests to the origin of `url` with the credentials of a sign-in. Default: `fetch`. */
  authorize?: (url: URL, init: RequestInit) => Promise<Response>;
  /** Whether the server may be reached at an address of its origin, after a redirect. Default: at each. */
  mayReach?: ((url: URL) => boolean) | undefined;
  relay: EventRelay;
  exchanges: Exchanges;
  wire: Wire;
  /** Logs how the host reacts when the server asks to wait or ends a stream. */
  say(what: string): void;
  /** The session has ended. */
  lost(fault: TransportFault): void;
}

/**
 * The only `fetch` of a remote server, for the SDK's transports; it reaches the server's origin and nothing else. Bodies are
 * bounded; event streams are read here, and their messages bypass the SDK (`EventRelay`); a request whose answer can no
 * longer come fails immediately; configured headers stay on their origin; and a server that asks us to wait gets its time.
 * Rejects with a `TransportFault` for what it finds.
 */
export function createHttpFetch(options: HttpFetchOptions): FetchLike {
  const { url: own, kind, exchanges, authorize = fetch } = options;
  const { traffic } = options.relay;
  const received = (text: string) => options.wire('received', text);

  const send = async (url: URL, init: RequestInit, outgoing: Outgoing): Promise<Response> => {
    const response = await sendPatiently(() => authorize(url, init), {
      limitMs: options.limitMs(outgoing.method),
      signal: init.signal ?? undefined,
      say: what => options.say(what),
    });
    refuseRedirect(url, init.method ?? 'GET', response);
    return response;
  };

  const post = async (url: URL, init: RequestInit, outgoing: Outgoing): Promise<Response> => {
    const { id, method } = outgoing;
    if (typeof init.body === 'string') options.wire('sent', init.body);
    // The older transport has the session in the address that the server gave.
    const reading = { received, inSession: kind === 'sse' || new Headers(init.headers).has('mcp-session-id') };
    // With the older transport, answers come on the standing stream.
    if (id === undefined || kind === 'sse') return refusal(await send(url, init, outgoing), reading);
    const signal = exchanges.begin(id, init.signal);
    let streams = false;
    try {
      const response = await send(url, { ...init, signal }, outgoing);
      if (!isEventStream(response)) {
        const leftOut = (what: string) => options.relay.leftOut(what);
        const pass = (messages: readonly JSONRPCMessage[]) => void options.relay.pass(messages);
        const how = { ...reading, maxBytes: options.maxMessageBytes, leftOut, traffic, signal, pass };
        return await plainAnswer(response, outgoing, how);
      }
      const stream = new AnswerStream({
        id,
        isAwaited: () => method !== 'subscriptions/listen' && !exchanges.isGivenUp(id),
        maxMessageBytes: options.maxMessageBytes,
        relay: options.relay,
        signal,
        resume: lastEventId => open(url, { ...init, signal }, lastEventId),
      });
      const ended = Promise.withResolvers<void>();
      exchanges.streams(id, stream, ended.promise);
      streams = true;
      return standInFor(response.headers, () => {
        ended.resolve(stream.run(response));
        // The sender gets the fault; for the SDK the stream just ends.
        return ended.promise.catch(() => {});
      });
    } finally {
      if (!streams) exchanges.end(id);
    }
  };

  /** A GET for an event stream, with the headers of an earlier request. */
  const open = (url: URL, init: RequestInit, lastEventId: string | undefined): Promise<Response> => {
    const headers = new Headers(init.headers);
    // Those of the message in it.
    const others = [...headers.keys()].filter(name => /^(content-.*|mcp-(method|name|param-.*))$/.test(name));
    for (const name of others) headers.delete(name);
    headers.set('accept', 'text/event-stream');
    if (lastEventId !== undefined) headers.set('last-event-id', lastEventId);
    const { body: _, ...rest } = init;
    return authorize(url, { ...rest, method: 'GET', headers });
  };

  /** Opens the standing stream. Undefined: not yet, because the network failed or the server is temporarily unavailable. */
  const openStanding = async (url: URL, init: RequestInit): Promise<Response | undefined> => {
    if (kind === 'sse') return send(url, init, {});
    try {
      const response = await authorize(url, init);
      refuseRedirect(url, 'GET', response);
      if (response.status !== 429 && response.status !== 503) return response;
      void response.body?.cancel().catch(() => {});
    } catch (error) {
      if (init.signal?.aborted || isTransportFault(error)) throw error;
    }
    return undefined;
  };

  const stand = async (url: URL, init: RequestInit): Promise<Response> => {
    const first = await openStanding(url, init);
    // Anything else that is fine offers no stream yet: the SDK would ask again each second, for ever.
    const isOther = kind === 'http' && first?.ok === true && !isEventStream(first);
    if (isOther) void first.body?.cancel().catch(() => {});
    const response = isOther ? undefined : first;
    if (response && !isEventStream(response)) {
      if (kind === 'http' && NO_STREAM.has(response.status))
        options.say(`it refuses its event stream (HTTP ${response.status}), so what it sends unasked does not arrive`);
      return shortened(response);
    }
    return standInFor(response?.headers, forward => {
      const passOn: typeof forward = event => {
        const elsewhereTo = event.event === 'endpoint' ? otherOrigin(event.data, url) : undefined;
        if (elsewhereTo) options.lost(elsewhere(elsewhereTo));
        else forward(event);
      };
      return new StandingStream({
        maxMessageBytes: options.maxMessageBytes,
        relay: options.relay,
        signal: init.signal ?? new AbortController().signal,
        reopen: kind === 'http' ? lastEventId => open(url, init, lastEventId) : undefined,
        passOn,
        say: what => options.say(what),
        lost: fault => options.lost(fault),
      }).run(response);
    });
  };

  return async (input, init = {}) => {
    const url = new URL(input);
    if (url.origin !== own.origin) throw elsewhere(url);
    // With the older transport, the server names the address of messages.
    const isAsConfigured = url.href === own.href || (kind === 'sse' && init.method === 'POST');
    if (!isAsConfigured && options.mayReach?.(url) === false) throw notAllowed(url);
    const headers = new Headers(init.headers);
    for (const [name, value] of Object.entries(options.headers)) if (!headers.has(name)) headers.set(name, value);
    // A redirect is checked before it is followed.
    const mine: RequestInit = { ...init, headers, redirect: 'manual' };
    const isPost = init.method === 'POST';
    if (isPost && typeof init.body === 'string') traffic.sent += Buffer.byteLength(init.body);
    const isForStream = headers.get('accept')?.includes('text/event-stream') ?? false;
    if (!isForStream && !(isPost && kind === 'sse')) return capped(await authorize(url, mine), options.maxMessageBytes);
    if (!isPost) return stand(url, mine);
    const outgoing = outgoingOf(init.body);
    try {
      return await post(url, mine, outgoing);
    } finally {
      // In the legacy era, nothing else shows that the request was given up.
      if (outgoing.cancels !== undefined) exchanges.giveUp(outgoing.cancels);
    }
  };
}

/** The address, if it is of another origin than `base`. */
function otherOrigin(address: string, base: URL): URL | undefined {
  const url = URL.canParse(address, base.href) ? new URL(address, base) : undefined;
  return url && url.origin !== base.origin ? url : undefined;
}

/**
 * Throws a `TransportFault` for a redirect that must not be followed: to another origin (including https instead of http), where
 * neither credentials nor requests belong, or one that would turn a message into a GET. The SDK follows all others, at most
 * a few in a row.
 */
function refuseRedirect(url: URL, method: string, response: Response): void {
  const location = REDIRECTS.has(response.status) ? response.headers.get('location') : null;
  if (location === null || !URL.canParse(location, url.href)) return;
  const target = new URL(location, url);
  const keepsMethod = method === 'GET' || response.status === 307 || response.status === 308;
  if (keepsMethod && target.origin === url.origin && !target.username && !target.password) return;
  void response.body?.cancel().catch(() => {});
  // A proxy that ends TLS, or listens at another port, is not known to the server behind it, which names itself as it is called.
  const isInner = (url.protocol === 'https:' && target.protocol === 'http:') || (url.port === '' && target.port !== '');
  const isItself = isInner && target.hostname === url.hostname && target.pathname !== url.pathname;
  const mended = isItself ? `${url.origin}${target.pathname}` : undefined;
  throw redirected(response.status, `${target.protocol}//${target.host}${target.pathname}`, mended);
}

const MAX_TRIES = 3;
/** Longer waits are left to the person. */
const MAX_WAIT_MS = 30_000;

/**
 * Sends a request, and repeats it if the server refuses it temporarily and says for how long: status 429 or 503 with
 * `Retry-After` (RFC 9110, 10.2.3). It was not carried out then, so repeating it is safe. At most three times in all, and
 * only if each wait is at most 30 s and ends within the request's limit; otherwise rejects immediately with a `TransportFault`.
 */
async function sendPatiently(
  send: () => Promise<Response>,
  { limitMs, signal, say }: { limitMs: number; signal: AbortSignal | undefined; say(what: string): void },
): Promise<Response> {
  const end = performance.now() + limitMs;
  for (let tries = 1; ; tries++) {
    const response = await send();
    const { status } = response;
    const waitMs = status === 429 || status === 503 ? retryAfterMs(response.headers.get('retry-after')) : undefined;
    if (waitMs === undefined) return response;
    void response.body?.cancel().catch(() => {});
    const tooLong = waitMs > MAX_WAIT_MS || performance.now() + waitMs > end;
    if (tries === MAX_TRIES || tooLong) throw busy(status, waitMs);
    say(`it asks to wait (HTTP ${status}): the request is sent again in ${seconds(waitMs)}`);
    await delay(waitMs, undefined, signal && { signal });
  }
}

/** The most connections of requests that were given up that stay open at once. */
const MAX_GIVEN_UP = 10;
const ON_ITS_WAY_MS = 2_000;

type OpenStream = Pick<AnswerStream, 'isWithinMessage'>;

/** The POSTed requests that are waiting for an answer, each of which can be given up. */
export class Exchanges {
  readonly #aborts = new Map<RequestId, AbortController>();
  readonly #streams = new Map<RequestId, { readonly stream: OpenStream; readonly ended: Promise<void> }>();
  readonly #givenUp = new Set<RequestId>();

  /** Registers a request. @returns the signal that ends it, triggered by its sender or by `giveUp`. */
  begin(id: RequestId, signal: AbortSignal | null | undefined): AbortSignal {
    const abort = new AbortController();
    this.#aborts.set(id, abort);
    return signal ? AbortSignal.any([signal, abort.signal]) : abort.signal;
  }

  /** To be called when its answer is a stream, which is read until `ended`. */
  streams(id: RequestId, stream: OpenStream, ended: Promise<void>): void {
    this.#streams.set(id, { stream, ended });
    // A waiting caller gets the error; without one, it must not count as an unhandled rejection.
    ended.catch(() => {}).finally(() => this.end(id));
  }

  end(id: RequestId): void {
    this.#aborts.delete(id);
    this.#streams.delete(id);
    this.#givenUp.delete(id);
  }

  /**
   * Gives up a request of the legacy era. Its connection is closed, but for a stream between two messages: bridges such as
   * supergateway send everything, also what concerns no request, on the stream of the oldest unanswered one. That stays open
   * until the server ends it, unless there are too many.
   */
  giveUp(id: RequestId): void {
    const stream = this.#streams.get(id)?.stream;
    const abort = this.#aborts.get(id);
    if (!stream || stream.isWithinMessage || this.#givenUp.size >= MAX_GIVEN_UP) {
      abort?.abort();
      return;
    }
    this.#givenUp.add(id);
    // What was on its way has arrived by then, or never does.
    setTimeout(() => stream.isWithinMessage && abort?.abort(), ON_ITS_WAY_MS).unref();
  }

  isGivenUp(id: RequestId): boolean {
    return this.#givenUp.has(id);
  }

  /** Resolves when the stream that answers a message has ended; immediately if there is none. Rejects with its fault. */
  async answered(message: JSONRPCMessage | JSONRPCMessage[]): Promise<void> {
    if (!Array.isArray(message) && 'id' in message && message.id !== undefined)
      await this.#streams.get(message.id)?.ended;
  }
}
