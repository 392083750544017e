import vscode = require('vscode');

import { Coalescer } from '../../base/queue';
import type { ServerSet } from '../../host';
import type { OfferedTools } from '../profiles';
import type { Trust } from '../trust';
import type { Logs, NativeChat } from './nativeChat';

/** As `package.json` has it. */
const PROVIDER = 'mcpHost.servers';
const SETTING = 'mcpHost.nativeChat';
const TOOLS_SETTING = 'mcpHost.nativeChatTools';

/**
 * Registers our servers with the editor's own MCP client while the setting `mcpHost.nativeChat` is on. What serves them is
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
    private readonly started: () => { readonly trust: Trust; readonly logs: Logs; readonly offered: OfferedTools },
  ) {
    this.#disposables = [
      this.#changed,
      servers.onDidChange(change => {
        if (change?.what !== 'catalog') this.#tell.trigger();
      }),
      vscode.workspace.onDidChangeConfiguration(event => {
        // The editor knows the tools of a server by its definition: it is offered anew.
        if (event.affectsConfiguration(TOOLS_SETTING)) this.#withdraw();
        if (event.affectsConfiguration(SETTING) || event.affectsConfiguration(TOOLS_SETTING)) this.#apply();
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
    if (vscode.workspace.getConfiguration().get(SETTING) === 'off') this.#withdraw();
    else this.#provider ??= this.#register();
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
    const { trust, logs, offered } = this.started();
    this.#loaded ??= new (this.load().NativeChat)(this.servers, trust, logs, offered);
    return this.#loaded;
  }
}
