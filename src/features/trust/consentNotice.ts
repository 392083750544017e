import vscode = require('vscode');

import { Coalescer } from '../../base/coalescer';
import { plain } from '../../base/text';
import { t, window } from '../../editor/window';
import type { ServerSet } from '../../host';
import type { Consents, LaunchReview } from './core/consent';

/**
 * The launches that wait for the person's answer, in the order of the settings; and servers that run and could be told of more
 * roots.
 */
export function waitingReviews(servers: ServerSet, consents: Consents): LaunchReview[] {
  return servers.all
    .filter(({ state }) => state.kind === 'needsTrust' || state.kind === 'ready')
    .map(({ definition }) => consents.review(definition))
    .filter(review => review !== undefined)
    .filter(({ answer }) => answer === undefined);
}

/** Says once, for all servers together, that they wait for consent: one notification, which can be ignored. */
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

  /** To be called when settings have changed: they may share more than was agreed to. */
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
        ? t(
            'Settings want the MCP server "{0}" to be told of more folders than you allowed.',
            plain(first.definition.id),
          )
        : count === 1
          ? t('The MCP server "{0}" waits for your consent to start.', plain(first.definition.id))
          : t('{0} MCP servers wait for your consent to start.', count);
    const review = t('Review');
    if ((await window.showInformationMessage(message, review)) !== review) return;
    await vscode.commands.executeCommand('mcpHost.reviewServer');
  }
}

const keyOf = ({ definition, fingerprint, roots }: LaunchReview) => [definition.id, fingerprint, ...roots].join('\n');
