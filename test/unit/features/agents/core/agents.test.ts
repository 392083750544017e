import assert from 'node:assert/strict';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { english } from '../../../../../src/base/phrase';
import type { KeptMarks } from '../../../../../src/features/trust/core/flow';
import { throughLoginPage } from '../../../../servers/loginPage';
import { npmServerPath } from '../../../../servers/npm';
import type { SeenGrant } from '../../../../servers/protected';
import { fixturePath, startHttpServer, waitFor } from '../../../../servers/spawn';
import { raw } from '../../../../setup/raw';
import { TestAuth } from '../../../host/testAuth';
import { fixture, hostile } from '../../../host/testHost';
import { AgentsHome } from './testAgents';

const said = (result: unknown) =>
  (result as CallToolResult).content.map(part => (part.type === 'text' ? part.text : ''));

describe('agents through the bridge', function () {
  this.timeout(60_000);
  let home: AgentsHome;
  beforeEach(() => {
    home = new AgentsHome();
  });
  afterEach(() => home.close());

  for (const era of ['legacy', 'modern'] as const) {
    it(`list and call tools of all servers as one server, in the ${era} era`, async () => {
      const window = await home.window().share({ one: hostile(), two: hostile() });
      const client = await home.connect(home.folder, { era });
      const { tools } = await client.listTools();
      const names = tools.map(({ name }) => name);
      assert.ok(names.includes('one__echo') && names.includes('two__echo'), names.join());
      const result = await client.callTool({ name: 'two__echo', arguments: { text: 'x' } });
      assert.equal(said(result).length, 1);
      assert.deepEqual(window.calls(), [['two', 'echo', 'agent', 'agent']]);
    });

    it(`get resources, prompts and suggestions, each from the server that has it: ${era}`, async () => {
      const everything = { command: process.execPath, args: [npmServerPath('everything'), 'stdio'] };
      const window = await home.window().share({ everything, other: hostile() });
      const server = window.test.server('everything');
      const client = await home.connect(home.folder, { era });
      const args = { city: 'Paris', state: 'TX' };
      const { messages } = await client.getPrompt({ name: 'everything__args-prompt', arguments: args });
      assert.deepEqual(messages, (await raw(server).getPrompt('args-prompt', args)).messages);
      const { resources } = await client.listResources();
      const { uri } = server.catalog.resources[0]!;
      assert.ok(resources.some(resource => resource.uri === uri));
      assert.deepEqual((await client.readResource({ uri })).contents, (await raw(server).readResource(uri)).contents);
      const { completion } = await client.complete({
        ref: { type: 'ref/prompt', name: 'everything__completable-prompt' },
        argument: { name: 'name', value: '' },
        context: { arguments: { department: 'Engineering' } },
      });
      assert.deepEqual(completion.values, ['Alice', 'Bob', 'Charlie']);
      assert.deepEqual(
        window.events.flatMap(event => (event.type === 'use' ? [[event.server, event.client, event.method]] : [])),
        [
          ['everything', 'agent', 'prompts/get'],
          ['everything', 'agent', 'resources/read'],
          ['everything', 'agent', 'completion/complete'],
        ],
      );
    });

    it(`get progress, and cancel: ${era}`, async () => {
      const everything = { command: process.execPath, args: [npmServerPath('everything'), 'stdio'] };
      const window = await home.window().share({ everything });
      const client = await home.connect(home.folder, { era });
      const name = 'everything__trigger-long-running-operation';
      const seen: unknown[] = [];
      await client.callTool(
        { name, arguments: { duration: 1, steps: 3 } },
        { onprogress: ({ total }) => seen.push(total) },
      );
      assert.ok(seen.length >= 2 && seen[0] === 3, JSON.stringify(seen));
      const abort = new AbortController();
      const callers = new Set<string | undefined>();
      const long = client.callTool(
        { name, arguments: { duration: 60, steps: 60 } },
        {
          signal: abort.signal,
          onprogress: () => {
            callers.add(window.running('everything')[0]?.client?.name);
            abort.abort();
          },
        },
      );
      await assert.rejects(long);
      assert.ok(callers.has('agent'), 'what the server asks meanwhile is asked for the agent');
      await waitFor(() => window.events.some(event => event.type === 'call' && event.outcome === 'CANCELLED'), {
        what: 'the call to be cancelled at the server',
      });
    });

    it(`receive changes of subscribed resources: ${era}`, async () => {
      const uri = 'changing://notes/one.txt';
      const window = await home
        .window()
        .share({ changing: { command: process.execPath, args: [fixturePath('changing'), `--${era}`] } });
      const { subscriptions } = window.test.server('changing');
      const client = await home.connect(home.folder, { era });
      const updates: string[] = [];
      client.setNotificationHandler('notifications/resources/updated', ({ params }) => void updates.push(params.uri));
      const listening = era === 'modern' ? await client.listen({ resourceSubscriptions: [uri] }) : undefined;
      if (!listening) await client.subscribeResource({ uri });
      await waitFor(() => subscriptions.state(uri) === 'live', { what: 'the subscription' });
      await waitFor(() => updates.length > 0, { what: 'the first update' });
      updates.length = 0;
      await client.callTool({ name: 'changing__change', arguments: { uri } });
      await waitFor(() => updates.includes(uri), { what: 'an update' });
      await client.close();
      await waitFor(() => subscriptions.state(uri) === undefined, { what: 'the end of the subscription' });
    });
  }

  it('run no server twice: 5 agents, 10 servers, 10 processes, and one denial holds for all @agents.run-server-twice', async () => {
    const names = Array.from({ length: 10 }, (_, index) => `s${index}`);
    const window = home.window();
    window.denied = ['s3/echo'];
    await window.share(Object.fromEntries(names.map(name => [name, hostile()])));
    const pids = names.map(name => window.test.pid(name));
    assert.equal(new Set(pids).size, 10);
    const agents = await Promise.all(
      names
        .slice(0, 5)
        .map((_, index) => home.connect(home.folder, { name: `agent-${index}`, era: index % 2 ? 'legacy' : 'modern' })),
    );
    for (const agent of agents) {
      for (const name of names) {
        const result = await agent.callTool({ name: `${name}__echo`, arguments: { text: 'x' } });
        assert.equal(result.isError === true, name === 's3', said(result).join());
      }
    }
    assert.deepEqual(
      names.map(name => window.test.pid(name)),
      pids,
    );
    const agentsOf = new Set(window.calls().map(([, , , client]) => client));
    assert.equal(agentsOf.size, 5);
  });

  it("share the person's sign-in, and its renewals, without signing in themselves", async () => {
    const server = await startHttpServer('protected');
    home.own({ close: () => server.stop() });
    const auth = new TestAuth(['http://127.0.0.1:9/callback']);
    auth.browse = async ({ url, redirect }) => (await throughLoginPage(url, redirect.uri)).searchParams;
    const window = home.window([], { auth });
    window.test.configure({ box: { url: server.url('/mcp') } });
    await window.test.reaches('box', 'needsAuth');
    await window.test.server('box').account.signIn(AbortSignal.timeout(120_000));
    await window.test.loads('box');
    await window.window.listen();
    const names = ['first', 'second', 'third'];
    const agents = await Promise.all(names.map(name => home.connect(home.folder, { name })));
    const callAll = async () => {
      const results = await Promise.all(
        agents.map(agent => agent.callTool({ name: 'box__echo', arguments: { text: 'hello' } })),
      );
      for (const result of results) assert.match(said(result).join(), /hello/);
    };
    const grants = async () =>
      ((await (await fetch(server.url('/__tokens'))).json()) as SeenGrant[]).map(({ what, grant }) => [what, grant]);
    await callAll();
    assert.deepEqual(await grants(), [['grant', 'authorization_code']]);
    await fetch(server.url('/__end'), { method: 'DELETE' });
    await callAll();
    assert.deepEqual(await grants(), [
      ['grant', 'authorization_code'],
      ['grant', 'refresh_token'],
    ]);
    assert.equal(auth.requests.length, 1);
    assert.deepEqual(
      window
        .calls()
        .map(([, , , client]) => client)
        .sort(),
      [...names, ...names].sort(),
    );
  });

  it('get the profile that the person chose for them, and a notification of the choice', async () => {
    const window = home.window();
    window.profiles = { small: { servers: [], tools: ['one/echo'] } };
    await window.share({ one: hostile(), two: hostile() });
    for (const era of ['legacy', 'modern'] as const) {
      let changes = 0;
      const listChanged = { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => void changes++ } };
      const [client, other] = [
        await home.connect(home.folder, { era, name: `narrow-${era}`, listChanged }),
        await home.connect(home.folder, { era, name: `wide-${era}` }),
      ];
      const names = async (agent: typeof client) => (await agent.listTools()).tools.map(({ name }) => name);
      const all = await names(client);
      assert.ok(all.includes('two__echo'), all.join());
      const id = window.identity(`narrow-${era}`);
      await window.clients.setProfile(id, 'small');
      await waitFor(() => changes > 0, { what: `an announcement (${era})` });
      assert.deepEqual(await names(client), ['one__echo']);
      assert.deepEqual(await names(other), all);
      assert.ok(!(await client.callTool({ name: 'one__echo', arguments: { text: 'x' } })).isError);
      await assert.rejects(async () => {
        const refused = await client.callTool({ name: 'two__echo', arguments: { text: 'x' } });
        if (refused.isError) throw new Error(said(refused).join());
      });
      await window.clients.setProfile(id, 'gone');
      assert.deepEqual(await names(client), [], 'a profile that is gone offers nothing');
      await window.clients.setProfile(id, undefined);
      assert.deepEqual(await names(client), all);
    }
    const called = window.events.flatMap(event => (event.type === 'call' ? [`${event.server}/${event.tool}`] : []));
    assert.deepEqual(called, ['one/echo', 'one/echo']);
  });

  it('get the tools of one server by their own names, with --server', async () => {
    await home.window().share({ one: hostile(), two: hostile() });
    const client = await home.connect(home.folder, { args: ['--server', 'one'] });
    assert.equal(client.getServerVersion()?.name, 'one');
    const { tools } = await client.listTools();
    assert.ok(tools.some(({ name }) => name === 'echo'));
    assert.equal(said(await client.callTool({ name: 'echo', arguments: { text: 'x' } })).length, 1);
  });

  it('receive notifications when servers come and go', async () => {
    const window = await home.window().share({ one: hostile() });
    for (const era of ['legacy', 'modern'] as const) {
      window.test.configure({ one: hostile() });
      let changes = 0;
      const client = await home.connect(home.folder, {
        era,
        listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => void changes++ } },
      });
      await client.listTools();
      window.test.configure({ one: hostile(), two: hostile() });
      await window.test.loads('two');
      await waitFor(() => changes > 0, { what: `an announcement (${era})` });
      const { tools } = await client.listTools();
      assert.ok(tools.some(({ name }) => name === 'two__echo'));
    }
  });

  it('are asked about once, by their declared name and their program', async () => {
    const window = home.window();
    const asked: string[] = [];
    window.allow = async ({ name, details }) => {
      asked.push(name);
      const program = details.find(({ what }) => what === 'program')?.text;
      if (process.platform === 'linux') assert.match(program ?? '', /child/);
      return 'allow';
    };
    await window.share({ one: hostile() });
    for (const name of ['first', 'first', 'second']) await (await home.connect(home.folder, { name })).listTools();
    // Elsewhere the system does not tell which program it is.
    assert.deepEqual(asked, process.platform === 'linux' ? ['first', 'second'] : ['first', 'first', 'second']);
  });

  it('that are denied get an error with the reason, and no server is contacted @agents.denied-get-error', async () => {
    const window = home.window();
    window.allow = async () => 'deny';
    await window.share({ one: hostile() });
    const client = await home.connect(home.folder);
    for (const attempt of [client.listTools(), client.callTool({ name: 'one__echo', arguments: { text: 'x' } })])
      await assert.rejects(attempt, /does not allow "agent".*Manage Trust/);
    assert.deepEqual(window.calls(), []);
  });

  it('that are not answered start without tools, and get a notification later', async () => {
    const window = home.window();
    window.listMs = 1;
    let answer = (_: 'allow') => {};
    window.allow = () => new Promise(resolve => (answer = resolve));
    await window.share({ one: hostile() });
    let changes = 0;
    const client = await home.connect(home.folder, {
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => void changes++ } },
    });
    assert.deepEqual((await client.listTools()).tools, []);
    answer('allow');
    await waitFor(() => changes > 0, { what: 'an announcement' });
    assert.ok((await client.listTools()).tools.length > 0);
  });

  it('whose permission is revoked are disconnected @agents.permission-revoked', async () => {
    const window = await home.window().share({ one: hostile() });
    const client = await home.connect(home.folder);
    await client.listTools();
    window.allow = async () => 'deny';
    await window.clients.revoke(window.identity('agent'));
    await waitFor(
      () =>
        client.listTools().then(
          () => false,
          error => /does not allow/.test(error.message),
        ),
      {
        what: 'the bridge to connect again, and be refused',
      },
    );
  });

  it('whose permission was revoked in another window are disconnected with their next request', async () => {
    const window = await home.window().share({ one: hostile() });
    const client = await home.connect(home.folder);
    await client.listTools();
    window.allow = async () => 'deny';
    window.revokedElsewhere();
    const isRefused = () =>
      client.listTools().then(
        () => false,
        error => /does not allow/.test(error.message),
      );
    await waitFor(isRefused, { what: 'a refusal' });
    assert.deepEqual(window.calls(), []);
  });

  it('share one conversation across two bridges: what one has read, the other does not send out unasked @agents.share-conversation-across', async () => {
    const window = await home.window().share({ content: fixture('content'), other: hostile() });
    const reasons: (string | undefined)[] = [];
    window.ask = async ({ tool, because }) => {
      reasons.push(because && `${tool.name}: ${english(because)}`);
      return because ? undefined : { answer: 'allow' };
    };
    const mark = (id: string, marks: KeptMarks['marks']) => {
      window.marks[id] = { launch: window.test.server(id).definition.launch, marks };
    };
    mark('content', ['private', 'untrusted']);
    mark('other', ['sends']);
    const [one, two, stranger] = await Promise.all(
      ['Codex', 'Codex', 'Another'].map(name => home.connect(home.folder, { name })),
    );
    const [resource] = (await one!.listResources()).resources;
    await one!.readResource({ uri: resource!.uri });
    const send = async (client = one!) =>
      (await client.callTool({ name: 'other__echo', arguments: { text: 'x' } })).isError === true;
    assert.equal(await send(two), true);
    assert.equal(reasons.length, 1);
    assert.match(reasons[0] ?? '', /^echo: .*private data \(from content\).*from content/);
    assert.equal(await send(stranger), false);
  });

  for (const era of ['legacy', 'modern'] as const) {
    it(`cannot subscribe to a denied resource: ${era} @agents.subscribe-denied-resource`, async () => {
      const uri = 'changing://notes/one.txt';
      const window = await home
        .window()
        .share({ changing: { command: process.execPath, args: [fixturePath('changing'), `--${era}`] } });
      window.denied = ['changing/resources/*'];
      const client = await home.connect(home.folder, { era });
      if (era === 'modern') await client.listen({ resourceSubscriptions: [uri] });
      else await assert.rejects(client.subscribeResource({ uri }), /it was denied/);
      const used = () =>
        window.events.flatMap(event =>
          event.type === 'use' ? [[event.origin, event.client, event.method, event.outcome]] : [],
        );
      await waitFor(() => used().length > 0, { what: 'the refusal' });
      assert.deepEqual(used(), [['agent', 'agent', 'resources/subscribe', 'DENIED']]);
      assert.equal(window.test.server('changing').subscriptions.state(uri), undefined);
    });
  }

  it('have their streams follow a thousand resources, however many they name @agents.streams-follow-thousand', async () => {
    const window = await home
      .window()
      .share({ changing: { command: process.execPath, args: [fixturePath('changing'), '--modern'] } });
    window.denied = ['changing/resources/*'];
    const client = await home.connect(home.folder, { era: 'modern' });
    const named = (stream: number) => Array.from({ length: 800 }, (_, n) => `changing://notes/${stream}/${n}`);
    for (const stream of [1, 2, 3]) await client.listen({ resourceSubscriptions: named(stream) });
    const refused = () => window.events.filter(event => event.type === 'use').length;
    await waitFor(() => refused() >= 1_000, { what: 'the refusals' });
    await client.listTools();
    assert.equal(refused(), 1_000);
  });

  it('wait for the person, but not forever', async () => {
    const window = home.window();
    window.personMs = 50;
    let asked = 0;
    window.ask = () => new Promise(() => void asked++);
    await window.share({ one: hostile() });
    const client = await home.connect(home.folder);
    const result = await client.callTool({ name: 'one__echo', arguments: { text: 'x' } });
    assert.equal(result.isError, true);
    assert.match(said(result).join(), /The call was not approved in the editor .* Ask the user before you try again\./);
    assert.equal(asked, 1);
  });

  it('end their question when they no longer wait, and questions behind it are not asked any more', async () => {
    const window = home.window();
    window.personMs = 200;
    const ended = Promise.withResolvers<void>();
    let asked = 0;
    window.ask = async ({ until }) => {
      asked++;
      await new Promise(resolve => until?.addEventListener('abort', resolve));
      await ended.promise;
      return undefined;
    };
    await window.share({ one: hostile() });
    const client = await home.connect(home.folder);
    const call = () => client.callTool({ name: 'one__echo', arguments: { text: 'x' } });
    const results = await Promise.all([call(), call(), call()]);
    for (const result of results) assert.equal(result.isError, true);
    const seen = asked;
    window.personMs = undefined;
    window.ask = async () => ({ answer: 'allow' });
    ended.resolve();
    assert.notEqual((await call()).isError, true);
    assert.deepEqual([seen, asked], [1, 1]);
  });

  it('end their question when they are gone', async () => {
    const window = home.window();
    const asked = Promise.withResolvers<void>();
    const over = Promise.withResolvers<void>();
    window.ask = ({ until }) => {
      asked.resolve();
      return new Promise(resolve =>
        until?.addEventListener('abort', () => {
          over.resolve();
          resolve(undefined);
        }),
      );
    };
    await window.share({ one: hostile() });
    const client = await home.connect(home.folder);
    const call = client.callTool({ name: 'one__echo', arguments: { text: 'x' } }).catch(() => undefined);
    await asked.promise;
    await client.close();
    await Promise.all([over.promise, call]);
  });
});
