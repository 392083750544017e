import type { IncomingMessage } from 'node:http';
import { headersOf } from '../raw/eventStream';

/** A request that reached the HTTP fixture. */
export interface SeenRequest {
  /** 'main' is the fixture's own port, 'other' the one that `/redirect-other` points to. */
  origin: 'main' | 'other';
  method: string;
  /** Path and query. */
  url: string;
  /** Lower-cased names. */
  headers: Record<string, string>;
  body: string;
}

/** Requests in the order in which they came, control requests left out. */
export class RequestLog {
  readonly seen: SeenRequest[] = [];

  add(origin: SeenRequest['origin'], request: IncomingMessage, body: string): void {
    const headers = headersOf(request) as Record<string, string>;
    this.seen.push({ origin, method: request.method ?? '', url: request.url ?? '', headers, body });
  }

  clear(): void {
    this.seen.length = 0;
  }
}
