import type { Behaviour } from '../raw/behaviour';
import { isObject, type JsonObject, type Message } from '../raw/messages';
import { type Flag, plain, withNumber } from './flag';

/** Lines that a client cannot take for messages, each bad in its own way; given out in turn. */
const badLines = [
  'Hello from a chatty server!',
  '{"jsonrpc":"2.0","id":',
  '{"level":"info","msg":"valid JSON, but no JSON-RPC"}',
  '[1, 2, 3]',
  'null',
  '\u001b[31mred\u001b[0m \u0000 \ufffd',
];

/** What a batch holds besides an answer. */
const batched = (data: number): JsonObject => ({
  jsonrpc: '2.0',
  method: 'notifications/message',
  params: { level: 'warning', data: `batched ${data}` },
});

/** Sends each answer to a call within a batch (specification 2025-03-26). */
function inBatches({ outgoing }: Behaviour, batch: (answer: Message) => unknown[]): void {
  outgoing.push(message => {
    const isAnswer = typeof message !== 'string' && isObject(message.result) && 'content' in message.result;
    return [isAnswer ? JSON.stringify(batch(message)) : message];
  });
}

/** Faults of the bytes on the wire. */
export const wireFlags: Readonly<Record<string, Flag>> = {
  garbage: plain('print lines that are no messages before and between the messages', ({ greeting, outgoing }) => {
    greeting.push(...badLines);
    let next = 0;
    outgoing.push(message => [badLines[next++ % badLines.length] ?? '', message]);
  }),
  'garbage-only': plain('print lines that are no messages, and never answer', ({ greeting, incoming }) => {
    greeting.push(...badLines);
    let next = 0;
    incoming.push((message, session) => {
      session.send(badLines[next++ % badLines.length] ?? '', message.id ?? undefined);
      return 'handled';
    });
  }),
  silent: plain('take everything and answer nothing', ({ incoming }) => void incoming.push(() => 'handled')),
  batch: withNumber('n', 'answer each call in a batch, with what is no message and n log messages', (behaviour, n) => {
    const logs = Array.from({ length: n }, (_, index) => batched(index + 1));
    inBatches(behaviour, answer => [7, null, [], {}, logs[0], answer, ...logs.slice(1)]);
  }),
  'batch-last': withNumber('n', 'answer each call in a batch, after n log messages', (behaviour, n) => {
    inBatches(behaviour, answer => [...Array.from({ length: n }, (_, index) => batched(index + 1)), answer]);
  }),
  'byte-order-mark': plain('begin stdout, and each body and event over HTTP, with a byte order mark', behaviour => {
    let isFirst = true;
    behaviour.outgoing.push(message => {
      const mark = isFirst || behaviour.http ? '\ufeff' : '';
      isFirst = false;
      return [mark === '' ? message : mark + (typeof message === 'string' ? message : JSON.stringify(message))];
    });
  }),
  'half-lines': plain('write messages in pieces of 7 bytes', behaviour => {
    behaviour.chunkBytes = 7;
  }),
};
