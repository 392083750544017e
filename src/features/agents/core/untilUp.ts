import { phrase } from '../../../base/phrase';
import { untilOver } from '../../../gateway';
import type { ServerConnection } from '../../../host';
import { CATALOG_KINDS } from '../../../host/catalog';

const NEEDED = phrase('an agent needs it');
/** Servers that take longer are announced to the agent when ready. */
const LIMIT_MS = 5_000;

/**
 * Waits a moment for servers that are starting, and starts those whose lists are unknown. Those that are down are tried again
 * at once, and what they listed last is known.
 */
export async function untilUp(servers: readonly ServerConnection[], signal: AbortSignal): Promise<void> {
  for (const server of servers) {
    if (server.state.kind === 'stopped' && server.startPolicy === 'onDemand' && !isKnown(server))
      void server.start(NEEDED);
    else server.retry(NEEDED);
  }
  const isComing = (server: ServerConnection) =>
    (server.state.kind === 'starting' && !isKnown(server)) ||
    (server.state.kind === 'ready' &&
      CATALOG_KINDS.some(
        kind => server.catalog.list(kind).status === 'loading' && server.catalog.known(kind).length === 0,
      ));
  await untilOver(servers, () => !servers.some(isComing), LIMIT_MS, signal);
}

/** Whether it is known, of an earlier time, what the server lists. */
const isKnown = ({ catalog }: ServerConnection): boolean => CATALOG_KINDS.some(kind => catalog.known(kind).length > 0);
