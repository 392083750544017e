import vscode = require('vscode');

import type { AttachConfiguration } from './core/debugLaunch';
import type { DebugEvents, DebugSession } from './core/serverDebugger';

/** Requests to a debug adapter after which the program runs, or is detached. */
const RUNS_ON = new Set(
  'continue next stepIn stepOut stepBack reverseContinue restartFrame goto disconnect terminate'.split(' '),
);

/** Attaches the editor's debugger, whose session is identified by its name. Undefined: it could not. */
export async function attach(
  configuration: AttachConfiguration,
  events: Partial<DebugEvents>,
): Promise<DebugSession | undefined> {
  const ended = Promise.withResolvers<void>();
  let session: vscode.DebugSession | undefined;
  let isOver = false;
  const paused = new Set<string>();
  const tell = (id: string, isPaused: boolean) => {
    const before = paused.size > 0;
    if (isPaused) paused.add(id);
    else paused.delete(id);
    if (before !== paused.size > 0) events.paused?.(!before);
  };
  const started = vscode.debug.onDidStartDebugSession(one => {
    if (!one.parentSession && one.name === configuration.name) session ??= one;
  });
  // The debugger of Node has a session of its own for each process, below the one that attaches.
  const tracked = vscode.debug.registerDebugAdapterTrackerFactory('*', {
    createDebugAdapterTracker: one => {
      if ((one.parentSession?.name ?? one.name) !== configuration.name) return undefined;
      return {
        onWillReceiveMessage: ({ command }) => {
          if (!isOver && (command === 'disconnect' || command === 'terminate')) events.left?.();
          if (RUNS_ON.has(command)) tell(one.id, false);
        },
        onDidSendMessage: ({ event }) => {
          if (event === 'terminated' || event === 'exited') isOver = true;
          if (event === 'stopped') tell(one.id, true);
          if (event === 'continued') tell(one.id, false);
        },
        onExit: () => tell(one.id, false),
      };
    },
  });
  const terminated = vscode.debug.onDidTerminateDebugSession(one => {
    if (one !== session) return;
    terminated.dispose();
    tracked.dispose();
    for (const id of [...paused]) tell(id, false);
    ended.resolve();
  });
  const isStarted = await vscode.debug.startDebugging(undefined, configuration).then(undefined, () => false);
  started.dispose();
  if (!isStarted || !session) {
    terminated.dispose();
    tracked.dispose();
    return undefined;
  }
  const end = () => {
    isOver = true;
    void vscode.debug.stopDebugging(session);
  };
  return { ended: ended.promise, end };
}
