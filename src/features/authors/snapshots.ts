import { Owner } from '../../base/events';

import vscode = require('vscode');

import { relative } from 'node:path';
import { rowText, visible } from '../../base/text';
import { errorText, localized } from '../../editor/errorText';
import type { PlainState } from '../../editor/storage';
import { TextDocuments } from '../../editor/textDocuments';
import { ownUri } from '../../editor/virtualFiles';
import { t, window } from '../../editor/window';
import type { ServerConnection } from '../../host';
import {
  compareSnapshots,
  type InterfaceSnapshot,
  readSnapshotFile,
  snapshotOfServer,
  snapshotText,
  writeSnapshotFile,
} from './core/interfaceSnapshot';

/** Scheme of the read-only documents of what servers offer now. */
const SNAPSHOT_SCHEME = 'mcp-snapshot';
export const SNAPSHOT_FILE = 'mcp.snapshot.json';
/** By the id of a server, the path of its snapshot. */
const PLACES = 'snapshots';
const LISTS = ['tools', 'prompts', 'resourceTemplates'] as const;
const ICONS = { breaking: 'error', added: 'add', wording: 'edit' } as const;

/** Keeps what a server offers in a file, and says what has changed since. */
export class Snapshots extends Owner {
  /** Only the last of each server. */
  readonly #documents = this.own(new TextDocuments(SNAPSHOT_SCHEME));

  constructor(private readonly state: PlainState) {
    super();
  }

  /** Writes what the server offers into a file that the person chooses. */
  async save(server: ServerConnection): Promise<void> {
    const snapshot = await this.offered(server);
    const place = this.#placeOf(server);
    const file = await vscode.window.showSaveDialog({
      title: t('Save the Interface of {0}', server.name),
      // The editor takes only the last part of a name for its extension.
      filters: { JSON: ['json'] },
      ...(place && { defaultUri: vscode.Uri.file(place) }),
    });
    if (file) await this.#write(server, file.fsPath, snapshot);
  }

  /** Shows a diff between the snapshot and what the server offers now, and says what breaks callers. */
  async compare(server: ServerConnection): Promise<void> {
    const kept = await this.storedFor(server);
    if (!kept) return;
    const { path, before } = kept;
    const now = await this.offered(server);
    const changes = compareSnapshots(before, now);
    const name = vscode.workspace.asRelativePath(path, false);
    if (changes.length === 0) {
      void window.showInformationMessage(t('What "{0}" offers is the same as in {1}.', server.name, name));
      return;
    }
    const shown = ownUri({ scheme: SNAPSHOT_SCHEME, path: `/${server.id.replaceAll('/', ' ')}.json` });
    this.#documents.set(shown, snapshotText(now));
    await vscode.commands.executeCommand('vscode.diff', vscode.Uri.file(path), shown, t('{0} ↔ now', name));
    const count = (wanted: keyof typeof ICONS) => changes.filter(({ verdict }) => verdict === wanted).length;
    const [breaking, added, wording] = [count('breaking'), count('added'), count('wording')];
    const verdict =
      breaking > 0
        ? t(
            '"{0}" has changed in a way that breaks callers. Breaking changes: {1}, additions: {2}, changes in wording: {3}.',
            server.name,
            breaking,
            added,
            wording,
          )
        : t(
            '"{0}" has changed without breaking callers. Additions: {1}, changes in wording: {2}.',
            server.name,
            added,
            wording,
          );
    const [list, update] = [t('List Changes'), t('Update Snapshot')];
    const tell = breaking > 0 ? window.showWarningMessage : window.showInformationMessage;
    const chosen = await tell(verdict, list, update);
    if (chosen === update) await this.#write(server, path, now);
    if (chosen !== list) return;
    const rows = changes.map(({ verdict, where, message, isItem }) => ({
      label: rowText(isItem ? localized(message) : where, 300),
      ...(!isItem && { description: rowText(localized(message), 300) }),
      iconPath: new vscode.ThemeIcon(ICONS[verdict]),
    }));
    await window.showQuickPick(rows, { title: verdict, matchOnDescription: true });
  }

  async #write(server: ServerConnection, path: string, snapshot: InterfaceSnapshot): Promise<void> {
    await writeSnapshotFile(path, snapshot);
    await this.state.update(PLACES, { ...this.#places, [server.id]: path });
    window.setStatusBarMessage(t('Saved {0}', visible(vscode.workspace.asRelativePath(path, false))), 5_000);
  }

  /** The snapshot beside the server, or in a file that the person chooses; undefined: they chose none. */
  async storedFor(server: ServerConnection): Promise<{ path: string; before: InterfaceSnapshot } | undefined> {
    const path = await this.#existing(server);
    if (path === undefined) return undefined;
    const before = await readSnapshotFile(path).catch(error => {
      throw new Error(t('The snapshot {0} cannot be used: {1}.', visible(path), errorText(error)));
    });
    return { path, before };
  }

  /** Rejects when one of its lists could not be loaded: a snapshot without it would say that all of it is gone. */
  async offered(server: ServerConnection): Promise<InterfaceSnapshot> {
    const { catalog } = server;
    await Promise.all(LISTS.map(list => catalog.loaded(list)));
    for (const list of LISTS) {
      const { status, error } = catalog.list(list);
      if (status === 'failed' && error) throw error;
    }
    return snapshotOfServer(server);
  }

  get #places(): Readonly<Record<string, string>> {
    return this.state.get(PLACES, {});
  }

  /** Where its snapshot is, or would be: beside the server, if that is in the workspace. */
  #placeOf({ id, definition: { entry, source } }: ServerConnection): string | undefined {
    const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
    const own = entry?.type === 'stdio' ? entry.cwd : undefined;
    const isInside = (path: string) => folders.some(folder => !/^\.\.([/\\]|$)/.test(relative(folder, path)));
    const folder = own !== undefined && isInside(own) ? own : source.folder?.path;
    const place = folder ?? folders[0];
    return this.#places[id] ?? (place && vscode.Uri.joinPath(vscode.Uri.file(place), SNAPSHOT_FILE).fsPath);
  }

  /** The file to compare with: its own, or one that the person chooses. */
  async #existing(server: ServerConnection): Promise<string | undefined> {
    const place = this.#placeOf(server);
    const isThere = place && (await vscode.workspace.fs.stat(vscode.Uri.file(place)).then(Boolean, () => false));
    if (isThere) return place;
    const [file] =
      (await vscode.window.showOpenDialog({
        title: t('Compare {0} With a Snapshot', server.name),
        filters: { JSON: ['json'] },
        ...(place && { defaultUri: vscode.Uri.file(place) }),
      })) ?? [];
    return file?.fsPath;
  }
}
