import type { Socket } from 'node:net';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { INVALID_REQUEST, PARSE_ERROR, RESOURCE_NOT_FOUND, SERVER_ERROR } from '../../../base/errors';
import { isObject } from '../../../base/json';
import { LineReader } from '../../../base/processes';
import { RateAllowance } from '../../../base/rateAllowance';
import { shallowJson } from '../../../base/shallowJson';
import { MAX_MESSAGE_BYTES } from './bridge/windowCards';

/** Messages at once, and how many more each second: what comes faster waits in the agent. */
const BURST = 1_000;
const PER_SECOND = 500;
/** Answers that an agent does not read. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;
/** Requests in progress. They are kept while they wait, for a person above all, so their characters count, too. */
const MAX_OPEN = { requests: 256, length: 64 * 1024 * 1024 };
/** In characters: each answer repeats it. */
const MAX_ID = 1_000;

type Id = string | number;

/** Messages of one agent, one on each line. What an agent sends too fast, too large or without form does no harm to others. */
export class SocketTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  /** Sees each message before it is handled. */
  onseen?: (message: JSONRPCMessage) => void;
  /** Requests for what is not there: the SDK replaces one error code of the legacy era by another. */
  readonly notFound = new Set<Id>();
  /** The lengths of requests in progress. */
  readonly #open = new Map<Id, number>();
  #openLength = 0;
  readonly #allowance = new RateAllowance(BURST, PER_SECOND);
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(private readonly socket: Socket) {}

  async start(): Promise<void> {
    const { socket } = this;
    // A message that is too large gets no answer here: the bridge already answers it.
    const lines = new LineReader(MAX_MESSAGE_BYTES, () => void this.close());
    socket.on('data', chunk => {
      for (const line of lines.add(chunk)) this.#receive(line);
    });
    socket.on('error', () => {});
    socket.on('close', () => void this.close());
    socket.on('end', () => void this.close());
    socket.resume();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) return;
    if ('id' in message && !('method' in message) && message.id !== undefined) this.#ended(message.id);
    await this.#write(this.#exact(message));
  }

  async #write(message: object): Promise<void> {
    this.socket.write(`${JSON.stringify(message)}\n`);
    if (this.socket.writableLength > MAX_UNREAD_BYTES) await this.close();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#timer);
    // Sends what has already been written.
    this.socket.destroySoon();
    this.onclose?.();
  }

  #receive(line: string): void {
    if (this.#isClosed) return;
    this.#count();
    const message = shallowJson(line);
    const refusal = this.#refusal(message, line.length);
    if (refusal) {
      const { id = null } = Object(message) as { id?: unknown };
      void this.#write({ jsonrpc: '2.0', id: isId(id) ? id : null, error: refusal });
      return;
    }
    this.onseen?.(message as JSONRPCMessage);
    this.onmessage?.(message as JSONRPCMessage);
  }

  /** The reason to refuse a message. Counts the requests in progress. */
  #refusal(message: unknown, length: number): { readonly code: number; readonly message: string } | undefined {
    if (message === undefined) return { code: PARSE_ERROR, message: 'Parse error: it is not JSON.' };
    if (!isMessage(message)) return { code: INVALID_REQUEST, message: 'It is not a message of JSON-RPC 2.0.' };
    if (!('method' in message)) return undefined;
    // A request that was cancelled is not answered.
    if (message.method === 'notifications/cancelled') this.#ended(Object(message.params).requestId);
    if (!('id' in message)) return undefined;
    if (this.#open.has(message.id)) return { code: INVALID_REQUEST, message: 'The id of the request is in use.' };
    if (this.#open.size >= MAX_OPEN.requests)
      return { code: SERVER_ERROR, message: `${MAX_OPEN.requests} requests are in progress: wait for some.` };
    if (this.#openLength + length > MAX_OPEN.length)
      return { code: SERVER_ERROR, message: 'The requests in progress are large: wait for some.' };
    this.#open.set(message.id, length);
    this.#openLength += length;
    return undefined;
  }

  #ended(id: Id): void {
    this.#openLength -= this.#open.get(id) ?? 0;
    this.#open.delete(id);
  }

  /** Takes no more from the agent for a moment when it sends too fast. */
  #count(): void {
    if (this.#allowance.use(performance.now()) || this.#timer) return;
    this.socket.pause();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.socket.resume();
    }, 1_000);
  }

  #exact(message: JSONRPCMessage): JSONRPCMessage {
    if (!('error' in message) || message.id === undefined || !this.notFound.delete(message.id)) return message;
    return { ...message, error: { ...message.error, code: RESOURCE_NOT_FOUND } };
  }
}

function isMessage(value: unknown): value is JSONRPCMessage {
  if (!isObject(value) || value.jsonrpc !== '2.0') return false;
  if (typeof value.method === 'string') return value.id === undefined || isId(value.id);
  return isId(value.id) && ('result' in value || 'error' in value);
}

const isId = (id: unknown): id is Id => (typeof id === 'string' ? id.length <= MAX_ID : Number.isSafeInteger(id));
