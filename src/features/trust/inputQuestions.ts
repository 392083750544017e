import { phrase } from '../../base/phrase';
import { exact, type PlainText, plain, rowText, visible } from '../../base/text';
import { errorText } from '../../editor/errorText';
import { joined, t, window } from '../../editor/window';
import type { ServerConnection, ServerSet } from '../../host';
import type { DefinitionSource } from '../../host/definition';
import type { InputDefinition } from '../../host/settings';
import { askDecision, fitsDialog } from '../review';
import { type CommandConsents, type CommandInput, commandText } from './core/commandConsents';
import type { InputValues } from './inputValues';

import vscode = require('vscode');

export class InputCommands {
  constructor(
    private readonly servers: ServerSet,
    private readonly values: InputValues,
    private readonly commands: CommandConsents,
  ) {}

  /** Asks once for the inputs of the row's server, or of all that wait, then starts them. Entered values are kept. */
  async enter(argument?: unknown): Promise<void> {
    const chosen = (argument as { server?: ServerConnection } | undefined)?.server;
    // Only these may run: all earlier checks of their launch have passed.
    const waiting = (chosen ? [chosen] : this.servers.all).filter(({ state }) => state.kind === 'needsInput');
    if (waiting.length === 0) return void window.showInformationMessage(t('No MCP server is waiting for inputs.'));
    const asked = await this.#missingInputs(waiting);
    try {
      for (const [index, one] of asked.entries()) {
        const value = await askInput({ ...one, step: index + 1, totalSteps: asked.length }, this.commands);
        if (value === undefined) break;
        await this.values.store(one.source, one.input, value);
      }
    } finally {
      for (const server of waiting) await this.#startIfComplete(server);
    }
  }

  /** Inputs that have a value: all, or those that a server uses. `forget` deletes it and restarts the servers that use it. */
  saved(only?: ServerConnection) {
    return this.values.saved.flatMap(({ id, where, key }) => {
      const users = this.#usersOf(key);
      if (only && !users.includes(only)) return [];
      const forget = async () => {
        await this.values.forget(new Set([key]));
        for (const server of users)
          if (server.state.kind !== 'stopped') void server.restart(phrase('its inputs were cleared'));
      };
      return [{ id, where, users: users.map(({ name }) => visible(name, 60)), forget }];
    });
  }

  /** The inputs to ask for: those that are missing, or all of them if none is missing but they cannot be used. */
  async #missingInputs(waiting: readonly ServerConnection[]): Promise<Omit<AskedInput, 'step' | 'totalSteps'>[]> {
    const asked = new Map<string, Omit<AskedInput, 'step' | 'totalSteps'>>();
    for (const { name, definition } of waiting) {
      const missing = await this.values.missing(definition);
      const inputs: readonly InputDefinition[] = missing.length > 0 ? missing : (definition.inputs?.definitions ?? []);
      for (const input of inputs) {
        const key = this.values.keyOf(definition.source, input.id);
        const servers = [...(asked.get(key)?.servers ?? []), name];
        asked.set(key, { input, source: definition.source, servers });
      }
    }
    return [...asked.values()];
  }

  async #startIfComplete(server: ServerConnection): Promise<void> {
    if (server.state.kind !== 'needsInput' || (await this.values.missing(server.definition)).length > 0) return;
    void server.start(phrase('its inputs were entered'));
  }

  #usersOf(key: string): ServerConnection[] {
    return this.servers.all.filter(({ definition: { source, inputs } }) =>
      inputs?.definitions.some(({ id }) => this.values.keyOf(source, id) === key),
    );
  }
}

/** A longer default is not filled in: its end would be out of sight. */
const MAX_DEFAULT = 200;

interface AskedInput {
  input: InputDefinition;
  source: DefinitionSource;
  /** Whether it comes with a pasted server and is not in settings yet. */
  isNew?: boolean;
  servers: readonly string[];
  step: number;
  totalSteps: number;
}

