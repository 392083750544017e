import * as path from 'node:path';

import vscode = require('vscode');

import { DisposableStore } from '../../base/events';
import { readBounded, replaceFile } from '../../base/files';
import { plain } from '../../base/text';
import { errorText } from '../../editor/errorText';
import { t, window } from '../../editor/window';
import type { ServerSet } from '../../host';
import type { Clients } from '../clients';
import type { OfferedTools, Profiles } from '../profiles';
import type { Trust } from '../trust';
import { AgentWindow } from './core/agentListener';
import { bridgeIn, defaultHome, privateFolder } from './core/bridge/windowCards';

const MAX_BRIDGE_BYTES = 1024 * 1024;

interface SharingWindow {
  readonly extension: Pick<vscode.Extension<unknown>, 'extensionPath' | 'packageJSON'>;
  readonly servers: ServerSet;
  readonly trust: Trust;
  readonly offered: OfferedTools;
  /** Undefined while there are none. */
  readonly profiles: () => Pick<Profiles, 'all'> | undefined;
  /** Loaded with the first agent. */
  readonly clients: () => Clients;
}

/** Shares the window's servers with agents beside the editor: the same connections and processes, under the same trust. */
export class Agents {
  readonly #window: AgentWindow;
  readonly #disposables = new DisposableStore();
  readonly #listening: Promise<unknown>;

  constructor({ extension, servers, trust, offered, profiles, clients }: SharingWindow) {
    const home = defaultHome();
    this.#window = new AgentWindow({
      home,
      folders: () => (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath),
      version: extension.packageJSON.version,
      servers,
      trust: { ...trust.forModels, offered },
      get clients() {
        return clients();
      },
      includes: server => offered.includesServer(server),
      // One of a workspace could become another without the person, here as anywhere.
      profile: name => profiles()?.all.find(one => one.name === name && one.source.scope === 'user'),
    });
    this.#disposables.add(
      vscode.window.onDidChangeWindowState(({ focused }) => {
        if (focused) this.#window.used();
      }),
    );
    this.#disposables.add(vscode.workspace.onDidChangeWorkspaceFolders(() => this.#window.used()));
    this.#listening = this.#listen(path.join(extension.extensionPath, 'dist', 'bridge.js'), home);
  }

  /** Ends all sessions. Resolves when nothing is listening any more. */
  async close(): Promise<void> {
    this.#disposables.dispose();
    await this.#listening;
    await this.#window.close();
  }

  async #listen(bridge: string, home: string): Promise<void> {
    try {
      await putBridge(bridge, home);
      await this.#window.listen();
    } catch (error) {
      const what = t('The servers of MCP Host are not shared with agents: {0}', errorText(error, 300));
      void window.showWarningMessage(plain(what));
    }
  }
}

/** Copies the bridge to a path that no version changes. Rejects if others have access to the folder. */
async function putBridge(from: string, home: string): Promise<void> {
  privateFolder(home, 'windows');
  const at = bridgeIn(home);
  const text = await readBounded(from, MAX_BRIDGE_BYTES);
  const before = await readBounded(at, MAX_BRIDGE_BYTES).catch(() => undefined);
  if (before !== text) await replaceFile(at, text, 0o600);
}
