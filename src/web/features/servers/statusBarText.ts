import * as anywhere from '../../../features/servers/statusBarText';
import type { ServerConnection } from '../../../host';
import { isForOtherWindows } from './stateText';

/** Servers that are programs count for nothing: a folder that is used on the desktop too is not to look broken. */
export const statusOf = (servers: readonly ServerConnection[]): anywhere.Status =>
  anywhere.statusOf(servers.filter(({ state }) => !isForOtherWindows(state)));
