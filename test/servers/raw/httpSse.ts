import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Behaviour } from './behaviour';
import { EventStream, headersOf } from './eventStream';
import { RawSession } from './session';

/** The older HTTP+SSE transport (specification 2024-11-05): a GET opens the stream, messages are POSTed elsewhere. */
export class HttpSseEndpoint {
  private readonly sessions = new Map<string, RawSession>();

  /** `messagesPath` is where the client is told to POST. */
  constructor(
    private readonly behaviour: Behaviour,
    private readonly messagesPath: string,
  ) {}

  /** Forgets all sessions, whose streams stay open: what is POSTed to them is answered with 404. */
  forgetSessions(): void {
    this.sessions.clear();
  }

  /** Answers the GET: the stream, which first names the address for messages. */
  open(response: ServerResponse): void {
    const id = randomUUID();
    const stream = new EventStream(response, this.behaviour.chunkBytes);
    const write = (texts: string[]) => {
      for (const text of texts) stream.event('message', text);
    };
    this.sessions.set(id, new RawSession(this.behaviour, { write }));
    response.on('close', () => this.sessions.delete(id));
    stream.event('endpoint', `${this.messagesPath}?sessionId=${id}`);
  }

  /** Takes a POSTed message; the answer goes on the stream. */
  post(request: IncomingMessage, response: ServerResponse, body: string): void {
    const id = new URL(request.url ?? '', 'http://localhost').searchParams.get('sessionId') ?? '';
    const session = this.sessions.get(id);
    if (!session) {
      response.writeHead(404).end('Session not found');
      return;
    }
    response.writeHead(202).end('Accepted');
    session.receive(body, headersOf(request));
  }
}
