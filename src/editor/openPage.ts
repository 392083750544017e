import type { Prompt, ResourceTemplateType, Tool } from '@modelcontextprotocol/client';
import { type RowText, rowText } from '../base/text';
import type { ServerConnection, ServerSet } from '../host';
import { learnOffers, offerToAdd, usableServers } from './pickServer';
import { toolTitle } from './serverRows';
import { joined, type PlainRow, t, window } from './window';

import vscode = require('vscode');

/** The kinds of pages, named as `Catalog` names its lists. */
export type PageKind = 'tools' | 'prompts' | 'resourceTemplates';

export type PageItem = Tool | Prompt | ResourceTemplateType;

interface Target {
  readonly server: ServerConnection;
  readonly item: PageItem;
}

/** Opens the page of the tool, prompt or resource template of a row, or of one that the person picks. */
export async function openPage(servers: ServerSet, kind: PageKind, argument: unknown): Promise<void> {
  // Rows of the Servers view have an `item`, links in chat a `tool`, rows of the Resources view a `template`.
  const {
    server,
    tool,
    template,
    item = tool ?? template,
  } = Object(argument) as Partial<Target & Record<'tool' | 'template', PageItem>>;
  const target = server && item ? { server, item } : await pick(servers, kind, server);
  if (target) await vscode.commands.executeCommand('mcpHost.openPage', { ...target, kind });
}

/** @param only the server whose row was chosen. */
async function pick(
  servers: ServerSet,
  kind: PageKind,
  only: ServerConnection | undefined,
): Promise<Target | undefined> {
  await learnOffers(servers);
  const usable = only ? [only] : usableServers(servers);
  const rows = usable.flatMap(server =>
    server.offers(kind).map(item => ({ server, item, ...rowOf({ server, item }, kind, usable.length > 1) })),
  );
  if (rows.length === 0) {
    if (servers.all.length === 0) void offerToAdd(t('No MCP servers are configured.'));
    else void window.showInformationMessage(noneText(kind, usable.length > 0));
    return undefined;
  }
  const chosen = await window.showQuickPick(rows, {
    ...(kind === 'tools' && { title: t('Run Tool') }),
    placeHolder: {
      tools: t('Select a tool to run'),
      prompts: t('Select a prompt to run'),
      resourceTemplates: t('Select a resource template'),
    }[kind],
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return chosen && { server: chosen.server, item: chosen.item };
}

function rowOf({ server, item }: Target, kind: PageKind, isOfSeveral: boolean): PlainRow {
  if ('uriTemplate' in item) {
    const detail = rowText(item.uriTemplate, 300);
    const iconPath = new vscode.ThemeIcon('symbol-snippet');
    return { label: rowText(item.title || item.name), description: rowText(server.id), detail, iconPath };
  }
  if (kind === 'prompts') {
    const detail = rowText(item.description ?? '', 300);
    return { label: rowText(item.title || item.name), description: rowText(server.id), detail };
  }
  const tool = item as Tool;
  const { readOnlyHint, destructiveHint } = tool.annotations ?? {};
  const label = rowText(toolTitle(tool));
  const description = [isOfSeveral && rowText(server.id), label !== tool.name && rowText(tool.name, 120)];
  const hint = readOnlyHint ? t('read-only') : destructiveHint ? t('destructive') : '';
  const detail = joined<RowText>([hint, rowText(tool.description ?? '', 200)], ' · ');
  return { label, description: joined(description, ' · '), detail };
}

function noneText(kind: PageKind, isAnyUsable: boolean) {
  if (kind === 'tools') return t('No running MCP server offers tools. Start one first.');
  if (kind === 'resourceTemplates') return t('No ready MCP server offers resource templates.');
  return isAnyUsable ? t('No ready MCP server offers prompts.') : t('No MCP server is ready.');
}
