import type { JSONRPCRequest, JSONRPCResponse, RequestId } from '@modelcontextprotocol/client';
import { visible } from '../../../base/text';
import { isNotSupported } from '../../../host';
import type { RequestWatch, WatchedSession } from '../../../host/definition';
import { errorType, statusCode } from './errorType';
import type { Ended, Operation, SessionFacts, SpanPlace } from './operation';
import { attribute, sessionFacts } from './sessionFacts';
import { newSpanId, newTraceId, parentSpan, traceparentOf } from './traceIds';

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

interface SpanSink {
  /** Whether content goes along: see `TelemetrySettings`. */
  readonly content: boolean;
  ended(ended: Ended): void;
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
    const parent = parentSpan(meta?.traceparent);
    const place = parent?.isSampled === false ? undefined : placeBelow(parent);
    this.#open.set(id, { request, startedAt: Date.now(), started: performance.now(), place });
    if (!place) return request;
    const traceparent = traceparentOf(place.traceId, place.spanId);
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
    if (isNotSupported({ method: open.request.method, code: Number(code), isProbe })) {
      this.#end(open, { statusCode: code });
      return;
    }
    this.#end(open, code === undefined ? { errorType: '_OTHER' } : { errorType: code, statusCode: code });
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
    const named = typeof name === 'string' ? attribute(name) : undefined;
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
        errorType: failure.errorType,
        statusCode: failure.statusCode,
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

function placeBelow(parent: Pick<SpanPlace, 'traceId' | 'spanId'> | undefined): SpanPlace {
  const spanId = newSpanId();
  return parent ? { traceId: parent.traceId, spanId, parentId: parent.spanId } : { traceId: newTraceId(), spanId };
}

/** Arguments of a call that could not be sent may be no JSON. */
function textOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '(no JSON)';
  } catch {
    return '(no JSON)';
  }
}
