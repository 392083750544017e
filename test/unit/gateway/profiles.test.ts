import assert from 'node:assert/strict';
import { Emitter } from '../../../src/base/events';
import { findTools } from '../../../src/features/languageModel/core';
import { includesServer, includesTool, type Profile } from '../../../src/features/profiles/core/readProfiles';
import { OfferedTools } from '../../../src/features/profiles/offeredTools';
import type { ServerConnection } from '../../../src/host';
import { APP_MIME_TYPE, UI_EXTENSION } from '../../../src/host/catalog';
import { waitFor } from '../../servers/spawn';
import { fixture, hostile } from '../host/testHost';
import { ERAS, TestGateway } from './testGateway';

const said = (result: { content: unknown }): string =>
  (result.content as { text: string }[]).map(({ text }) => text).join('');

describe('a client while a profile is in use', () => {
  let active: Profile | undefined;
  let changed: Emitter<void>;
  let offered: OfferedTools;
  let t: TestGateway;
  beforeEach(() => {
    active = undefined;
    changed = new Emitter();
    const profiles = () => ({
      get active() {
        return active;
      },
      has: ({ definition }: ServerConnection) => active === undefined || includesServer(active, definition),
      offers: ({ definition }: ServerConnection, tool: string) =>
        active === undefined || includesTool(active, definition, tool),
    });
    offered = new OfferedTools(profiles, changed.event, { log() {} }, { fire() {} });
    t = new TestGateway({ offered });
  });
  afterEach(() => t.close());

  const use = (...tools: string[]) => {
    active = {
      name: 'review',
      source: { scope: 'user' },
      servers: [],
      tools,
      startServers: false,
      stopOthers: false,
    };
    changed.fire();
  };
  const calls = () => t.events.flatMap(event => (event.type === 'call' ? [event.tool] : []));

  for (const era of ERAS) {
    it(`gets the tools of the profile, and a notification when it changes (${era} era)`, async () => {
      await t.serve({ many: hostile('--tools=20') });
      let changes = 0;
      const client = await t.connect('many', era, {
        listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => void changes++ } },
      });
      const names = async () => (await client.listTools({}, { cacheMode: 'refresh' })).tools.map(({ name }) => name);
      assert.equal((await names()).length, 20);
      use('many/tool-15', 'many/tool-17', 'other/*');
      await waitFor(() => changes > 0, { what: 'the notification' });
      assert.deepEqual(await names(), ['tool-15', 'tool-17']);
      // A model may remember the others.
      const refused = await client.callTool({ name: 'tool-16', arguments: {} });
      assert.ok(refused.isError);
      assert.match(said(refused), /tool-16 of MCP server "many" is not part of the profile "review"/);
      assert.deepEqual(calls(), []);
      assert.match(said(await client.callTool({ name: 'tool-17', arguments: {} })), /tool-17/);
      const before = changes;
      active = undefined;
      changed.fire();
      await waitFor(() => changes > before, { what: 'another notification' });
      assert.equal((await names()).length, 20);
      assert.match(said(await client.callTool({ name: 'tool-16', arguments: {} })), /tool-16/);
    });
  }

  it('neither finds nor calls other tools by search', async () => {
    t = new TestGateway({ offered, findTools });
    await t.serve({ many: hostile('--tools=40') });
    use('many/tool-2*');
    const client = await t.connect('many', 'legacy');
    const { tools } = await client.listTools();
    assert.match(tools[0]!.description!, /"many", which has 10: /);
    const search = { name: 'mcp_search_tools', arguments: { query: 'number 31' } };
    assert.doesNotMatch(said(await client.callTool(search)), /"tool-31"/);
    const describe = { name: 'mcp_describe_tool', arguments: { names: ['tool-31'] } };
    assert.match(said(await client.callTool(describe)), /no such tools/);
    const called = await client.callTool({ name: 'mcp_call_tool', arguments: { name: 'tool-31', arguments: {} } });
    assert.match(said(called), /not part of the profile "review"/);
    assert.deepEqual(calls(), []);
  });

  it('is allowed nothing that the person denies', async () => {
    t.denied = ['many/tool-15'];
    await t.serve({ many: hostile('--tools=20') });
    use('many/*');
    const client = await t.connect('many', 'legacy');
    const { tools } = await client.listTools();
    assert.equal(tools.length, 20);
    const denied = await client.callTool({ name: 'tool-15', arguments: {} });
    assert.ok(denied.isError);
    assert.match(said(denied), /is denied by your approvals/);
  });

  it('that draws apps still has those for apps alone, which no profile concerns', async () => {
    await t.serve({ apps: fixture('apps') });
    use('apps/plan');
    const drawing = { capabilities: { extensions: { [UI_EXTENSION]: { mimeTypes: [APP_MIME_TYPE] } } } };
    const names = async (options: object) =>
      (await (await t.connect('apps', 'legacy', options)).listTools()).tools.map(({ name }) => name);
    assert.deepEqual(await names({}), ['plan']);
    const drawn = await names(drawing);
    assert.ok(drawn.includes('plan') && drawn.includes('refresh') && !drawn.includes('say'), drawn.join());
  });
});
