import * as vscode from 'vscode';
import { messageOf } from '../host/errors';
import { plain } from '../host/text';
import type { CommandName } from './commandNames';
import { window } from './window';

/** What a command does. The argument is the row it was chosen on; from the palette there is none. */
export type CommandHandler = (argument?: unknown, more?: unknown) => unknown;

export type CommandHandlers = Record<CommandName, CommandHandler>;

/**
 * Registers all commands that package.json declares. A handler that fails shows its error, which names the server and the
 * remedy.
 * @param others carries out those that are not among the handlers: what a bundle of its own has is not named here.
 */
export function registerCommands<K extends CommandName>(
  { packageJSON }: vscode.Extension<unknown>,
  handlers: Pick<CommandHandlers, K>,
  others: (name: Exclude<CommandName, K>) => CommandHandler,
): vscode.Disposable {
  return vscode.Disposable.from(
    ...packageJSON.contributes.commands.map(({ command }: { command: string }) =>
      vscode.commands.registerCommand(command, async (argument?: unknown, more?: unknown) => {
        const name = command.slice('mcpHost.'.length);
        try {
          const handler = name in handlers ? handlers[name as K] : others(name as Exclude<CommandName, K>);
          return await handler(argument, more);
        } catch (error) {
          void window.showErrorMessage(plain(messageOf(error)));
          return undefined;
        }
      }),
    ),
  );
}
