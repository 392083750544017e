import type { Resource } from '@modelcontextprotocol/client';
import { numberText } from '../../base/numberText';
import { Coalescer } from '../../base/queue';
import { rowText } from '../../base/text';
import { answerIn } from '../../editor/dialogs';
import { safeIcon } from '../../editor/icons';
import { usableServers } from '../../editor/pickServer';
import { joined, type PlainRow, t, window } from '../../editor/window';
import type { ServerConnection, ServerSet } from '../../host';
import { resourceFileName } from './core/fileName';
import { labelOf } from './core/resourceFolders';
import { SearchIndex } from './core/searchIndex';
import type { ResourceTarget } from './resourceTarget';

import vscode = require('vscode');

/** The editor draws and sorts all rows at every key press, so it gets only the best matches. */
const MAX_ROWS = 200;

interface Item extends PlainRow {
  /** Undefined: the URI that was typed. */
  readonly target: ResourceTarget | undefined;
  /** The text by which the row was found. */
  readonly typed: string;
}

/** "Find Resource…": opens a resource of any server: one that is listed, found by name or URI, or any other by its URI. */
export async function findResourceCommand(servers: ServerSet): Promise<void> {
  const offering = servers.all.filter(({ info }) => info?.capabilities.resources);
  if (offering.length === 0) {
    void window.showInformationMessage(t('No running MCP server offers resources. Start one first.'));
    return;
  }
  const found = await chooseResource(servers);
  const target = typeof found === 'string' ? await targetAt(found, offering) : found;
  if (target) await vscode.commands.executeCommand('mcpHost.openResource', target);
}

/** A URI that no list has. Asks for the server if there are several. */
async function targetAt(uri: string, servers: readonly ServerConnection[]): Promise<ResourceTarget | undefined> {
  const rows = servers.map(server => ({ label: rowText(server.id), server }));
  const placeHolder = t('Select an MCP server to read from');
  const chosen = rows.length === 1 ? rows[0] : await window.showQuickPick(rows, { placeHolder });
  return chosen && { server: chosen.server, resource: { uri, name: '' } };
}

/**
 * Asks for a resource of a ready server, or a URI. We search ourselves, because the editor's own filter is too slow for as many
 * as there can be; missing pages are fetched as soon as something is typed. Undefined when the person gave up, or added one to chat.
 */
function chooseResource(servers: ServerSet): Promise<ResourceTarget | string | undefined> {
  const picker = window.createQuickPick<Item>();
  const pool = new ResourcePool();
  const abort = new AbortController();
  const buttons = [{ iconPath: new vscode.ThemeIcon('comment-discussion'), tooltip: t('Add to Chat') }];
  let fetching = false;
  const typedUri = () => (/^[a-z][\w+.-]*:./i.test(picker.value.trim()) ? picker.value.trim() : undefined);
  const draw = () => {
    const ready = usableServers(servers);
    const typed = picker.value;
    const found = pool.search(typed, MAX_ROWS).map(target => ({ ...itemOf(target, ready.length > 1), typed, buttons }));
    const uri = typedUri();
    const label = t('$(edit) Read {0}', rowText(uri ?? '', 200));
    picker.items = [...found, ...(uri === undefined ? [] : [{ label, target: undefined, typed, alwaysShow: true }])];
    picker.placeholder = ready.some(hasMorePages)
      ? t('Name, title or part of the URI ({0} resources loaded so far)', numberText(pool.size))
      : t('Name, title or part of the URI ({0} resources)', numberText(pool.size));
  };
  const update = () => {
    if (pool.update(usableServers(servers))) draw();
  };
  const fetch = async () => {
    if (fetching) return;
    fetching = true;
    picker.busy = true;
    await loadAllPages(usableServers(servers), abort.signal);
    fetching = false;
    if (abort.signal.aborted) return;
    picker.busy = false;
    update();
    draw();
  };
  const follow = new Coalescer(update, { quietMs: 50, maxMs: 200 });
  picker.title = t('Find Resource');
  pool.update(usableServers(servers));
  draw();
  const changes = servers.onDidChange(() => follow.trigger());
  return answerIn<ResourceTarget | string>(picker, end => {
    picker.onDidChangeValue(value => {
      draw();
      if (value.trim() !== '' && usableServers(servers).some(hasMorePages)) void fetch();
    });
    picker.onDidAccept(() => {
      const [item] = picker.activeItems;
      // Enter right after another key may still refer to an old row: use what was typed.
      const target = item?.typed === picker.value ? item.target : pool.search(picker.value, 1)[0];
      const chosen = target ?? typedUri();
      if (chosen) end(chosen);
    });
    picker.onDidTriggerItemButton(({ item: { target } }) => {
      end();
      void vscode.commands.executeCommand('mcpHost.addResourceToChat', target);
    });
  }).finally(() => {
    abort.abort();
    follow.cancel();
    changes.dispose();
  });
}

function itemOf(target: ResourceTarget, several: boolean): Omit<Item, 'typed'> {
  const { server, resource } = target;
  const label = labelOf(resource);
  const name = resourceFileName(resource);
  return {
    target,
    label: rowText(label),
    description: joined([name !== label && rowText(name), several && rowText(server.id)], ' · '),
    detail: rowText(resource.uri, 300),
    iconPath: safeIcon(resource.icons, server) ?? vscode.ThemeIcon.File,
    alwaysShow: true,
  };
}

/** Everything that ready servers list, in searchable form. Follows the lists as they grow. */
export class ResourcePool {
  readonly #index = new SearchIndex<ResourceTarget>();
  /** The part of each server's list that is in the index. */
  #indexed = new Map<ServerConnection, readonly Resource[]>();

  get size(): number {
    return this.#index.size;
  }

  /** Adds what the servers list now. Returns whether anything has changed. */
  update(servers: readonly ServerConnection[]): boolean {
    const lists = new Map(servers.map(server => [server, server.offers('resources')]));
    const grown = [...this.#indexed].every(([server, items]) => isBeginningOf(items, lists.get(server)));
    if (!grown) {
      this.#index.clear();
      this.#indexed = new Map();
    }
    const before = this.#index.size;
    for (const [server, items] of lists) {
      const known = this.#indexed.get(server)?.length ?? 0;
      for (let index = known; index < items.length; index++) this.#add(server, items[index]!);
    }
    this.#indexed = lists;
    return !grown || this.#index.size > before;
  }

  search(query: string, limit: number): ResourceTarget[] {
    return this.#index.search(query, limit);
  }

  #add(server: ServerConnection, resource: Resource): void {
    const { name, uri } = resource;
    const label = labelOf(resource);
    this.#index.add({ server, resource }, { label, others: label === name ? [uri] : [name, uri] });
  }
}

/** Pages are appended to a list; items that it had stay the same objects. */
function isBeginningOf(items: readonly Resource[], longer: readonly Resource[] | undefined): boolean {
  if (!longer || longer.length < items.length) return false;
  return items.length === 0 || (items[0] === longer[0] && items.at(-1) === longer[items.length - 1]);
}

const hasMorePages = ({ catalog }: ServerConnection): boolean => Boolean(catalog.list('resources').more);

/** Fetches all pages of these servers; the lists grow meanwhile. Never rejects: a failure is the list's status. */
async function loadAllPages(servers: readonly ServerConnection[], signal: AbortSignal): Promise<void> {
  const paged = servers.filter(hasMorePages);
  await Promise.all(paged.map(({ catalog }) => catalog.loadAllPages('resources', signal)));
}
