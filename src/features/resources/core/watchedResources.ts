import type { Event } from '../../../base/events';
import type { ResourceAddress } from './resourceAddress';

/** Where the workspace keeps which resources are watched. */
export const WATCHED_KEY = 'mcpHost.watchedResources';

/** The watched resources as a view sees them. */
export interface WatchedResources {
  has(address: ResourceAddress): boolean;
  readonly onDidChange: Event<void>;
}
