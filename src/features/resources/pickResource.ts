import vscode = require('vscode');

import { numberText } from '../../base/numberText';
import { Coalescer } from '../../base/queue';
import { type PlainText, rowText } from '../../base/text';
import { safeIcon } from '../../editor/icons';
import { usableServers } from '../../editor/usable';
import { joined, type PlainRow, t, window } from '../../editor/window';
import type { ServerSet } from '../../host';
import { resourceFileName } from './core/fileName';
import { labelOf } from './core/resourceFolders';
import { hasMorePages, loadAllPages, ResourcePool } from './resourcePool';
import type { ResourceTarget } from './resourceTarget';

/** The editor draws and sorts all rows at every key press, so it gets only the best matches. */
const MAX_ROWS = 200;

interface Item extends PlainRow {
  readonly target: ResourceTarget;
  /** The text by which the row was found. */
  readonly typed: string;
}

/** A button on each row. Pressing it chooses the row and closes the list. */
interface RowAction {
  readonly icon: string;
  readonly title: string;
  run(target: ResourceTarget): unknown;
}

interface PickResourceOptions {
  readonly title: PlainText;
  readonly actions?: readonly RowAction[];
}

/**
 * Asks for one of the resources of all ready servers. We search ourselves, because the editor's own filter is too slow for
 * as many as there can be; missing pages are fetched as soon as something is typed. Undefined when the person gave up or
 * took an action.
 */
export function pickResource(
  servers: ServerSet,
  { title, actions = [] }: PickResourceOptions,
): Promise<ResourceTarget | undefined> {
  const picker = window.createQuickPick<Item>();
  const pool = new ResourcePool();
  const abort = new AbortController();
  const buttons = actions.map(({ icon, title: tooltip }) => ({ iconPath: new vscode.ThemeIcon(icon), tooltip }));
  let fetching = false;
  const draw = () => {
    const ready = usableServers(servers);
    const found = pool.search(picker.value, MAX_ROWS);
    picker.items = found.map(target => ({ ...itemOf(target, ready.length > 1), typed: picker.value, buttons }));
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
  picker.title = title;
  pool.update(usableServers(servers));
  draw();
  return new Promise<ResourceTarget | undefined>(resolve => {
    const listeners = vscode.Disposable.from(
      servers.onDidChange(() => follow.trigger()),
      picker.onDidChangeValue(value => {
        draw();
        if (value.trim() !== '' && usableServers(servers).some(hasMorePages)) void fetch();
      }),
      picker.onDidAccept(() => {
        const [item] = picker.activeItems;
        // Enter right after another key may still refer to an old row: use what was typed.
        const target = item?.typed === picker.value ? item.target : pool.search(picker.value, 1)[0];
        if (target) end(target);
      }),
      picker.onDidTriggerItemButton(({ item, button }) => {
        end(undefined);
        void actions[buttons.indexOf(button as (typeof buttons)[number])]?.run(item.target);
      }),
      picker.onDidHide(() => end(undefined)),
    );
    const end = (target: ResourceTarget | undefined) => {
      resolve(target);
      abort.abort();
      follow.cancel();
      listeners.dispose();
      picker.dispose();
    };
    picker.show();
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

/** "Find Resource…": finds a resource of any server, and opens it, reveals it in the view or adds it to chat. */
export async function findResourceCommand(servers: ServerSet): Promise<void> {
  const offers = servers.all.some(server => server.offers('resources').length > 0);
  if (!offers) {
    void window.showInformationMessage(t('No running MCP server offers resources. Start one first.'));
    return;
  }
  const run = (command: string) => (target: object) => vscode.commands.executeCommand(`mcpHost.${command}`, target);
  const target = await pickResource(servers, {
    title: t('Find Resource'),
    actions: [
      { icon: 'list-tree', title: t('Reveal in Resources View'), run: run('revealResource') },
      { icon: 'comment-discussion', title: t('Add to Chat'), run: run('addResourceToChat') },
    ],
  });
  if (target) await run('openResource')(target);
}
