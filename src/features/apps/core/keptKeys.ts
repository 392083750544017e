import { isObject } from '../../../base/json';

/** Key of the stored apps in the workspace storage. */
export const KEY = 'mcpHost.apps';
/** Among them, of the app in the view. */
export const VIEW_KEY = 'view';
/** The context key by which the view is there. */
export const IN_VIEW = 'mcpHost.appInView';

/** Whether an earlier window had an app in the view. */
export function hasAppInView(storage: { get(key: string): unknown }): boolean {
  const kept = storage.get(KEY);
  return isObject(kept) && VIEW_KEY in kept;
}
