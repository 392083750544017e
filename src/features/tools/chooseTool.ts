import type { Tool } from '@modelcontextprotocol/client';
import { type PlainText, type RowText, rowText, visible } from '../../base/text';
import { learnOffers, usableServers } from '../../editor/usable';
import { joined, type PlainRow, t, window } from '../../editor/window';
import type { ServerConnection, ServerSet } from '../../host';

/** A tool of a server, as commands take it. */
export interface ToolTarget {
  readonly server: ServerConnection;
  readonly tool: Tool;
}

/** The tool of a row of the Servers view, or of a link in chat. */
export function toolOfRow(argument: unknown): ToolTarget | undefined {
  const row = argument as { server?: ServerConnection; item?: Tool; tool?: Tool } | undefined;
  const tool = row?.tool ?? row?.item;
  return row?.server && tool ? { server: row.server, tool } : undefined;
}

/** Asks for one tool of all usable servers, or of the server whose row `argument` is. Undefined if there is none. */
export async function chooseTool(
  servers: ServerSet,
  argument: unknown,
  placeHolder: PlainText,
  title = t('Run Tool'),
): Promise<ToolTarget | undefined> {
  const only = (argument as { server?: ServerConnection } | undefined)?.server;
  await learnOffers(servers);
  const usable = only ? [only] : usableServers(servers);
  const rows = usable.flatMap(server => server.offers('tools').map(tool => rowOf({ server, tool }, usable.length > 1)));
  if (rows.length === 0) {
    void window.showInformationMessage(t('No running MCP server offers tools. Start one first.'));
    return undefined;
  }
  return window.showQuickPick(rows, {
    title,
    placeHolder,
    matchOnDescription: true,
    matchOnDetail: true,
  });
}

export function titleOf({ name, title, annotations }: Tool): string {
  return visible(title ?? annotations?.title ?? name, 120);
}

function rowOf(target: ToolTarget, withServer: boolean): PlainRow & ToolTarget {
  const { server, tool } = target;
  const label = rowText(titleOf(tool));
  const description = [withServer && rowText(server.id), label !== tool.name && rowText(tool.name, 120)];
  const { readOnlyHint, destructiveHint } = tool.annotations ?? {};
  const hint = readOnlyHint ? t('read-only') : destructiveHint ? t('destructive') : '';
  return {
    ...target,
    label,
    description: joined(description, ' · '),
    detail: joined<RowText>([hint, rowText(tool.description ?? '', 200)], ' · '),
  };
}
