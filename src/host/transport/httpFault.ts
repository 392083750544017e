import type { HostErrorCode } from '../../base/errors';

/** Something that went wrong between this host and an HTTP server, in words that a person can act on. */
export class HttpFault extends Error {
  override readonly name = 'HttpFault';

  constructor(
    readonly code: HostErrorCode,
    /** One sentence without the final stop, as in `HostError`. */
    readonly reason: string,
    readonly remedy: string,
    cause?: unknown,
  ) {
    super(reason, { cause });
  }
}

/** By its name: sign-ins and sockets are bundles of their own, each with a class of its own. */
export const isHttpFault = (error: unknown): error is HttpFault => error instanceof Error && error.name === 'HttpFault';

const RUN_AGAIN =
  'It may have been carried out all the same: look before you try again. The log of the server may say why.';

export function tooLarge(maxBytes: number): HttpFault {
  return new HttpFault(
    'TOO_LARGE',
    `it sent a message of more than ${maxBytes} bytes, which was not read further`,
    'Ask it for less at once, for example a part or a page.',
  );
}

/** The answer to a request can't come any more. */
export function unanswered(cause?: unknown): HttpFault {
  const how = cause === undefined ? 'ended its answer' : 'broke off its answer';
  return new HttpFault('CLOSED', `it ${how} before the result had come`, RUN_AGAIN, cause);
}

/** What came is JSON-RPC, but nothing of it answers the request. */
export function otherAnswer(): HttpFault {
  return new HttpFault(
    'PROTOCOL',
    'it answered with messages that do not belong to the request',
    'That is a fault of the server: tell its makers.',
  );
}

/** It refuses requests for now, and longer than is waited for. */
export function busy(status: number, waitMs: number): HttpFault {
  const why = status === 429 ? 'it gets too many requests' : 'it is not available for now';
  return new HttpFault(
    'HTTP_STATUS',
    `${why} (HTTP ${status}) and asks to wait ${seconds(waitMs)}`,
    'Nothing was carried out: try again later.',
  );
}

/** @param target without what may be secret in it. */
export function redirected(status: number, target: string): HttpFault {
  return new HttpFault(
    'HTTP_STATUS',
    `its URL redirects to ${target} (HTTP ${status}), which is not followed, so that nothing secret is sent elsewhere`,
    'If that is the server you mean, make it the "url" of its settings entry.',
  );
}

/** An address that only the server named: it may lead anywhere, into the person's own network too. */
export function elsewhere({ protocol, host }: URL): HttpFault {
  return new HttpFault(
    'PROTOCOL',
    `it leads to ${protocol}//${host}, which is not its own address, and nothing was sent there`,
    'If that is the server you mean, make it the "url" of its settings entry.',
  );
}

export function streamLost(cause?: unknown): HttpFault {
  return new HttpFault(
    'CLOSED',
    'its event stream ended and could not be opened again',
    'Check that the server is running.',
    cause,
  );
}

export function sessionForgotten(): HttpFault {
  return new HttpFault('CLOSED', 'it has forgotten the session', 'It is connected again by itself.');
}

export function seconds(ms: number): string {
  return `${Math.ceil(ms / 1_000)} s`;
}
