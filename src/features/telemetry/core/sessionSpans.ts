import { randomFillSync } from 'node:crypto';
import type { JSONRPCRequest, JSONRPCResponse, RequestId } from '@modelcontextprotocol/client';
import { attempt } from '../../../base/errors';
import { fingerprint } from '../../../base/fingerprint';
import { parseUrl, visible } from '../../../base/text';
import { isNotSupported } from '../../../host';
import type { RequestWatch, ServerDefinition, WatchedSession } from '../../../host/definition';
import { type ServerEntry, socketOf } from '../../../host/settings';
import type { EndedOperation, Operation, SessionFacts, SpanPlace } from './operation';

/** More requests of one session do not wait for their answers at once: those beyond are not reported. */
const MAX_OPEN = 10_000;
/** Larger content is not redacted, and so not sent, in characters. */
const MAX_REDACTED = 100_000;
const MAX_CONTENT = 8_000;

interface OpenRequest {
  readonly request: JSONRPCRequest;
  readonly startedAt: number;
  readonly started: number;
  readonly place: SpanPlace | undefined;
}

export interface SpanSink {
  /** Whether content goes along: see `TelemetrySettings`. */
  readonly content: boolean;
  ended(ended: EndedOperation): void;
  /** A request is not reported. */
  lost(): void;
}

/**
 * Makes a span of each request of one session, by the conventions of OpenTelemetry for MCP clients: its context goes to the
 * server in `_meta` (SEP-414), as a child of the span that an agent's request came with.
 */
export class SessionSpans implements RequestWatch {
  readonly #open = new Map<RequestId, OpenRequest>();
  #facts: SessionFacts | undefined;
  /** What the facts were made of. */
  #version: string | undefined;
  #id: string | undefined;
  #isClosed = false;

  constructor(
    private readonly session: WatchedSession,
    private readonly sink: SpanSink,
  ) {}

  sending(request: JSONRPCRequest): JSONRPCRequest {
    const { id, params } = request;
    if (this.#open.size >= MAX_OPEN) {
      this.sink.lost();
      return request;
    }
    const meta = params?._meta;
    const place = placeBelow(meta?.traceparent);
    this.#open.set(id, { request, startedAt: Date.now(), started: performance.now(), place });
    if (!place) return request;
    const traceparent = `00-${place.traceId}-${place.spanId}-01`;
    return { ...request, params: { ...params, _meta: { ...meta, traceparent } } };
  }

  answered(answer: JSONRPCResponse): void {
    const open = this.#take(answer.id);
    if (!open) return;
    if ('result' in answer) {
      const { isError, protocolVersion } = Object(answer.result) as Record<string, unknown>;
      const fails = open.request.method === 'tools/call' && isError === true;
      if (typeof protocolVersion === 'string') this.#agreed(protocolVersion);
      this.#end(open, fails ? { errorType: 'tool_error' } : {}, answer.result);
      return;
    }
    const code = statusCode(answer.error);
    const isProbe = this.#current()['mcp.protocol.version'] === undefined;
    const isFailure = !isNotSupported({ method: open.request.method, code: Number(code), isProbe });
    this.#end(open, { statusCode: code, ...(isFailure && { errorType: code ?? OTHER }) });
  }

  failed(id: RequestId, reason: unknown): void {
    const open = this.#take(id);
    if (open) this.#end(open, { errorType: errorType(reason) });
  }

