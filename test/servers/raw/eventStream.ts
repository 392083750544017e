import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JsonObject } from './messages';
import { PieceWriter } from './pieces';

/** A server-sent events response. */
export class EventStream {
  private readonly writer: PieceWriter;

  constructor(
    private readonly response: ServerResponse,
    chunkBytes: number | undefined,
    headers: Record<string, string> = {},
  ) {
    this.writer = new PieceWriter(response, chunkBytes);
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', ...headers });
    response.flushHeaders();
  }

  /** True until either side has closed the stream. */
  get isOpen(): boolean {
    return !this.response.writableEnded && !this.response.destroyed;
  }

  event(name: string, data: string): void {
    // A line break would end the field, so each line has its own.
    const lines = data.split('\n').map(line => `data: ${line}\n`);
    this.writer.write(`event: ${name}\n${lines.join('')}\n`);
  }

  end(): void {
    this.writer.end();
  }
}

/** The whole body of a request as text. */
export async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** Answers with JSON. */
export function sendJson(response: ServerResponse, status: number, value: object, headers?: Record<string, string>) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
}

/** Headers as tools and tests see them: lower-cased, repeated ones joined. */
export function headersOf(request: IncomingMessage): JsonObject {
  return Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
}
