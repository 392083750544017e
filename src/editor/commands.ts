import * as vscode from 'vscode';
import { messageOf } from '../host/errors';

/** Every command of the extension. A test compares this list with package.json, both ways. */
export const COMMANDS = [
  'addDemoServer',
  'copyResourceUri',
  'openResource',
  'openServerSettings',
  'openSettings',
  'refreshResources',
  'restartServer',
  'saveResourceAs',
  'showServerLog',
  'startServer',
  'stopServer',
] as const;

export type CommandName = (typeof COMMANDS)[number];

/** What each command does. The argument is the row it was chosen on; from the palette there is none. */
export type CommandHandlers = Record<CommandName, (argument?: unknown) => unknown>;

/** Registers all commands. A handler that fails shows its error, which names the server and the remedy. */
export function registerCommands(handlers: CommandHandlers): vscode.Disposable {
  return vscode.Disposable.from(
    ...COMMANDS.map(name =>
      vscode.commands.registerCommand(`mcpHost.${name}`, async (argument?: unknown) => {
        try {
          return await handlers[name](argument);
        } catch (error) {
          void vscode.window.showErrorMessage(messageOf(error));
          return undefined;
        }
      }),
    ),
  );
}
