import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { CallToolResult } from '@modelcontextprotocol/client';
import type { AppSurroundings } from '../../../../../src/features/apps/core/appMessages';
import { declarationOf } from '../../../../../src/features/apps/core/appPage';
import { type AppRequests, AppSession, type AppSessionOptions } from '../../../../../src/features/apps/core/appSession';
import { waitFor } from '../../../../servers/spawn';

interface Message {
  readonly jsonrpc?: string;
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string };
}

const surroundings: AppSurroundings = {
  theme: 'dark',
  variables: { '--color-text-primary': '#fff' },
  width: 640,
  height: 480,
  touch: false,
  hover: true,
};
const RESULT: CallToolResult = { content: [{ type: 'text', text: 'done' }] };
const initialize = (availableDisplayModes?: unknown) => ({
  appInfo: { name: 'app', version: '1' },
  appCapabilities: availableDisplayModes === undefined ? {} : { availableDisplayModes },
  protocolVersion: '2026-01-26',
});
const contextOf = ({ result }: Message) => result?.hostContext as Record<string, unknown>;

/** A session with an app that is a list of messages. */
class TestApp {
  readonly got: Message[] = [];
  readonly traced: string[] = [];
  readonly asked: unknown[][] = [];
  readonly session: AppSession;
  #last = 0;

  readonly modes: string[] = [];
  readonly moves: string[] = [];

  constructor(
    requests: Partial<AppRequests> = {},
    where: Pick<AppSessionOptions, 'place'> & Partial<AppSessionOptions> = { place: 'tab' },
  ) {
    const note =
      <T>(name: string, answer: T) =>
      (...args: unknown[]) => {
        this.asked.push([name, ...args.filter(arg => !(arg instanceof AbortSignal))]);
        return answer;
      };
    this.session = new AppSession({
      version: '1.2.3',
      declaration: declarationOf({ ui: { csp: { connectDomains: ['https://a.example'] } } }, undefined),
      tool: { name: 'show', inputSchema: { type: 'object' } },
      requests: {
        callTool: note('callTool', Promise.resolve(RESULT)),
        readResource: note('readResource', Promise.resolve({ contents: [] })),
        listResources: () => [{ uri: 'x:/a', name: 'a' }],
        openLink: note('openLink', Promise.resolve(true)),
        message: note('message', Promise.resolve(false)),
        updateContext: note('updateContext', undefined),
        download: note('download', Promise.resolve(true)),
        log: note('log', undefined),
        size: note('size', undefined),
        close: note('close', undefined),
        ...requests,
      },
      onMode: mode => void this.modes.push(mode),
      move: mode => {
        this.moves.push(mode);
        return true;
      },
      ...where,
      surroundings,
      locale: 'en',
      platform: 'desktop',
      post: text => {
        const message = JSON.parse(text) as Message;
        this.got.push(message);
        if (message.id !== undefined && message.method) this.send({ id: message.id, result: {} });
      },
      trace: (direction, text) => void this.traced.push(`${direction} ${text}`),
    });
  }

