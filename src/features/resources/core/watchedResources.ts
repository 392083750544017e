import type { Event } from '../../../base/events';
import type { ResourceAddress } from './resourceAddress';

/** Where the workspace keeps which resources are watched. */
export const WATCHED_KEY = 'mcpHost.watchedResources';

/** What a view shows of the list of watched resources. */
export interface WatchedResources {
  has(address: ResourceAddress): boolean;
  readonly onDidChange: Event<void>;
}
