import type { Disposable } from '../../base/events';
import type { ServerConnection, ServerSet } from '../../host';
import { ApiError, apiError } from './apiError';

interface Watched extends Pick<ServerSet, 'all'> {
  readonly onDidChange: (listener: () => void) => Disposable;
}

/** The first server that fits, as soon as there is one. Rejects with the reason of `signal`. */
export function untilThere(
  servers: Watched,
  fits: (server: ServerConnection) => boolean,
  signal: AbortSignal,
): Promise<ServerConnection> {
  return new Promise((resolve, reject) => {
    const look = () => {
      const found = servers.all.find(fits);
      if (!found && !signal.aborted) return;
      listening.dispose();
      signal.removeEventListener('abort', look);
      if (found) resolve(found);
      else reject(signal.reason);
    };
    const listening = servers.onDidChange(look);
    signal.addEventListener('abort', look);
    look();
  });
}

/**
 * Resolves when the server is ready. It waits while the person is asked something, and while the server starts or restarts; one
 * that is used on demand is started. Rejects with an `ApiError` when the server fails or is stopped, and with the reason of
 * `signal`.
 */
export async function untilUp(server: ServerConnection, signal: AbortSignal): Promise<void> {
  // A server that was just added starts after that was announced, and a restart passes through `stopped`.
  await Promise.resolve();
  if (server.state.kind === 'stopped' && server.startPolicy === 'onDemand') server.untilReady(signal).catch(() => {}); // its failure is its state
  await new Promise<void>((resolve, reject) => {
    const end = (settle: () => void) => {
      listening.dispose();
      signal.removeEventListener('abort', look);
      settle();
    };
    const look = () => {
      const { state } = server;
      if (signal.aborted) end(() => reject(signal.reason));
      else if (state.kind === 'ready') end(resolve);
      else if (state.kind === 'failed') end(() => reject(apiError(state.error)));
      else if (state.kind === 'stopped') queueMicrotask(lookIfStopped);
    };
    const lookIfStopped = () => {
      const why = `MCP server "${server.id}" was stopped. Start it to use it.`;
      if (server.state.kind === 'stopped') end(() => reject(new ApiError('NOT_READY', why)));
    };
    const listening = server.onDidChangeState(look);
    signal.addEventListener('abort', look);
    look();
  });
}
