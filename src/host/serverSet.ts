import type { Event } from '../base/events';
import type { RequestsOf } from './connection/allowedRequests';
import type { ServerConnection } from './connection/connection';
import type { ServerId } from './definition/definition';
import type { ServerChange } from './host';
import type { TraceLog } from './trace/traceLog';

/** The window's servers as every feature sees them. */
export interface ServerSet {
  /** All configured servers, including stopped and invalid ones, in the order of the settings. */
  readonly all: readonly ServerConnection[];
  get(id: ServerId): ServerConnection | undefined;
  /**
   * The messages between them and this window; undefined until the first of them is configured, which `onDidChange`
   * announces.
   */
  readonly trace: TraceLog | undefined;
  /** What a person asks of a server by hand. */
  readonly byHand: RequestsOf;
  /** The state or the catalog of one server changed; undefined: servers were added or removed. */
  readonly onDidChange: Event<ServerChange | undefined>;
}
