import * as path from 'node:path';
import type { Tool } from '@modelcontextprotocol/client';

import vscode = require('vscode');

import { attempt } from '../../base/errors';
import { DisposableStore } from '../../base/events';
import { fingerprint } from '../../base/fingerprint';
import { ownMember } from '../../base/json';
import { plain } from '../../base/text';
import { readsProjectFiles } from '../../editor/chats';
import { isActedOn } from '../../editor/openedAs';
import { ownValue } from '../../editor/settingValues';
import type { PlainState } from '../../editor/storage';
import { t, window } from '../../editor/window';
import {
  describe,
  Gateway,
  type GatewayAddress,
  type GatewayOptions,
  type GatewayTrust,
  type ToolOptions,
} from '../../gateway';
import type { ServerConnection, ServerSet } from '../../host';
import type { ServerId } from '../../host/definition';
import { chatCardIn, defaultHome } from '../agents';
import type { ClientIdentity, Clients } from '../clients';
import { argumentsForServer, findTools, makeSchemas, schemaForModel } from '../languageModel';
import type { OfferedTools } from '../profiles';
import type { Trust } from '../trust';
import { ChatDoor } from './core/chatDoor';

/** The editor's client takes sockets since 1.105 (microsoft/vscode#268488). */
const FIRST_WITH_SOCKETS = 105;

export interface NativeChatOptions {
  readonly servers: ServerSet;
  readonly trust: Trust;
  /** Where servers' log messages come from. */
  readonly logs: Required<Pick<GatewayOptions, 'onDidLog'>>;
  readonly offered: OfferedTools;
  readonly appPage: NonNullable<GatewayTrust['appPage']>;
  readonly state: PlainState;
  /** Whether the workspace has, or once had, a say in what the editor asks about before calls. */
  readonly asksLess: () => boolean;
  /** Whether models search for the tools of servers with many, instead of getting all definitions. */
  readonly searchesTools: boolean;
  /** Called when the addresses in all definitions have changed. */
  readonly moved: () => void;
  /** Set where chats may run in a process of their own, which starts a bridge for each server. */
  readonly agents?: {
    readonly extension: Pick<vscode.Extension<unknown>, 'extensionPath' | 'packageJSON'>;
    /** The id of the window, which is the same after a reload. */
    readonly window: string;
    readonly clients: () => Pick<Clients, 'ask'>;
  };
}

/** The editor keeps lists of tools with the workspace. */
const READERS = 'nativeChat.readers';
type KeptReaders = Readonly<Record<string, readonly string[]>>;

/** More tools of one server than this would keep the editor's page busy for seconds, and its models get 128 of all. */
const MOST_TOOLS = 1_000;

/** The file name is the end of an address, also where that has no path. */
function isAddressActedOn(uri: string, of: Parameters<typeof isActedOn>[1]): boolean {
  const { scheme, authority, path } = attempt(() => vscode.Uri.parse(uri), vscode.Uri.file(''));
  return isActedOn(`/${scheme}/${authority}${path}`, of);
}

/** Offers the window's servers to the editor's own chat, by the gateway: same connections, same trust. */
export class NativeChat {
  readonly #gateway: Gateway;
  /** Where bridges of chats arrive. Undefined where there are none. */
  readonly #agents: ChatDoor | undefined;
  /** Whether they can. */
  #hasAgents: Promise<boolean> | undefined;
  readonly #disposables = new DisposableStore();
  /** Servers that are offered, with the version of their definition. */
  readonly #versions = new Map<ServerId, string>();
  /** Servers whose review is on offer at the moment. */
  readonly #reviews = new Set<ServerId>();
  #hasFailed = false;
  #moves = 0;

