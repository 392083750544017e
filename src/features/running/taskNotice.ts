import vscode = require('vscode');

import { INVALID_PARAMS } from '../../base/protocolCodes';
import { plain, visible } from '../../base/text';
import { errorText } from '../../editor/errorText';
import { t, window } from '../../editor/window';
import type { HostError, RunningCall, ServerConnection } from '../../host';

/** Says once how a task from an earlier window ended. */
export function tellOfTask(
  server: ServerConnection,
  toolName: string,
  ended: RunningCall | HostError | undefined,
): void {
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
