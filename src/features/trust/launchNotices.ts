import vscode = require('vscode');

import { Coalescer } from '../../base/queue';
import { plain, visible } from '../../base/text';
import { t, window } from '../../editor/window';
import type { ServerSet } from '../../host';
import type { Consents, LaunchReview } from './core/consent';

/**
 * The launches that wait for an answer, in the order of the settings, and running servers whose settings share more roots
 * than agreed.
 */
export function waitingReviews(servers: ServerSet, consents: Consents): LaunchReview[] {
  return servers.all
    .filter(({ state }) => state.kind === 'needsTrust' || state.kind === 'ready')
    .map(({ definition }) => consents.review(definition))
    .filter(review => review !== undefined)
    .filter(({ answer }) => answer === undefined);
}

/** Shows one notification for all servers that wait for consent. It can be ignored. */
export class ConsentNotice implements vscode.Disposable {
  /** Servers that are configured together share one notification. */
  readonly #announce = new Coalescer(() => void this.#tell(), { quietMs: 300, maxMs: 1_500 });
  readonly #told = new Set<string>();
  readonly #subscription: { dispose(): void };

  constructor(
    private readonly servers: ServerSet,
    private readonly consents: Consents,
  ) {
    this.#subscription = servers.onDidChange(change => {
      if (change?.server.state.kind === 'needsTrust') this.#announce.trigger();
    });
  }

  /** To be called when settings have changed: they may share more roots than agreed. */
  look(): void {
    this.#announce.trigger();
  }

  dispose(): void {
    this.#announce.cancel();
    this.#subscription.dispose();
  }

  #unheard(): LaunchReview[] {
    return waitingReviews(this.servers, this.consents).filter(review => !this.#told.has(keyOf(review)));
  }

  async #tell(): Promise<void> {
    const unheard = this.#unheard();
    const [first] = unheard;
    if (!first) return;
    for (const review of unheard) this.#told.add(keyOf(review));
    const { servers } = this;
    const count = waitingReviews(servers, this.consents).length;
    const message =
      count === 1 && servers.get(first.definition.id)?.state.kind === 'ready'
        ? t('Settings share more folders with MCP server "{0}" than you allowed.', plain(first.definition.id))
        : count === 1
          ? t('MCP server "{0}" needs your approval to start.', plain(first.definition.id))
          : t('{0} MCP servers need your approval to start.', count);
    const review = t('Review');
    if ((await window.showInformationMessage(message, review)) !== review) return;
    await vscode.commands.executeCommand('mcpHost.reviewServer');
  }
}

const keyOf = ({ definition, fingerprint, roots }: LaunchReview) => [definition.id, fingerprint, ...roots].join('\n');

/** Shows one notification for all servers that wait for inputs. Does not ask for them itself. */
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
