import { homedir } from 'node:os';
import { SSEClientTransport, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { parseEnvFile, type ServerEntry } from '../settings';
import { type StdioListeners, StdioTransport } from './stdio';

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
): StdioTransport {
  const env = baseEnvironment();
  if (environment.shellPath) env.PATH = environment.shellPath;
  if (environment.envFile !== undefined) Object.assign(env, parseEnvFile(environment.envFile));
  for (const [name, value] of Object.entries(entry.env)) {
    if (value === null) delete env[name];
    else env[name] = value;
  }
  return new StdioTransport({ command: entry.command, args: entry.args, env, cwd: entry.cwd ?? homedir() }, listeners);
}

/** A transport for Streamable HTTP, or for the older HTTP+SSE of 2024-11-05. Headers never follow to another origin. */
export function createRemoteTransport(entry: RemoteEntry, kind: 'http' | 'sse'): Transport {
  const options = { requestInit: { headers: entry.headers } };
  const url = new URL(entry.url);
  return kind === 'sse' ? new SSEClientTransport(url, options) : new StreamableHTTPClientTransport(url, options);
}

/** The person's environment without what the editor sets for its own processes. */
function baseEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(VSCODE_|ELECTRON_)/.test(name)));
}
