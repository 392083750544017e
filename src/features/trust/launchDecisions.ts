import { phrase } from '../../base/phrase';
import type { ServerConnection, ServerSet } from '../../host';
import type { Consents, LaunchReview } from './core/consent';

import vscode = require('vscode');

/** Carries out decisions about launches: starts what was allowed or is now trusted, stops what was revoked. */
export function carryOutDecisions(servers: ServerSet, consents: Consents): vscode.Disposable {
  /** Decided about while they were starting: what was checked before that start may be older than the answer. */
  const decidedMeanwhile = new WeakSet<ServerConnection>();
  return vscode.Disposable.from(
    consents.onDidDecide(({ server: id, scope, what }) => {
      const server = servers.get(id);
      if (!server || consents.review(server.definition)?.scope !== scope) return;
      if (what === 'revoked') void server.restart(phrase('its consent was revoked'));
      // A denied server is started too, which is refused, so that its row says why.
      else if (server.state.kind === 'needsTrust') void server.start(phrase('you reviewed it'));
      else if (server.state.kind === 'starting') decidedMeanwhile.add(server);
    }),
    servers.onDidChange(change => {
      if (change?.what !== 'state' || change.server.state.kind === 'starting') return;
      const wasMissed = decidedMeanwhile.delete(change.server) && change.server.state.kind === 'needsTrust';
      if (wasMissed) void change.server.start(phrase('you reviewed it'));
    }),
    // Servers in user settings that waited for trust. Those of the workspace come with its settings.
    vscode.workspace.onDidGrantWorkspaceTrust(() => {
      for (const server of servers.all) {
        if (server.state.kind === 'needsTrust') void server.start(phrase('the workspace is trusted now'));
      }
    }),
  );
}

/** The launches that wait for an answer, as settings order them, and running servers with roots not agreed to. */
export function waitingReviews(servers: ServerSet, consents: Consents): LaunchReview[] {
  return servers.all
    .filter(({ state }) => state.kind === 'needsTrust' || state.kind === 'ready')
    .map(({ definition }) => consents.review(definition))
    .filter(review => review !== undefined)
    .filter(({ answer }) => answer === undefined);
}
