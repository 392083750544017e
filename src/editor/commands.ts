import vscode = require('vscode');

import { plain } from '../base/text';
import type { CommandName } from './commandNames';
import { errorText } from './errorText';
import { t, window } from './window';

/** The function of a command. The argument: its menu's row, for `focused` the focused row, none in the palette. */
type CommandHandler = (argument?: unknown, more?: unknown) => unknown;

export type CommandHandlers = Record<CommandName, CommandHandler>;

/** Commands of an earlier release, which key bindings may still name, with what does their job. For one release. */
const FORMER_COMMANDS: Readonly<Record<string, CommandName>> = {
  askAboutEvent: 'addResourceToChat',
  clearInputs: 'manageTrust',
  compareDescriptions: 'checkServer',
  compareSnapshot: 'checkServer',
  copyResourceLink: 'copyResourceUri',
  manageAccounts: 'manageTrust',
  manageApprovals: 'manageTrust',
  manageConsents: 'manageTrust',
  openEvent: 'openResource',
  readResource: 'findResource',
  revokeSkill: 'approveSkill',
  saveSnapshot: 'checkServer',
  setApproval: 'manageTrust',
  showAllLogs: 'showServerLog',
  updateBundle: 'installBundle',
  copyToolCall: 'runTool',
  refreshSkills: 'refreshResources',
  rerunTool: 'runTool',
  reviewSampling: 'showWaiting',
  runToolInSteps: 'runTool',
  showSamplingUsage: 'manageTrust',
};

/**
 * Registers all commands that package.json declares, and those of an earlier release. A handler that fails shows its error, which names the server and the
 * remedy.
 * @param handlers loaded with the first command.
 * @param focused the row of the Servers view that has the focus: the editor passes none with a key.
 */
export function registerCommands(
  { packageJSON }: vscode.Extension<unknown>,
  handlers: () => CommandHandlers,
  focused: () => unknown,
): vscode.Disposable {
  const run = async (name: CommandName, argument: unknown, more: unknown) => {
    try {
      return await handlers()[name](argument === 'focused' ? await focused() : argument, more);
    } catch (error) {
      void window.showErrorMessage(plain(errorText(error)));
      return undefined;
    }
  };
  return vscode.Disposable.from(
    ...packageJSON.contributes.commands.map(({ command }: { command: string }) => {
      const name = command.slice('mcpHost.'.length) as CommandName;
      return vscode.commands.registerCommand(command, (argument, more) => run(name, argument, more));
    }),
    ...Object.entries(FORMER_COMMANDS).map(([former, name]) =>
      vscode.commands.registerCommand(`mcpHost.${former}`, (argument, more) => {
        const said = t(
          'The command "{0}" is now "{1}": change your key binding.',
          `mcpHost.${former}`,
          `mcpHost.${name}`,
        );
        void window.showInformationMessage(said);
        return run(name, argument, more);
      }),
    ),
  );
}
