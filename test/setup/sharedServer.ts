// One VS Code server for windows that come one after the other: a start costs two seconds of a processor. Each gets a
// profile of its own.
import { isDeepStrictEqual } from 'node:util';
import { type ServerOptions, startServer, type VSCodeServer } from './server';

interface Idle {
  server: VSCodeServer;
  /** What it was started with. */
  key: unknown;
}

const state: { isShared: boolean; idle?: Idle | undefined } = { isShared: false };

/** From now on, a server that a window of this process has left waits for the next one. */
export function shareServers(): void {
  state.isShared = true;
}

/** What can only be chosen when a server starts. */
function keyOf({ settings, ...options }: ServerOptions): unknown {
  return [options, settings?.['security.workspace.trust.enabled'] === true];
}

/** A server with these options and an empty profile: the one that waits if it has them, else a new one. */
export async function takeServer(options: ServerOptions): Promise<VSCodeServer> {
  const { idle } = state;
  state.idle = undefined;
  if (idle && isDeepStrictEqual(idle.key, keyOf(options)) && idle.server.renew(options.settings)) return idle.server;
  await idle?.server.stop();
  return startServer(options);
}

/** Stops it, or keeps it for the next window. */
export async function leaveServer(server: VSCodeServer, options: ServerOptions): Promise<void> {
  if (!state.isShared || state.idle) return server.stop();
  state.idle = { server, key: keyOf(options) };
}

/** After the last window: the server would keep this process alive. */
export async function closeSharedServer(): Promise<void> {
  state.isShared = false;
  const { idle } = state;
  state.idle = undefined;
  await idle?.server.stop();
}
