import { setTimeout as delay } from 'node:timers/promises';
import { DisposableMap, Emitter, Owner } from '../../base/events';
import type { ServerChange, ServerConnection, ServerSet } from '../../host';
import type { FollowedResources } from './core/followedResources';
import { addressKey, HEX_SCHEME, type ResourceAddress } from './core/resourceAddress';
import { type ResourceContent, weightOf } from './core/resourceContent';
import { isNotFound, type ResourceReader } from './core/resourceReader';
import { type OpenResource, openResources } from './openResources';

import vscode = require('vscode');

/** Gives editors their text. */
interface ToldOfChanges {
  tellChanged(uris: readonly vscode.Uri[]): void;
}

/** Keeps editors on resources up to date. */
export class OpenEditors extends Owner {
  readonly #ready = new WeakSet<ServerConnection>();

  constructor(
    servers: ServerSet,
    private readonly reader: ResourceReader,
    private readonly fileSystem: ToldOfChanges,
    private readonly hexView: ToldOfChanges,
  ) {
    super();
    for (const server of servers.all) if (server.state.kind === 'ready') this.#ready.add(server);
    this.own(servers.onDidChange(change => this.#onChange(change)));
    this.own(
      reader.onDidChangeContent(({ serverId, uri }) => {
        this.#tell(editorsOf({ serverId, uri }));
      }),
    );
  }

  /** Makes the editors on resources of this server read them again. */
  reload(server: ServerConnection): void {
    const open = openResources().filter(({ address }) => address.serverId === server.id);
    const failed = open.filter(({ address }) => this.reader.hasFailed(address));
    const filled = open.filter(({ address }) => this.reader.isKnown(address));
    // Editors that wait for the first start of the server need none of this: they fill by themselves.
    for (const { address } of [...failed, ...filled]) this.reader.outdate(address);
    this.#tell(filled);
    for (const { tab, uri } of failed) retry(tab, uri);
  }

  /** Makes the editors on a resource read it again: it has become readable, or is gone. */
  lookAgain(address: ResourceAddress): void {
    const open = editorsOf(address);
    this.#tell(open);
    if (!this.reader.hasFailed(address)) for (const { tab, uri } of open) retry(tab, uri);
  }

  /** Updates the editors of a server that is back. */
  #onChange(change: ServerChange | undefined): void {
    if (change?.what !== 'state') return;
    const { server } = change;
    if (server.state.kind !== 'ready') this.#ready.delete(server);
    else if (!this.#ready.has(server)) {
      this.#ready.add(server);
      this.reload(server);
    }
  }

  #tell(open: readonly OpenResource[]): void {
    const isHex = ({ uri }: OpenResource) => uri.scheme === HEX_SCHEME;
    this.fileSystem.tellChanged(open.filter(one => !isHex(one)).map(({ uri }) => uri));
    this.hexView.tellChanged(open.filter(isHex).map(({ uri }) => uri));
  }
}

function editorsOf({ serverId, uri }: ResourceAddress): OpenResource[] {
  return openResources().filter(({ address }) => address.serverId === serverId && address.uri === uri);
}

/** Opens an editor with an error again, as it ignores changes. The editor fills background tabs itself. */
function retry({ isActive, isPreview, group }: vscode.Tab, uri: vscode.Uri): void {
  if (!isActive) return;
  const options = { viewColumn: group.viewColumn, preserveFocus: true, preview: isPreview };
  void vscode.commands.executeCommand('vscode.open', uri, options);
}

/** Follows each resource as long as it has a tab, in an editor of any kind. */
export class LiveEditors extends Owner {
  readonly #changed = this.own(new Emitter<void>());
  /** Editors on resources were opened, closed, brought to the front or sent to the back. */
  readonly onDidChange = this.#changed.event;
  readonly #open = this.own(new DisposableMap<string>());
  #visible: ReadonlySet<string> = new Set();

  constructor(private readonly followed: FollowedResources) {
    super();
    this.own(vscode.window.tabGroups.onDidChangeTabs(() => this.#update()));
    this.own(vscode.window.tabGroups.onDidChangeTabGroups(() => this.#update()));
    this.#update();
  }

  isOpen(address: ResourceAddress): boolean {
    return this.#open.has(addressKey(address));
  }

  isVisible(address: ResourceAddress): boolean {
    return this.#visible.has(addressKey(address));
  }

  #update(): void {
    const now = openResources();
    const open = new Map(now.map(({ address }) => [addressKey(address), address]));
    const visible = new Set(now.filter(({ tab }) => tab.isActive).map(({ address }) => addressKey(address)));
    if (open.size === 0 && this.#open.size === 0) return;
    for (const [key, address] of open) if (!this.#open.has(key)) this.#open.set(key, this.followed.follow(address));
    for (const key of this.#open.keys()) if (!open.has(key)) this.#open.delete(key);
    this.#visible = visible;
    this.#changed.fire();
  }
}

/** The result of reading a resource again: its content, or that it no longer exists. */
export interface RefreshedResource {
  readonly address: ResourceAddress;
  readonly content: ResourceContent | undefined;
}

/** Of what is read again and again, in bytes for each millisecond. */
const RATE = 1_000;

/**
 * Rereads a followed resource when its server says that it changed: one read at a time, and at most one waits. After a large one, for a while:
 * editors take long to show it.
 */
export class ResourceRefresher extends Owner {
  readonly #refreshed = this.own(new Emitter<RefreshedResource>());
  readonly onDidRefresh = this.#refreshed.event;
  /** By address: whether the resource changed again while it was being read. */
  readonly #running = new Map<string, boolean>();
  /** By address: when it may be read again. */
  readonly #rests = new Map<string, number>();
  readonly #ended = new AbortController();

  constructor(
    followed: FollowedResources,
    private readonly reader: ResourceReader,
    private readonly editors: OpenEditors,
  ) {
    super();
    this.own(followed.onDidUpdate(address => void this.refresh(address)));
  }

  /** Never rejects: if it can't be read, the shown content stays, and the next change tries again. */
  async refresh(address: ResourceAddress): Promise<void> {
    const key = addressKey(address);
    if (this.#running.has(key)) {
      this.#running.set(key, true);
      return;
    }
    do {
      this.#running.set(key, false);
      const ms = (this.#rests.get(key) ?? 0) - performance.now();
      if (ms > 0) await delay(ms, undefined, { signal: this.#ended.signal }).catch(() => {});
      if (this.#ended.signal.aborted) return;
      await this.#read(address);
    } while (this.#running.get(key));
    this.#running.delete(key);
  }

  override dispose(): void {
    super.dispose();
    this.#ended.abort();
  }

  async #read(address: ResourceAddress): Promise<void> {
    const hadFailed = this.reader.hasFailed(address);
    this.reader.outdate(address);
    try {
      const content = await this.reader.read(address);
      const ms = weightOf(content) / RATE;
      if (ms < 1) this.#rests.delete(addressKey(address));
      else this.#rests.set(addressKey(address), performance.now() + ms);
      // The reader notifies editors of changes, but not those that show an error.
      if (hadFailed) this.editors.lookAgain(address);
      this.#refreshed.fire({ address, content });
    } catch (error) {
      if (!isNotFound(error)) return;
      this.editors.lookAgain(address);
      this.#refreshed.fire({ address, content: undefined });
    }
  }
}
