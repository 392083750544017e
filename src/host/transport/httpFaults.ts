import { phrase } from '../../base/phrase';
import { visible } from '../../base/text';
import { TransportFault } from './transportFault';

/** The remedy for a server that violates the specification. */
export const REPORT_IT = phrase('This is a bug in the server. Report it to its developers.');
const MAKE_IT_THE_URL = phrase('If that is the right server, set "url" in its settings entry to that address.');
export const RUN_AGAIN = phrase(
  "It may have been carried out anyway, so check before you try again. The server's log may say why.",
);

/** The answer to a request can't come any more. */
export function unanswered(cause?: unknown): TransportFault {
  const reason =
    cause === undefined
      ? phrase('its response ended before the result arrived')
      : phrase('its response was cut off before the result arrived');
  return new TransportFault('CLOSED', reason, RUN_AGAIN, cause);
}

/** The response is JSON-RPC but does not contain the answer. */
export const otherAnswer = () =>
  new TransportFault('PROTOCOL', phrase('it answered with messages that do not belong to the request'), REPORT_IT);

/** The server has accepted a request as if it were a notification, so that no answer will come. */
export const onlyAccepted = () =>
  new TransportFault('PROTOCOL', phrase('it accepted the request (HTTP 202) without answering it'), REPORT_IT);

/** The server refuses requests for longer than the host waits. */
export function busy(status: number, waitMs: number): TransportFault {
  const reason =
    status === 429
      ? phrase('it has too many requests (HTTP {0}) and asks you to wait {1}', status, seconds(waitMs))
      : phrase('it is temporarily unavailable (HTTP {0}) and asks you to wait {1}', status, seconds(waitMs));
  return new TransportFault('HTTP_STATUS', reason, phrase('It was not carried out. Try again later.'));
}

/** @param target redacted. @param mended the meant address, if the server seems to be behind an unknown proxy. */
export const redirected = (status: number, target: string, mended?: string) =>
  new TransportFault(
    'HTTP_STATUS',
    phrase(
      'its URL redirects to {0} (HTTP {1}), which is not followed so that no secrets are sent elsewhere',
      target,
      status,
    ),
    mended === undefined
      ? MAKE_IT_THE_URL
      : phrase('Change the URL to {0}: the server does not know its own proxy.', mended),
  );

/** An address that only the server named: it may lead anywhere, into the person's own network too. */
export const elsewhere = ({ protocol, host }: URL) =>
  new TransportFault(
    'PROTOCOL',
    phrase('it points to {0}, which is not its own address, so nothing was sent there', `${protocol}//${host}`),
    MAKE_IT_THE_URL,
  );

/** @param url redacted when it is told. */
export const notAllowed = ({ protocol, host, pathname }: URL) =>
  new TransportFault(
    'NOT_ALLOWED',
    phrase('it redirects to {0}, which your organization does not allow', `${protocol}//${host}${pathname}`),
    phrase('Choose "Copy Request for Approval" on its row, and send the text to your administrator.'),
  );

export const streamLost = (cause?: unknown) =>
  new TransportFault(
    'CLOSED',
    phrase('its event stream ended and could not be opened again'),
    phrase('Check that the server is running.'),
    cause,
  );

/** The server has forgotten the session (spec until 2025-11-25: basic/transports#session-management). */
export const sessionForgotten = () =>
  new TransportFault('SESSION_LOST', phrase('it no longer knows the session'), phrase('It reconnects automatically.'));

/** The server has forgotten the session, and has therefore not carried out this request. @param said any value. */
export const refusedWithSession = (said?: unknown) =>
  new TransportFault(
    'SESSION_LOST',
    typeof said === 'string'
      ? phrase('it no longer knows the session ({0})', visible(said, 200))
      : phrase('it no longer knows the session'),
    phrase('It was not carried out. The server reconnects automatically, so try again.'),
  );

export const seconds = (ms: number): string => `${Math.ceil(ms / 1_000)} s`;
