import assert from 'node:assert/strict';
import type { Client } from '@modelcontextprotocol/client';
import { type ListedAddresses, ResourceAddresses } from '../../../../../src/features/agents/core/resourceAddresses';
import type { ServerConnection } from '../../../../../src/host';
import { fixturePath, waitFor } from '../../../../servers/spawn';
import { raw } from '../../../../setup/raw';
import { AgentsHome, type TestWindow } from './testAgents';

const uri = 'changing://notes/one.txt';
const changing = { command: process.execPath, args: [fixturePath('changing'), '--legacy'] };
const reads = ({ events }: TestWindow) =>
  events.flatMap(event => (event.type === 'use' && event.method === 'resources/read' ? [event.server] : []));
const addresses = async (client: Client) => (await client.listResources()).resources.map(resource => resource.uri);

describe('the addresses of many servers', () => {
  const server = (id: string) => ({ id, name: id, isUsable: true }) as unknown as ServerConnection;
  const listing = (id: string, resources: string[], templates: string[]): ListedAddresses => ({
    server: server(id),
    resources: resources.map(uri => ({ uri, name: uri })),
    templates: templates.map(uriTemplate => ({ uriTemplate, name: uriTemplate })),
  });

  it('name their server exactly where another could have them', () => {
    const pieces = ['a:', 'a:x', 'a:x/', 'a:x/1', 'a:y', 'b:', 'b:1', 'c:/d/e', 'c:/d/f', 'c:/d', 'none'];
    for (const one of pieces)
      for (const other of pieces)
        for (const third of pieces) {
          const all = new ResourceAddresses(() => [
            listing('left', [one, 'd:1'], [`${third}{z}`]),
            listing('right', ['d:2'], [`${other}{y}`, `${third}/longer{y}`]),
          ]);
          const told = `${one} ${other} ${third}`;
          const [first] = all.resources;
          const has = (start: string) => start.includes(':') && one.startsWith(start);
          assert.equal(first?.name === one, !has(other) && !has(`${third}/longer`), told);
          const [template] = all.templates;
          const overlaps = [other, `${third}/longer`].some(
            start => start.includes(':') && (start.startsWith(third) || third.startsWith(start)),
          );
          const isPlain = third.includes(':') && !overlaps && !'d:2'.startsWith(third);
          assert.equal(template?.name === `${third}{z}`, isPlain, told);
        }
  });
});

describe('an address that two servers have', function () {
  this.timeout(60_000);
  let home: AgentsHome;
  beforeEach(() => {
    home = new AgentsHome();
  });
  afterEach(() => home.close());

  it('is listed once for each with its name, leads there, and is refused without it @resourceAddresses.listed-once-name', async () => {
    const window = await home.window().share({ one: changing, two: changing });
    const client = await home.connect(home.folder);
    const listed = (await addresses(client)).filter(address => address.endsWith(uri));
    assert.deepEqual(listed, [`mcp-host:one/${uri}`, `mcp-host:two/${uri}`]);
    for (const address of listed) {
      const { contents } = await client.readResource({ uri: address });
      assert.equal(contents[0]?.uri, address);
    }
    assert.deepEqual(reads(window), ['one', 'two']);
    await assert.rejects(client.readResource({ uri }), (error: Error) =>
      listed.every(one => error.message.includes(one)),
    );
    assert.equal(reads(window).length, 2, 'no server was asked');
  });

  it('sends updates of the one that was subscribed, under the name that it was subscribed by @resourceAddresses.sends-updates-subscribed', async () => {
    const window = await home.window().share({ one: changing, two: changing });
    const client = await home.connect(home.folder);
    const address = `mcp-host:two/${uri}`;
    const updates: string[] = [];
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => void updates.push(params.uri));
    await client.subscribeResource({ uri: address });
    const state = (id: string) => window.test.server(id).subscriptions.state(uri);
    await waitFor(() => state('two') === 'live', { what: 'the subscription' });
    assert.equal(state('one'), undefined);
    await client.callTool({ name: 'two__change', arguments: { uri } });
    await waitFor(() => updates.includes(address), { what: 'an update' });
    assert.deepEqual([...new Set(updates)], [address]);
    await client.unsubscribeResource({ uri: address });
    await waitFor(() => state('two') === undefined, { what: 'the end of the subscription' });
  });

  it('sends no updates where the subscription was denied', async () => {
    const window = await home.window().share({ one: changing, two: changing });
    window.denied = ['two/resources/subscribe'];
    const client = await home.connect(home.folder);
    const [allowed, denied] = [`mcp-host:one/${uri}`, `mcp-host:two/${uri}`];
    const updates: string[] = [];
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => void updates.push(params.uri));
    await assert.rejects(client.subscribeResource({ uri: denied }), /denied/);
    await client.subscribeResource({ uri: allowed });
    const subscription = raw(window.test.server('two')).subscribe(uri);
    await waitFor(() => window.test.server('two').subscriptions.state(uri) === 'live', {
      what: 'a person to follow it',
    });
    await client.callTool({ name: 'two__change', arguments: { uri } });
    await client.callTool({ name: 'one__change', arguments: { uri } });
    await waitFor(() => updates.includes(allowed), { what: 'an update' });
    assert.ok(!updates.includes(denied));
    subscription.dispose();
  });

  it('stays what it is for the only server that has it', async () => {
    const window = await home.window().share({ changing });
    const client = await home.connect(home.folder);
    assert.ok((await addresses(client)).includes(uri));
    await client.readResource({ uri });
    assert.deepEqual(reads(window), ['changing']);
  });
});

