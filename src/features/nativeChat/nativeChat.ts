import type { Tool } from '@modelcontextprotocol/client';

import vscode = require('vscode');

import { DisposableStore } from '../../base/events';
import { fingerprint } from '../../base/fingerprint';
import { plain } from '../../base/text';
import { t, window } from '../../editor/window';
import { describe, Gateway, type GatewayAddress, type GatewayOptions } from '../../gateway';
import type { ServerConnection, ServerSet } from '../../host';
import type { ServerId } from '../../host/definition';
import { argumentsForServer, findTools, schemaForModel } from '../languageModel';
import type { OfferedTools } from '../profiles';
import type { Trust } from '../trust';

/** The editor's client takes sockets since 1.105 (microsoft/vscode#268488). */
const FIRST_WITH_SOCKETS = 105;

export interface NativeChatOptions {
  readonly servers: ServerSet;
  readonly trust: Trust;
  /** Where servers' log messages come from. */
  readonly logs: Required<Pick<GatewayOptions, 'onDidLog'>>;
  readonly offered: OfferedTools;
  /** Whether models search for the tools of servers with many, instead of getting all definitions. */
  readonly searchesTools: boolean;
  /** Called when the addresses in all definitions have changed. */
  readonly moved: () => void;
}

/**
 * Offers the window's servers to the editor's own chat through the gateway: the same connections and processes, under the
 * same trust.
 */
export class NativeChat {
  readonly #gateway: Gateway;
  readonly #disposables = new DisposableStore();
  /** Servers that are offered, with the version of their definition. */
  readonly #versions = new Map<ServerId, string>();
  /** Servers whose review is on offer at the moment. */
  readonly #reviews = new Set<ServerId>();
  #hasFailed = false;

  constructor(private readonly options: NativeChatOptions) {
    const { servers, trust, logs, offered, searchesTools } = options;
    this.#gateway = new Gateway({
      servers,
      trust: {
        ...trust.forModels,
        replacesPersons,
        offered,
      },
      refused: ({ server, why }) => {
        if (why === 'blocked') void this.#offerReview(server);
      },
      onDidLog: logs.onDidLog,
      moved: this.options.moved,
      ...(searchesTools && { findTools }),
      toolConversion: {
        schemaFor: (server, tool) => {
          const made = schemaForModel(tool);
          if (!('problem' in made)) return made.schema as Tool['inputSchema'];
          offered.leaveOut(server, tool, made.problem);
          return undefined;
        },
        // The editor's agent checks them, and so changes some.
        argumentsFor: (tool, given) => argumentsForServer(tool, given, true),
      },
      tcp: !takesSockets(vscode.version),
    });
    this.#disposables.add(servers.onDidChange(change => change ?? this.#gateway.update()));
  }

  /** The servers that the editor's client may connect to now. */
  async definitions(): Promise<vscode.McpHttpServerDefinition[]> {
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
    await this.#gateway.close();
  }

  async #definition(server: ServerConnection): Promise<vscode.McpHttpServerDefinition | undefined> {
    const version = await this.#version(server);
    if (version === undefined) return undefined;
    const address = this.#gateway.address(server);
    return new vscode.McpHttpServerDefinition(server.id, uriOf(address), { ...address.headers }, version);
  }

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

function takesSockets(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 1 || minor >= FIRST_WITH_SOCKETS;
}

/**
 * The address as the editor writes it: the path of the socket is the path of the URI, the path of the request its fragment.
 */
function uriOf({ scheme, at, path }: GatewayAddress): vscode.Uri {
  if (scheme === 'http') return vscode.Uri.parse(`http://${at}${path}`);
  return vscode.Uri.from({ scheme, path: at, fragment: path });
}

/** The entry in the person's own settings under the same name. */
function replacesPersons({ name, definition: { source } }: ServerConnection): boolean {
  if (source.scope === 'user') return false;
  const { globalValue } = vscode.workspace.getConfiguration('mcpHost').inspect('servers') ?? {};
  return typeof globalValue === 'object' && globalValue !== null && Object.hasOwn(globalValue, name);
}
