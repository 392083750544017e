import vscode = require('vscode');

import { plain } from '../base/text';
import type { CommandName } from './commandNames';
import { errorText } from './errorText';
import { window } from './window';

/**
 * The function of a command. The argument is the row of its menu, or, for a key binding with the argument `focused`, the
 * focused row; from the palette there is none.
 */
type CommandHandler = (argument?: unknown, more?: unknown) => unknown;

export type CommandHandlers = Record<CommandName, CommandHandler>;

/**
 * Registers all commands that package.json declares. A handler that fails shows its error, which names the server and the
 * remedy.
 * @param handlers loaded with the first command.
 * @param focused the row of the Servers view that has the focus: the editor passes none with a key.
 */
export function registerCommands(
  { packageJSON }: vscode.Extension<unknown>,
  handlers: () => CommandHandlers,
  focused: () => unknown,
): vscode.Disposable {
  return vscode.Disposable.from(
    ...packageJSON.contributes.commands.map(({ command }: { command: string }) =>
      vscode.commands.registerCommand(command, async (argument?: unknown, more?: unknown) => {
        try {
          const row = argument === 'focused' ? await focused() : argument;
          return await handlers()[command.slice('mcpHost.'.length) as CommandName](row, more);
        } catch (error) {
          void window.showErrorMessage(plain(errorText(error)));
          return undefined;
        }
      }),
    ),
  );
}
