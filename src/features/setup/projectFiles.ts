import vscode = require('vscode');

import { Owner } from '../../base/events';
import { textAt } from '../../editor/fileText';
import type { ProjectFile } from '../settings';

const NAME = '.mcp.json';
/** A larger file is no list of servers. */
const MAX_BYTES = 1024 * 1024;

/** Loads the reader, which windows without such a file do not need. */
const loadReader = () => require('./core/projectServers') as typeof import('./core/projectServers');

/** Follows the `.mcp.json` of each workspace folder, the file that all hosts read. It is only read: what it has is checked later. */
export class ProjectFiles extends Owner {
  readonly #read = new Map<string, ProjectFile>();

  /** @param changed called with those that are there, in the order of folders, when one came, went or has another content. */
  constructor(private readonly changed: (files: readonly ProjectFile[]) => void) {
    super();
    // By a pattern alone: where a folder is named, the editor no longer reports what other patterns of it are for.
    const watcher = vscode.workspace.createFileSystemWatcher(`**/${NAME}`);
    const again = (uri: vscode.Uri) => {
      const folder = vscode.workspace.workspaceFolders?.find(one => fileIn(one).toString() === uri.toString());
      if (folder) void this.#load(folder);
    };
    this.own(watcher);
    this.own(watcher.onDidCreate(again));
    this.own(watcher.onDidChange(again));
    this.own(watcher.onDidDelete(again));
    this.own(vscode.workspace.onDidChangeWorkspaceFolders(() => this.#follow()));
    this.#follow();
  }

  #follow(): void {
    const folders = vscode.workspace.workspaceFolders ?? [];
    const uris = new Set(folders.map(({ uri }) => uri.toString()));
    let isGone = false;
    for (const key of this.#read.keys()) if (!uris.has(key)) isGone = this.#read.delete(key);
    if (isGone) this.#tell();
    for (const folder of folders) void this.#load(folder);
  }

  async #load(folder: vscode.WorkspaceFolder): Promise<void> {
    const key = folder.uri.toString();
    const uri = fileIn(folder);
    const text = await textAt(uri, MAX_BYTES);
    if (text === undefined) {
      if (this.#read.delete(key)) this.#tell();
      return;
    }
    const servers = loadReader().projectServers(text);
    // While it can't be read, it has what it had before.
    if (!servers || JSON.stringify(this.#read.get(key)?.servers) === JSON.stringify(servers)) return;
    this.#read.set(key, { folder, uri, servers });
    this.#tell();
  }

  #tell(): void {
    const folders = vscode.workspace.workspaceFolders ?? [];
    this.changed(folders.flatMap(({ uri }) => this.#read.get(uri.toString()) ?? []));
  }
}

const fileIn = ({ uri }: vscode.WorkspaceFolder): vscode.Uri => vscode.Uri.joinPath(uri, NAME);
