/** What servers over HTTP need, transports and OAuth (spec: basic/authorization), and what says why a server failed. */

import type { Transport } from '@modelcontextprotocol/client';
import type { RemoteEntry } from '../settings';
import { socketOf } from '../settings/entryTexts';
import { HttpTransport, type RemoteListeners, type RemoteOptions, SseTransport } from '../transport/httpTransport';
import { createSocketFetch } from '../transport/socketFetch';

export { Authorizer, type SignedIn } from '../auth/authorizer';
export { explain, timedOut } from './explainFailure';
export { explainConfined } from './explainProgram';
export { listening } from './servedProgram';

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