  constructor(private readonly options: NativeChatOptions) {
    const { servers, trust, logs, offered, appPage, asksLess, searchesTools, agents, state } = options;
    const asker = (server: ServerConnection) => (asksLess() || mayHaveAnswersOf(server) ? 'host' : 'client');
    const readers: GatewayTrust['readers'] = {
      of: ({ id }) => ownMember(state.get<KeptReaders>(READERS) ?? {}, id) ?? [],
      keep: ({ id }, names) => {
        const all = state.get<KeptReaders>(READERS) ?? {};
        const isSame = JSON.stringify(ownMember(all, id) ?? []) === JSON.stringify(names);
        if (!isSame) void state.update(READERS, { ...all, [id]: names });
      },
    };
    const forModels = { ...trust.forModels, asker, readers, offered, appPage } satisfies GatewayTrust;
    const refused: GatewayOptions['refused'] = ({ server, why }) => {
      if (why === 'blocked') void this.#offerReview(server);
    };
    const tools: ToolOptions = {
      findTools,
      ...(!searchesTools && { mostListed: MOST_TOOLS }),
      toolConversion: {
        prepare: all => makeSchemas(all),
        schemaFor: (server, tool) => {
          const made = schemaForModel(tool);
          if (!('problem' in made)) return made.schema as Tool['inputSchema'];
          offered.leaveOut(server, tool, made.problem);
          return undefined;
        },
        // The editor's agent checks them, and so changes some.
        argumentsFor: (tool, given) => argumentsForServer(tool, given, true),
        renamed: (server, tool, name) => offered.rename(server, tool, name),
      },
    };
    const { onDidLog } = logs;
    const tcp = !takesSockets(vscode.version);
    const more = { ...tools, tcp, isActedOn: isAddressActedOn };
    this.#gateway = new Gateway({ servers, trust: forModels, refused, onDidLog, moved: this.#moved, ...more });
    if (agents) {
      const { extension, window: id, clients } = agents;
      const { version } = extension.packageJSON as { version: string };
      const ask = () => clients().ask(chatIdentity(id));
      const home = defaultHome();
      this.#agents = new ChatDoor({ home, window: id, version, servers, trust: forModels, tools, refused, ask });
    }
    this.#disposables.add(servers.onDidChange(change => change ?? this.#gateway.update()));
  }

