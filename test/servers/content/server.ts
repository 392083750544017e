import {
  type CallToolResult,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
} from '@modelcontextprotocol/server';
import { chequeredPng } from './png';
import { contentResources, missingUri } from './resources';
import { notFoundMessage } from './transport';

const dayTemplate = 'content://days/{date}';
const days = ['monday', 'tuesday', 'wednesday'];
const icon = { src: `data:image/png;base64,${chequeredPng(16).toString('base64')}`, mimeType: 'image/png' };
const said = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] });

/** The content fixture: see `contentResources`; its tools have titles, annotations and icons. */
export function contentServer(): McpServer {
  const server = new McpServer(
    { name: 'content', title: 'Content fixture', version: '1.0.0', icons: [icon] },
    { capabilities: { resources: {}, completions: {} } },
  );
  registerTools(server);
  registerResources(server);
  return server;
}

/** By hand rather than with `registerResource`, which finds a resource by its percent-encoded URI only. */
function registerResources({ server }: McpServer): void {
  server.setRequestHandler('resources/list', () => ({ resources: contentResources.map(c => c.resource) }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [
      { uriTemplate: dayTemplate, name: 'day', title: 'One day', description: 'A day', mimeType: 'text/plain' },
    ],
  }));
  server.setRequestHandler('resources/read', ({ params: { uri } }): ReadResourceResult => {
    const day = /^content:\/\/days\/([^/]+)$/.exec(uri)?.[1];
    if (day) return { contents: [{ uri, mimeType: 'text/plain', text: `Notes of ${decodeURIComponent(day)}` }] };
    const found = uri === missingUri ? undefined : contentResources.find(c => c.resource.uri === uri);
    if (!found) throw new ProtocolError(ProtocolErrorCode.InvalidParams, notFoundMessage, { uri });
    return { contents: found.contents };
  });
  server.setRequestHandler('completion/complete', ({ params: { ref, argument } }) => {
    const isDay = ref.type === 'ref/resource' && ref.uri === dayTemplate;
    return { completion: { values: isDay ? days.filter(d => d.startsWith(argument.value)) : [] } };
  });
}

function registerTools(server: McpServer): void {
  server.registerTool(
    'count',
    {
      title: 'Count the resources',
      description: 'Reads only',
      annotations: { readOnlyHint: true, openWorldHint: false },
      icons: [icon],
    },
    () => said(String(contentResources.length)),
  );
  server.registerTool(
    'erase',
    {
      description: 'Does nothing, but says that it destroys',
      annotations: { title: 'Erase everything', readOnlyHint: false, destructiveHint: true, idempotentHint: true },
    },
    () => said('Nothing was erased'),
  );
  server.registerTool(
    'list-roots',
    { title: 'List the roots', description: 'Asks the client for its roots and answers with them as JSON' },
    (ctx): CallToolResult | InputRequiredResult => {
      const answer = inputResponse(ctx.mcpReq.inputResponses, 'roots');
      if (answer.kind !== 'roots') return inputRequired({ inputRequests: { roots: inputRequired.listRoots() } });
      return said(JSON.stringify(answer.roots));
    },
  );
}
