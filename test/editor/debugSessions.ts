// Debug sessions, from their start to their end.
import * as vscode from 'vscode';
import { waitFor } from '../servers/spawn';

const open = new Set<vscode.DebugSession>();
vscode.debug.onDidStartDebugSession(session => open.add(session));
vscode.debug.onDidTerminateDebugSession(session => open.delete(session));

/** Those that have not ended. What the editor calls the active one may have: it is told late of one that ends at once. */
export const debugSessions = (): readonly vscode.DebugSession[] => [...open];

/** Resolves when none is left. */
export async function stopDebugging(): Promise<void> {
  const hasNone = async () => {
    await vscode.debug.stopDebugging();
    return open.size === 0;
  };
  await waitFor(hasNone, { what: () => `the debugger to be gone: ${debugSessions().map(({ name }) => name)}` });
}