  closed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const open of this.#open.values()) this.#end(open, { errorType: 'connection_closed' });
    this.#open.clear();
    const facts = this.#current();
    // Without a version it was an attempt to connect, and no session.
    if (facts['mcp.protocol.version'] === undefined) return;
    this.sink.ended({ facts, sessionSeconds: (performance.now() - this.session.began) / 1_000 });
  }

  /** The answer to `initialize` arrives before the client knows its version. */
  #agreed(version: string): void {
    if (this.#version !== undefined) return;
    this.#version = version;
    this.#facts = undefined;
  }

  /** Some servers turn a number into a string. */
  #take(id: unknown): OpenRequest | undefined {
    const known = this.#open.has(id as RequestId) ? (id as RequestId) : typeof id === 'string' ? Number(id) : undefined;
    if (known === undefined) return undefined;
    const open = this.#open.get(known);
    this.#open.delete(known);
    return open;
  }

  #end(
    { request, startedAt, started, place }: OpenRequest,
    failure: Pick<Operation, 'errorType' | 'statusCode'>,
    result?: unknown,
  ): void {
    const { method, id, params } = request;
    const name = params?.name;
    const named = typeof name === 'string' ? attribute(this.session.redact(name)) : undefined;
    const content = this.sink.content && place ? this.#contentOf(request, result) : undefined;
    this.sink.ended({
      facts: this.#current(),
      operation: {
        method,
        id: String(id),
        startedAt,
        // In whole microseconds: all digits of a clock would be a good part of the text.
        seconds: Math.round((performance.now() - started) * 1_000) / 1_000_000,
        tool: method === 'tools/call' ? named : undefined,
        prompt: method === 'prompts/get' ? named : undefined,
        ...failure,
        place,
        content,
      },
    });
  }

  /** Made anew only when something is known that was not. A client that has ended knows neither any more. */
  #current(): SessionFacts {
    const { protocolVersion = this.#version, id = this.#id } = this.session;
    if (!this.#facts || protocolVersion !== this.#version || id !== this.#id) {
      [this.#version, this.#id] = [protocolVersion, id];
      this.#facts = sessionFacts(this.session.server, protocolVersion, id);
    }
    return this.#facts;
  }

  #contentOf({ method, params = {} }: JSONRPCRequest, result: unknown): Record<string, string> {
    const { uri, arguments: args } = params;
    return {
      ...(typeof uri === 'string' && { 'mcp.resource.uri': this.#readable(uri) }),
      ...(method === 'tools/call' && args !== undefined && { 'gen_ai.tool.call.arguments': this.#readable(args) }),
      ...(method === 'tools/call' && result !== undefined && { 'gen_ai.tool.call.result': this.#readable(result) }),
    };
  }

  #readable(value: unknown): string {
    const text = typeof value === 'string' ? value : textOf(value);
    // A secret at a cut would not be found.
    if (text.length > MAX_REDACTED) return `(${text.length} characters)`;
    return visible(this.session.redact(text), MAX_CONTENT);
  }
}

/** Arguments of a call that could not be sent may be no JSON. */
const textOf = (value: unknown): string => attempt(() => JSON.stringify(value) ?? '(no JSON)', '(no JSON)');

const MAX_TEXT = 200;
const PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/** A text of a server or of settings, as an attribute: on one line, and not long. */
const attribute = (text: string): string => visible(text, MAX_TEXT);

/** The facts about a session. Its id is given as a fingerprint: with the id itself, others could speak in the session. */
function sessionFacts(
  { name, entry }: Pick<ServerDefinition, 'name' | 'entry'>,
  version: string | undefined,
  id: string | undefined,
): SessionFacts {
  return {
    // The conventions name no attribute for it: without one, programs could not be told apart.
    'service.peer.name': attribute(name),
    ...(entry && networkFacts(entry)),
    ...(version !== undefined && { 'mcp.protocol.version': attribute(version) }),
    ...(id !== undefined && { 'mcp.session.id': fingerprint(id).slice(0, 16) }),
  };
}

/** The address without path and query, which may hold secrets. */
function networkFacts(entry: ServerEntry): SessionFacts {
  if (entry.type === 'stdio') return { 'network.transport': 'pipe' };
  if (socketOf(entry.url)) return { 'network.transport': 'unix', 'network.protocol.name': 'http' };
  const { hostname = '', port = '', protocol = '' } = parseUrl(entry.url) ?? {};
  const number = port === '' ? PORTS[protocol] : Number(port);
  return {
    'network.transport': 'tcp',
    'network.protocol.name': 'http',
    // An input in the host is filled in only at launch, and may be secret.
    ...(hostname !== '' && !hostname.includes('$') && { 'server.address': attribute(hostname) }),
    ...(number !== undefined && { 'server.port': number }),
  };
}

/** W3C Trace Context: version, trace id, parent id, flags. Ids of zeros, and the version ff, are invalid. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;
const SAMPLED = 1;

/** The place of a span below a `traceparent`, which may be any value. Undefined: that trace is not recorded, so neither is this. */
function placeBelow(traceparent: unknown): SpanPlace | undefined {
  const [, traceId, parentId, flags = ''] = (typeof traceparent === 'string' && TRACEPARENT.exec(traceparent)) || [];
  if (traceId === undefined) return { traceId: randomHex(16), spanId: randomHex(8) };
  return Number.parseInt(flags, 16) & SAMPLED ? { traceId, spanId: randomHex(8), parentId } : undefined;
}

/** A call of the system for each id would take longer than all the rest of a span. */
const pool = Buffer.alloc(4_096);
let used = pool.length;

function randomHex(bytes: number): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += bytes;
  const id = pool.toString('hex', used - bytes, used);
  // One in 2^64: an id of zeros is invalid.
  return /[^0]/.test(id) ? id : randomHex(bytes);
}

/** A value of `error.type` has to be one of few: nothing that a server writes freely, and no part of a message. */
const CODE = /^[A-Za-z][A-Za-z0-9_]{0,59}$/;
const OTHER = '_OTHER';
const MAX_CAUSES = 5;

/** The `error.type` of a request that was not answered. */
function errorType(reason: unknown, depth = MAX_CAUSES): string {
  // Whoever cancels gives a text, or none, or what an `AbortController` gives.
  if (!(reason instanceof Error) || reason.name === 'AbortError') return 'cancelled';
  const { code, status, cause } = reason as Error & { code?: unknown; status?: unknown };
  if (typeof status === 'number') return String(status);
  if (reason.name === 'TimeoutError' || code === 'REQUEST_TIMEOUT') return 'timeout';
  if (typeof code === 'string' && CODE.test(code)) return code;
  if (cause instanceof Error && depth > 0) return errorType(cause, depth - 1);
  return OTHER;
}

/** The code of a JSON-RPC error, as `rpc.response.status_code` has it. */
function statusCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return Number.isSafeInteger(code) ? String(code) : undefined;
}
