import type { JSONRPCRequest, JSONRPCResponse, RequestId } from '@modelcontextprotocol/client';
import type { ServerDefinition } from './definition';

/** A session with a server. The object stays the same as long as the session lives. */
export interface WatchedSession {
  readonly server: ServerDefinition;
  /** Value of `performance.now()` when it began. */
  readonly began: number;
  /** The version of the protocol; undefined during the handshake. */
  readonly protocolVersion: string | undefined;
  /** The server's id of the session, over HTTP until 2025-11-25 (spec: basic/transports#session-management). */
  readonly id: string | undefined;
  /** Strikes out secrets. */
  redact(text: string): string;
}

/** Watches the requests of one session. Must be cheap, and must not throw. */
export interface RequestWatch {
  /** Called before a request is sent. @returns what is sent instead. */
  sending(request: JSONRPCRequest): JSONRPCRequest;
  /** Called with each answer, before its receiver gets it. */
  answered(answer: JSONRPCResponse): void;
  /** Called when a request could not be sent, or is given up, with the reason. */
  failed(id: RequestId, reason: unknown): void;
  /** Called when the session has ended. */
  closed(): void;
}

/** Finds the watch of a session. Asked for each message; undefined while nothing is watched. */
export type WatchSession = (session: WatchedSession) => RequestWatch | undefined;
