import type { Behaviour } from './behaviour';
import { eachLine } from './lines';
import { PieceWriter } from './pieces';
import { RawSession } from './session';

/**
 * Serves one session on stdin and stdout, a message on each line. The process exits when stdin ends, as the
 * specification asks of a server, unless the behaviour says otherwise.
 */
export function serveStdio(behaviour: Behaviour): RawSession {
  const writer = new PieceWriter(process.stdout, behaviour.chunkBytes);
  const session = new RawSession(behaviour, {
    write: texts => {
      for (const text of texts) writer.write(`${text}\n`);
    },
  });
  // A client that went away is a reason to stop, not to crash with a stack.
  process.stdout.on('error', () => process.exit(0));
  for (const line of behaviour.greeting) writer.write(`${line}\n`);
  process.stdin.on(
    'data',
    eachLine(line => session.receive(line)),
  );
  process.stdin.on('end', () => {
    if (behaviour.exitOnStdinEnd) process.exit(0);
  });
  return session;
}
