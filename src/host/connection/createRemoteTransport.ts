import type { Transport } from '@modelcontextprotocol/client';
import type { ServerEntry } from '../settings';
import { socketOf } from '../settings/entryTexts';
import type { RemoteListeners, RemoteOptions } from '../transport/httpTransport';

export type RemoteEntry = Exclude<ServerEntry, { type: 'stdio' }>;

/** Loads what is needed first with a server over HTTP, or one that fails. */
export const loadRemote = () => require('./remote') as typeof import('./remote');

/**
 * A transport for Streamable HTTP, or for the older HTTP+SSE of 2024-11-05.
 * Headers never follow to another origin.
 */
export function createRemoteTransport(
  { url, headers, timeouts }: RemoteEntry,
  kind: 'http' | 'sse',
  listeners: RemoteListeners,
  { maxMessageBytes, authorize, mayReach }: Pick<RemoteOptions, 'maxMessageBytes' | 'authorize' | 'mayReach'>,
): Transport {
  const limits: Record<string, number> = {
    initialize: timeouts.startMs,
    'server/discover': timeouts.startMs,
    'tools/call': timeouts.toolCallMs,
  };
  const limitMs = (method = '') => limits[method] ?? timeouts.requestMs;
  const { createSocketFetch, HttpTransport, SseTransport } = loadRemote();
  const socket = socketOf(url);
  const send = socket ? createSocketFetch(socket.path) : authorize;
  const options = {
    url: socket?.url ?? new URL(url),
    headers,
    maxMessageBytes,
    limitMs,
    ...(send && { authorize: send }),
    // The address of a socket is that of its file.
    ...(!socket && mayReach && { mayReach }),
  };
  return kind === 'sse' ? new SseTransport(options, listeners) : new HttpTransport(options, listeners);
}
