import { type Flag, plain } from './flag';

/** Lines that a client cannot take for messages, each bad in its own way; given out in turn. */
const badLines = [
  'Hello from a chatty server!',
  '{"jsonrpc":"2.0","id":',
  '{"level":"info","msg":"valid JSON, but no JSON-RPC"}',
  '[1, 2, 3]',
  'null',
  '\u001b[31mred\u001b[0m \u0000 \ufffd',
];

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
  'half-lines': plain('write messages in pieces of 7 bytes', behaviour => {
    behaviour.chunkBytes = 7;
  }),
};