  /** The servers that the editor's chats may connect to now. */
  async definitions(): Promise<vscode.McpServerDefinition[]> {
    this.#hasAgents ??= this.#listenToAgents();
    try {
      await this.#gateway.listen();
    } catch (error) {
      this.#tellFailure(error as Error);
      return [];
    }
    const found = await Promise.all(this.options.servers.all.map(server => this.#definition(server)));
    return found.filter(definition => definition !== undefined);
  }

  /** Ends all connections of the editor's client. Resolves when nothing is listening any more. */
  async close(): Promise<void> {
    this.#disposables.dispose();
    await this.#hasAgents;
    await Promise.all([this.#gateway.close(), this.#agents?.close()]);
  }

  /** The definition for the Local chat, whose client has access to the private socket. Undefined: of a server that is gone. */
  local({
    label,
    version,
  }: Pick<vscode.McpServerDefinition, 'label' | 'version'>): vscode.McpHttpServerDefinition | undefined {
    const server = this.options.servers.all.find(({ id }) => id === label);
    if (!server) return undefined;
    const address = this.#gateway.address(server);
    return new vscode.McpHttpServerDefinition(label, uriOf(address), { ...address.headers }, version);
  }

  async #definition(server: ServerConnection): Promise<vscode.McpServerDefinition | undefined> {
    // The editor has it from the same file: no tool is to be there twice.
    if (server.definition.source.projectFile !== undefined && readsProjectFiles()) return undefined;
    const version = await this.#version(server);
    if (version === undefined) return undefined;
    const { agents } = this.options;
    if (!agents || !(await this.#hasAgents)) return this.local({ label: server.id, version });
    // The editor writes it into a file that others may read: it holds no secret.
    const bridge = path.join(agents.extension.extensionPath, 'dist', 'bridge.js');
    const args = [bridge, '--server', server.id, '--card', chatCardIn(defaultHome(), agents.window)];
    const env: Record<string, string> = process.versions.electron ? { ELECTRON_RUN_AS_NODE: '1' } : {};
    const moved = this.#moves > 0 ? ` ${this.#moves}` : '';
    return new vscode.McpStdioServerDefinition(server.id, process.execPath, args, env, `${version}${moved}`);
  }

  async #listenToAgents(): Promise<boolean> {
    try {
      await this.#agents?.listen();
      return this.#agents !== undefined;
    } catch (error) {
      this.#tellFailure(error as Error);
      return false;
    }
  }

  /** The Local chat has to learn the new address. */
  readonly #moved = () => {
    this.#moves++;
    this.options.moved();
  };

  /**
   * Changes with what the server says about itself when it connects, which the editor's client asks for only once. A server
   * keeps its version while and after it restarts, so that a chat using it is not cut off. Undefined: not offered.
   */
  async #version(server: ServerConnection): Promise<string | undefined> {
    if (server.state.kind === 'ready') {
      const { trust, searchesTools } = this.options;
      await trust.pins.load(server);
      const description = describe(server, trust.pins);
      const offered = searchesTools ? { description, tools: 'search' } : description;
      if (description) this.#versions.set(server.id, fingerprint(offered).slice(0, 16));
    } else if (!server.isUsable) {
      this.#versions.delete(server.id);
    }
    return this.#versions.get(server.id);
  }

  async #offerReview(server: ServerConnection): Promise<void> {
    if (this.#reviews.has(server.id)) return;
    this.#reviews.add(server.id);
    const review = t('Review…');
    const message = t(
      'Chat tried to use something from MCP server "{0}" that is blocked because it has changed.',
      server.name,
    );
    const chosen = await window.showWarningMessage(plain(message), review);
    this.#reviews.delete(server.id);
    if (chosen === review) await vscode.commands.executeCommand('mcpHost.reviewChanges', { server });
  }

  #tellFailure({ message }: Error): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    const what = t(
      'The servers of MCP Host are not available in native chat because listening for connections failed ({0}).',
      message,
    );
    void window.showWarningMessage(plain(`${what} ${t('Reload the window to try again.')}`));
  }
}

/** The chat of a window, where its process can't be proved: one answer holds for the window, whatever is reloaded. */
const chatIdentity = (window: string): ClientIdentity => ({
  kind: 'agent',
  id: 'chat',
  name: t('the chat of this window'),
  details: [],
  program: window,
  fingerprint: fingerprint({ chat: window }),
});

function takesSockets(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 1 || minor >= FIRST_WITH_SOCKETS;
}

/** The address as the editor writes it: its path is that of the socket, its fragment that of the request. */
function uriOf({ scheme, at, path }: GatewayAddress): vscode.Uri {
  if (scheme === 'http') return vscode.Uri.parse(`http://${at}${path}`);
  return vscode.Uri.from({ scheme, path: at, fragment: path });
}

/**
 * Whether the editor's answers may be meant for another server: for an entry in the person's own settings, even one that is off, under
 * a name that may be the same to it.
 */
function mayHaveAnswersOf({ name, definition: { source } }: ServerConnection): boolean {
  if (source.scope === 'user') return false;
  const own = ownValue(vscode.workspace.getConfiguration('mcpHost').inspect('servers'));
  const mine = beginningOfTools(name);
  return Object.keys(Object(own))
    .map(beginningOfTools)
    .some(other => mine.startsWith(other) || other.startsWith(mine));
}

/**
 * How the ids begin that the editor gives the tools of a server, by which it remembers answers: `mcp_<name>_<tool>`, where both may have
 * an underscore, so that one name may begin as another. Names that are the same in it get a number.
 */
function beginningOfTools(name: string): string {
  const part = name
    .toLowerCase()
    .replace(/[^a-z0-9_.-]+/g, '_')
    .replaceAll('.', '_');
  // Of longer names, the number takes the place of the last of 13 characters. It may be within another name.
  return `${part.replace(/\d/g, '')}_`.slice(0, 10);
}
