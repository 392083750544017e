import vscode = require('vscode');

import { type HostError, INVALID_PARAMS } from '../../base/errors';
import type { Disposable } from '../../base/events';
import { plain, visible } from '../../base/text';
import { errorText } from '../../editor/errorText';
import { t, window } from '../../editor/window';
import type { RunningCall, RunningCalls, ServerConnection, ServerSet } from '../../host';

/** Takes up tasks that an earlier window has left on a server, as soon as the server is ready and its tools are known. */
export function restoreTasks(servers: ServerSet, calls: Pick<RunningCalls, 'hasKept' | 'restore'>): Disposable {
  return servers.onDidChange(change => {
    const { server } = change ?? {};
    if (!server?.info || !calls.hasKept || server.catalog.list('tools').status === 'loading') return;
    calls.restore(server, (tool, ended) => tellOfTask(server, tool, ended));
  });
}

/** Says once how a task from an earlier window ended. */
function tellOfTask(server: ServerConnection, toolName: string, ended: RunningCall | HostError | undefined): void {
  const tool = visible(toolName);
  if (!ended || ended instanceof Error) {
    const gone = ended === undefined || ended.rpcCode === INVALID_PARAMS;
    const message = gone
      ? t('MCP server "{0}" no longer has the task for {1} from before the window was reloaded.', server.name, tool)
      : errorText(ended);
    void window.showWarningMessage(plain(message));
    return;
  }
  const open = t('Open Result');
  void window
    .showInformationMessage(t('{0} on MCP server "{1}" has finished.', tool, server.name), open)
    .then(chosen => {
      if (chosen === open) void vscode.commands.executeCommand('mcpHost.openCallResult', { server, call: ended });
    });
}
