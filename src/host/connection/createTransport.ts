import { homedir } from 'node:os';
import type { Transport } from '@modelcontextprotocol/client';
import type { LaunchPlace } from '../definition/definition';
import { environmentIn, inSandbox } from '../sandbox/inSandbox';
import type { Sandbox } from '../sandbox/sandbox';
import type { ServerEntry } from '../settings';
import { socketOf } from '../settings/socketAddress';
import type { RemoteListeners, RemoteOptions } from '../transport/httpTransport';
import { type StdioListeners, StdioTransport } from '../transport/stdioTransport';

export type StdioEntry = Extract<ServerEntry, { type: 'stdio' }>;
export type RemoteEntry = Exclude<ServerEntry, StdioEntry>;

interface StdioEnvironment {
  /** PATH of the person's login shell. */
  shellPath: string | undefined;
  /** Text of the entry's `envFile`, when it has one. */
  envFile: string | undefined;
  place: LaunchPlace;
  /** Absent: not confined. */
  sandbox?: Sandbox | undefined;
}

/** A transport that starts the entry's command when it is connected. Its paths are absolute: `settlePaths`. */
export function createStdioTransport(
  entry: StdioEntry,
  { shellPath, envFile, place: { clearOf, inEmptyFolder }, sandbox }: StdioEnvironment,
  listeners: StdioListeners,
  maxMessageBytes: number,
): StdioTransport {
  const { command, args, cwd = homedir(), env: own } = entry;
  const env = environmentIn(sandbox, { shellPath, envFile, own, clearOf });
  const launch = { command, args, env, cwd, clearOf, makesFolder: inEmptyFolder };
  return new StdioTransport(launch, listeners, maxMessageBytes, sandbox && (ready => inSandbox(ready, sandbox)));
}

/**
 * A transport for Streamable HTTP, or for the older HTTP+SSE of 2024-11-05; both are loaded with the first (`remote.ts`).
 * Headers never follow to another origin.
 */
export function createRemoteTransport(
  { url, headers, timeouts }: RemoteEntry,
  kind: 'http' | 'sse',
  listeners: RemoteListeners,
  { maxMessageBytes, authorize }: Pick<RemoteOptions, 'maxMessageBytes' | 'authorize'>,
): Transport {
  const limits: Record<string, number> = {
    initialize: timeouts.startMs,
    'server/discover': timeouts.startMs,
    'tools/call': timeouts.toolCallMs,
  };
  const limitMs = (method = '') => limits[method] ?? timeouts.requestMs;
  const { createSocketFetch, HttpTransport, SseTransport } = require('./remote') as typeof import('./remote');
  const socket = socketOf(url);
  const send = socket ? createSocketFetch(socket.path) : authorize;
  const options = {
    url: socket?.url ?? new URL(url),
    headers,
    maxMessageBytes,
    limitMs,
    ...(send && { authorize: send }),
  };
  return kind === 'sse' ? new SseTransport(options, listeners) : new HttpTransport(options, listeners);
}
