import vscode = require('vscode');

import { rowText } from '../../editor/rowText';
import { type PlainRow, t, window } from '../../editor/window';
import { isFor, type ServerConnection, type ServerSet } from '../../host';
import { toolTitle } from './approval';

const KEY = 'chat.hiddenTools';

/**
 * Which tools are offered to a model, for each workspace. It stores which tools were unchecked, so that new tools are
 * offered.
 */
export class ToolChoice {
  constructor(
    private readonly servers: ServerSet,
    private readonly memento: vscode.Memento,
  ) {}

  isOffered(server: ServerConnection, toolName: string): boolean {
    return !this.#hidden.has(keyOf(server, toolName));
  }

  /** Shows the picker: every tool of the ready servers, with those that are offered checked. */
  async pick(): Promise<void> {
    const hidden = this.#hidden;
    const items: (PlainRow & { key?: string })[] = [];
    for (const server of this.servers.all) {
      const tools = server.offers('tools').filter(tool => isFor('model', tool));
      if (tools.length === 0) continue;
      items.push({ label: rowText(server.id), kind: vscode.QuickPickItemKind.Separator });
      for (const tool of tools) {
        const key = keyOf(server, tool.name);
        const label = rowText(toolTitle(tool));
        items.push({
          label,
          description: rowText(server.id),
          detail: rowText(tool.description ?? '', 160),
          picked: !hidden.has(key),
          key,
        });
      }
    }
    if (items.length === 0) {
      void window.showInformationMessage(t('No running MCP server offers tools.'));
      return;
    }
    const chosen = await window.showQuickPick(items, {
      canPickMany: true,
      title: t('Tools that @mcp offers to the model'),
      placeHolder: t('Select the tools to offer in this workspace'),
      matchOnDescription: true,
      matchOnDetail: true,
    });
    if (!chosen) return;
    const kept = new Set(chosen.map(({ key }) => key));
    // Tools of servers that are not running keep the choice made for them.
    const shown = new Set(items.map(({ key }) => key));
    const next = [...hidden].filter(key => !shown.has(key));
    for (const { key } of items) if (key && !kept.has(key)) next.push(key);
    await this.memento.update(KEY, next);
  }

  get #hidden(): Set<string> {
    return new Set(this.memento.get<string[]>(KEY, []));
  }
}

const keyOf = ({ id }: ServerConnection, toolName: string) => `${id}\n${toolName}`;