describe('addresses of resources', () => {
  type Listed = ReturnType<ConstructorParameters<typeof ResourceAddresses>[0]>[number];
  const listed = (id: string, resources: string[], templates: string[] = []): Listed => ({
    server: { id, isUsable: true, info: { capabilities: { resources: {} } } } as unknown as ServerConnection,
    resources: resources.map(uri => ({ uri, name: uri })),
    templates: templates.map(uriTemplate => ({ uriTemplate, name: uriTemplate })),
  });
  const named = (items: readonly { readonly name: string }[]) => items.map(({ name }) => name);

  it('are taken by no server from another: by a list, a template, a result or a name like theirs @resourceAddresses.taken-server-list', () => {
    const [mine, other] = [listed('mine', ['notes:1'], ['notes:{id}']), listed('a/b', ['notes:2', 'mcp-host:mine/x'])];
    const all = new ResourceAddresses(() => [other, mine]);
    assert.deepEqual(named(all.resources), ['mcp-host:a~002fb/notes:2', 'mcp-host:a~002fb/mcp-host:mine/x', 'notes:1']);
    assert.deepEqual(named(all.templates), ['mcp-host:mine/notes:{id}']);
    const target = (address: string) => {
      const { server, uri } = all.target(address);
      return [server.id, uri];
    };
    assert.deepEqual(target('notes:1'), ['mine', 'notes:1']);
    assert.deepEqual(target('notes:3'), ['mine', 'notes:3']);
    assert.deepEqual(target('mcp-host:mine/notes:2'), ['mine', 'notes:2']);
    assert.deepEqual(target('mcp-host:a~002fb/mcp-host:mine/x'), ['a/b', 'mcp-host:mine/x']);
    assert.throws(() => target('notes:2'), /Several servers/);
    all.hear(other.server, [{ type: 'resource_link', uri: 'notes:3', name: 'three' }]);
    assert.throws(() => target('notes:3'), /Several servers/);
    assert.throws(() => target('unknown:1'), /No server has/);
  });

  it('are found one by one without putting all lists in order for each', () => {
    const many = (id: string, place: (n: number) => string) => Array.from({ length: 100_000 }, (_, n) => id + place(n));
    const one = listed('one', many('notes:', String));
    const two = listed(
      'two',
      [],
      many('other:', n => `${n}/{x}`),
    );
    const all = new ResourceAddresses(() => [one, two]);
    // In order, each would take a tenth of a second and more.
    for (let n = 0; n < 1_500; n++) {
      assert.equal(all.target(`notes:${n}`).server, one.server);
      assert.equal(all.target(`other:${n}/y`).server, two.server);
    }
  });

  it('of what results have named are remembered for each server, however many another one names @resourceAddresses.results-named-remembered', () => {
    const [one, two] = [listed('one', []), listed('two', [])];
    const all = new ResourceAddresses(() => [one, two]);
    all.hear(one.server, [{ type: 'resource_link', uri: 'notes:1' }]);
    all.hear(
      two.server,
      Array.from({ length: 6_000 }, (_, index) => ({ type: 'resource_link', uri: `other:${index}` })),
    );
    assert.equal(all.target('notes:1').server, one.server);
    assert.equal(all.target('other:5999').server, two.server);
  });
});
