import { homedir } from 'node:os';

import vscode = require('vscode');

import { errorText, localized } from '../../editor/errorText';
import { t, window } from '../../editor/window';
import { type Findings, findServers, readPlace } from './core/findServers';
import { type ImportPlace, places } from './core/importPlaces';
import type { ImportList, ImportSource } from './importList';

/** Imports servers from the files of other hosts. */
export class ImportServers {
  constructor(private readonly list: ImportList) {}

  /** Looks where other hosts keep their servers, and asks which to import. */
  async run(): Promise<void> {
    const { isTrusted, workspaceFolders = [] } = vscode.workspace;
    // An untrusted workspace is not even looked at.
    const folders = isTrusted ? workspaceFolders.map(({ uri }) => uri.fsPath) : [];
    const known = places({ platform: process.platform, home: homedir(), env: process.env, folders });
    const looking = { location: vscode.ProgressLocation.Window, title: t('Looking for MCP servers…') };
    const findings = await window.withProgress(looking, () => findServers(known));
    this.#tellUnreadable(findings);
    if (findings.found.length > 0) return this.#choose(findings.found);
    const chooseFile = t('Choose a File…');
    const none = t('No MCP servers of other hosts were found on this machine.');
    if ((await window.showInformationMessage(none, chooseFile)) === chooseFile) await this.chooseFile();
  }

  /** Asks for a file, in the format of any host. */
  async chooseFile(): Promise<void> {
    const [uri] = (await vscode.window.showOpenDialog({ title: t('Import MCP servers from a file') })) ?? [];
    if (!uri) return;
    const inWorkspace = vscode.workspace.getWorkspaceFolder(uri) !== undefined;
    const place: ImportPlace = { host: t('File'), path: uri.fsPath, dialect: 'unknown', inWorkspace };
    const found = await readPlace(place, uri.fsPath).catch(error => {
      throw new Error(t('{0} could not be read: {1}', uri.fsPath, errorText(error, 200)));
    });
    if (found.every(({ servers }) => servers.length === 0)) {
      throw new Error(t('{0} contains no MCP servers in a known format.', uri.fsPath));
    }
    await this.#choose(found);
  }

  #choose(found: readonly ImportSource[]): Promise<void> {
    return this.list.choose(found, () => this.chooseFile());
  }

  #tellUnreadable({ unreadable }: Findings): void {
    for (const { path, reason } of unreadable.slice(0, 3)) {
      void window.showWarningMessage(t('{0} could not be read and was skipped: {1}.', path, localized(reason)));
    }
  }
}
