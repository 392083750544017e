import type { ResourceTemplateType } from '@modelcontextprotocol/client';
import { errorText } from '../../../editor/errorText';
import { t, verbatim } from '../../../editor/window';

import vscode = require('vscode');

import { visible } from '../../../base/text';
import { safeIcon } from '../../../editor/icons';
import { plainTooltip } from '../../../editor/markdown';
import type { ServerConnection } from '../../../host';
import type { ResourceNode } from '../core/resourceNodes';
import type { TemplateMemory } from './templateMemory';

const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;

type TemplateNode = Extract<ResourceNode, { type: 'template' }>;

/** The rows of a server's resource templates in the Resources view, and what was opened through each. */
export class TemplateRows {
  readonly #shown = new WeakMap<ServerConnection, readonly ResourceTemplateType[]>();

  constructor(private readonly memory: TemplateMemory | undefined) {}

  /** Whether the server's templates differ from those that are shown. */
  hasChanged(server: ServerConnection): boolean {
    return this.#shown.get(server) !== listOf(server).items;
  }

  /** The folder "Templates", if there are any, or the reason why they could not be listed. */
  of(server: ServerConnection): ResourceNode[] {
    const { items, status, error } = listOf(server);
    this.#shown.set(server, items);
    if (items.length > 0) return [{ type: 'templates', server }];
    return status === 'failed' ? [{ type: 'message', text: errorText(error), icon: 'error' }] : [];
  }

  children(node: ResourceNode): ResourceNode[] {
    const { server } = node as { server: ServerConnection };
    if (node.type === 'templates') {
      return listOf(server).items.map((template, index) => ({ type: 'template', server, template, index }) as const);
    }
    if (node.type !== 'template') return [];
    const recent = this.memory?.recent(server.id, node.template.uriTemplate) ?? [];
    return recent.map(resource => ({ type: 'recent', server, template: node.template, resource }) as const);
  }

  templateItem(node: TemplateNode): vscode.TreeItem {
    const { uriTemplate, title, name, description, mimeType, icons } = node.template;
    const label = visible(title || name);
    const hasRecent = this.children(node).length > 0;
    const item = new vscode.TreeItem(label, hasRecent ? Expanded : None);
    // A new row once there is something below it: the editor would leave the old one collapsed.
    item.id = JSON.stringify([node.server.id, node.index, uriTemplate, hasRecent]);
    item.description = visible(uriTemplate, 160);
    item.iconPath = safeIcon(icons, node.server) ?? new vscode.ThemeIcon('symbol-snippet');
    item.contextValue = 'template';
    item.tooltip = plainTooltip([
      label === name ? label : `${label} (${visible(name)})`,
      description,
      visible(uriTemplate, 1_000),
      mimeType && verbatim('Type: {0}', visible(mimeType)),
    ]);
    const { server, template } = node;
    const row = { server, kind: 'resourceTemplates', item: template };
    item.command = { command: 'mcpHost.openPage', title: t('Open'), arguments: [row] };
    return item;
  }
}

/** The row that holds a server's templates. */
export function templatesItem(server: ServerConnection): vscode.TreeItem {
  const item = new vscode.TreeItem(t('Templates'), Collapsed);
  item.description = String(listOf(server).items.length);
  item.iconPath = new vscode.ThemeIcon('symbol-snippet');
  item.contextValue = 'templates';
  return item;
}

const listOf = (server: ServerConnection) => server.catalog.list('resourceTemplates');
