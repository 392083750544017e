import assert from 'node:assert/strict';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { fixture } from '../../../host/testHost';
import { AgentsHome } from './testAgents';

const said = (result: unknown) =>
  (result as CallToolResult).content.map(part => (part.type === 'text' ? part.text : ''));

describe('agents through the bridge', () => {
  let home: AgentsHome;
  beforeEach(() => {
    home = new AgentsHome();
  });
  afterEach(() => home.close());

  for (const era of ['legacy', 'modern'] as const) {
    it(`list and call tools of all servers as of one, in the ${era} era`, async () => {
      const window = await home.window().share({ one: fixture('content'), two: fixture('content') });
      const client = await home.connect(home.folder, { era });
      const { tools } = await client.listTools();
      const names = tools.map(({ name }) => name);
      assert.ok(names.includes('one__count') && names.includes('two__count'), names.join());
      const result = await client.callTool({ name: 'two__count', arguments: {} });
      assert.equal(said(result).length, 1);
      assert.deepEqual(
        window.events.flatMap(event =>
          event.type === 'call' ? [[event.server, event.tool, event.origin, event.client]] : [],
        ),
        [['two', 'count', 'agent', 'agent']],
      );
    });
  }
});
