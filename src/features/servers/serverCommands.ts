import { getNodeValue } from 'jsonc-parser';
import { phrase } from '../../base/phrase';
import type { PlainText } from '../../base/text';
import type { CommandHandlers } from '../../editor/commands';
import { localized } from '../../editor/errorText';
import { offerToAdd, pickServer } from '../../editor/pickServer';
import { fileText } from '../../editor/stateText';
import { t, window } from '../../editor/window';
import { isRunning, type ServerConnection, type ServerSet } from '../../host';
import { plainId, type ServerDefinition, type ServerId } from '../../host/definition';
import { parseServers } from '../../host/settings';
import {
  duplicateEntry,
  editSettings,
  findEntry,
  offerUndo,
  removeEntry,
  renameEntry,
  type SettingsFiles,
  setEnabled,
  type Undo,
} from '../settings';

import vscode = require('vscode');

type ServerCommand = 'openServerSettings' | 'restartServer' | 'showServerLog' | 'startServer' | 'stopServer';

const ASKED = phrase('requested by you');

/** The commands on servers: for the row on which they were chosen, or, from the palette, for one that the person picks. */
export function serverCommands(
  servers: ServerSet,
  logs: { show(definition: ServerDefinition): void; reveal(line: string): void },
  settings: SettingsFiles,
): Pick<CommandHandlers, ServerCommand> {
  const on =
    (
      placeholder: PlainText,
      run: (server: ServerConnection) => unknown,
      applies?: (server: ServerConnection) => boolean,
    ) =>
    async (argument?: unknown): Promise<void> => {
      const server = await pickServer(argument, servers, placeholder, applies);
      if (server) await run(server);
    };
  return {
    startServer: on(
      t('Select an MCP server to start'),
      server => start(server),
      ({ state }) => !isRunning(state.kind),
    ),
    stopServer: on(
      t('Select an MCP server to stop'),
      server => server.stop(ASKED),
      ({ state }) => isRunning(state.kind),
    ),
    restartServer: on(t('Select an MCP server to restart'), server => server.restart(ASKED)),
    showServerLog: async argument => {
      await on(t('Select an MCP server to show its log'), server => logs.show(server.definition))(argument);
      const { line } = Object(argument) as { line?: unknown };
      if (typeof line === 'string') logs.reveal(line);
    },
    openServerSettings: on(t('Open the settings of which MCP server?'), async ({ definition }) => {
      if (!(await settings.reveal(definition))) await offerToAdd(notFoundText(definition));
    }),
  };
}

/** A person who starts a server that waits for consent is asked for it. */
async function start(server: ServerConnection): Promise<void> {
  await server.start(ASKED);
  if (server.state.kind === 'needsTrust') await vscode.commands.executeCommand('mcpHost.reviewServer', { server });
}

/** Why an entry can't be shown or changed. */
function notFoundText({ name }: Pick<ServerDefinition, 'name'>): PlainText {
  return t(
    'The settings entry for "{0}" was not found in its file. It may have been removed, or come from another machine or profile.',
    name,
  );
}

interface ManageServices {
  /** The unpacked bundles that servers run. */
  readonly bundles: {
    /** @param entry as settings have it. */
    of(entry: unknown): string | undefined;
    /** @param former the server that ran it. */
    remove(bundle: string, former: string): Promise<void>;
  };
  readonly servers: ServerSet;
  readonly files: SettingsFiles;
  readonly calls: { at(id: ServerId): readonly unknown[] };
  /** Keeps what the person said of a server for its new name, before settings have that. */
  readonly renamed: (from: ServerDefinition, to: ServerDefinition) => Promise<void>;
}

type ManageCommand = 'disableServer' | 'duplicateServer' | 'enableServer' | 'removeServer' | 'renameServer';
type Entry = Pick<ServerDefinition, 'name' | 'source'>;

