import type { CallToolResult, Tool } from '@modelcontextprotocol/client';
import type * as vscode from 'vscode';
import { visible } from '../../base/text';
import { t } from '../../editor/window';
import type { ServerSet } from '../../host';
import { NOT_CALLED } from '../languageModel';
import { requestTool, type WantedCall } from '../trust';
import { READ_RESOURCE } from './core/toolNames';

/** Servers whose results link to resources (spec: server/tools#resource-links) in a conversation, by their ids. */
type LinkingServers = ReadonlySet<string>;

/** The tool with which a model reads linked resources. Offered only once there are links. */
export function readTool(servers: LinkingServers): vscode.LanguageModelChatTool {
  return {
    name: READ_RESOURCE,
    description: 'Reads a resource of an MCP server: what a result of one of its tools has a link to.',
    inputSchema: {
      type: 'object',
      properties: {
        server: { type: 'string', enum: [...servers].map(id => visible(id)) },
        uri: { type: 'string', description: 'The URI of the resource, as in the link' },
      },
      required: ['server', 'uri'],
    },
  };
}

/**
 * The call of that tool as the person approves it and as it is recorded: like a call of a server's tool. A string is the reason
 * for the model why it is not made.
 */
export function readCall(
  servers: ServerSet,
  { server: id, uri }: Record<string, unknown>,
): Omit<WantedCall, 'origin'> | string {
  if (typeof uri !== 'string' || uri === '') return `${NOT_CALLED} "uri" is not a text.`;
  const server = servers.all.find(one => one.id === id || visible(one.id) === id);
  if (!server) return `${NOT_CALLED} there is no MCP server "${visible(String(id), 100)}".`;
  const tool = { ...requestTool({ method: 'resources/read', params: { uri } }, server), ...shownAsTool() };
  return { server, tool, args: { uri }, isRequest: true };
}

/** Whether a result links to resources. */
export const links = ({ content }: CallToolResult): boolean => content.some(({ type }) => type === 'resource_link');

const shownAsTool = (): Pick<Tool, 'title' | 'inputSchema'> => ({
  title: t('Read a resource'),
  inputSchema: { type: 'object', properties: { uri: { type: 'string' } }, required: ['uri'] },
});
