import { setTimeout as delay } from 'node:timers/promises';

import vscode = require('vscode');

import { canonicalJson } from '../../base/fingerprint';
import { t, window } from '../../editor/window';
import { type Remedy, remediesOf, type ServerConnection, type ServerSet } from '../../host';
import { editSettings, type LocateOptions, type SettingsFiles } from '../settings';
import { inputKey, type Trust } from '../trust';
import { askValue, openInstallPage, runInTerminal } from './askRemedy';
import { type Mended, mendEntry } from './core/mendEntry';

/** Commands that do the whole of it, for the row of a server. */
const COMMANDS: { readonly [K in Remedy['kind']]?: string } = {
  requestApproval: 'requestApproval',
  showRules: 'showOrganizationRules',
  review: 'reviewServer',
  enterInputs: 'enterInputs',
  signIn: 'signIn',
  openSettings: 'openServerSettings',
  start: 'startServer',
  openLog: 'showServerLog',
  showHealth: 'showHealth',
  explain: 'explainInChat',
  installUv: 'installUv',
  runUnconfined: 'runUnconfined',
  allowRead: 'allowRefused',
};

/** How long changed settings may take to arrive. */
const APPLIED_MS = 5_000;

/** Carries out what a row, a hover, a notification or a quick fix offers: see `remediesOf`. */
export class ApplyRemedy {
  constructor(
    private readonly servers: ServerSet,
    private readonly files: SettingsFiles,
    private readonly trust: () => Trust,
  ) {}

  /**
   * @param id of the server.
   * @param remedy as it was offered. A link may be old or made up, so only what is still offered is done.
   */
  async run(id: unknown, remedy: unknown): Promise<void> {
    const server = this.servers.all.find(each => each.id === id);
    const wanted = canonicalJson(remedy);
    const offered = server && [...remediesOf(server), ...unsetVariables(server)];
    const found = offered?.find(each => canonicalJson(each) === wanted);
    if (!server || !found) {
      void window.showInformationMessage(t('This is no longer needed: the server or its settings have changed.'));
      return;
    }
    const command = COMMANDS[found.kind];
    const attempt = found.kind === 'allowRead' && { attempt: { kind: 'read', what: found.path } };
    if (command !== undefined) await vscode.commands.executeCommand(`mcpHost.${command}`, { server, ...attempt });
    else if (found.kind === 'install') await openInstallPage(found.runtime);
    else if (found.kind === 'installPackages') runInTerminal(server.name, vscode.Uri.file(found.folder), found.command);
    else await this.#mend(server, found);
  }

  async #mend(server: ServerConnection, remedy: Remedy): Promise<void> {
    const value = await askValue(server, remedy);
    if (value === undefined) return;
    const { source } = server.definition;
    if (source.scope === 'user' && source.managed === undefined) return this.#mendUser(server, remedy, value);
    const document = await this.files.documentOf(source);
    const codeWorkspace = document?.uri.path.endsWith('.code-workspace') ?? false;
    const made = document && mendEntry(document.getText(), server.definition, { remedy, value }, { codeWorkspace });
    if (!made) throw new Error(notFound(server.name));
    const { inputs } = this.trust();
    // Before the settings, so that the server finds it when it starts.
    if (made.input && made.value !== undefined) await inputs.store(source, made.input, made.value);
    const change = new vscode.WorkspaceEdit();
    const { offset, length, content } = made.edit;
    change.replace(
      document.uri,
      new vscode.Range(document.positionAt(offset), document.positionAt(offset + length)),
      content,
    );
    if (!(await vscode.workspace.applyEdit(change))) {
      if (made.input) await inputs.forget(new Set([inputKey(source, made.input.id)]));
      throw new Error(t('The settings file could not be changed. Is it read-only?'));
    }
    await vscode.commands.executeCommand('mcpHost.saveAndStart', document.uri, { server });
  }

  /** In place, so that comments stay. Where extensions cannot write the user's settings, the editor does. */
  async #mendUser(server: ServerConnection, remedy: Remedy, value: string): Promise<void> {
    const { definition: before, name } = server;
    const { inputs } = this.trust();
    let made: Mended | undefined;
    const rewrite = async (text: string, { codeWorkspace = false }: LocateOptions) => {
      made = mendEntry(text, before, { remedy, value }, { codeWorkspace });
      if (!made) return undefined;
      // Before the settings, so that the server finds it when it starts.
      if (made.input && made.value !== undefined) await inputs.store(before.source, made.input, made.value);
      const { offset, length, content } = made.edit;
      return text.slice(0, offset) + content + text.slice(offset + length);
    };
    try {
      const isChanged = await editSettings(this.files, before.source, rewrite);
      if (!isChanged && !(await updateUserSettings(rewrite))) throw new Error(notFound(name));
    } catch (error) {
      if (made?.input) await inputs.forget(new Set([inputKey(before.source, made.input.id)]));
      throw error;
    }
    const end = Date.now() + APPLIED_MS;
    while (server.definition === before && Date.now() < end) await delay(50);
    await vscode.commands.executeCommand('mcpHost.startServer', { server });
  }
}

/** The editor rewrites the settings as a whole, so comments inside them are lost. */
async function updateUserSettings(
  rewrite: (text: string, options: LocateOptions) => Promise<string | undefined>,
): Promise<boolean> {
  const settings = vscode.workspace.getConfiguration('mcpHost');
  const [servers, inputs] = ['servers', 'inputs'].map(key => settings.inspect(key)?.globalValue);
  const text = JSON.stringify({ 'mcpHost.servers': servers, 'mcpHost.inputs': inputs }, null, 2);
  const after = await rewrite(text, {});
  if (after === undefined) return false;
  const changed = JSON.parse(after) as Record<string, unknown>;
  const { Global } = vscode.ConfigurationTarget;
  if (JSON.stringify(changed['mcpHost.inputs']) !== JSON.stringify(inputs))
    await settings.update('inputs', changed['mcpHost.inputs'], Global);
  await settings.update('servers', changed['mcpHost.servers'], Global);
  return true;
}

const notFound = (name: string) =>
  t('The entry of "{0}" could not be changed: it is not in its settings file as expected.', name);

/** A variable that is not set can become an input whether the server runs or not. */
function unsetVariables({ definition }: ServerConnection): Remedy[] {
  return definition.problems.flatMap(({ code, variable }) =>
    code === 'unsetVariable' && variable !== undefined ? [{ kind: 'makeInput', variable } as const] : [],
  );
}
