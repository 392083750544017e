import vscode = require('vscode');

import { phrase } from '../../../base/phrase';
import { rowText } from '../../../base/text';
import { joined, t, window } from '../../../editor/window';
import type { ServerConnection, ServerSet } from '../../../host';
import type { DefinitionSource } from '../../../host/definition';
import type { InputDefinition, Problem } from '../../../host/settings';
import type { CommandConsents } from '../core/commandConsents';
import { moveSecretToInput } from '../core/inputs/secretToInput';
import { type AskedInput, askInput } from './askInput';
import { type InputValues, inputKey } from './inputValues';

/** Enter and clear the values of inputs. */
export class InputCommands {
  constructor(
    private readonly servers: ServerSet,
    private readonly values: InputValues,
    private readonly commands: CommandConsents,
  ) {}

  /**
   * Asks for the inputs of the server of a row, or of all servers that wait for some, each once, then starts them. Values
   * entered before cancelling are kept.
   */
  async enter(argument?: unknown): Promise<void> {
    const chosen = (argument as { server?: ServerConnection } | undefined)?.server;
    // Only these may run: all earlier checks of their launch have passed.
    const waiting = (chosen ? [chosen] : this.servers.all).filter(({ state }) => state.kind === 'needsInput');
    if (waiting.length === 0) {
      void window.showInformationMessage(t('No MCP server is waiting for inputs.'));
      return;
    }
    const asked = await this.#asked(waiting);
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

  /** Lists inputs that have a value, deletes the selected values, and restarts the servers that use them. */
  async clear(): Promise<void> {
    const items = this.values.saved.map(saved => ({
      label: rowText(saved.id, 100),
      description: rowText(saved.where, 200),
      detail: joined(
        this.#usersOf(saved.key).map(({ name }) => rowText(name, 60)),
        ', ',
      ),
      saved,
    }));
    if (items.length === 0) {
      void window.showInformationMessage(t('There are no saved inputs.'));
      return;
    }
    const chosen = await window.showQuickPick(items, {
      canPickMany: true,
      title: t('Clear saved inputs of MCP servers'),
      placeHolder: t('Select the values to clear'),
      matchOnDescription: true,
      matchOnDetail: true,
    });
    if (!chosen || chosen.length === 0) return;
    const keys = new Set(chosen.map(({ saved }) => saved.key));
    await this.values.forget(keys);
    const affected = new Set([...keys].flatMap(key => this.#usersOf(key)));
    for (const server of affected)
      if (server.state.kind !== 'stopped') void server.restart(phrase('its inputs were cleared'));
  }

  /** The inputs to ask for: those that are missing, or all of them if none is missing but they cannot be used. */
  async #asked(waiting: readonly ServerConnection[]): Promise<Omit<AskedInput, 'step' | 'totalSteps'>[]> {
    const asked = new Map<string, Omit<AskedInput, 'step' | 'totalSteps'>>();
    for (const { name, definition } of waiting) {
      const missing = await this.values.missing(definition);
      const inputs: readonly InputDefinition[] = missing.length > 0 ? missing : (definition.inputs?.definitions ?? []);
      for (const input of inputs) {
        const key = inputKey(definition.source, input.id);
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
      inputs?.definitions.some(({ id }) => inputKey(source, id) === key),
    );
  }
}

/**
 * Moves a secret from a settings file into the secret storage, with an input in its place, which then has its value already.
 */
export async function moveToInput(values: InputValues, uri: unknown, place: unknown): Promise<void> {
  if (!(uri instanceof vscode.Uri)) return;
  const { source, problem } = place as { source: DefinitionSource; problem: Problem };
  const document = await vscode.workspace.openTextDocument(uri);
  const codeWorkspace = uri.path.endsWith('.code-workspace');
  const move = moveSecretToInput(document.getText(), problem.path, { codeWorkspace });
  if (!move) throw new Error(t('The secret is no longer in the settings. Save the file and try again.'));
  const { input, value } = move;
  const { offset, length, content } = move.edit;
  const range = new vscode.Range(document.positionAt(offset), document.positionAt(offset + length));
  const edit = new vscode.WorkspaceEdit();
  edit.replace(uri, range, content);
  // First, so that the server finds it when it starts with the changed settings.
  await values.store(source, input, value);
  if (!(await vscode.workspace.applyEdit(edit))) {
    await values.forget(new Set([inputKey(source, input.id)]));
    throw new Error(t('The settings file could not be changed. Is it read-only?'));
  }
  await document.save();
}
