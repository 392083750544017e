import { phrase } from '../../../base/phrase';
import type { ServerConnection } from '../../../host';

/** The agent is told of those that take longer when they are there. */
const LIMIT_MS = 5_000;

/** Waits a moment for servers that are starting, and starts those whose lists nobody has seen yet. */
export async function untilUp(servers: readonly ServerConnection[], signal: AbortSignal): Promise<void> {
  for (const server of servers) {
    if (server.state.kind === 'stopped' && server.startPolicy === 'onDemand' && !isKnown(server))
      void server.start(phrase('an agent needs it'));
  }
  const isComing = (server: ServerConnection) =>
    (server.state.kind === 'starting' && !isKnown(server)) ||
    (server.state.kind === 'ready' &&
      LISTS.some(kind => server.catalog.list(kind).status === 'loading' && server.catalog.known(kind).length === 0));
  if (signal.aborted || !servers.some(isComing)) return;
  await new Promise<void>(resolve => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      for (const listener of listeners) listener.dispose();
      resolve();
    };
    const check = () => {
      if (!servers.some(isComing)) done();
    };
    const timer = setTimeout(done, LIMIT_MS);
    signal.addEventListener('abort', done);
    const listeners = servers.flatMap(server => [server.onDidChangeState(check), server.catalog.onDidChange(check)]);
  });
}

const LISTS = ['tools', 'prompts', 'resources', 'resourceTemplates'] as const;

/** Whether it is known, of an earlier time, what the server lists. */
const isKnown = ({ catalog }: ServerConnection): boolean => LISTS.some(kind => catalog.known(kind).length > 0);