/** Asks for the value of an input. Undefined: it was cancelled. Rejects if a command does not return a text. */
export async function askInput(asked: AskedInput, commands: CommandConsents): Promise<string | undefined> {
  const { input, servers, step, totalSteps } = asked;
  const count = totalSteps > 1 ? ` (${step}/${totalSteps})` : '';
  const title = plain(`${t('Input for {0}', servers.map(name => visible(name, 60)).join(', '))}${count}`);
  // Input boxes make links of `[text](command:…)`, and settings may have come with a repository.
  const stands = t('The value of {0} in the settings of {1}', `\${input:${input.id}}`, servers.join(', '));
  const description = plain(visible(input.description ?? stands, 500));
  switch (input.type) {
    case 'promptString': {
      const { offered, hint } = defaultOf(asked, input);
      // A value that is filled in but shown as dots would be accepted unseen.
      const isUnseen = input.password && offered !== undefined;
      const value = await window.showInputBox({
        title,
        prompt: hint ? joined([description, hint], ' — ') : description,
        password: input.password,
        ignoreFocusOut: true,
        ...(offered !== undefined && !isUnseen && { value: offered }),
        validateInput: typed =>
          input.password && typed === '' && !isUnseen ? t('Enter a value, or press Escape to cancel.') : undefined,
      });
      return value === '' && isUnseen ? offered : value;
    }
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
      return (await mayRun(asked, input, commands)) ? runCommand(input) : undefined;
  }
}

/** The default of settings, if all of it is visible, with its origin: often its author is not who is asked. */
function defaultOf(
  { source, isNew }: AskedInput,
  { default: value, password }: Extract<InputDefinition, { type: 'promptString' }>,
): { offered?: string; hint?: PlainText } {
  if (value === undefined || value === '') return {};
  const whose = isNew ? t('what you are adding') : settingsText(source.scope);
  if (value.length > MAX_DEFAULT || exact(value) !== value || plain(value) !== value) {
    return { hint: t('The default from {0} is not filled in because it cannot be shown in full here.', whose) };
  }
  const shown = `"${value}"`;
  const hint = password
    ? t('Leave empty to use the default from {0}: {1}', whose, shown)
    : t('The default from {0} is filled in: {1}', whose, shown);
  return { offered: value, hint };
}

function settingsText(scope: AskedInput['source']['scope']) {
  if (scope === 'user') return t('your user settings');
  return scope === 'machine' ? t('remote settings') : t('the settings of this workspace');
}

/** Shows a command in full before it runs, unless this one is always allowed. A workspace's needs its trust. */
async function mayRun(
  { source, servers }: AskedInput,
  input: CommandInput,
  commands: CommandConsents,
): Promise<boolean> {
  if (source.scope !== 'user' && !vscode.workspace.isTrusted) {
    throw new Error(
      t('Input "{0}" runs a command from this workspace, which is not trusted. Trust the workspace first.', input.id),
    );
  }
  if (commands.has(source, input)) return true;
  const text = commandText(input);
  const always = t('Always Run');
  const detail = [
    text,
    t('"{0}" applies until the command or its arguments change. To undo it, run "Manage Trust…".', always),
  ].join('\n\n');
  if (!fitsDialog(detail)) {
    throw new Error(
      t('The command for input "{0}" is too long to be shown in full and was not run. Shorten its "args".', input.id),
    );
  }
  const [refuse, run] = [t("Don't Run"), t('Run Command')];
  const message = t(
    'Input "{0}" of MCP server {1} runs an editor command.',
    input.id,
    servers.map(name => visible(name, 60)).join(', '),
  );
  const answer = await askDecision(message, detail, { allow: [run, always], others: [refuse] });
  if (answer === always) await commands.allow(source, input);
  return answer === run || answer === always;
}

async function runCommand({ id, command, args }: CommandInput): Promise<string> {
  let value: unknown;
  try {
    value = await vscode.commands.executeCommand(command, args);
  } catch (error) {
    throw new Error(t('The command "{0}" for input "{1}" failed: {2}', command, id, errorText(error)));
  }
  if (typeof value === 'string') return value;
  throw new Error(t('The command "{0}" for input "{1}" did not return text. Use another command.', command, id));
}
