import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Behaviour } from './behaviour';
import { EventStream, headersOf, sendJson } from './eventStream';
import { ErrorCode, errorAnswer, type Message, parseMessage, type RequestId, RpcError } from './messages';
import { PieceWriter } from './pieces';
import { RawSession } from './session';

/** 'auto' answers with JSON unless something else has to be said before the answer; 'sse' always streams. */
export type AnswerAs = 'auto' | 'sse';

/** A POSTed request that waits for its answer. */
class Exchange {
  private stream: EventStream | undefined;

  constructor(
    private readonly response: ServerResponse,
    private readonly behaviour: Behaviour,
    private readonly headers: Record<string, string>,
    private readonly answerAs: AnswerAs,
    private readonly status: number,
  ) {}

  write(texts: string[], final: boolean): void {
    if (final && texts.length > 0 && !this.stream && this.answerAs === 'auto') {
      this.response.writeHead(this.status, { 'content-type': 'application/json', ...this.headers });
      const writer = new PieceWriter(this.response, this.behaviour.chunkBytes);
      writer.write(texts.join('\n'));
      writer.end();
      return;
    }
    this.stream ??= new EventStream(this.response, this.behaviour.chunkBytes, this.headers);
    for (const text of texts) this.stream.event('message', text);
    if (final) this.stream.end();
  }
}

/** One session: the exchanges in progress, the GET stream, and what waits for a GET stream to be opened. */
class HttpSession {
  readonly id = randomUUID();
  readonly session: RawSession;
  readonly exchanges = new Map<RequestId, Exchange>();
  private stream: EventStream | undefined;
  private waiting: string[] = [];

  constructor(private readonly behaviour: Behaviour) {
    this.session = new RawSession(behaviour, { write: (...args) => this.write(...args) });
  }

  /** A second GET stream takes the place of the first, whose end the server may not have noticed yet. */
  openStream(response: ServerResponse): void {
    this.stream?.end();
    this.stream = new EventStream(response, this.behaviour.chunkBytes, { 'mcp-session-id': this.id });
    for (const text of this.waiting.splice(0)) this.stream.event('message', text);
  }

  close(): void {
    this.stream?.end();
  }

  private write(texts: string[], relatedTo: RequestId | undefined, final: boolean): void {
    const exchange = relatedTo === undefined ? undefined : this.exchanges.get(relatedTo);
    if (exchange) exchange.write(texts, final);
    else if (this.stream?.isOpen) for (const text of texts) this.stream.event('message', text);
    else this.waiting.push(...texts);
    if (final && relatedTo !== undefined) this.exchanges.delete(relatedTo);
  }
}

/**
 * A Streamable HTTP endpoint of the legacy era (specification 2025-11-25, "Streamable HTTP"): session ids, JSON and SSE
 * answers, the GET stream, DELETE. Without event ids, so nothing is replayed after a broken stream.
 */
export class StreamableHttpEndpoint {
  private readonly sessions = new Map<string, HttpSession>();

  constructor(private readonly behaviour: Behaviour) {}

  /** Forgets all sessions, as a restarted server does: their ids are answered with 404 from now on. */
  forgetSessions(): void {
    for (const session of this.sessions.values()) session.close();
    this.sessions.clear();
  }

  handle(request: IncomingMessage, response: ServerResponse, body: string, answerAs: AnswerAs = 'auto'): void {
    try {
      const message = request.method === 'POST' ? parseMessage(body) : undefined;
      if (this.behaviour.httpRequests.some(hook => hook(message, request, response) === 'handled')) return;
      if (request.method === 'POST') this.post(request, response, body, answerAs);
      else if (request.method === 'GET') this.sessionOf(request).openStream(response);
      else if (request.method === 'DELETE') this.delete(request, response);
      else response.writeHead(405, { allow: 'GET, POST, DELETE' }).end();
    } catch (error) {
      const status = error instanceof UnknownSession ? 404 : 400;
      sendJson(response, status, errorAnswer(null, error));
    }
  }

  private post(request: IncomingMessage, response: ServerResponse, body: string, answerAs: AnswerAs): void {
    const message = parseMessage(body);
    const isProbe = message.method === 'server/discover' && request.headers['mcp-session-id'] === undefined;
    const http = isProbe ? new HttpSession(this.behaviour) : this.sessionFor(message, request);
    const headers: Record<string, string> = isProbe ? {} : { 'mcp-session-id': http.id };
    if (message.method !== undefined && message.id !== undefined && message.id !== null) {
      // Servers of that era refuse whatever comes without a session with 400, whatever the body says.
      const status = isProbe ? 400 : 200;
      http.exchanges.set(message.id, new Exchange(response, this.behaviour, headers, answerAs, status));
    } else {
      response.writeHead(202, headers).end();
    }
    http.session.receive(body, headersOf(request));
  }

  private delete(request: IncomingMessage, response: ServerResponse): void {
    const http = this.sessionOf(request);
    this.sessions.delete(http.id);
    http.close();
    response.writeHead(200).end();
  }

  private sessionFor(message: Message, request: IncomingMessage): HttpSession {
    if (message.method !== 'initialize') return this.sessionOf(request);
    const http = new HttpSession(this.behaviour);
    this.sessions.set(http.id, http);
    return http;
  }

  private sessionOf(request: IncomingMessage): HttpSession {
    const id = request.headers['mcp-session-id'];
    if (id === undefined) throw new RpcError(ErrorCode.invalidRequest, 'Mcp-Session-Id header is required');
    const http = this.sessions.get(String(id));
    if (!http) throw new UnknownSession(-32001, 'Session not found');
    return http;
  }
}

class UnknownSession extends RpcError {}
