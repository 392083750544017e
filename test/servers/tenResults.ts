// A server over stdio with a tool for each kind of result, all valid, as real servers give them; and one that waits to be cancelled.
//   node tenResults.js
import { type CallToolResult, Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { chequeredPng } from './content/png';

const text = (value: string) => ({ type: 'text' as const, text: value });
const data = { mark: 'structure', items: [1, 2, 3] };
const lines = Array.from({ length: 800 }, (_, at) => `line ${at + 1}: what a long report says there, in some words`);

/** By the names of tools. What a model has to read of each contains `mark` and the name. */
export const RESULTS: Readonly<Record<string, CallToolResult>> = {
  two_texts: { content: [text('mark two_texts'), text('and the second')] },
  more_than_structure: { content: [text('mark more_than_structure')], structuredContent: data },
  structure_alone: {
    content: [text(JSON.stringify({ mark: 'structure_alone' }))],
    structuredContent: { mark: 'structure_alone' },
  },
  picture: {
    content: [text('mark picture'), { type: 'image', mimeType: 'image/png', data: chequeredPng(8).toString('base64') }],
  },
  sound: { content: [text('mark sound'), { type: 'audio', mimeType: 'audio/wav', data: 'UklGRg==' }] },
  link: { content: [{ type: 'resource_link', uri: 'test://mark/link', name: 'mark link' }] },
  inside: { content: [{ type: 'resource', resource: { uri: 'test://inside', text: 'mark inside' } }] },
  file: {
    content: [
      { type: 'resource', resource: { uri: 'test://mark/file', mimeType: 'application/zip', blob: 'UEsDBA==' } },
    ],
  },
  failed: { content: [text('mark failed')], structuredContent: data, isError: true },
  long: { content: [text(`mark long\n${lines.join('\n')}`)] },
};

serveStdio(() => {
  const server = new Server({ name: 'results', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', () => ({
    tools: [...Object.keys(RESULTS), 'wait'].map(name => ({
      name,
      description: `Gives ${name}`,
      inputSchema: { type: 'object' as const },
      annotations: { destructiveHint: true },
    })),
  }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    if (params.name === 'wait') await new Promise(resolve => mcpReq.signal.addEventListener('abort', resolve));
    return RESULTS[params.name] ?? { content: [text(`There is no ${params.name}.`)], isError: true };
  });
  return server;
});
