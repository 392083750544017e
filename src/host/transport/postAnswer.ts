import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client';
import { INVALID_REQUEST, SERVER_ERROR, SESSION_NOT_FOUND } from '../../base/errors';
import { bodyWithin } from '../../base/responses';
import { isExcessive } from '../../base/shallowJson';
import { visible } from '../../base/text';
import { bodyValue, mediaType } from '../reading/answers';
import { answerTo, messagesOf } from '../reading/framing';
import { speaksOfSession } from '../sdk/saidInWords';
import { standInFor } from './eventStreams';
import { onlyAccepted, otherAnswer, refusedWithSession, unanswered } from './httpFaults';
import type { Traffic } from './incomingMessages';
import { isTransportFault, tooIntricate, tooLarge } from './transportFault';

/** The parts of a POST body that matter for its answer. */
export interface Outgoing {
  method?: string;
  id?: RequestId;
  cancels?: RequestId;
}

export function outgoingOf(body: unknown): Outgoing {
  if (typeof body !== 'string' || !body.startsWith('{')) return {};
  const { method, id, params } = JSON.parse(body);
  return {
    ...(typeof method === 'string' && { method }),
    ...(id !== undefined && typeof method === 'string' && { id }),
    ...(method === 'notifications/cancelled' && { cancels: params?.requestId }),
  };
}

/** Sees the text of each message that is read here. */
type OnReceived = (text: string) => void;

interface Reading {
  readonly received: OnReceived;
  /** Whether the message names a session that the server gave. */
  readonly inSession: boolean;
}

/** The answer of a server that refuses or accepts a message. Rejects with a `TransportFault` for a lost session. */
export async function refusal(response: Response, how: Reading): Promise<Response> {
  if (response.ok) {
    void response.body?.cancel().catch(() => {});
    // Whatever it says: the SDK opens its stream after a 202 only.
    return new Response(null, { status: 202, headers: response.headers });
  }
  return refused(response, await readRefusal(response, how.received), how);
}

function refused(response: Response, read: Refusal, { inSession }: Reading): Response {
  if (inSession && isOfSession(response, read)) throw refusedWithSession(read.message?.error?.message);
  // Responses with some statuses must not have a body.
  return response.body ? new Response(read.text, headOf(response)) : response;
}

/** Besides 404. */
const SAID_OF_SESSIONS = new Set([400, 401, 410, 503]);
/** The id that the Python SDK gives to errors that answer no request. */
const NO_REQUEST = 'server-error';

/**
 * Whether a server refuses the session, and not the request in it: with 404 (spec until 2025-11-25:
 * basic/transports#session-management) or, as some do, with an error that answers no request. What such an error says may be a
 * reason for anything, so only its code counts.
 */
function isOfSession({ status, headers }: Response, { text, message }: Refusal): boolean {
  if (status === 404) return true;
  // With a challenge, 401 asks for a sign-in.
  if (!SAID_OF_SESSIONS.has(status) || (status === 401 && headers.has('www-authenticate'))) return false;
  if (!message) return status === 400 && speaksOfSession(text);
  const { id, error: { code } = {} } = message;
  if (id !== undefined && id !== null && id !== NO_REQUEST) return false;
  return code === INVALID_REQUEST || code === SESSION_NOT_FOUND || (code === SERVER_ERROR && status === 400);
}

/** Whether a server that answers with 401 has forgotten the session, and asks for no sign-in. */
export async function forgetsSession(response: Response, { headers }: RequestInit): Promise<boolean> {
  return (
    new Headers(headers).has('mcp-session-id') && isOfSession(response, await readRefusal(response.clone(), () => {}))
  );
}

/**
 * Reads the answer to a request, if it is not a stream, so that its size is limited and it is known to be the answer. Rejects
 * with a `TransportFault` if it is too large, breaks off, is JSON-RPC that does not answer the request, accepts the request
 * without an answer, or refuses the session; with a `SyntaxError` if it is not JSON; with the reason of the signal if the
 * request was abandoned.
 */
