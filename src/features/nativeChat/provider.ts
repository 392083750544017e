import vscode = require('vscode');

import { Coalescer } from '../../base/queue';
import type { ServerSet } from '../../host';
import type { NativeChat, NativeChatOptions } from './nativeChat';

/** As `package.json` has it. */
const PROVIDER = 'mcpHost.servers';
const SETTING = 'mcpHost.nativeChat';

/**
 * Registers our servers with the editor's own MCP client unless the setting `mcpHost.nativeChat` is `off`. What serves them is
 * loaded when the editor asks and a server is ready.
 */
export class NativeChatProvider implements vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #tell = new Coalescer(() => this.#changed.fire(), { quietMs: 100, maxMs: 500 });
  readonly #disposables: vscode.Disposable[];
  #provider: vscode.Disposable | undefined;
  #loaded: NativeChat | undefined;
  #closed: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly servers: ServerSet,
    private readonly load: () => { readonly NativeChat: typeof NativeChat },
    private readonly started: () => Omit<NativeChatOptions, 'servers' | 'searchesTools' | 'moved'>,
  ) {
    this.#disposables = [
      this.#changed,
      servers.onDidChange(change => {
        if (change?.what !== 'catalog') this.#tell.trigger();
      }),
      vscode.workspace.onDidChangeConfiguration(event => {
        if (!event.affectsConfiguration(SETTING)) return;
        // The editor knows the tools of a server by its definition: it is offered anew.
        this.#withdraw();
        this.#apply();
      }),
    ];
    this.#apply();
  }

  /** Resolves when nothing is listening any more. */
  async close(): Promise<void> {
    this.dispose();
    await this.#closed;
  }

  dispose(): void {
    this.#tell.cancel();
    for (const disposable of this.#disposables) disposable.dispose();
    this.#withdraw();
  }

  #apply(): void {
    if (vscode.workspace.getConfiguration().get(SETTING) !== 'off') this.#provider = this.#register();
  }

  /** Registers the servers; undefined in an editor without an MCP client. */
  #register(): vscode.Disposable | undefined {
    return vscode.lm?.registerMcpServerDefinitionProvider?.(PROVIDER, {
      onDidChangeMcpServerDefinitions: this.#changed.event,
      provideMcpServerDefinitions: () => {
        const isReady = this.servers.all.some(({ state }) => state.kind === 'ready');
        return isReady || this.#loaded ? this.#load().definitions() : [];
      },
    });
  }

  #withdraw(): void {
    this.#provider?.dispose();
    this.#provider = undefined;
    const loaded = this.#loaded;
    this.#loaded = undefined;
    if (loaded) this.#closed = Promise.allSettled([this.#closed, loaded.close()]);
  }

  #load(): NativeChat {
    this.#loaded ??= new (this.load().NativeChat)({
      servers: this.servers,
      ...this.started(),
      searchesTools: searchesTools(),
      moved: () => this.#tell.trigger(),
    });
    return this.#loaded;
  }
}

/** The former setting `nativeChatTools` counts for one more release. */
function searchesTools(): boolean {
  const settings = vscode.workspace.getConfiguration('mcpHost');
  return settings.get('nativeChat') === 'search' || settings.inspect('nativeChatTools')?.globalValue === 'search';
}
