import vscode = require('vscode');

import { phrase } from '../../base/phrase';
import type { ServerConnection, ServerSet } from '../../host';
import type { Consents } from './core/consent';

/** Carries out decisions about launches: starts what was allowed or is now trusted, stops what was revoked. */
export class TrustDecisions implements vscode.Disposable {
  readonly #subscriptions: readonly { dispose(): void }[];
  /** Decided about while they were starting: what was checked before that start may be older than the answer. */
  readonly #decidedMeanwhile = new WeakSet<ServerConnection>();

  constructor(servers: ServerSet, consents: Consents) {
    this.#subscriptions = [
      consents.onDidDecide(({ server: id, scope, what }) => {
        const server = servers.get(id);
        if (!server || consents.review(server.definition)?.scope !== scope) return;
        if (what === 'revoked') void server.restart(phrase('its consent was revoked'));
        // A denied server is started too, which is refused, so that its row says why.
        else if (server.state.kind === 'needsTrust') void server.start(phrase('you reviewed it'));
        else if (server.state.kind === 'starting') this.#decidedMeanwhile.add(server);
      }),
      servers.onDidChange(change => {
        if (change?.what !== 'state' || change.server.state.kind === 'starting') return;
        const wasMissed = this.#decidedMeanwhile.delete(change.server) && change.server.state.kind === 'needsTrust';
        if (wasMissed) void change.server.start(phrase('you reviewed it'));
      }),
      // Servers in user settings that waited for trust. Those of the workspace come with its settings.
      vscode.workspace.onDidGrantWorkspaceTrust(() => {
        for (const server of servers.all) {
          if (server.state.kind === 'needsTrust') void server.start(phrase('the workspace is trusted now'));
        }
      }),
    ];
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }
}
