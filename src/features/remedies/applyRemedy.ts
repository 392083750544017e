import { setTimeout as delay } from 'node:timers/promises';

import vscode = require('vscode');

import { canonicalJson } from '../../base/fingerprint';
import { t, window } from '../../editor/window';
import {
  type InputDefinition,
  type Remedy,
  type Runtime,
  remediesOf,
  type ServerConnection,
  type ServerSet,
} from '../../host';
import type { HostModule } from '../../host/loadHost';
import { type LocateOptions, type SettingsFiles, settingsFixes } from '../settings';
import { inputKey, type Trust } from '../trust';
import { appendToUrl, headerToInput, setField, variableToInput } from './core/entryEdits';

/** How the makers say that their program is installed. */
const PAGES: Record<Runtime, readonly [authority: string, path: string]> = {
  'Node.js': ['nodejs.org', '/en/download'],
  uv: ['docs.astral.sh', '/uv/getting-started/installation/'],
  Docker: ['docs.docker.com', '/get-started/get-docker/'],
  Podman: ['podman.io', '/docs/installation'],
  Python: ['www.python.org', '/downloads/'],
  Bun: ['bun.sh', '/docs/installation'],
  Deno: ['docs.deno.com', '/runtime/getting_started/installation/'],
  '.NET': ['dotnet.microsoft.com', '/download'],
  bubblewrap: ['github.com', '/containers/bubblewrap#installation'],
};
/** Commands that do the whole of it, for the row of a server. */
const COMMANDS: { readonly [K in Remedy['kind']]?: string } = {
  review: 'reviewServer',
  enterInputs: 'enterInputs',
  signIn: 'signIn',
  openSettings: 'openServerSettings',
  start: 'startServer',
  openLog: 'showServerLog',
  showHealth: 'showHealth',
  explain: 'explainInChat',
  installUv: 'installUv',
};

/** How long changed settings may take to arrive. */
const APPLIED_MS = 5_000;

interface Made {
  edit: { offset: number; length: number; content: string };
  /** An input that the edit brings along, and its value. */
  input?: InputDefinition;
  value?: string;
}

/** Carries out what a row, a hover, a notification or a quick fix offers: see `remediesOf`. */
export class ApplyRemedy {
  constructor(
    private readonly servers: ServerSet,
    private readonly files: SettingsFiles,
    private readonly trust: () => Trust,
    private readonly host: () => HostModule,
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
    if (command !== undefined) await vscode.commands.executeCommand(`mcpHost.${command}`, { server });
    else if (found.kind === 'install') await openPage(found.runtime);
    else await this.#mend(server, found);
  }

  async #mend(server: ServerConnection, remedy: Remedy): Promise<void> {
    const value = await askValue(server, remedy);
    if (value === undefined) return;
    const { source } = server.definition;
    if (source.scope === 'user') return this.#mendUser(server, remedy, value);
    const document = await this.files.documentOf(source);
    const codeWorkspace = document?.uri.path.endsWith('.code-workspace') ?? false;
    const made = document && this.#made(document.getText(), codeWorkspace, server, remedy, value);
    if (!made) {
      throw new Error(
        t('The entry of "{0}" could not be changed: it is not in its settings file as expected.', server.name),
      );
    }
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

  /** The editor writes the user's settings itself: it does not tell where they are, and would have to open them. */
  async #mendUser(server: ServerConnection, remedy: Remedy, value: string): Promise<void> {
    const { definition: before, name } = server;
    const settings = vscode.workspace.getConfiguration('mcpHost');
    const [servers, inputs] = ['servers', 'inputs'].map(key => settings.inspect(key)?.globalValue);
    const text = JSON.stringify({ 'mcpHost.servers': servers, 'mcpHost.inputs': inputs }, null, 2);
    const made = this.#made(text, false, server, remedy, value);
    if (!made)
      throw new Error(t('The entry of "{0}" could not be changed: it is not in its settings file as expected.', name));
    const { offset, length, content } = made.edit;
    const after = JSON.parse(text.slice(0, offset) + content + text.slice(offset + length)) as Record<string, unknown>;
    if (made.input && made.value !== undefined) await this.trust().inputs.store(before.source, made.input, made.value);
    const { Global } = vscode.ConfigurationTarget;
    if (made.input) await settings.update('inputs', after['mcpHost.inputs'], Global);
    await settings.update('servers', after['mcpHost.servers'], Global);
    const end = Date.now() + APPLIED_MS;
    while (server.definition === before && Date.now() < end) await delay(50);
    await vscode.commands.executeCommand('mcpHost.startServer', { server });
  }

  #made(
    text: string,
    codeWorkspace: boolean,
    server: ServerConnection,
    remedy: Remedy,
    value: string,
  ): Made | undefined {
    const options: LocateOptions = { codeWorkspace };
    const { settingsReading } = this.host();
    const only = (edit: Made['edit'] | undefined) => edit && { edit };
    switch (remedy.kind) {
      case 'appendPath':
        return only(appendToUrl(text, server.name, '/mcp', options));
      case 'raiseLimit':
        return only(setField(text, server.name, ['timeouts', remedy.limit], remedy.ms, options));
      case 'rename': {
        const problem = server.definition.problems.find(({ path }) => String(path) === String(remedy.path));
        return problem && settingsFixes(text, problem, options)[0];
      }
      case 'makeInput': {
        const made = variableToInput(text, server.name, remedy.variable, options, settingsReading);
        return made && { ...made, value };
      }
      case 'setHeader': {
        const [, header = 'Authorization', given = value] = /^([\w-]+):\s*(.*)$/s.exec(value) ?? [];
        const isBearer = header.toLowerCase() === 'authorization' && !/\s/.test(given.replace(/^bearer\s+/i, ''));
        const scheme = isBearer ? 'Bearer' : '';
        const made = headerToInput(text, server.name, header, scheme, options, settingsReading);
        return made && { ...made, value: isBearer ? given.replace(/^bearer\s+/i, '') : given };
      }
      default:
        return undefined;
    }
  }
}

/** The value that a remedy needs from the person. Empty: it needs none. Undefined: it was cancelled. */
async function askValue(server: ServerConnection, remedy: Remedy): Promise<string | undefined> {
  if (remedy.kind !== 'setHeader' && remedy.kind !== 'makeInput') return '';
  const prompt =
    remedy.kind === 'setHeader'
      ? t('The token, or a whole header as Name: value. It is kept in secret storage, not in settings.')
      : t('The value of {0}. It is kept in secret storage, not in settings.', remedy.variable);
  const value = await window.showInputBox({
    title: t('MCP server "{0}"', server.name),
    prompt,
    password: true,
    ignoreFocusOut: true,
    validateInput: typed => (typed.trim() === '' ? t('Enter a value, or press Escape to cancel.') : undefined),
  });
  return value?.trim();
}

/** A variable that is not set can become an input whether the server runs or not. */
function unsetVariables({ definition }: ServerConnection): Remedy[] {
  return definition.problems.flatMap(({ code, variable }) =>
    code === 'unsetVariable' && variable !== undefined ? [{ kind: 'makeInput', variable } as const] : [],
  );
}

async function openPage(runtime: Runtime): Promise<void> {
  const [authority, path] = PAGES[runtime];
  await vscode.commands.executeCommand('vscode.open', vscode.Uri.from({ scheme: 'https', authority, path }));
}
