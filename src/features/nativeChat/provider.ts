import vscode = require('vscode');

import { Owner } from '../../base/events';
import { Coalescer } from '../../base/queue';
import { asksLess, hasAgentHost } from '../../editor/chats';
import { settingValue } from '../../editor/settingValues';
import type { PlainState } from '../../editor/storage';
import type { ServerSet } from '../../host';
import type { Clients } from '../clients';
import type { NativeChat, NativeChatOptions } from './nativeChat';

/** As `package.json` has it. */
const PROVIDER = 'mcpHost.servers';
const SETTING = 'mcpHost.nativeChat';
/** Where the id of the window is kept for the workspace, so that sessions of the chat find it again after a reload. */
const WINDOW = 'mcpHost.chatWindow';

/** What native chat needs of the window, for chats that run in a process of their own. */
interface ChatHome {
  readonly extension: Pick<vscode.Extension<unknown>, 'extensionPath' | 'packageJSON'>;
  readonly state: PlainState;
  /** Loaded when the person has to be asked. */
  readonly clients: () => Pick<Clients, 'ask'>;
  /** Asks about an app that a chat draws. */
  readonly appPage: NativeChatOptions['appPage'];
}

/** Registers our servers with the editor's own MCP client unless `mcpHost.nativeChat` is `off`. */
export class NativeChatProvider extends Owner {
  readonly #changed = this.own(new vscode.EventEmitter<void>());
  readonly #tell = this.own(new Coalescer(() => this.#changed.fire(), { quietMs: 100, maxMs: 500 }));
  #provider: vscode.Disposable | undefined;
  #loaded: NativeChat | undefined;
  #closed: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly servers: ServerSet,
    private readonly load: () => { readonly NativeChat: typeof NativeChat },
    private readonly started: () => Omit<
      NativeChatOptions,
      'agents' | 'appPage' | 'asksLess' | 'moved' | 'searchesTools' | 'servers' | 'state'
    >,
    private readonly home: ChatHome,
  ) {
    super();
    this.own(
      servers.onDidChange(change => {
        if (change?.what !== 'catalog') this.#tell.trigger();
        if (!change) this.#await();
      }),
    );
    this.own(
      vscode.workspace.onDidChangeConfiguration(event => {
        if (event.affectsConfiguration('chat')) asksLess(home.state);
        if (!event.affectsConfiguration(SETTING)) return;
        // The editor knows the tools of a server by its definition: it is offered anew.
        this.#withdraw();
        this.#apply();
      }),
    );
    asksLess(home.state);
    this.#apply();
  }

  /** Resolves when nothing is listening any more. */
  async close(): Promise<void> {
    this.dispose();
    await this.#closed;
  }

  override dispose(): void {
    super.dispose();
    this.#withdraw();
  }

  #apply(): void {
    if (settingValue('nativeChat') !== 'off') this.#provider = this.#register();
  }

  /** Registers the servers; undefined in an editor without an MCP client. */
  #register(): vscode.Disposable | undefined {
    return vscode.lm?.registerMcpServerDefinitionProvider?.(PROVIDER, {
      onDidChangeMcpServerDefinitions: this.#changed.event,
      provideMcpServerDefinitions: () => {
        const isReady = this.servers.all.some(({ state }) => state.kind === 'ready');
        return isReady || this.#loaded ? this.#load().definitions() : [];
      },
      // Only the Local chat asks: agents that run a chat get the definition as it was provided.
      resolveMcpServerDefinition: definition => this.#loaded?.local(definition) ?? definition,
    });
  }

  /** Sessions that a chat began before a reload look for this window. */
  #await(): void {
    const isExpected = this.#provider && hasAgentHost() && this.home.state.get(WINDOW) !== undefined;
    if (isExpected && this.servers.all.length > 0) void this.#load().definitions();
  }

  #withdraw(): void {
    this.#provider?.dispose();
    this.#provider = undefined;
    const loaded = this.#loaded;
    this.#loaded = undefined;
    if (loaded) this.#closed = Promise.allSettled([this.#closed, loaded.close()]);
  }

  #window(): string {
    const known = this.home.state.get<string>(WINDOW);
    if (known !== undefined) return known;
    const made = crypto.randomUUID();
    void this.home.state.update(WINDOW, made);
    return made;
  }

  #load(): NativeChat {
    this.#loaded ??= new (this.load().NativeChat)({
      servers: this.servers,
      ...this.started(),
      searchesTools: searchesTools(),
      appPage: this.home.appPage,
      state: this.home.state,
      asksLess: () => asksLess(this.home.state),
      ...(hasAgentHost() && { agents: { ...this.home, window: this.#window() } }),
      moved: () => this.#tell.trigger(),
    });
    return this.#loaded;
  }
}

/** The former setting `nativeChatTools` counts for one more release. */
function searchesTools(): boolean {
  const former = vscode.workspace.getConfiguration('mcpHost').inspect('nativeChatTools');
  return settingValue('nativeChat') === 'search' || former?.globalValue === 'search';
}
