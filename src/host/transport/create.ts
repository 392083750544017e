import { homedir } from 'node:os';
import type { Transport } from '@modelcontextprotocol/client';
import { parseEnvFile, type ServerEntry } from '../settings';
import { HttpTransport, type RemoteListeners, type RemoteOptions, SseTransport } from './httpTransport';
import { socketOf } from './socketAddress';
import { type StdioListeners, StdioTransport } from './stdio';

const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

export type StdioEntry = Extract<ServerEntry, { type: 'stdio' }>;
export type RemoteEntry = Exclude<ServerEntry, StdioEntry>;

export interface StdioEnvironment {
  /** PATH of the person's login shell. */
  shellPath: string | undefined;
  /** Text of the entry's `envFile`, when it has one. */
  envFile: string | undefined;
}

/** A transport that starts the entry's command when it is connected. */
export function createStdioTransport(
  entry: StdioEntry,
  environment: StdioEnvironment,
  listeners: StdioListeners,
  maxMessageBytes: number,
): StdioTransport {
  const env = baseEnvironment();
  if (environment.shellPath) env.PATH = environment.shellPath;
  if (environment.envFile !== undefined) Object.assign(env, parseEnvFile(environment.envFile));
  for (const [name, value] of Object.entries(entry.env)) {
    if (value === null) delete env[name];
    else env[name] = value;
  }
  const launch = { command: entry.command, args: entry.args, env, cwd: entry.cwd ?? homedir() };
  return new StdioTransport(launch, listeners, maxMessageBytes);
}

/**
 * A transport for Streamable HTTP, or for the older HTTP+SSE of 2024-11-05; what goes over a socket is a bundle of its own
 * (esbuild.js). Headers never follow to another origin.
 * @param maxMessageBytes limit of one message; a request whose answer is larger fails.
 */
export function createRemoteTransport(
  { url, headers, timeouts }: RemoteEntry,
  kind: 'http' | 'sse',
  listeners: RemoteListeners,
  maxMessageBytes = MAX_MESSAGE_BYTES,
  authorize?: RemoteOptions['authorize'],
): Transport {
  const limits: Record<string, number> = {
    initialize: timeouts.startMs,
    'server/discover': timeouts.startMs,
    'tools/call': timeouts.toolCallMs,
  };
  const limitMs = (method = '') => limits[method] ?? timeouts.requestMs;
  const socket = socketOf(url);
  const send = socket ? overSocket(socket.path) : authorize;
  const options = {
    url: socket?.url ?? new URL(url),
    headers,
    maxMessageBytes,
    limitMs,
    ...(send && { authorize: send }),
  };
  return kind === 'sse' ? new SseTransport(options, listeners) : new HttpTransport(options, listeners);
}

function overSocket(path: string): RemoteOptions['authorize'] {
  const { createSocketFetch } = require('./socketFetch') as typeof import('./socketFetch');
  return createSocketFetch(path);
}

/** The person's environment without what the editor sets for its own processes. */
function baseEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(VSCODE_|ELECTRON_)/.test(name)));
}
