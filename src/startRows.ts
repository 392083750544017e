import { Emitter, type Event, lazy } from './base/events';
import { loadExtras, loadSkills } from './doors';
import type { ServerNotices } from './editor/serverNotices';
import type { DetailNode } from './editor/serverRows';
import { WorkspaceRoots } from './features/roots/workspaceRoots';
import type { Trust } from './features/trust/trust';
import type { RequestsOf, RunningCalls, ServerConnection } from './host';
import type { ServersWindow } from './serversWindow';

import type vscode = require('vscode');

interface RowsParts {
  readonly notices: ServerNotices;
  readonly calls: RunningCalls;
  readonly trust: Trust;
  readonly byHand: RequestsOf;
}

/** What has rows below those of servers. Each is loaded when it is first needed, and its changes are those of the rows. */
export function startRows(
  { context, own, configuration, servers, features }: ServersWindow,
  { notices, calls, trust, byHand }: RowsParts,
) {
  const rowsChanged = own(new Emitter<DetailNode | ServerConnection | undefined>());
  /** A part of the servers' rows that is loaded when it is first needed. */
  const partOfRows = <T extends vscode.Disposable & { readonly onDidChange: Event<DetailNode | ServerConnection> }>(
    make: () => T,
  ) =>
    lazy(() => {
      const part = own(make());
      own(part.onDidChange(server => rowsChanged.fire(server)));
      return part;
    });
  const roots = own(new WorkspaceRoots((...root) => trust.consents.allowsRoot(...root)));
  own(roots.onDidChange(() => rowsChanged.fire(undefined)));
  const running = partOfRows(() => new (loadExtras().RunningRows)(servers, calls));
  own(calls.onDidChange(server => running().update(server)));
  own(servers.onDidChange(change => change && calls.hasKept && loadExtras().restoreTasks(change.server, calls)));
  /** Loaded with the first server that serves skills. */
  const skills = partOfRows(() => new (loadSkills().Skills)(servers, context, notices, trust));
  /** Loaded with the first server that offers events. */
  const events = partOfRows(
    () =>
      new (loadExtras().ServerEvents)({
        servers,
        requests: byHand,
        notices,
        askArguments: (...form) => features().askArguments(...form),
      }),
  );
  let hasEvents = configuration.events;
  own(
    configuration.onDidChange(() => {
      if (configuration.events === hasEvents) return;
      hasEvents = configuration.events;
      if (!hasEvents) events.loaded?.stopAll();
      rowsChanged.fire(undefined);
    }),
  );
  /** Loaded with the first server that is confined. */
  const confined = partOfRows(
    () => new (loadExtras().ConfinedServers)(context, trust.audit, server => calls.of(server).length > 0),
  );
  own(servers.onDidChange(change => change?.server.attempts && confined().follow(change.server)));
  own(
    trust.consents.onDidDecide(({ server, what }) => {
      roots.agreed();
      if (what === 'revoked') void confined().revoke(server);
    }),
  );

  return { rowsChanged, roots, running, skills, events, confined };
}
