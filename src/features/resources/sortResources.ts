import vscode = require('vscode');

import { type PlainRow, t, window } from '../../editor/window';
import type { Order } from './core/folders';
import type { ResourceOrder } from './order';

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