  send(message: Message): void {
    this.session.receive(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }

  async request(method: string, params: Record<string, unknown> = {}): Promise<Message> {
    const id = ++this.#last + 1_000;
    this.send({ id, method, params });
    return waitFor(() => this.got.find(message => message.id === id && !message.method), {
      what: `an answer to ${method}`,
    });
  }

  async begin(modes?: unknown): Promise<Message> {
    await this.session.connect();
    const answer = await this.request('ui/initialize', initialize(modes));
    this.send({ method: 'ui/notifications/initialized' });
    await this.session.whenReady();
    return answer;
  }

  methods(): (string | undefined)[] {
    return this.got.flatMap(({ method }) => (method ? [method] : []));
  }
}

describe('a session with an app', () => {
  it('begins with what the app needs to know about its host @appSession.begins-app-needs', async () => {
    const { result } = await new TestApp().begin();
    const { hostInfo, hostCapabilities, hostContext } = result as Record<string, Record<string, unknown>>;
    assert.deepEqual(hostInfo, { name: 'mcp-host', title: 'MCP Host', version: '1.2.3' });
    assert.deepEqual((hostCapabilities?.sandbox as { csp?: object } | undefined)?.csp, {
      connectDomains: ['https://a.example'],
      resourceDomains: [],
      frameDomains: [],
      baseUriDomains: [],
    });
    assert.equal(hostCapabilities?.sampling, undefined);
    const { theme, styles, displayMode, availableDisplayModes, containerDimensions, locale, toolInfo } =
      hostContext ?? {};
    assert.deepEqual([theme, displayMode, locale], ['dark', 'fullscreen', 'en']);
    assert.deepEqual(availableDisplayModes, ['inline', 'fullscreen', 'pip']);
    assert.equal(hostContext?.timeZone, Intl.DateTimeFormat().resolvedOptions().timeZone);
    assert.deepEqual(styles, { variables: surroundings.variables });
    assert.deepEqual(containerDimensions, { width: 640, height: 480 });
    assert.equal((toolInfo as { tool: { name: string } }).tool.name, 'show');
  });

  it('sends nothing before the app is ready; then the input, and the result when available @appSession.sends-app-ready', async () => {
    const app = new TestApp();
    const { promise, resolve } = Promise.withResolvers<CallToolResult>();
    const shown = app.session.show({ a: 1 }, promise);
    app.session.listChanged('tools');
    app.session.update({ ...surroundings, theme: 'light' });
    await app.session.connect();
    const { result } = await app.request('ui/initialize', initialize());
    assert.equal((result?.hostContext as { theme?: string } | undefined)?.theme, 'light', 'the theme of now');
    assert.deepEqual(app.methods(), []);
    app.send({ method: 'ui/notifications/initialized' });
    await waitFor(() => app.methods().length === 1, { what: 'the input' });
    assert.deepEqual(app.got.at(-1)?.params, { arguments: { a: 1 } });
    resolve(RESULT);
    await shown;
    assert.deepEqual(app.methods(), ['ui/notifications/tool-input', 'ui/notifications/tool-result']);
    assert.deepEqual(app.got.at(-1)?.params, RESULT);
  });

  it('informs the app when the call was cancelled or failed @appSession.informs-app-call', async () => {
    const app = new TestApp();
    await app.begin();
    await app.session.show({}, Promise.reject(new Error('it took too long')));
    assert.equal(app.got.at(-1)?.method, 'ui/notifications/tool-cancelled');
    assert.deepEqual(app.got.at(-1)?.params, { reason: 'it took too long' });
  });

  it('forwards requests of the app, and returns their results @appSession.forwards-requests-app', async () => {
    const app = new TestApp();
    await app.begin();
    const call = await app.request('tools/call', { name: 'refresh', arguments: { a: 1 } });
    assert.deepEqual(call.result, RESULT);
    assert.deepEqual((await app.request('resources/read', { uri: 'x:/a' })).result, { contents: [] });
    assert.deepEqual((await app.request('resources/list')).result, { resources: [{ uri: 'x:/a', name: 'a' }] });
    assert.deepEqual((await app.request('ui/open-link', { url: 'https://b.example' })).result, {});
    const text = [{ type: 'text', text: 'hi' }];
    assert.deepEqual((await app.request('ui/message', { role: 'user', content: text })).result, { isError: true });
    assert.deepEqual((await app.request('ui/update-model-context', { content: text })).result, {});
    const resource = { type: 'resource', resource: { uri: 'file:///a.txt', text: 'a' } };
    assert.deepEqual((await app.request('ui/download-file', { contents: [resource] })).result, {});
    assert.deepEqual((await app.request('ping')).result, {});
    app.send({ method: 'notifications/message', params: { level: 'info', data: { a: 1 }, logger: 'l' } });
    app.send({ method: 'ui/notifications/size-changed', params: { width: 1, height: 2 } });
    app.send({ method: 'ui/notifications/request-teardown', params: {} });
    await waitFor(() => app.asked.length === 9, { what: 'all of them' });
    assert.deepEqual(app.asked, [
      ['callTool', 'refresh', { a: 1 }],
      ['readResource', 'x:/a'],
      ['openLink', 'https://b.example'],
      ['message', text],
      ['updateContext', { content: text }],
      ['download', [resource]],
      ['log', 'info', { a: 1 }, 'l'],
      ['size', 1, 2],
      ['close'],
    ]);
  });

  it('gives the app no more at once than it may get, however often it asks @appSession.gives-bounded', async () => {
    const resources = Array.from({ length: 10 }, (_, at) => ({ uri: `x:/${at}`, name: 'n'.repeat(1_000_000) }));
    const app = new TestApp({ listResources: () => resources });
    await app.begin();
    const answers: Message[] = [];
    const clock = mock.method(performance, 'now', () => 0);
    try {
      for (let times = 0; times < 12; times++) answers.push(await app.request('resources/list'));
    } finally {
      clock.mock.restore();
    }
    assert.match(answers.at(-1)?.error?.message ?? '', /Too much was asked for/);
    const given = answers.filter(({ result }) => result).length;
    assert.ok(given >= 6 && given < 12, `${given} answers`);
  });

  it('answers refused, unknown and unsupported requests with an error @appSession.answers-refused-unknown', async () => {
    const app = new TestApp({ callTool: () => Promise.reject(new Error('denied')) });
    await app.begin();
    assert.match((await app.request('tools/call', { name: 'x' })).error?.message ?? '', /denied/);
    assert.ok((await app.request('tools/call', { name: 7 })).error, 'a call that is none');
    assert.equal((await app.request('roots/list')).error?.code, -32601);
    assert.equal((await app.request('sampling/createMessage', { messages: [], maxTokens: 1 })).error?.code, -32601);
    assert.ok((await app.request('ui/open-link', {})).error);
    assert.deepEqual(app.asked, []);
  });

  const ask = async (app: TestApp, mode: string) => (await app.request('ui/request-display-mode', { mode })).result;

  it('shows the app as its place allows and the app declares @appSession.shows-app-place', async () => {
    for (const [place, modes, shown] of [
      ['tab', undefined, 'fullscreen'],
      ['view', undefined, 'inline'],
      ['tab', [], 'fullscreen'],
      ['tab', ['inline', 'pip'], 'inline'],
      ['view', ['fullscreen', 'pip'], 'pip'],
      ['view', ['fullscreen'], 'fullscreen'],
      ['view', ['poster', 7], 'inline'],
      ['view', 'pip', 'inline'],
    ] as const) {
      const app = new TestApp({}, { place });
      await app.session.connect();
      // What declares something else than the specification has gets an error of the bridge, and is shown all the same.
      await app.request('ui/initialize', initialize(modes));
      assert.deepEqual([app.session.mode, app.modes], [shown, [shown]], `${modes} in a ${place}`);
    }
    const app = new TestApp({}, { place: 'view' });
    const { displayMode, containerDimensions } = contextOf(await app.begin());
    assert.deepEqual([displayMode, containerDimensions], ['inline', { width: 640, maxHeight: 6_000 }]);
  });

  it('answers every request for a display mode, and applies only declared ones @appSession.answers-request-display', async () => {
    const modes = ['inline', 'fullscreen', 'pip'];
    for (const [place, own] of [
      ['view', 'inline'],
      ['tab', 'fullscreen'],
    ] as const) {
      for (const declared of [undefined, [own]]) {
        const app = new TestApp({}, { place });
        await app.begin(declared);
        for (const mode of modes) assert.deepEqual(await ask(app, mode), { mode: own });
        assert.ok((await app.request('ui/request-display-mode', { mode: 'poster' })).error);
        assert.deepEqual(app.moves, []);
      }
    }
  });

  it('changes the mode in place, or moves the app to where that mode exists', async () => {
    const app = new TestApp({}, { place: 'view' });
    await app.begin(['inline', 'pip', 'fullscreen']);
    assert.deepEqual(await ask(app, 'pip'), { mode: 'pip' });
    const told = await waitFor(() => app.got.find(({ method }) => method?.endsWith('context-changed')), {
      what: 'the new mode',
    });
    assert.deepEqual(told.params, { displayMode: 'pip', containerDimensions: { width: 640, height: 480 } });
    assert.deepEqual([app.modes, app.moves], [['inline', 'pip'], []]);
    assert.deepEqual(await ask(app, 'fullscreen'), { mode: 'fullscreen' });
    assert.deepEqual(app.moves, ['fullscreen']);
    // There, it has the mode for which it came.
    const there = new TestApp({}, { place: 'view', wanted: 'pip' });
    await there.begin(['inline', 'pip']);
    assert.equal(there.session.mode, 'pip');
  });

  it('leaves the app in place when it may not move', async () => {
    const app = new TestApp({}, { place: 'tab', move: () => false });
    await app.begin(['fullscreen', 'pip']);
    assert.deepEqual(await ask(app, 'pip'), { mode: 'fullscreen' });
  });

  it('reports to a ready app what changed since its greeting @appSession.reports-ready-app', async () => {
    const app = new TestApp();
    await app.session.connect();
    app.session.update({ ...surroundings, width: 500 });
    app.session.update({ ...surroundings, width: 600 });
    const { containerDimensions } = contextOf(await app.request('ui/initialize', initialize()));
    assert.deepEqual(containerDimensions, { width: 600, height: 480 });
    app.session.update({ ...surroundings, theme: 'light', width: 600 });
    assert.deepEqual(app.methods(), []);
    app.send({ method: 'ui/notifications/initialized' });
    await waitFor(() => app.methods().length === 1, { what: 'the theme' });
    assert.deepEqual(app.got.at(-1)?.params, { theme: 'light' });
  });

  it('reports only the changed parts of the window context', async () => {
    const app = new TestApp();
    await app.begin();
    app.session.update({ ...surroundings, theme: 'light' });
    app.session.update({ ...surroundings, theme: 'light' });
    app.session.listChanged('tools');
    app.session.listChanged('resources');
    await waitFor(() => app.methods().length === 3, { what: 'three notifications' });
    assert.deepEqual(app.got.at(-3)?.params, { theme: 'light' });
    assert.deepEqual(app.methods().slice(1), [
      'notifications/tools/list_changed',
      'notifications/resources/list_changed',
    ]);
  });

  it('gives the app a moment to clean up before it ends @appSession.gives-app-moment', async () => {
    const app = new TestApp();
    await app.begin();
    await app.session.end();
    assert.equal(app.got.at(-1)?.method, 'ui/resource-teardown');
    const silent = new TestApp();
    await silent.session.connect();
    await silent.session.end();
    assert.deepEqual(silent.got, []);
  });

  it('continues after invalid messages, and is traced in both directions', async () => {
    const app = new TestApp();
    await app.session.connect();
    for (const text of ['', 'null', '[]', '7', '{', '{"jsonrpc":"1.0","id":1,"method":"ping"}', '{"jsonrpc":"2.0"}'])
      app.session.receive(text);
    assert.deepEqual((await app.request('ping')).result, {});
    assert.ok(
      app.traced.includes('received {"jsonrpc":"1.0","id":1,"method":"ping"}') &&
        app.traced.at(-1)?.startsWith('sent {'),
      app.traced.join(),
    );
  });

  it('offers sampling only where the server may request it', async () => {
    const createMessage = async () => ({
      role: 'assistant' as const,
      model: 'm',
      content: { type: 'text' as const, text: 'yes' },
    });
    const app = new TestApp({ createMessage });
    const { result } = await app.begin();
    assert.deepEqual((result?.hostCapabilities as { sampling?: object } | undefined)?.sampling, { tools: {} });
    const messages = [{ role: 'user', content: { type: 'text', text: 'well?' } }];
    const { result: said } = await app.request('sampling/createMessage', { messages, maxTokens: 10 });
    assert.deepEqual(said?.content, { type: 'text', text: 'yes' });
  });
});
