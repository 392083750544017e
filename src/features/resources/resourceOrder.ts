import vscode = require('vscode');

import { type Disposable, Emitter } from '../../base/events';
import { type PlainRow, t, window } from '../../editor/window';
import type { Order } from './core/resourceFolders';

const KEY = 'resources.order';

/** The only owner of the order of resources within their folders, kept for the workspace. */
export class ResourceOrder implements Disposable {
  readonly #changed = new Emitter<void>();
  readonly onDidChange = this.#changed.event;

  constructor(private readonly memento: vscode.Memento) {}

  get value(): Order {
    const kept = this.memento.get<string>(KEY);
    return kept === 'priority' || kept === 'date' ? kept : 'name';
  }

  async set(order: Order): Promise<void> {
    const saved = this.memento.update(KEY, order);
    this.#changed.fire();
    await saved;
  }

  dispose(): void {
    this.#changed.dispose();
  }
}

interface OrderItem extends PlainRow {
  readonly order: Order;
}

/** "Sort Resources By…" */
export async function sortResourcesCommand(order: ResourceOrder): Promise<void> {
  const items: OrderItem[] = [
    { order: 'name', label: t('Name') },
    { order: 'priority', label: t('Priority'), description: t('most important first, as reported by servers') },
    { order: 'date', label: t('Date'), description: t('last modified first, as reported by servers') },
  ];
  const current = new vscode.ThemeIcon('check');
  const none = new vscode.ThemeIcon('blank');
  const marked = items.map(item => ({ ...item, iconPath: item.order === order.value ? current : none }));
  const chosen = await window.showQuickPick(marked, { title: t('Sort Resources By') });
  if (chosen && chosen.order !== order.value) await order.set(chosen.order);
}
