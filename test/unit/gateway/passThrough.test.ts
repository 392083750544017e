import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type CallToolResult, LOG_LEVEL_META_KEY, type Progress, specTypeSchemas } from '@modelcontextprotocol/client';
import type { HostError } from '../../../src/base/errors';
import { npmServerPath } from '../../servers/npm';
import { fixturePath, startHttpServer, waitFor } from '../../servers/spawn';
import { raw } from '../../setup/raw';
import { fixture, hostile } from '../host/testHost';
import { ERAS, TestGateway } from './testGateway';

for (const era of ERAS) {
  describe(`the gateway, ${era} era, passes through`, () => {
    let t: TestGateway;
    beforeEach(() => {
      t = new TestGateway();
    });
    afterEach(() => t.close());

    const everything = async () => {
      await t.serve({ everything: { command: process.execPath, args: [npmServerPath('everything'), 'stdio'] } });
      return t.connect('everything', era);
    };

    it("the server's own description, under its configured name", async () => {
      await t.serve({ 'my server': fixture('content') });
      const client = await t.connect('my server', era);
      const { name, title, version, icons } = client.getServerVersion() ?? {};
      assert.deepEqual([name, title, version, icons?.length], ['my server', undefined, '1.0.0', 1]);
      assert.ok(client.getServerCapabilities()?.tools?.listChanged);
      assert.equal(client.getServerCapabilities()?.prompts, undefined);
    });

    it('icons only if they are small images by their bytes, since the editor draws them in the page of the window', async () => {
      await t.serve({ hostile: hostile('--icons=https://example.com/'), content: fixture('content') });
      const client = await t.connect('hostile', era);
      const { tools } = await client.listTools();
      assert.deepEqual(
        tools.filter(tool => tool.icons).map(({ name }) => name),
        ['jpg'],
      );
      const { resources } = await (await t.connect('content', era)).listResources();
      const icons = resources.flatMap(resource => resource.icons ?? []);
      assert.deepEqual(
        icons.map(({ sizes }) => sizes),
        [['16x16']],
      );
    });

    it('as many resources as the editor can list', async () => {
      await t.serve({ many: hostile('--resources=12000', '--page-size=2000') });
      const client = await t.connect('many', era);
      const uris = new Set<string>();
      let cursor: string | undefined;
      do {
        const page = await client.listResources(cursor === undefined ? {} : { cursor });
        for (const { uri } of page.resources) uris.add(uri);
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      assert.equal(uris.size, 6_000);
    });

    it('resources that the editor opens as notebooks, under addresses that it opens as text', async () => {
      const own = 'content://docs/annotated.txt';
      await t.close();
      t = new TestGateway({ isActedOn: uri => uri === own });
      await t.serve({ content: fixture('content') });
      const client = await t.connect('content', era);
      const uri = `${own}.mcp-host.txt`;
      const { resources } = await client.listResources();
      assert.deepEqual(
        resources.map(resource => resource.uri).filter(one => one.startsWith(own)),
        [uri],
      );
      assert.deepEqual(
        (await client.readResource({ uri })).contents.map(content => content.uri),
        [uri],
      );
      await assert.rejects(client.readResource({ uri: own }), /would do more than show/);
    });

    it('capabilities that it serves, and no others', async () => {
      await t.serve({ hostile: hostile('--extensions', ...(era === 'modern' ? ['--modern'] : [])) });
      const client = await t.connect('hostile', era);
      assert.deepEqual(client.getServerCapabilities(), {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { listChanged: true },
        completions: {},
        logging: {},
        extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } },
      });
      // What is declared is answered.
      assert.ok((await client.listTools()).tools.length > 0);
      assert.ok((await client.listPrompts()).prompts.length > 0);
      assert.ok((await client.listResources()).resources.length > 0);
      const ref = { type: 'ref/prompt', name: 'greet' } as const;
      const { completion } = await client.complete({ ref, argument: { name: 'name', value: 'A' } });
      assert.deepEqual(completion.values, ['Ada', 'Alan']);
      if (era === 'legacy') await client.setLoggingLevel('info');
    });

    it('log messages of the server, from the level on that the client wants, with nothing hidden', async () => {
      await t.serve({ hostile: hostile() });
      const client = await t.connect('hostile', era);
      const got: unknown[] = [];
      client.setNotificationHandler('notifications/message', ({ params }) => {
        const { level, logger, data } = params;
        got.push({ level, logger, data });
      });
      const log = (level: string, text: string, wanted: string | undefined) =>
        client.callTool({
          name: 'log',
          arguments: { level, logger: 'a\u202eb', text },
          ...(wanted !== undefined && era === 'modern' && { _meta: { [LOG_LEVEL_META_KEY]: wanted } }),
        });
      if (era === 'legacy') await client.setLoggingLevel('error');
      await log('warning', 'too little', 'error');
      await log('error', 'hidden \u202e', 'error');
      if (era === 'legacy') await client.setLoggingLevel('info');
      else await log('alert', 'nobody asked', undefined);
      await log('info', 'the last', 'info');
      await waitFor(() => got.length >= 2, { what: () => `the messages; there are ${JSON.stringify(got)}` });
      assert.deepEqual(got, [
        { level: 'error', logger: 'a⟨U+202E⟩b', data: 'hidden ⟨U+202E⟩' },
        { level: 'info', logger: 'a⟨U+202E⟩b', data: 'the last' },
      ]);
    });

    it('a cut flood of log messages with every error and a count, before the answer', async () => {
      await t.serve({ hostile: hostile('--flood-tool') });
      const client = await t.connect('hostile', era);
      const got = { error: 0, info: 0, leftOut: 0 };
      client.setNotificationHandler('notifications/message', ({ params: { level, data } }) => {
        if (level === 'notice') got.leftOut += Number(/^(\d+) log messages are left out/.exec(String(data))?.[1]);
        else if (level === 'error' || level === 'info') got[level]++;
      });
      const begun = performance.now();
      await client.callTool({
        name: 'flood',
        arguments: { count: 5_000, every: 250 },
        ...(era === 'modern' && { _meta: { [LOG_LEVEL_META_KEY]: 'debug' } }),
      });
      // In the modern era they come with the request, and the count may come after its end.
      const isAll = () => got.error === 20 && (era === 'modern' || got.info + got.leftOut === 4_980);
      await waitFor(isAll, { what: () => `all messages; there are ${JSON.stringify(got)}` });
      // So many at once and per second, however long a slow machine takes over it.
      const allowed = 1_000 + (500 * (performance.now() - begun)) / 1_000;
      assert.ok(got.info <= allowed, `${JSON.stringify(got)}, of which ${allowed} may come`);
    });

    it('a result that violates the output schema, with a note for the model', async () => {
      await t.serve({ hostile: hostile('--odd-results') });
      const client = await t.connect('hostile', era);
      const through = (await client.request(
        { method: 'tools/call', params: { name: 'mismatched', arguments: {} } },
        specTypeSchemas.CallToolResult,
      )) as CallToolResult;
      assert.notEqual(through.isError, true);
      assert.deepEqual(through.structuredContent, { a: 'no number' });
      const [done, note] = through.content.map(part => (part.type === 'text' ? part.text : part.type));
      assert.equal(done, 'mismatched has done it');
      assert.match(note ?? '', /^\[MCP Host: The tool was carried out, but its structured content does not fit .*\]$/);
    });

    it('texts and structured content without the bytes in them, which are attached once', async () => {
      await t.serve({ hostile: hostile('--odd-results') });
      const client = await t.connect('hostile', era);
      const call = async (name: string) =>
        (await client.request(
          { method: 'tools/call', params: { name, arguments: {} } },
          specTypeSchemas.CallToolResult,
        )) as CallToolResult;
      const namedTool = (name: string) =>
        t.test.server('hostile').catalog.tools.find(tool => tool.name === name) ?? assert.fail(name);
      const png = /image\/png, 160 × 160, \d+ B/;
      const [direct, repeated] = [
        await raw(t.test.server('hostile')).callTool(namedTool('repeated-picture'), {}),
        await call('repeated-picture'),
      ];
      assert.deepEqual(repeated.content, direct.content, 'one picture');
      assert.match(
        JSON.stringify(repeated.structuredContent),
        new RegExp(`^{"result":"\\[${png.source}: attached\\]"}$`),
      );

      const { content: told, structuredContent } = await call('picture-as-text');
      assert.deepEqual(
        told.map(block => ('resource' in block ? `${block.resource.uri} ${block.resource.mimeType}` : block.type)),
        ['text', 'mcp-host://attached/1 image/png', 'mcp-host://attached/2 text/plain'],
      );
      assert.match(
        JSON.stringify(told[0]),
        /"text":"{\\"url\\":\\"\[image\/png, 160 × 160, \d+ B: attached as mcp-host:\/\/attached\/1\]\\"}"/,
      );
      assert.match(
        JSON.stringify(structuredContent),
        /"log":"\[text\/plain, 4\.1 KB: attached as mcp-host:\/\/attached\/2\]"/,
      );

      const failing = await call('failing-with-picture');
      assert.match(JSON.stringify(failing.content[0]), /The page looks so: \[image\/png/);
      await assert.rejects(call('fails-with-bytes'), (error: { message: string; data?: unknown }) => {
        assert.match(error.message, /^It looks so: \[image\/png, 160 × 160/);
        assert.match(JSON.stringify(error.data), /^{"page":"\[image\/png, 160 × 160/);
        return true;
      });
    });

    it('results with the members that the specification names, and unknown blocks as text', async () => {
      await t.serve({ hostile: hostile('--odd-results') });
      const client = await t.connect('hostile', era);
      const call = (name: string) =>
        client.request({ method: 'tools/call', params: { name, arguments: {} } }, specTypeSchemas.CallToolResult);
      const { _meta, ...members } = await call('more-members');
      assert.deepEqual(Object.keys(members), ['content']);
      assert.deepEqual((await call('unknown-content')).content, [
        { type: 'text', text: '{\n  "type": "hologram",\n  "beams": 7\n}' },
        { type: 'text', text: 'beside it' },
      ]);
    });

    it('lists with all members, except those that keep the editor from asking', async () => {
      const client = await everything();
      const server = t.test.server('everything');
      // The host follows tasks itself.
      const tools = server.catalog.tools.map(({ execution: _, ...tool }) => tool);
      const asked = tools.map(({ annotations: { readOnlyHint, ...hints } = {}, ...tool }) => ({
        ...tool,
        annotations: readOnlyHint === false ? { readOnlyHint, ...hints } : hints,
      }));
      assert.deepEqual((await client.listTools()).tools, asked);
      assert.deepEqual((await client.listPrompts()).prompts, server.catalog.prompts);
      assert.deepEqual((await client.listResources()).resources, server.catalog.resources);
      assert.deepEqual((await client.listResourceTemplates()).resourceTemplates, server.catalog.resourceTemplates);
      assert.ok(server.catalog.tools.length > 5 && server.catalog.resources.length > 5);
      if (server.info?.instructions) assert.equal(client.getInstructions(), server.info.instructions);
    });

    it('results of tools as they are: text, structured, images, links, errors', async () => {
      const client = await everything();
      const server = t.test.server('everything');
      for (const [name, args] of [
        ['echo', { message: 'hello' }],
        ['get-structured-content', { location: 'Chicago' }],
        ['get-tiny-image', {}],
        ['get-resource-links', { count: 3 }],
        ['get-annotated-message', { messageType: 'error', includeImage: true }],
        ['get-sum', { a: 'x', b: 2 }],
      ] as const) {
        const tool = server.catalog.tools.find(tool => tool.name === name) ?? assert.fail(name);
        const direct = await raw(server).callTool(tool, args);
        const through = (await client.callTool({ name, arguments: args })) as CallToolResult;
        assert.deepEqual(content(through), content(direct), name);
      }
    });

    it('prompts, resources and completions with their context', async () => {
      const client = await everything();
      const server = t.test.server('everything');
      const args = { city: 'Paris', state: 'TX' };
      const { messages } = await client.getPrompt({ name: 'args-prompt', arguments: args });
      assert.deepEqual(messages, (await raw(server).getPrompt('args-prompt', args)).messages);
      const { uri } = server.catalog.resources[0]!;
      assert.deepEqual((await client.readResource({ uri })).contents, (await raw(server).readResource(uri)).contents);
      const { completion } = await client.complete({
        ref: { type: 'ref/prompt', name: 'completable-prompt' },
        argument: { name: 'name', value: '' },
        context: { arguments: { department: 'Engineering' } },
      });
      assert.deepEqual(completion.values, ['Alice', 'Bob', 'Charlie']);
    });

    it('progress, and the end of a call that is cancelled', async () => {
      const client = await everything();
      const seen: Progress[] = [];
      const call = { name: 'trigger-long-running-operation', arguments: { duration: 1, steps: 3 } };
      await client.callTool(call, { onprogress: progress => seen.push(progress) });
      assert.ok(seen.length >= 2, `${seen.length} of 3`);
      assert.equal(seen[0]?.total, 3);
      const abort = new AbortController();
      const long = client.callTool(
        { name: call.name, arguments: { duration: 60, steps: 60 } },
        { signal: abort.signal, onprogress: () => abort.abort() },
      );
      await assert.rejects(long);
      await waitFor(() => t.events.some(event => event.type === 'call' && event.outcome === 'CANCELLED'), {
        what: 'the call to be cancelled at the server',
      });
    });

    it('changes of resources that a client has subscribed to, until it is gone', async () => {
      const uri = 'changing://notes/one.txt';
      await t.serve({ changing: { command: process.execPath, args: [fixturePath('changing'), `--${era}`] } });
      const { subscriptions } = t.test.server('changing');
      const client = await t.connect('changing', era);
      const updates: string[] = [];
      client.setNotificationHandler('notifications/resources/updated', ({ params }) => void updates.push(params.uri));
      const listening = era === 'modern' ? await client.listen({ resourceSubscriptions: [uri] }) : undefined;
      if (!listening) await client.subscribeResource({ uri });
      await waitFor(() => subscriptions.state(uri) === 'live', { what: 'the subscription' });
      await waitFor(() => updates.length > 0, { what: 'the first update' });
      updates.length = 0;
      await client.callTool({ name: 'change', arguments: { uri } });
      await waitFor(() => updates.length > 0, { what: 'the update' });
      assert.deepEqual(updates, [uri]);
      await collectGarbage();
      if (listening) await listening.close();
      else await client.unsubscribeResource({ uri });
      await waitFor(() => subscriptions.state(uri) === undefined, { what: 'the end of it' });
    });

    it('errors with their code, words and data', async () => {
      await t.serve({ content: fixture('content') });
      const client = await t.connect('content', era);
      const direct = await raw(t.test.server('content'))
        .readResource('content://none')
        .then(
          () => assert.fail('there is such a resource'),
          error => (error as HostError).rpcError,
        );
      assert.deepEqual([direct?.code, direct?.data], [-32002, { uri: 'content://none' }]);
      // On the wire, as the client of the SDK changes it.
      const errors: unknown[] = [];
      const transport = client.transport ?? assert.fail();
      const { onmessage } = transport;
      transport.onmessage = (message, extra) => {
        if ('error' in message) errors.push(message.error);
        onmessage?.(message, extra);
      };
      await assert.rejects(client.readResource({ uri: 'content://none' }));
      // The modern era has another code for it.
      assert.deepEqual(errors, [{ ...direct, code: era === 'legacy' ? -32002 : -32602 }]);
      await assert.rejects(client.callTool({ name: 'none' }), { code: -32602, message: /Unknown tool: none/ });
    });

    it('no error by which the editor would ask the person itself: the host has asked, as far as that is allowed', async () => {
      const elicitations = [{ mode: 'form', message: 'Your password?', requestedSchema: { type: 'object' } }];
      const error = JSON.stringify({ code: -32042, message: 'a form first', data: { elicitations } });
      await t.serve({ one: hostile(`--answer-at=tools/call "error":${error}`) });
      const client = await t.connect('one', era);
      await assert.rejects(client.callTool({ name: 'echo', arguments: { text: 'a' } }), ({ code, data, message }) => {
        assert.deepEqual([code, data], [-32000, undefined]);
        return message.includes('a form first');
      });
    });

    for (const transport of ['stdio', 'http'] as const) {
      it(`errors with their code, words and data, over ${transport} and where texts are searched for secrets`, async () => {
        const error = { code: -32050, message: 'the disk is full', data: { left: 0, disk: 'a' } };
        const json = JSON.stringify(error);
        const http =
          transport === 'http' &&
          (await startHttpServer('hostile', [
            '--http',
            `--http-said=resources/read 9 400 {"jsonrpc":"2.0","id":$id,"error":${json}}`,
          ]));
        try {
          const local = hostile(`--answer-at=resources/read "error":${json}`);
          const one = http
            ? { url: http.url('/mcp'), headers: { Authorization: 'Bearer a-long-secret' } }
            : { ...local, env: { ...local.env, API_TOKEN: 'a-long-secret' } };
          await t.serve({ one });
          assert.equal(t.test.server('one').redact('a-long-secret'), '•••');
          const client = await t.connect('one', era);
          await assert.rejects(client.readResource({ uri: 'hostile://notes/readme.md' }), error);
        } finally {
          if (http) await http.stop();
        }
      });
    }
  });
}

/** Collects a `Request` of Node that nothing refers to: its signal would then never abort. */
async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let turn = 0; turn < 3; turn++) {
    await setImmediate();
    collect();
  }
}

/** What a call results in; `_meta` says who answered. */
function content({ content, structuredContent, isError }: CallToolResult) {
  return { content, structuredContent, isError: isError ?? false };
}
