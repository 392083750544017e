import * as vscode from 'vscode';
import type { DefinitionSource, InputDefinition } from '../../host';
import { exact, plain, visible } from '../../host/text';
import { rowText } from '../completion/rowText';
import { fitsDialog } from '../trust/reviewDialog';
import { t, window } from '../window';

/** One input as a person is asked for it. */
export interface AskedInput {
  input: InputDefinition;
  source: DefinitionSource;
  /** The servers that wait for it. */
  servers: readonly string[];
  step: number;
  totalSteps: number;
}

/** Asks for the value of an input. Undefined: it was cancelled. Rejects when a command does not answer with a text. */
export async function askInput(asked: AskedInput): Promise<string | undefined> {
  const { input, servers, step, totalSteps } = asked;
  const count = totalSteps > 1 ? ` (${step}/${totalSteps})` : '';
  const title = plain(
    `${t('Input "{0}" for {1}', input.id, servers.map(name => visible(name, 60)).join(', '))}${count}`,
  );
  // Input boxes make links of `[text](command:…)`, and settings may have come with a repository.
  const description = plain(visible(input.description ?? t('Enter the value of the input "{0}"', input.id), 500));
  switch (input.type) {
    case 'promptString':
      return window.showInputBox({
        title,
        prompt: description,
        password: input.password,
        ignoreFocusOut: true,
        ...(input.default !== undefined && { value: input.default }),
        validateInput: value =>
          input.password && value === '' ? t('Enter a value, or cancel with Escape.') : undefined,
      });
    case 'pickString': {
      const items = input.options.map(option => {
        const { label, value } = typeof option === 'string' ? { label: option, value: option } : option;
        return { label: rowText(label ?? value), ...(label && { description: rowText(value) }), value };
      });
      // The first row is the one that is selected.
      items.sort((a, b) => Number(b.value === input.default) - Number(a.value === input.default));
      const picked = await window.showQuickPick(items, {
        title,
        placeHolder: description,
        ignoreFocusOut: true,
      });
      return picked?.value;
    }
    case 'command':
      return (await mayRun(asked)) ? runCommand(input) : undefined;
  }
}

/** A command that a workspace brought runs only where the workspace is trusted, and when a person has seen all of it. */
async function mayRun({ input, source, servers }: AskedInput): Promise<boolean> {
  if (input.type !== 'command' || source.scope === 'user') return true;
  if (!vscode.workspace.isTrusted) {
    throw new Error(
      t('The input "{0}" runs a command of this workspace, which is not trusted. Trust the workspace first.', input.id),
    );
  }
  const detail = exact(`${input.command}${input.args === undefined ? '' : ` ${JSON.stringify(input.args)}`}`);
  if (!fitsDialog(detail)) {
    throw new Error(
      t('The command of the input "{0}" is too long to be shown whole, and was not run. Shorten its "args".', input.id),
    );
  }
  const run = t('Run Command');
  const message = t(
    'The input "{0}" of the MCP server {1} runs a command of the editor.',
    input.id,
    servers.join(', '),
  );
  return (await window.showWarningMessage(message, { modal: true, detail }, run)) === run;
}

async function runCommand({ id, command, args }: Extract<InputDefinition, { type: 'command' }>): Promise<string> {
  let value: unknown;
  try {
    value = await vscode.commands.executeCommand(command, args);
  } catch (error) {
    throw new Error(t('The command "{0}" of the input "{1}" failed: {2}', command, id, (error as Error).message));
  }
  if (typeof value === 'string') return value;
  throw new Error(
    t('The command "{0}" of the input "{1}" did not answer with a text. Choose another one.', command, id),
  );
}
