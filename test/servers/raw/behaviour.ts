import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Message } from './messages';
import { type Offer, ordinaryOffer } from './offer';
import type { RawSession } from './session';

/** What goes onto the wire: a message, or a text that need not be one. */
export type Outgoing = Message | string;

/**
 * How one raw server behaves, well by default. A fault is a change made to this before the server starts: it adds a
 * hook, or alters the offer. The core knows no fault by name, so a new one touches nothing here unless it needs a new
 * kind of hook.
 */
export interface Behaviour {
  offer: Offer;
  /** Items in each page of a list. */
  pageSize: number;
  /** Answered by `initialize` whatever the client asked for. */
  protocolVersion?: string;
  /** Write in pieces of so many bytes instead of whole messages. */
  chunkBytes?: number;
  /** Serve Streamable HTTP instead of stdio. */
  http: boolean;
  exitOnStdinEnd: boolean;
  /** Run one after the other before the server reads anything. */
  beforeOpen: (() => void | Promise<void>)[];
  /** Written to stdout as soon as the server is open (stdio only). */
  greeting: string[];
  /** See each message before the server does; the first that answers 'handled' keeps it from the server. */
  incoming: ((message: Message, session: RawSession) => 'handled' | undefined)[];
  /**
   * See each HTTP request before the server does, with the message that a POST brings; the first that answers 'handled'
   * has answered it, or will (Streamable HTTP only).
   */
  httpRequests: HttpHook[];
  /** Each maps what was to be sent to what is sent, in turn: nothing, the same, more, or something else. */
  outgoing: ((outgoing: Outgoing, session: RawSession) => Outgoing[])[];
}

export type HttpHook = (
  message: Message | undefined,
  request: IncomingMessage,
  response: ServerResponse,
) => 'handled' | undefined;

/** The behaviour of a server without faults. */
export function goodBehaviour(offer: Offer = ordinaryOffer()): Behaviour {
  return {
    offer,
    pageSize: Number.POSITIVE_INFINITY,
    http: false,
    exitOnStdinEnd: true,
    beforeOpen: [],
    greeting: [],
    incoming: [],
    httpRequests: [],
    outgoing: [],
  };
}
