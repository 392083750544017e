import vscode = require('vscode');

import { Coalescer } from '../../../base/coalescer';
import { plain, visible } from '../../../base/text';
import { t, window } from '../../../editor/window';
import type { ServerSet } from '../../../host';

/** Says once, for all servers together, that they wait for inputs. Does not ask for any itself. */
export class InputsNotice implements vscode.Disposable {
  /** Servers that were named already, each with its configuration at that time. */
  readonly #told = new Set<string>();
  readonly #soon = new Coalescer(() => void this.#tell(), { quietMs: 500, maxMs: 3_000 });
  readonly #subscription: vscode.Disposable;

  constructor(private readonly servers: ServerSet) {
    this.#subscription = servers.onDidChange(change => {
      if (change?.what === 'state' && change.server.state.kind === 'needsInput') this.#soon.trigger();
    });
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#soon.cancel();
  }

  async #tell(): Promise<void> {
    const fresh = this.servers.all.filter(({ state, id, definition }) => {
      return state.kind === 'needsInput' && !this.#told.has(`${id} ${definition.fingerprint}`);
    });
    if (fresh.length === 0) return;
    for (const { id, definition } of fresh) this.#told.add(`${id} ${definition.fingerprint}`);
    const names = plain(fresh.map(({ name }) => visible(name, 60)).join(', '));
    const message =
      fresh.length === 1
        ? t('MCP server {0} needs inputs before it can start.', names)
        : t('{0} MCP servers need inputs before they can start: {1}.', fresh.length, names);
    const enter = t('Enter Inputs');
    if ((await window.showInformationMessage(message, enter)) === enter)
      await vscode.commands.executeCommand('mcpHost.enterInputs');
  }
}