/** Changes the entries of servers in the files that they come from. */
export class ManageServers {
  readonly commands: Pick<CommandHandlers, ManageCommand> = {
    disableServer: argument =>
      this.#on(argument, t('Disable which MCP server?'), one => this.#enable(one, false), isEnabled),
    duplicateServer: argument => this.#on(argument, t('Duplicate which MCP server?'), one => this.#duplicate(one)),
    enableServer: argument =>
      this.#on(
        argument,
        t('Enable which MCP server?'),
        one => this.#enable(one, true),
        one => !isEnabled(one),
      ),
    removeServer: argument => this.#on(argument, t('Remove which MCP server?'), one => this.#remove(one)),
    renameServer: argument => this.#on(argument, t('Rename which MCP server?'), one => this.#rename(one)),
  };

  constructor(private readonly services: ManageServices) {}

  /** @param argument the row; what is selected in the view may be a row of another kind, on which nothing is done. */
  async #on(
    argument: unknown,
    placeholder: PlainText,
    run: (server: ServerConnection) => Promise<void>,
    applies?: (server: ServerConnection) => boolean,
  ): Promise<void> {
    const { type } = (argument ?? {}) as { type?: unknown };
    if (type !== undefined && type !== 'server') return;
    const server = await pickServer(argument, this.services.servers, placeholder, applies);
    if (!server) return;
    // Before anything is asked about it.
    this.services.files.expectOwn(server.definition.source);
    await run(server);
  }

  async #remove({ id, definition }: ServerConnection): Promise<void> {
    const { name, source } = definition;
    const calls = this.services.calls.at(id).length;
    const { bundles } = this.services;
    const lost = [
      t('Its entry in {0} is deleted, with the comments in it.', fileText(definition)),
      bundles.of(definition.entry) !== undefined && t('The files of its bundle are deleted.'),
      calls === 1 && t('1 call that is running on it is cancelled.'),
      calls > 1 && t('{0} calls that are running on it are cancelled.', calls),
      source.scope === 'workspace' &&
        isConfigured('user', name) &&
        t('The server of the same name in your user settings takes its place.'),
      t('Your approvals, saved inputs and sign-in are kept, in case you add it again.'),
    ].filter(line => line !== false);
    const remove = t('Remove');
    const options = { modal: true, detail: lost.join('\n') } as const;
    if ((await window.showWarningMessage(t('Remove the MCP server "{0}"?', name), options, remove)) !== remove) return;
    // As the file has it now: an update that was just written may not be read yet.
    let bundle: string | undefined;
    const undo = await this.#change(definition, (text, at) => {
      const entry = findEntry(text, name, at);
      bundle = bundles.of(entry && getNodeValue(entry));
      return removeEntry(text, name, at);
    });
    const removed = t('The MCP server "{0}" was removed.', name);
    // Not awaited here and below: a notification stays until it is answered.
    if (bundle === undefined) return void offerUndo(removed, undo);
    await bundles.remove(bundle, name);
    void window.showInformationMessage(removed);
  }

  async #rename({ definition, account }: ServerConnection): Promise<void> {
    const { name } = definition;
    const to = await window.showInputBox({
      title: t('Rename MCP Server'),
      prompt: account.signedIn
        ? t('Your approvals are kept. You will have to sign in again, and its resources are no longer watched.')
        : t('Your approvals are kept. Its resources are no longer watched.'),
      value: name,
      validateInput: value => this.#nameProblem(definition, value),
    });
    if (to === undefined || to === name) return;
    await this.services.renamed(definition, { ...definition, name: to, id: plainId({ ...definition, name: to }) });
    const undo = await this.#change(definition, (text, at) => {
      if (findEntry(text, to, at)) throw new Error(takenText(to));
      return renameEntry(text, name, to, at);
    });
    void offerUndo(t('The MCP server "{0}" is now called "{1}".', name, to), undo);
  }

  async #duplicate({ definition }: ServerConnection): Promise<void> {
    const { name, source } = definition;
    let copy = '';
    const undo = await this.#change(definition, (text, at) => {
      for (let n = 2; copy === '' || findEntry(text, copy, at) || this.#isTaken(definition, copy); n++)
        copy = `${name}-${n}`;
      return duplicateEntry(text, name, copy, at);
    });
    await this.services.files.reveal({ name: copy, source, problems: [] });
    void offerUndo(t('"{0}" is a copy of "{1}". Change its entry, then enable it.', copy, name), undo);
  }

  async #enable({ definition }: ServerConnection, to: boolean): Promise<void> {
    await this.#change(definition, (text, at) => setEnabled(text, definition.name, to, at));
  }

  async #change(entry: Entry, rewrite: Parameters<typeof editSettings>[2]): Promise<Undo> {
    const undo = await editSettings(this.services.files, entry.source, rewrite);
    if (!undo) throw new Error(notFoundText(entry));
    return undo;
  }

  #nameProblem(definition: ServerDefinition, name: string): string | undefined {
    if (name === definition.name) return undefined;
    const [read] = parseServers({ [name]: { command: 'x' } }).servers;
    const wrong = read?.problems.find(({ severity }) => severity === 'error');
    if (wrong) return localized(wrong.message);
    return this.#isTaken(definition, name) ? takenText(name) : undefined;
  }

  /** A server of the workspace takes the place of one of the user that has its name. */
  #isTaken({ source }: ServerDefinition, name: string): boolean {
    if (!source.folder) return (['user', 'workspace'] as const).some(scope => isConfigured(scope, name));
    const { servers } = this.services;
    return servers.all.some(
      ({ definition }) => definition.name === name && definition.source.folder?.path === source.folder?.path,
    );
  }
}

const isEnabled = ({ definition }: ServerConnection) => definition.entry?.enabled !== false;

const takenText = (name: string) => t('There is another server named "{0}".', name);

function isConfigured(scope: 'user' | 'workspace', name: string): boolean {
  const found = vscode.workspace.getConfiguration('mcpHost').inspect<object>('servers');
  const servers = scope === 'user' ? found?.globalValue : found?.workspaceValue;
  return typeof servers === 'object' && servers !== null && Object.hasOwn(servers, name);
}