export async function plainAnswer(
  response: Response,
  outgoing: Outgoing,
  how: Reading & {
    maxBytes: number;
    leftOut: (what: string) => void;
    traffic: Traffic;
    signal: AbortSignal;
    /** Takes messages that the SDK would not, when it knows the session. */
    pass(messages: readonly JSONRPCMessage[]): void;
  },
): Promise<Response> {
  const { id } = outgoing;
  if (response.status === 404) return refusedMethod(response, id, how);
  if (!response.ok) return refusal(response, how);
  const type = mediaType(response);
  const length = Number(response.headers.get('content-length') ?? Number.NaN);
  const isEmpty =
    response.status === 202 &&
    (length === 0 || (Number.isNaN(length) && (type === undefined || type === 'text/event-stream')));
  // The SDK checks only the media type and then reads the whole body.
  if (isEmpty || (type !== undefined && !READABLE.test(type))) {
    void response.body?.cancel().catch(() => {});
    if (response.status === 202) throw onlyAccepted();
    return new Response(null, headOf(response));
  }
  const text = await bodyText(response, how.maxBytes, how.traffic).catch(error => {
    how.signal.throwIfAborted();
    throw isTransportFault(error) ? error : unanswered(error);
  });
  how.received(text);
  const value = bodyValue(text);
  const messages = messagesOf(value, how.leftOut).map(message => answerTo(id, message));
  if (!messages.some(message => !('method' in message) && message.id === id)) {
    if (response.status === 202) throw onlyAccepted();
    if (isExcessive(text)) throw tooIntricate();
    if (messages.length > 0 && [value].flat().every(isJsonRpc)) throw otherAnswer();
    if (!JSON_TYPE.test(type ?? '')) return new Response(text, headOf(response));
    JSON.parse(text);
    throw new SyntaxError(`it is no message of JSON-RPC: ${visible(text, MAX_QUOTED)}`);
  }
  const isPlain = messages.length === 1 && messages[0] === value && response.status === 200;
  if (isPlain && type === 'application/json') return withJson(response, value);
  return standInFor(response.headers, async () => how.pass(messages));
}

const MAX_QUOTED = 100;
const JSON_TYPE = /^application\/([\w.-]+\+)?json$/;
/** What may hold messages, whatever it is called. A page may not. */
const READABLE =
  /^(application\/([\w.-]+\+)?json|application\/(x-)?ndjson|application\/octet-stream|text\/(plain|json|event-stream))$/;

/**
 * In the modern era 404 is the status of "method not found" (spec: basic/transports/streamable-http, protocol version
 * header), and the C# SDK has it for anything that is not there. The SDK treats any 404 as a refusal of the URL, and the
 * session would count as lost.
 */
async function refusedMethod(response: Response, id: RequestId | undefined, how: Reading): Promise<Response> {
  const read = await readRefusal(response, how.received);
  const { message } = read;
  const isOfSession = OF_SESSIONS.has(message?.error?.code);
  if (message && isAnswered(message, id) && message.error && !isOfSession)
    return withJson(response, { ...message, id });
  return refused(response, read, how);
}

/** Codes of errors with which servers refuse a session. */
const OF_SESSIONS = new Set<unknown>([INVALID_REQUEST, SESSION_NOT_FOUND, SERVER_ERROR]);

const isAnswered = (message: AnyMessage, id: RequestId | undefined) =>
  id !== undefined && (message.id ?? null) !== null && String(message.id) === String(id);

interface Refusal {
  readonly text: string;
  /** Set if it is JSON-RPC. */
  readonly message?: AnyMessage;
}

async function readRefusal(response: Response, received: OnReceived): Promise<Refusal> {
  // It is a refusal even if its body breaks off.
  const text = await shortened(response)
    .text()
    .catch(() => '');
  const message = [bodyValue(text)].flat().find(isJsonRpc);
  // Most likely a page of the web server.
  if (!message) return { text };
  received(text);
  return { text: JSON.stringify(message), message };
}

interface AnyMessage {
  id?: unknown;
  error?: { code?: unknown; message?: unknown };
  result?: unknown;
}

function isJsonRpc(value: unknown): value is AnyMessage {
  return typeof value === 'object' && value !== null && 'jsonrpc' in value;
}

/** How much is read of a body that only explains a refusal. */
const MAX_REFUSAL_BYTES = 256 * 1024;

/** Drops a byte order mark. */
const decoder = new TextDecoder();

/** The whole body as text. Throws a `TransportFault`, and stops reading, if it has more than `maxBytes` (unpacked). */
export async function bodyText(response: Response, maxBytes: number, traffic?: Traffic): Promise<string> {
  const body = await bodyWithin(response, maxBytes);
  if (!body) throw tooLarge(maxBytes);
  if (traffic) traffic.received += body.length;
  return decoder.decode(body);
}

/** A response whose body fails with a `TransportFault` after `maxBytes` (unpacked). */
export const capped = (response: Response, maxBytes: number): Response => limited(response, maxBytes, 'fail');

/** A response with only the beginning of its body. */
export function shortened(response: Response): Response {
  return limited(response, MAX_REFUSAL_BYTES, 'end');
}

/** A response whose body is a JSON value that has been read already. */
function withJson(response: Response, value: unknown): Response {
  const headers = new Headers(response.headers);
  headers.set('content-type', 'application/json');
  return Object.assign(new Response(null, { headers }), { json: async () => value });
}

function headOf({ status, statusText, headers }: Response): ResponseInit {
  return { status, statusText, headers };
}

function limited(response: Response, maxBytes: number, then: 'fail' | 'end'): Response {
  if (!response.body) return response;
  let left = maxBytes;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      left -= chunk.byteLength;
      if (left >= 0) return controller.enqueue(chunk);
      if (then === 'fail') return controller.error(tooLarge(maxBytes));
      controller.enqueue(chunk.subarray(0, chunk.byteLength + left));
      controller.terminate();
    },
  });
  return new Response(response.body.pipeThrough(limit), headOf(response));
}
