import assert from 'node:assert/strict';
import type { Tool } from '@modelcontextprotocol/client';
import { english } from '../../../../../src/base/phrase';
import {
  Flow,
  type FlowMark,
  type FlowRead,
  parseReads,
  proposedMarks,
  Trail,
} from '../../../../../src/features/trust/core/flow';
import type { ServerConnection } from '../../../../../src/host';
import type { KeptScope } from '../../../../../src/host/definition';
import type { ServerEntry } from '../../../../../src/host/settings';

const stdio = (command: string, ...args: string[]) => ({ entry: { type: 'stdio', command, args } as ServerEntry });
const http = (url: string, headers: Record<string, string> = {}) => ({
  entry: { type: 'http', url, headers } as unknown as ServerEntry,
});
const tool = (annotations?: Tool['annotations']): Tool => ({
  name: 'x',
  inputSchema: { type: 'object' },
  ...(annotations && { annotations }),
});
const marksOf = (...given: Parameters<typeof proposedMarks>) => [...proposedMarks(...given).keys()].sort().join(' ');

describe('marks of a server', () => {
  it('are proposed from explicit hints of its tools only', () => {
    assert.equal(marksOf(stdio('node', 'server.js'), [tool(), tool({ readOnlyHint: false })], false), '');
    assert.equal(marksOf(stdio('node', 'server.js'), [tool({ openWorldHint: false })], false), '');
    assert.equal(
      marksOf(stdio('node', 'server.js'), [tool(), tool({ openWorldHint: true })], false),
      'sends untrusted',
    );
  });

  it('are proposed from where it is, and from whom it knows', () => {
    assert.equal(marksOf(http('https://example.com/mcp'), [], false), 'sends');
    assert.equal(marksOf(http('https://example.com/mcp'), [], true), 'private sends');
    assert.equal(marksOf(http('https://example.com/mcp', { 'X-Api-Key': 'a' }), [], false), 'private sends');
    for (const near of ['http://localhost:3000/mcp', 'http://127.0.0.1/mcp', 'http://[::1]:1/'])
      assert.equal(marksOf(http(near), [], false), '');
    for (const odd of ['http://localhost.example.com/', 'http://127.0.0.1.example.com/', 'no address'])
      assert.equal(marksOf(http(odd), [], false), 'sends', odd);
    assert.equal(marksOf({ entry: undefined }, [], false), '');
  });

  it('are proposed for a few packages, by their whole name, with version, tag, folder or digest', () => {
    const name = '@modelcontextprotocol/server-filesystem';
    for (const word of [name, `${name}@1.0.0`, `${name}@latest`, `/usr/lib/${name}`])
      assert.equal(marksOf(stdio('npx', '-y', word, '.'), [], false), 'private', word);
    for (const word of ['mcp-server-fetch', 'mcp-server-fetch==2.0', 'mcp-server-fetch@1'])
      assert.equal(marksOf(stdio('uvx', word), [], false), 'sends untrusted', word);
    for (const word of ['ghcr.io/github/github-mcp-server', 'r.example:5000/github/github-mcp-server:v1@sha256:00'])
      assert.equal(marksOf(stdio('docker', 'run', word), [], false), 'private sends untrusted', word);
    for (const word of ['my-server-fetcher', 'server-fetch.js', '@', '', '@@@', 'a'.repeat(100_000)])
      assert.equal(marksOf(stdio('npx', word), [], false), '', word.slice(0, 20));
    const script = `/srv/node_modules/${name}/dist/index.js`;
    const wrapped = { sh: ['-c', `npx ${name} .`], npx: [`--package=${name}`, 'x'], node: [script] };
    for (const [command, args] of Object.entries(wrapped))
      assert.equal(marksOf(stdio(command, ...args), [], false), 'private', args.join(' '));
  });

  it('is that a program can send data out if its arguments have an address of another machine, whatever its tools say', () => {
    const bridge = (url: string) =>
      marksOf(stdio('npx', 'mcp-remote', url), [{ annotations: { openWorldHint: false } }], false);
    assert.equal(bridge('https://mcp.example/mcp'), 'sends');
    assert.equal(bridge('--url=wss://mcp.example'), 'sends');
    for (const url of ['http://localhost:3000/mcp', 'http://127.0.0.1/', 'https', 'https://'])
      assert.equal(bridge(url), '', url);
  });
});

