import type { ServerChange, ServerConnection, ServerId } from '../../host';
import type { Event } from '../../host/events';

/** The window's servers as every feature sees them. */
export interface ServerSet {
  /** All configured servers, also those that are stopped or invalid, in the order of the settings. */
  readonly all: readonly ServerConnection[];
  get(id: ServerId): ServerConnection | undefined;
  /** The state or the catalog of one server changed; undefined: servers were added or removed. */
  readonly onDidChange: Event<ServerChange | undefined>;
}
