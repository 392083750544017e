import vscode = require('vscode');

import { phrase } from '../../base/phrase';
import { visible } from '../../base/text';
import { errorText, reasonText } from '../../editor/errorText';
import { remedyTitle } from '../../editor/remedyTexts';
import type { ServerNotices } from '../../editor/serverNotices';
import { t, verbatim } from '../../editor/window';
import { remediesOf, type ServerConnection, type ServerState } from '../../host';

/**
 * Notifies the person once each time a running server is given up, or a remote one is down for a while. A server that fails
 * at its first start shows that only in its row, so that a window does not open with a pile of notifications.
 */
export class GiveUpNotice {
  readonly #told = new WeakSet<ServerState>();
  /** When the outage began that was told last, in milliseconds since 1970. */
  readonly #outages = new WeakMap<ServerConnection, number>();

  constructor(private readonly notices: ServerNotices) {}

  async see(server: ServerConnection): Promise<void> {
    const { state } = server;
    if (!this.#isNews(server, state)) return;
    const [restart, showLog] = [t('Restart'), t('Show Log')];
    // More buttons than these nobody reads.
    const remedy = remediesOf(server).find(
      ({ kind }) => kind !== 'start' && kind !== 'openLog' && kind !== 'showHealth',
    );
    const mend = remedy ? [remedyTitle(remedy, server)] : [];
    const chosen = await this.notices.show('Error', server, noticeText(server, state), ...mend, restart, showLog);
    if (remedy && chosen === mend[0]) await vscode.commands.executeCommand('mcpHost.applyRemedy', server.id, remedy);
    else if (chosen === restart) await server.restart(phrase('requested by you'));
    else if (chosen === showLog) await vscode.commands.executeCommand('mcpHost.showServerLog', { server });
  }

  #isNews(server: ServerConnection, state: ServerState): state is IllState {
    if (state.kind === 'reconnecting') {
      if (!state.isDown || this.#outages.get(server) === state.since) return false;
      this.#outages.set(server, state.since);
      return true;
    }
    if (state.kind !== 'failed' || !state.gaveUp || this.#told.has(state)) return false;
    this.#told.add(state);
    return true;
  }
}

type IllState = ServerState & { kind: 'failed' | 'reconnecting' };

/** A remote server says for how long it has been down; a program has been started again too often. */
function noticeText({ id, definition }: ServerConnection, { error }: IllState): string {
  if (definition.entry?.type !== 'stdio') return errorText(error, 500);
  return verbatim(
    'MCP server "{0}" ended unexpectedly too often and is no longer restarted: {1}.',
    id,
    visible(reasonText(error), 300),
  );
}
