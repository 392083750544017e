import vscode = require('vscode');

import { t } from '../../../editor/window';
import * as anywhere from '../../../features/servers/stateText';
import type { ServerConnection, ServerState } from '../../../host';

export { stateName, WAITING_ICONS, warningText } from '../../../features/servers/stateText';

/** Whether it is one for other windows: nothing is wrong with it. */
export const isForOtherWindows = (state: ServerState): boolean =>
  state.kind === 'failed' && state.error.code === 'NO_PROGRAMS';

export const stateText = (server: ServerConnection): string =>
  isForOtherWindows(server.state) ? t('not available in web windows') : anywhere.stateText(server);

export const stateIcon = (state: ServerState, isFine?: boolean): vscode.ThemeIcon =>
  isForOtherWindows(state) ? new vscode.ThemeIcon('circle-slash') : anywhere.stateIcon(state, isFine);
