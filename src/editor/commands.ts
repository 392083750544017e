import * as vscode from 'vscode';
import { messageOf } from '../host/errors';
import { withoutLinks } from '../host/text';
import { COMMANDS, type CommandName } from './commandNames';

/** What each command does. The argument is the row it was chosen on; from the palette there is none. */
export type CommandHandlers = Record<CommandName, (argument?: unknown, more?: unknown) => unknown>;

/** Registers all commands. A handler that fails shows its error, which names the server and the remedy. */
export function registerCommands(handlers: CommandHandlers): vscode.Disposable {
  return vscode.Disposable.from(
    ...COMMANDS.map(name =>
      vscode.commands.registerCommand(`mcpHost.${name}`, async (argument?: unknown, more?: unknown) => {
        try {
          return await handlers[name](argument, more);
        } catch (error) {
          void vscode.window.showErrorMessage(withoutLinks(messageOf(error)));
          return undefined;
        }
      }),
    ),
  );
}
