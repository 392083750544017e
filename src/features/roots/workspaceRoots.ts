import { realpathSync } from 'node:fs';
import * as path from 'node:path';
import { attempt } from '../../base/errors';
import { Emitter, Owner } from '../../base/events';
import { isWithin, rootUri, withDrive } from '../../base/filePlace';
import { t } from '../../editor/window';
import type { RootsPort, ServerDefinition } from '../../host/definition';
import { WORKSPACE_ROOTS } from '../trust';

import vscode = require('vscode');

/** One folder or file that settings want to be shared with a server. */
export interface WantedRoot {
  /** The path that people see. */
  readonly path: string;
  readonly name: string;
  /** The URI that the server gets; undefined if it gets none, for the reason in `problem`. */
  readonly uri: vscode.Uri | undefined;
  readonly problem?: string;
}

/**
 * The roots of each server (spec: client/roots): workspace folders, or what its entry lists of them, on a disk that a server
 * could read. Nothing outside the workspace is ever shared, wherever a link leads. Neither is anything in an untrusted
 * workspace, because its contents could make a server do what their author wants. What a workspace's settings share is part
 * of the consent to launch: what was not agreed to then is withheld.
 */
export class WorkspaceRoots extends Owner implements RootsPort {
  readonly #changed = this.own(new Emitter<void>());
  /** A folder that is or was shared appeared or disappeared. */
  readonly onDidChange = this.#changed.event;
  readonly #watched = new Set<string>();

  /** @param allows whether the person has agreed to one of the roots that the server's entry wants. */
  constructor(private readonly allows: (server: ServerDefinition, root: string) => boolean) {
    super();
    this.own(vscode.workspace.onDidChangeWorkspaceFolders(() => this.#changed.fire()));
    this.own(vscode.workspace.onDidGrantWorkspaceTrust(() => this.#changed.fire()));
  }

  list(server: ServerDefinition): { uri: string; name: string }[] {
    const shared = this.review(server).filter(({ uri }) => uri);
    // Two paths may lead to one folder.
    return [...new Map(shared.map(({ uri, name }) => [rootUri(uri!.toString()), name]))].map(([uri, name]) => ({
      uri,
      name,
    }));
  }

  /** Everything that settings want to share, with the reason if something is not shared. */
  review(server: ServerDefinition): WantedRoot[] {
    const { entry, source } = server;
    const wanted = entry?.roots ?? 'workspace';
    if (!vscode.workspace.isTrusted || wanted === 'none') return [];
    const folders = (vscode.workspace.workspaceFolders ?? []).map(folder => ({
      ...folder,
      path: withDrive(folder.uri.fsPath),
      real: realPath(folder.uri),
    }));
    const base = source.folder?.path ?? folders[0]?.path ?? '';
    const allWanted =
      wanted === 'workspace'
        ? folders.map(folder => ({ path: folder.path, root: WORKSPACE_ROOTS }))
        : wanted.map(root => ({ path: withDrive(path.resolve(base, root)), root }));
    const paths = allWanted.map(one => one.path);
    const withheld = new Set(allWanted.filter(({ root }) => !this.allows(server, root)).map(one => one.path));
    const all = wanted === 'workspace' ? folders.filter(({ uri }) => uri.scheme !== 'file') : [];
    const remote = all.map(({ uri, name }) => {
      return {
        path: uri.toString(true),
        name,
        uri: undefined,
        problem: t('It is not on a disk that servers can read.'),
      };
    });
    const local = [...new Set(paths)].flatMap((wantedPath): WantedRoot[] => {
      const folder = folders.find(each => each.path === wantedPath);
      if (folder && folder.uri.scheme !== 'file') return [];
      this.#watch(wantedPath);
      const row = { path: wantedPath, name: folder?.name ?? path.basename(wantedPath), uri: undefined };
      const real = folder ? folder.real : realPath(vscode.Uri.file(wantedPath));
      if (real === undefined) return [{ ...row, problem: t('It does not exist.') }];
      if (withheld.has(wantedPath)) return [{ ...row, problem: t('It is withheld until you allow it.') }];
      if (folder) return [{ ...row, uri: folder.uri }];
      for (const { uri, real: inside } of folders) {
        if (inside === undefined || uri.scheme !== 'file' || !isWithin(inside, real)) continue;
        // Expressed as a path in the folder: without links, and with the folder's authority.
        const below = path.relative(inside, real);
        return [{ ...row, uri: below === '' ? uri : vscode.Uri.joinPath(uri, ...below.split(path.sep)) }];
      }
      return [{ ...row, problem: t('It is outside the workspace.') }];
    });
    return [...local, ...remote];
  }

  /** To be called when the person has agreed to roots, or no longer does. */
  agreed(): void {
    this.#changed.fire();
  }

  /** Watches only whether the folder exists, not what is in it. */
  #watch(wanted: string): void {
    const parent = path.dirname(wanted);
    if (this.#watched.has(wanted) || parent === wanted) return;
    this.#watched.add(wanted);
    const name = path.basename(wanted).replace(/[[\]{}*?]/g, '[$&]');
    const pattern = new vscode.RelativePattern(vscode.Uri.file(parent), name);
    const watcher = this.own(vscode.workspace.createFileSystemWatcher(pattern, false, true, false));
    this.own(watcher.onDidCreate(() => this.#changed.fire()));
    this.own(watcher.onDidDelete(() => this.#changed.fire()));
  }
}

const realPath = (uri: vscode.Uri): string | undefined => attempt(() => realpathSync.native(uri.fsPath));