describe('flow of data', () => {
  let servers: Map<string, ServerConnection>;
  let kept: Record<string, unknown>;
  let added: Record<string, unknown[]>;
  let isOn: boolean;
  let flow: Flow;
  const server = (id: string, marks?: readonly FlowMark[], more: object = {}): ServerConnection => {
    const made = {
      id,
      name: id,
      definition: { id, name: id, launch: 'one', ...stdio('node', id), source: { scope: 'user' } },
      catalog: { tools: [] },
      account: {},
      ...more,
    } as unknown as ServerConnection;
    if (marks) kept[id] = { launch: 'one', marks };
    servers.set(id, made);
    return made;
  };
  const reason = (of: ServerConnection, trail: Trail | undefined, more: object = {}) => {
    const because = flow.reason({ server: of, tool: tool(), origin: 'chat', trail, ...more });
    return because && english(because);
  };

  beforeEach(() => {
    [servers, kept, added, isOn] = [new Map(), {}, {}, true];
    const store = {
      marks: {
        get: () => kept,
        set: async (_scope: KeptScope, marks: object) => {
          kept = { ...marks };
        },
      },
      keptReads: undefined,
      keepReads: () => {},
    };
    flow = new Flow(
      store,
      () => ({ isOn, added: ({ name }) => added[name] ?? [] }),
      id => servers.get(id),
    );
  });

  it('requires a question once both kinds were read, in either order, only for servers that can send @flow.requires-question-once', () => {
    const [notes, web, mail] = [server('notes', ['private']), server('web', ['untrusted']), server('mail', ['sends'])];
    for (const order of [
      [notes, web],
      [web, notes],
    ]) {
      const trail = new Trail();
      flow.read(order[0]!, trail);
      assert.equal(reason(mail, trail), undefined);
      flow.read(order[1]!, trail);
      assert.match(reason(mail, trail) ?? '', /private data \(from notes\).*others may have written \(from web\)/);
      for (const harmless of [notes, web]) assert.equal(reason(harmless, trail), undefined);
    }
  });

  it('counts one server that is everything, and does not believe its hints once the person has marked it @flow.counts-server-believe', () => {
    const all = server('all', ['private', 'untrusted', 'sends']);
    const trail = new Trail();
    assert.equal(reason(all, trail), undefined);
    flow.read(all, trail);
    for (const hints of [undefined, { readOnlyHint: true }, { openWorldHint: false }])
      assert.ok(reason(all, trail, { tool: tool(hints) }), JSON.stringify(hints));
  });

  it('requires no question for closed-world calls that stay with a server whose marks are only proposed', () => {
    const all = server('all', undefined, { catalog: { tools: [tool({ openWorldHint: true })] } });
    added.all = ['private'];
    const trail = new Trail();
    flow.read(all, trail);
    assert.ok(reason(all, trail));
    assert.ok(reason(all, trail, { tool: tool({ readOnlyHint: true, openWorldHint: true }) }));
    assert.equal(reason(all, trail, { tool: tool({ readOnlyHint: true }) }), undefined);
    assert.equal(reason(all, trail, { tool: tool({ openWorldHint: false }) }), undefined);
    flow.read(server('notes', ['private']), trail);
    assert.ok(reason(all, trail, { tool: tool({ readOnlyHint: true }) }), 'what is read would be told of the notes');
  });

  it('requires a question for what a remote server calls a closed world: a hint weakens no fact @flow.requires-question-remote', () => {
    const remote = server('remote', undefined, {
      definition: {
        id: 'remote',
        name: 'remote',
        launch: 'one',
        source: { scope: 'user' },
        ...http('https://example.com/mcp'),
      },
    });
    const trail = new Trail();
    flow.read(server('both', ['private', 'untrusted']), trail);
    for (const hints of [{ openWorldHint: false }, { openWorldHint: false, readOnlyHint: true }])
      assert.ok(reason(remote, trail, { tool: tool(hints) }), JSON.stringify(hints));
  });

  it('requires a question for a listed resource, too, where data of another server could be told by which one is read @flow.requires-question-listed', () => {
    const listed = { isRequest: true, tool: tool({ readOnlyHint: true, openWorldHint: false }) };
    const mail = server('mail', ['private', 'untrusted', 'sends']);
    const trail = new Trail();
    flow.read(mail, trail);
    assert.equal(reason(mail, trail, listed), undefined);
    flow.read(server('notes', ['private']), trail);
    assert.ok(reason(mail, trail, listed));
    assert.ok(reason(mail, trail, { ...listed, ofSkill: 'file' }), 'one of many files of a skill');
    assert.equal(reason(mail, trail, { ...listed, ofSkill: 'instructions' }), undefined);
    const hinting = server('hinting', undefined, { catalog: { tools: [tool({ openWorldHint: true })] } });
    assert.equal(reason(hinting, trail, listed), undefined);
  });

  it('is tracked by conversation @flow.tracked-conversation', () => {
    const [both, mail] = [server('both', ['private', 'untrusted']), server('mail', ['sends'])];
    flow.read(both, flow.trailOf('one'));
    assert.ok(reason(mail, flow.trailOf('one')));
    assert.equal(reason(mail, flow.trailOf('two')), undefined);
    assert.equal(reason(mail, new Trail()), undefined);
  });

  it('assumes the worst when the conversation is unknown @flow.assumes-worst', () => {
    const [notes, web, mail] = [server('notes', ['private']), server('web', ['untrusted']), server('mail', ['sends'])];
    flow.read(notes, flow.trailOf('one'));
    flow.read(web);
    assert.ok(reason(mail, undefined));
    assert.ok(reason(mail, flow.trailOf('one')));
    assert.equal(reason(mail, flow.trailOf('two')), undefined);
    assert.equal(reason(mail, new Trail()), undefined, 'our own chat and apps know what they have read');
  });

  it('forgets no conversation, however many there are @flow.forgets-conversation', () => {
    const [both, mail] = [server('both', ['private', 'untrusted']), server('mail', ['sends'])];
    flow.read(both, flow.trailOf('first'));
    for (let i = 0; i < 300; i++) flow.trailOf(`c${i}`);
    assert.ok(reason(mail, flow.trailOf('first')));
  });

  it('knows what was read in a chat, also if an answer was kept without it', () => {
    const [all, mail] = [server('all', ['private', 'untrusted']), server('mail', ['sends'])];
    flow.read(all, flow.trailOfChat('one', [], []));
    assert.ok(reason(mail, flow.trailOfChat('one', ['docs'], [])));
    assert.deepEqual([...flow.trailOfChat('one', [], []).skills], ['docs']);
    assert.equal(reason(mail, flow.trailOfChat('two', [], [])), undefined);
    assert.ok(reason(mail, flow.trailOfChat('an answer is lost', [], [], true)));
    const reads = [{ server: 'all', private: true, untrusted: true }];
    assert.ok(reason(mail, flow.trailOfChat('restored', [], reads)));
  });

  it('uses the marks of now and those at the time of reading', async () => {
    const [both, mail] = [server('both', []), server('mail', ['sends'])];
    const trail = new Trail();
    flow.read(both, trail);
    assert.equal(reason(mail, trail), undefined);
    await flow.mark(both, ['private', 'untrusted']);
    assert.ok(reason(mail, trail));
    const later = new Trail();
    flow.read(both, later);
    await flow.mark(both, []);
    assert.ok(reason(mail, later));
    servers.delete('both');
    assert.ok(reason(mail, later));
  });

  it('requires no question for calls that a person typed, nor when off', () => {
    const all = server('all', ['private', 'untrusted', 'sends']);
    const trail = new Trail();
    flow.read(all, trail);
    assert.equal(reason(all, trail, { origin: 'palette' }), undefined);
    isOn = false;
    assert.equal(reason(all, trail), undefined);
  });

  it('requires a question about what a skill wants from another server, even when off', () => {
    isOn = false;
    const [docs, other] = [server('docs'), server('other')];
    const trail = new Trail(['docs']);
    assert.match(reason(other, trail, { isRequest: true }) ?? '', /skill of docs.*read from other/);
    assert.equal(reason(docs, trail, { isRequest: true }), undefined);
    assert.equal(reason(other, trail), undefined);
  });

  it('lets settings only add marks; removed marks return for another program @flow.lets-settings-add', () => {
    const one = server('one', ['private']);
    added.one = ['sends', 'nothing', 5];
    assert.deepEqual(
      [...flow.marks(one)],
      [
        ['private', 'person'],
        ['sends', 'settings'],
      ],
    );
    const world = { catalog: { tools: [tool({ openWorldHint: true })] } };
    const quiet = server('quiet', [], world);
    assert.deepEqual([...flow.marks(quiet)], []);
    kept.quiet = { launch: 'another', marks: ['private'] };
    assert.deepEqual([...flow.marks(quiet).keys()].sort(), ['private', 'sends', 'untrusted']);
    for (const odd of [null, 5, 'x', { launch: 1, marks: [] }, { launch: 'one' }]) {
      kept.quiet = odd;
      assert.deepEqual([...flow.marks(quiet).keys()], ['untrusted', 'sends'], JSON.stringify(odd));
    }
  });

  it('reads what was stored with an answer, whatever it contains', () => {
    const read: FlowRead = { server: 'a', private: true, untrusted: false };
    assert.deepEqual(parseReads([read, null, 5, { server: 1 }, { server: 'b', private: 'yes' }]), [
      read,
      { server: 'b', private: false, untrusted: false },
    ]);
    for (const odd of [undefined, null, 'x', { 0: read }]) assert.deepEqual(parseReads(odd), []);
    const later = { server: 'late', private: false, untrusted: true };
    assert.deepEqual(parseReads([...Array(1_000).fill(read), later]).at(-1), later, 'each answer repeats all reads');
  });
});
