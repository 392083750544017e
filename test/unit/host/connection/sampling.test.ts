import assert from 'node:assert/strict';
import type { CreateMessageRequest, CreateMessageResultWithTools, TextContent } from '@modelcontextprotocol/client';
import type { SamplingPort } from '../../../../src/host/definition';
import { raw } from '../../../setup/raw';
import { fixture, TestHost } from '../testHost';

type Params = CreateMessageRequest['params'];

const messages = [{ role: 'user', content: { type: 'text', text: 'Hello' } }];
const use = { type: 'tool_use', id: 'a', name: 'look', input: {}, _meta: { 'x.example/cache': 'use' } };
const result = {
  type: 'tool_result',
  toolUseId: 'a',
  content: [{ type: 'text', text: 'seen' }],
  _meta: { 'x.example/cache': 'result' },
};
const tools = [{ name: 'look', inputSchema: { type: 'object' } }];

for (const era of ['legacy', 'modern'] as const) {
  describe(`sampling in the ${era} era`, () => {
    let host: TestHost | undefined;
    let seen: Params[] = [];
    afterEach(() => host?.close());

    /** What a server gets that asks for sampling: the answer, or the error. */
    async function asked(params: object, capability: object): Promise<unknown> {
      seen = [];
      const sampling = {
        capability: () => capability,
        createMessage: async (_server: unknown, given: Params) => {
          seen.push(given);
          const content = given.tools ? use : { type: 'text', text: 'Hi' };
          return { role: 'assistant', model: 'm', content } as CreateMessageResultWithTools;
        },
      } as unknown as SamplingPort;
      host = new TestHost({ sampling });
      host.configure({ one: fixture('sampling', ...(era === 'modern' ? ['--modern'] : [])) });
      const server = await host.loads('one');
      assert.equal(server.info?.era, era);
      const tool = server.catalog.tools.find(({ name }) => name === 'ask') ?? assert.fail();
      // In the modern era the request that asks for it fails.
      const { content } = await raw(server)
        .callTool(tool, { params })
        .catch(error => ({ content: [{ type: 'text', text: JSON.stringify({ error: error.rpcError }) }] }));
      return JSON.parse((content[0] as TextContent).text);
    }

    for (const more of [{ tools }, { tools: [] }, { toolChoice: { mode: 'auto' } }]) {
      it(`with ${Object.keys(more)} is an error in one sentence, unless that was declared: ${JSON.stringify(more)} @sampling.error-sentence-unless`, async () => {
        const params = { messages, maxTokens: 10, ...more };
        const { error } = (await asked(params, {})) as { error: { code: number; message: string } };
        assert.equal(error.code, -32602);
        assert.match(error.message, /^the sampling request was refused: it has "tool\w+", and .* sampling\.tools$/);
        assert.deepEqual(seen, []);
        assert.ok(host?.logged(/the sampling request was refused/));
        await host?.close();
        assert.ok('content' in ((await asked(params, { tools: {} })) as object));
        assert.equal(seen.length, 1);
      });
    }

    it('without tools needs no more than sampling itself', async () => {
      const params = { messages, maxTokens: 10 };
      assert.ok('content' in ((await asked(params, {})) as object));
    });

    it('keeps the `_meta` of uses of tools and of their results, both ways @sampling.keeps-meta-uses', async () => {
      const conversation = [...messages, { role: 'assistant', content: [use] }, { role: 'user', content: [result] }];
      const answer = (await asked({ messages: conversation, maxTokens: 10, tools }, { tools: {} })) as {
        content: object;
      };
      assert.deepEqual(
        seen[0]?.messages.slice(1).map(({ content }) => [content].flat()[0]),
        [use, result],
      );
      assert.deepEqual([answer.content].flat()[0], use);
    });
  });
}
