import assert from 'node:assert/strict';
import type { ElicitRequest } from '@modelcontextprotocol/client';
import type { ElicitationPort } from '../../../../src/host/definition';
import { raw } from '../../../setup/raw';
import { hostile, TestHost } from '../testHost';

/** As servers write it whose language has no type for it: without zone, without seconds, as a date, in the basic form. */
const TIMES = [
  '2025-06-01T12:00:00',
  '2025-06-01T12:00:00.123456',
  '2025-06-01T12:00Z',
  '2025-06-01',
  '20250601T120000Z',
];
const odd = (lastModified: string) => ({ priority: 1, lastModified, audience: ['user', 'robot'] });
const kept = { priority: 1, audience: ['user'] };
const uri = 'hostile://notes/readme.md';

for (const era of ['legacy', 'modern'] as const) {
  describe(`odd optional parts, ${era} era`, () => {
    let host: TestHost;
    let asked: ElicitRequest['params'][];
    afterEach(() => host.close());

    /** A server that answers methods with these results. */
    const start = async (answers: Record<string, object>, ...flags: string[]) => {
      asked = [];
      const elicitation: ElicitationPort = {
        capability: () => ({ form: {}, url: {} }),
        elicit: async (_, params) => {
          asked.push(params);
          return { action: 'decline' };
        },
        visit: async () => false,
        completed: () => {},
      };
      host = new TestHost({ elicitation });
      const given = Object.entries(answers).map(([method, result]) => {
        const complete = era === 'modern' ? { resultType: 'complete', ttlMs: 0, cacheScope: 'private' } : {};
        return `--answer-at=${method} "result":${JSON.stringify({ ...complete, ...result })}`;
      });
      host.configure({ one: hostile(...given, ...flags, ...(era === 'modern' ? ['--modern'] : [])) });
      const server = await host.loads('one');
      assert.equal(server.info?.era, era);
      return server;
    };
    const leftOut = () => host.logs.map(({ data }) => String(data)).filter(data => data.startsWith('left out "'));
    const echo = { name: 'echo', inputSchema: { type: 'object' as const } };

    it('never cost the result of a tool that ran, and are logged once', async () => {
      const content = TIMES.map(time => ({ type: 'text', text: time, annotations: odd(time) }));
      const server = await start({ 'tools/call': { content, isError: 'no', _meta: { a: 1 } } });
      for (let times = 0; times < 2; times++) {
        const result = await raw(server).callTool(echo, { text: 'hello' });
        assert.deepEqual(
          result.content,
          TIMES.map(text => ({ type: 'text', text, annotations: kept })),
        );
        assert.equal('isError' in result, false);
      }
      assert.deepEqual(
        leftOut(),
        ['content[].annotations.audience[]', 'content[].annotations.lastModified', 'isError'].map(
          place => `left out "${place}" of tools/call, which is not as the specification says`,
        ),
      );
    });

    it('never cost a listed item', async () => {
      const name = (index: number) => `item ${index}`;
      const listed = (required: object) =>
        TIMES.map((time, index) => ({ name: name(index), title: null, annotations: odd(time), ...required }));
      const server = await start({
        'tools/list': {
          tools: listed({ inputSchema: { type: 'object' }, icons: [{ src: 5 }], annotations: { readOnlyHint: 'yes' } }),
        },
        'prompts/list': { prompts: listed({ arguments: [{ name: 'a', description: 5, required: 'yes' }] }) },
        'resources/list': { resources: listed({ uri, size: '5 KB' }) },
        'resources/templates/list': { resourceTemplates: listed({ uriTemplate: 'a:{b}', mimeType: 7 }) },
      });
      const names = TIMES.map((_, index) => name(index));
      for (const kind of ['tools', 'prompts', 'resources', 'resourceTemplates'] as const) {
        const { items, excluded } = server.catalog.list(kind);
        assert.deepEqual([items.map(({ name }) => name), excluded], [names, undefined], kind);
      }
      assert.deepEqual(server.catalog.tools[0], {
        name: name(0),
        annotations: {},
        icons: [],
        inputSchema: echo.inputSchema,
      });
      assert.deepEqual(server.catalog.list('prompts').items[0]?.arguments, [{ name: 'a' }]);
      assert.deepEqual(server.catalog.list('resources').items[0]?.annotations, kept);
      assert.ok(
        leftOut().includes(
          'left out "resources[].annotations.lastModified" of resources/list, which is not as the specification says',
        ),
      );
    });

    it('never cost a prompt, nor does content of an unknown type', async () => {
      const messages = [
        ...TIMES.map(time => ({ role: 'user', content: { type: 'text', text: time, annotations: odd(time) } })),
        { role: 'user', content: { type: 'hologram', beams: 7 } },
      ];
      const server = await start({ 'prompts/get': { messages, description: 5 } });
      assert.deepEqual((await raw(server).getPrompt('hello', {})).messages, [
        ...TIMES.map(text => ({ role: 'user', content: { type: 'text', text, annotations: kept } })),
        { role: 'user', content: { type: 'hologram', beams: 7 } },
      ]);
    });

    it('never cost a resource', async () => {
      const contents = [
        { uri, text: 'a', mimeType: 5 },
        { uri, blob: 'AAAA', mimeType: null },
      ];
      const server = await start({ 'resources/read': { contents, ttlMs: 'long' } });
      const read = await raw(server).readResource(uri);
      assert.deepEqual(read.contents, [
        { uri, text: 'a' },
        { uri, blob: 'AAAA' },
      ]);
    });

    it('do not include one of "text" and "blob": both can be read', async () => {
      const both = { uri, mimeType: 'text/plain', text: 'a', blob: 'AAAA' };
      const server = await start({ 'resources/read': { contents: [both, { uri: 'a:b', text: '' }] } });
      const { contents } = await raw(server).readResource(uri);
      assert.deepEqual(contents, [
        { uri, mimeType: 'text/plain', text: 'a' },
        { uri, mimeType: 'text/plain', blob: 'AAAA' },
        { uri: 'a:b', text: '' },
      ]);
    });

    it('have the bytes of a file of their type in "text": they are bytes', async () => {
      const text = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0]).toString('base64');
      const resource = (mimeType: string) => ({ uri, mimeType, text });
      const contents = ['image/png', 'image/webp', 'text/plain', 'application/octet-stream'].map(resource);
      const server = await start({
        'resources/read': { contents: [...contents, { uri, mimeType: 'image/png', text: 'AAAA' }] },
      });
      const { contents: read } = await raw(server).readResource(uri);
      assert.deepEqual(read, [
        { uri, mimeType: 'image/png', blob: text },
        { uri, mimeType: 'image/webp', blob: text },
        ...contents.slice(2),
        { uri, mimeType: 'image/png', text: 'AAAA' },
      ]);
    });

    it('do not include one of both where a tool or prompt embeds a resource, whatever else is odd', async () => {
      const both = { uri, mimeType: 'text/plain', text: 'a', blob: 'AAAA' };
      const embedded = (resource: object) => ({ type: 'resource', resource });
      const text = { type: 'text', text: 'b' };
      const halves = [
        { uri, mimeType: 'text/plain', text: 'a' },
        { uri, mimeType: 'text/plain', blob: 'AAAA' },
      ].map(embedded);
      for (const isError of [false, 'no']) {
        const server = await start({
          'tools/call': { content: [text, embedded(both)], isError },
          'prompts/get': { messages: [{ role: 'assistant', content: embedded(both) }] },
        });
        assert.deepEqual((await raw(server).callTool(echo, { text: 'hello' })).content, [text, ...halves]);
        const { messages } = await raw(server).getPrompt('hello', {});
        assert.deepEqual(
          messages,
          halves.map(content => ({ role: 'assistant', content })),
        );
        await host.close();
      }
    });

    it('never cost suggestions, even if there are too many', async () => {
      const values = Array.from({ length: 101 }, (_, index) => String(index));
      const server = await start({ 'completion/complete': { completion: { values, total: 'many', hasMore: 1 } } });
      const ref = { type: 'ref/prompt', name: 'greet' } as const;
      const completion = await raw(server).complete({ ref, argument: { name: 'name', value: '' } });
      assert.deepEqual(completion, { values: values.slice(0, 100) });
    });

    it('never cost the connection', async () => {
      const odd = { instructions: { a: 1 }, capabilities: { tools: { listChanged: 'yes' }, logging: null } };
      const server = await start(
        era === 'modern'
          ? { 'server/discover': { supportedVersions: ['2026-07-28'], ...odd } }
          : {
              initialize: { protocolVersion: '2025-11-25', serverInfo: { name: 'x', version: '1', icons: 5 }, ...odd },
            },
      );
      assert.deepEqual(server.info?.capabilities, { tools: {} });
      assert.ok(server.catalog.tools.length > 0);
    });

    it('that are null count as absent, and null stays where it is a value', async () => {
      const nulls = { _meta: null, nextCursor: null, description: null };
      const structuredContent = { a: null };
      const content = [{ type: 'text', text: 'a', annotations: null, _meta: null }];
      const handshake = { capabilities: { tools: {}, prompts: {} }, instructions: null, _meta: null };
      const server = await start({
        ...(era === 'modern'
          ? { 'server/discover': { supportedVersions: ['2026-07-28'], ...handshake } }
          : { initialize: { protocolVersion: '2025-11-25', serverInfo: { name: 'x', version: '1' }, ...handshake } }),
        'tools/list': {
          tools: [{ name: 'a', inputSchema: { type: 'object', default: null }, outputSchema: null, ...nulls }],
          ...nulls,
        },
        'prompts/list': { prompts: [{ name: 'a', arguments: null, ...nulls }], ...nulls },
        'prompts/get': { messages: [{ role: 'user', content: content[0] }], ...nulls },
        'tools/call': { content, structuredContent, isError: null, ...nulls },
      });
      assert.deepEqual(server.catalog.tools, [{ name: 'a', inputSchema: { type: 'object', default: null } }]);
      assert.deepEqual(server.catalog.prompts, [{ name: 'a' }]);
      assert.equal(server.info?.instructions, undefined);
      const result = await raw(server).callTool({ name: 'a', inputSchema: { type: 'object' } }, {});
      assert.deepEqual(result.content, [{ type: 'text', text: 'a' }]);
      assert.deepEqual([result.structuredContent, result.isError], [structuredContent, undefined]);
      assert.deepEqual((await raw(server).getPrompt('a', {})).messages, [
        { role: 'user', content: { type: 'text', text: 'a' } },
      ]);
    });

    it('never cost a question of the server', async () => {
      const server = await start({}, '--elicit');
      const tool = server.catalog.tools.find(({ name }) => name === 'ask') ?? assert.fail('it cannot ask');
      const name = { type: 'string', title: 5, maxLength: 'long', description: 'Your name' };
      const params = { message: 'Who?', requestedSchema: { type: 'object', properties: { name }, required: null } };
      await raw(server).callTool(tool, { params });
      assert.deepEqual(
        asked.map(params => 'requestedSchema' in params && params.requestedSchema),
        [{ type: 'object', properties: { name: { type: 'string', description: 'Your name' } } }],
      );
    });

    it('do not hide content that is odd, too', async () => {
      const server = await start({ 'tools/call': { content: [{ type: 'text', text: 5, annotations: 7 }] } });
      const { content } = await raw(server).callTool(echo, { text: 'hello' });
      assert.deepEqual(content, [{ type: 'text', text: '5' }]);
      assert.ok(
        host.logged(/"content\[\]\.text" of tools\/call is not as the specification says: it is taken as text/),
      );
    });
  });
}
