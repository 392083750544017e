import type { Transport } from '@modelcontextprotocol/client';
import type { RemoteAccess } from '../auth/headersHelper';
import type { RemoteEntry } from '../settings';
import { socketOf } from '../settings/entryTexts';
import { HttpTransport, type RemoteListeners, type RemoteOptions, SseTransport } from '../transport/httpTransport';
import { createSocketFetch } from '../transport/socketFetch';

/** A transport for Streamable HTTP, or for the older HTTP+SSE of 2024-11-05. Headers never follow to another origin. */
export function createRemoteTransport(
  { url, headers, timeouts }: RemoteEntry,
  kind: 'http' | 'sse',
  listeners: RemoteListeners,
  { maxMessageBytes, authorize, helper, mayReach }: RemoteAccess & Pick<RemoteOptions, 'maxMessageBytes' | 'mayReach'>,
): Transport {
  const limits: Record<string, number> = {
    initialize: timeouts.startMs,
    'server/discover': timeouts.startMs,
    'tools/call': timeouts.toolCallMs,
  };
  const limitMs = (method = '') => limits[method] ?? timeouts.requestMs;
  const socket = socketOf(url);
  const plain = socket ? createSocketFetch(socket.path) : fetch;
  const signedIn = socket ? undefined : authorize;
  const send: RemoteOptions['authorize'] = helper
    ? (target, init) => helper.fetch(target, init, { plain, signedIn })
    : (signedIn ?? plain);
  const options = {
    url: socket?.url ?? new URL(url),
    headers,
    maxMessageBytes,
    limitMs,
    authorize: send,
    helper,
    // The address of a socket is that of its file.
    ...(!socket && mayReach && { mayReach }),
  };
  return kind === 'sse' ? new SseTransport(options, listeners) : new HttpTransport(options, listeners);
}
