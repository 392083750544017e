// A server with what the official conformance suite for servers asks for, by its names. Over stdio, in both eras.
import {
  type CallToolResult,
  type ContentBlock,
  fromJsonSchema,
  McpServer,
  ResourceTemplate,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';
import { chequeredPng } from './content/png';

const png = chequeredPng(4).toString('base64');
const wav = Buffer.from(
  'RIFF$\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0@\x1f\0\0@\x1f\0\0\x01\0\x08\0data\0\0\0\0',
  'latin1',
);
const text = (said: string): ContentBlock => ({ type: 'text', text: said });
const image: ContentBlock = { type: 'image', data: png, mimeType: 'image/png' };
const embedded = (uri: string, said: string): ContentBlock => ({
  type: 'resource',
  resource: { uri, mimeType: 'text/plain', text: said },
});
const answer =
  (...content: ContentBlock[]) =>
  (): CallToolResult => ({ content });

function suiteServer(): McpServer {
  const server = new McpServer(
    { name: 'suite', version: '1.0.0' },
    { capabilities: { logging: {}, completions: {}, resources: { subscribe: true, listChanged: true } } },
  );
  registerTools(server);
  registerResources(server);
  registerPrompts(server);
  return server;
}

function registerTools(server: McpServer): void {
  const tool = (name: string, run: Parameters<typeof answer> | undefined) =>
    server.registerTool(name, { description: `The suite's ${name}` }, answer(...(run ?? [])));
  tool('test_simple_text', [text('This is a simple text response for testing.')]);
  tool('test_image_content', [image]);
  tool('test_audio_content', [{ type: 'audio', data: wav.toString('base64'), mimeType: 'audio/wav' }]);
  tool('test_embedded_resource', [embedded('test://embedded-resource', 'This is an embedded resource content.')]);
  tool('test_multiple_content_types', [
    text('Multiple content types test:'),
    image,
    embedded('test://mixed-content-resource', '{"test":"data","value":123}'),
  ]);
  server.registerTool(
    'json_schema_2020_12_tool',
    { description: 'JSON Schema 2020-12', inputSchema: fromJsonSchema(richSchema) },
    answer(text('Done')),
  );
  const region = { type: 'string', 'x-mcp-header': 'Region' };
  const inputSchema = fromJsonSchema({ type: 'object', properties: { region }, required: ['region'] });
  server.registerTool('test_parameter_header', { description: 'Has a header', inputSchema }, answer(text('Done')));
  server.registerTool('test_error_handling', { description: 'Fails' }, () => ({
    content: [text('This tool intentionally returns an error for testing')],
    isError: true,
  }));
  server.registerTool('test_tool_with_progress', { description: 'Tells its progress' }, async ctx => {
    const { _meta, notify } = ctx.mcpReq;
    for (const progress of [0, 50, 100]) {
      const params = { progressToken: _meta?.progressToken ?? 0, progress, total: 100 };
      if (_meta?.progressToken !== undefined) await notify({ method: 'notifications/progress', params });
      await new Promise(resolve => setTimeout(resolve, 150));
    }
    return { content: [text('Done')] };
  });
  let changes = 0;
  server.registerTool('test_trigger_tool_change', { description: 'Adds a tool' }, () => {
    tool(`added_${++changes}`, [text('Done')]);
    return { content: [text('Done')] };
  });
  server.registerTool('test_trigger_prompt_change', { description: 'Adds a prompt' }, () => {
    const added = () => ({ messages: [{ role: 'user' as const, content: text('Added') }] });
    server.registerPrompt(`added_${++changes}`, { description: 'Added' }, added);
    return { content: [text('Done')] };
  });
  server.registerTool('test_logging_tool', { description: 'Logs' }, async ctx => {
    await ctx.mcpReq.log('info', 'It logs');
    return { content: [text('Done')] };
  });
  server.registerTool('test_tool_with_logging', { description: 'Logs' }, async ctx => {
    for (const said of ['started', 'processing data', 'completed']) await ctx.mcpReq.log('info', `Tool ${said}`);
    return { content: [text('Done')] };
  });
}

/** What clients must get as it is. */
const richSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
} as const;

function registerResources(server: McpServer): void {
  const plain = { mimeType: 'text/plain' };
  server.registerResource('static-text', 'test://static-text', plain, ({ href }) => ({
    contents: [{ uri: href, ...plain, text: 'This is the content of the static text resource.' }],
  }));
  server.registerResource('static-binary', 'test://static-binary', { mimeType: 'image/png' }, ({ href }) => ({
    contents: [{ uri: href, mimeType: 'image/png', blob: png }],
  }));
  server.registerResource('watched', 'test://watched-resource', plain, ({ href }) => ({
    contents: [{ uri: href, ...plain, text: 'Watched resource content' }],
  }));
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined });
  server.registerResource('template', template, { mimeType: 'application/json' }, ({ href }, { id }) => ({
    contents: [{ uri: href, mimeType: 'application/json', text: JSON.stringify({ id, templateTest: true }) }],
  }));
  const search = new ResourceTemplate('test://search{?text,lang}', { list: undefined });
  server.registerResource('search', search, plain, ({ href }, { text: found }) => ({
    contents: [{ uri: href, ...plain, text: String(found) }],
  }));
  for (const method of ['resources/subscribe', 'resources/unsubscribe'] as const) {
    server.server.setRequestHandler(method, () => ({}));
  }
}

function registerPrompts(server: McpServer): void {
  const user = (...contents: ContentBlock[]) => ({
    messages: contents.map(content => ({ role: 'user' as const, content })),
  });
  const described = (name: string) => ({ description: `The suite's ${name}` });
  server.registerPrompt('test_simple_prompt', described('simple prompt'), () =>
    user(text('This is a simple prompt for testing.')),
  );
  server.registerPrompt(
    'test_prompt_with_arguments',
    { ...described('arguments'), argsSchema: z.object({ arg1: z.string(), arg2: z.string() }) },
    ({ arg1, arg2 }) => user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { ...described('embedded resource'), argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) =>
      user(embedded(resourceUri, 'Embedded resource content for testing.'), text('Please process it.')),
  );
  server.registerPrompt('test_prompt_with_image', described('image'), () => user(image, text('Please analyze it.')));
  server.server.setRequestHandler('completion/complete', () => ({ completion: { values: ['paris'], total: 1 } }));
}

void serveStdio(suiteServer);
