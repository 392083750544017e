import type { Event } from '../../base/events';
import type { DetailNode } from '../../editor/servers/serverNodes';
import type { ServerConnection } from '../../host';

/** What the Servers view shows below a server in addition to its lists. */
export interface ServerDetails {
  rows(server: ServerConnection): { readonly running: readonly DetailNode[]; readonly roots: readonly DetailNode[] };
  /** Fires with what has changed: one row, all rows of a server, or any. */
  readonly onDidChangeRows: Event<DetailNode | ServerConnection | undefined>;
}
