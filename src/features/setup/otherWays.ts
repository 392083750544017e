import vscode = require('vscode');

import { t } from '../../editor/window';
import type { OtherWay } from './smartBox';

/** The ways to add a server that lead out of the box. Web windows have none: they run no programs and read no files. */
export function otherWays({
  browseServers,
  importServers,
  newServer,
}: Record<'browseServers' | 'importServers' | 'newServer', () => unknown>): OtherWay[] {
  return [
    {
      iconPath: new vscode.ThemeIcon('extensions'),
      label: t('Browse Servers'),
      detail: t('A page with what the registry publishes: by whom, what it runs, in which versions'),
      run: browseServers,
    },
    {
      iconPath: new vscode.ThemeIcon('cloud-download'),
      label: t('Import from Other Hosts'),
      detail: t('VS Code, Claude, Copilot CLI, Cursor, Windsurf, Zed, Cline, Continue, or a file'),
      run: importServers,
    },
    {
      iconPath: new vscode.ThemeIcon('new-file'),
      label: t('New Server'),
      detail: t('Write one yourself: a small server in TypeScript or Python, with a test'),
      run: newServer,
    },
    {
      iconPath: new vscode.ThemeIcon('beaker'),
      label: t('Demo Server'),
      detail: t('A project notebook to explore; nothing needs to be installed'),
      run: () => vscode.commands.executeCommand('mcpHost.addDemoServer'),
    },
  ];
}
