import vscode = require('vscode');

import type { Resource } from '@modelcontextprotocol/client';
import { Owner } from '../../base/events';
import { visible } from '../../base/text';
import type { ServerNotices } from '../../editor/serverNotices';
import { TextDocuments } from '../../editor/textDocuments';
import { ownUri } from '../../editor/virtualFiles';
import { t, verbatim } from '../../editor/window';
import type { ServerConnection, ServerSet } from '../../host';
import type { ChangeMarks } from './changeMarks';
import { resourceFileName } from './core/fileName';
import { addressKey, type ResourceAddress } from './core/resourceAddress';
import type { ResourceContent } from './core/resourceContent';
import { SeenVersions } from './core/seenVersions';
import type { RefreshedResource } from './openEditors';
import { type ResourceTarget, resourceUri } from './resourceTarget';
import type { WatchList } from './watchList';

/** More notifications than this would cover the window; marks in the Resources view show the rest. */
const MAX_SHOWN = 3;
/** How long after a notification was closed the next one for that resource may appear. */
const QUIET_MS = 10_000;

/** A notification for one resource, and the quiet time after it. */
interface Notice {
  /** The content read last. */
  latest: ResourceContent;
  isShown: boolean;
  quiet?: NodeJS.Timeout;
}

/** Notifies of a changed resource with its difference: once at a time, and not while the person looks at it. */
export class WatchNotices extends Owner {
  readonly #earlier = this.own(new TextDocuments(EARLIER_SCHEME, ''));
  #compared = 0;
  readonly #seen = new SeenVersions();
  /** The versions before the changes that a person has not seen. Those of a later change do not replace them. */
  readonly #before = new SeenVersions();
  readonly #notices = new Map<string, Notice>();
  /** Resources whose server was removed: when it is added again, they start from what they are then. */
  readonly #left = new Set<string>();

  constructor(
    private readonly servers: ServerSet,
    private readonly watched: WatchList,
    private readonly marks: ChangeMarks,
    private readonly notices: ServerNotices,
  ) {
    super();
    // If it is watched again, it starts from what it is then.
    this.own(watched.onDidChange(() => this.#seen.keepOnly(address => watched.has(address))));
    this.own(marks.onDidChange(() => this.#before.keepOnly(address => marks.has(address))));
    this.own(servers.onDidChange(change => change === undefined && this.#leaveRemoved()));
  }

  override dispose(): void {
    for (const { quiet } of this.#notices.values()) clearTimeout(quiet);
    this.#notices.clear();
    super.dispose();
  }

  /** A followed resource was read again. */
  onRefresh({ address, content }: RefreshedResource): void {
    const server = this.servers.get(address.serverId);
    if (!server || !this.watched.has(address)) return;
    if (!content) {
      void this.#tellGone(server, address);
      return;
    }
    if (this.#left.delete(addressKey(address))) this.marks.delete(address);
    const notice = this.#notices.get(addressKey(address));
    const isSeen = vscode.window.state.focused && this.marks.isVisible(address);
    const isChanged = this.#seen.differs(address, content);
    if (isChanged && this.marks.has(address)) this.#keepBefore(address, content);
    if (notice) notice.latest = content;
    else if (isSeen || !isChanged) this.#seen.set(address, content);
    // If there is no room, it is not recorded as seen, so that the next notification includes this change.
    else if (this.#shownCount < MAX_SHOWN) void this.#tellChanged(server, address, content);
  }

  #leaveRemoved(): void {
    const isThere = ({ serverId }: ResourceAddress) => this.servers.get(serverId) !== undefined;
    for (const address of this.watched.all) if (!isThere(address)) this.#left.add(addressKey(address));
    this.#seen.keepOnly(isThere);
  }

  get #shownCount(): number {
    return [...this.#notices.values()].filter(({ isShown }) => isShown).length;
  }

  async #tellChanged(server: ServerConnection, address: ResourceAddress, content: ResourceContent): Promise<void> {
    // The mark may be gone by the time of the answer.
    const before = this.#before.get(address)?.text ?? this.#seen.get(address)?.text;
    const resource = resourceOf(server, address, content);
    const open = t('Open');
    const compare = t('Show Changes');
    const notice: Notice = { latest: content, isShown: true };
    this.#notices.set(addressKey(address), notice);
    const canCompare = before !== undefined && content.kind === 'text';
    const chosen = await this.notices.show(
      'Information',
      server,
      verbatim('"{0}" from server "{1}" has changed.', visible(resourceFileName(resource)), server.name),
      ...(canCompare ? [open, compare] : [open]),
    );
    notice.isShown = false;
    if (this.watched.has(address)) this.#seen.set(address, notice.latest);
    this.#beQuiet(address, notice);
    if (chosen === open) void vscode.commands.executeCommand('mcpHost.openResource', { server, resource });
    if (chosen === compare && before !== undefined) this.#compare(server, address, resource, before);
  }

  #keepBefore(address: ResourceAddress, { kind }: ResourceContent): void {
    if (kind !== 'text') this.#before.delete(address);
    else if (!this.#before.get(address)) this.#before.put(address, this.#seen.get(address)!);
    this.marks.setComparable(address, this.#before.get(address)?.text !== undefined);
  }

  /** Compares a resource as the person last saw it with what it is now. False: that is not known. */
  showChanges({ server, resource }: ResourceTarget): boolean {
    const address = { serverId: server.id, uri: resource.uri };
    const before = this.#before.get(address)?.text;
    if (before === undefined) return false;
    this.#compare(server, address, resource, before);
    return true;
  }

  /** Changes made meanwhile are reported once, afterwards. */
  #beQuiet(address: ResourceAddress, notice: Notice): void {
    const key = addressKey(address);
    if (this.#notices.get(key) !== notice) return;
    notice.quiet = setTimeout(() => {
      this.#notices.delete(key);
      this.onRefresh({ address, content: notice.latest });
    }, QUIET_MS);
  }

  /** The right side is the resource itself, and keeps following it. */
  #compare(server: ServerConnection, address: ResourceAddress, resource: Resource, before: string): void {
    const name = resourceFileName(resource);
    const title = verbatim('{0} (before ↔ now) · {1}', name, server.name);
    // Its name determines the language, as for the resource.
    const text = () => before;
    const { path } = resourceUri(address.serverId, { uri: address.uri, name, text });
    const left = ownUri({ scheme: EARLIER_SCHEME, authority: String(++this.#compared), path });
    this.#earlier.set(left, before, server.id);
    this.marks.delete(address);
    void vscode.commands.executeCommand('vscode.diff', left, resourceUri(server.id, { ...resource, text }), title);
  }

  async #tellGone(server: ServerConnection, address: ResourceAddress): Promise<void> {
    this.watched.delete(address);
    const again = t('Watch Again');
    const chosen = await this.notices.show(
      'Information',
      server,
      verbatim(
        '"{0}" from server "{1}" no longer exists and is no longer watched.',
        visible(address.uri, 200),
        server.name,
      ),
      again,
    );
    if (chosen === again) this.watched.add(address);
  }
}

/** As the server lists it, but with the type that was read, so that it opens in the same editor as by hand. */
function resourceOf(server: ServerConnection, { uri }: ResourceAddress, { mimeType }: ResourceContent): Resource {
  const listed = server.catalog.resources.find(resource => resource.uri === uri) ?? { uri, name: '' };
  return { ...listed, mimeType: listed.mimeType ?? mimeType };
}

/** Scheme of earlier versions of resources, the left side of a comparison. */
const EARLIER_SCHEME = 'mcp-earlier';
