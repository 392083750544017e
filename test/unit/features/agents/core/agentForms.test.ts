import assert from 'node:assert/strict';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { conversionFor, toolForAgent } from '../../../../../src/features/agents/core/agentForms';
import { fixture } from '../../../host/testHost';
import { AgentsHome } from './testAgents';

describe('what an agent gets', function () {
  this.timeout(60_000);
  let home: AgentsHome;
  beforeEach(async () => {
    home = new AgentsHome();
    await home.window().share({ results: fixture('tenResults') });
  });
  afterEach(() => home.close());

  const call = async (name: string, tool: string) =>
    (await (
      await home.connect(home.folder, { name })
    ).callTool({
      name: `results__${tool}`,
      arguments: {},
    })) as CallToolResult;

  it('is one text with the structure in it, for those whose models would get one of them alone', async () => {
    for (const name of ['claude-code', 'codex-mcp-client', 'copilot-cli', 'gemini-cli-mcp-client', 'opencode']) {
      const { content, structuredContent } = await call(name, 'more_than_structure');
      assert.equal(structuredContent, undefined);
      assert.equal(content.length, 1);
      assert.match(content[0]?.type === 'text' ? content[0].text : '', /^mark more_than_structure\n\n\{[\s\S]*"items"/);
    }
  });

  it('is what the server gave, for all others', async () => {
    const { content, structuredContent } = await call('another', 'more_than_structure');
    assert.deepEqual(content, [{ type: 'text', text: 'mark more_than_structure' }]);
    assert.deepEqual(structuredContent, { mark: 'structure', items: [1, 2, 3] });
  });
});

describe('what a server gets of an agent', function () {
  this.timeout(60_000);

  it('lacks the argument that Gemini CLI adds for itself, unless the tool has one of that name', async () => {
    const home = new AgentsHome();
    try {
      await home.window().share({ odd: fixture('oddSchemas') });
      const given = { value: 'a', wait_for_previous: true };
      for (const [name, expected] of [
        ['gemini-cli-mcp-client', { value: 'a' }],
        ['another', given],
      ] as const) {
        const client = await home.connect(home.folder, { name });
        const { content } = (await client.callTool({
          name: 'odd__empty_property',
          arguments: given,
        })) as CallToolResult;
        assert.deepEqual(content, [{ type: 'text', text: JSON.stringify(expected) }]);
      }
    } finally {
      await home.close();
    }
    const { argumentsFor } = conversionFor('gemini-cli-mcp-client');
    const properties = { wait_for_previous: { type: 'string' } };
    const own = argumentsFor({ name: 't', inputSchema: { type: 'object', properties } }, { wait_for_previous: 'b' });
    assert.deepEqual(own, { args: { wait_for_previous: 'b' } });
  });
});

describe('a tool for an agent', () => {
  it('takes an object by its schema, also where the server does not say so', () => {
    const inputSchema = { oneOf: [{ type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }] };
    const tool = toolForAgent({ name: 't', inputSchema } as never, 'claude-code');
    assert.equal(tool.inputSchema.type, 'object');
    assert.ok(Object.hasOwn(tool.inputSchema.properties ?? {}, 'a'));
    const plain = { name: 't', inputSchema: { type: 'object' as const, properties: { n: { type: 'integer' } } } };
    assert.deepEqual(toolForAgent(plain, 'claude-code'), plain);
  });

  it('promises no structured content to an agent that gets none', () => {
    const tool = { name: 't', inputSchema: { type: 'object' as const }, outputSchema: { type: 'object' as const } };
    assert.equal(toolForAgent(tool, 'claude-code').outputSchema, undefined);
    assert.deepEqual(toolForAgent(tool, 'another').outputSchema, { type: 'object' });
  });
});
