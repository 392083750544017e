import assert from 'node:assert/strict';
import { once } from 'node:events';
import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Tool } from '@modelcontextprotocol/client';
import { english } from '../../../../src/base/phrase';
import { appOf, isFor } from '../../../../src/host/catalog';
import { isSameButHeaders } from '../../../../src/host/catalog/tools';
import { parameterHeaderProblem } from '../../../../src/host/sdk/parameterHeaders';
import { raw } from '../../../setup/raw';
import { fixture, TestHost } from '../testHost';

const header = (name: unknown, type = 'string') => ({ type, 'x-mcp-header': name });
const object = (properties: Record<string, unknown>) => ({ type: 'object' as const, properties });

describe('parameter header declarations', () => {
  for (const [what, schema] of [
    ['none at all', object({ a: { type: 'string' } })],
    [
      'strings, integers and booleans',
      object({ a: header('A'), b: header('B', 'integer'), c: header('C', 'boolean') }),
    ],
    ['nested properties', object({ a: object({ b: header('Region') }) })],
    ['a property that has the name of the keyword', object({ 'x-mcp-header': { type: 'number' } })],
    ['properties that have the names of other keywords', object({ items: header('Items'), not: header('Not') })],
    ['a schema that is none', 'nonsense'],
  ] as const) {
    it(`may be ${what}`, () => assert.equal(parameterHeaderProblem(schema), undefined));
  }

  for (const [what, schema, problem] of [
    ['an empty name', object({ a: header('') }), /"a" has no valid name/],
    ['a name that is no string', object({ a: header(1) }), /no valid name/],
    ['a name with a line break', object({ a: header('A\r\nEvil: 1') }), /no valid name/],
    ['a name that is not ASCII', object({ a: header('Région') }), /no valid name/],
    ['a number', object({ a: header('A', 'number') }), /neither string, integer nor boolean/],
    ['an object', object({ a: header('A', 'object') }), /neither/],
    [
      'the same name in another case',
      object({ a: header('Name'), b: header('name') }),
      /"b" has the same name as another header/,
    ],
    ['the schema itself', { ...object({}), ...header('A') }, /is on a property/],
    ['items of an array', object({ a: { type: 'array', items: header('A') } }), /"a\.items" is on/],
    ['one of several schemas', { anyOf: [{}, object({ a: header('A') })] }, /is on a property/],
    ['definitions', { $defs: { a: header('A') } }, /is on a property/],
  ] as const) {
    it(`may not be ${what} @tools.may-not-be`, () =>
      assert.match(english(parameterHeaderProblem(schema) ?? ''), problem));
  }

  it('are not searched in an endless schema', () => {
    let schema: unknown = header('');
    for (let depth = 0; depth < 100_000; depth++) schema = { items: schema };
    assert.equal(parameterHeaderProblem(schema), undefined);
  });
});

describe('a tool with invalid parameter headers', () => {
  const good = { name: 'good', inputSchema: object({ region: header('Region') }) };
  const bad = { name: 'bad', inputSchema: object({ region: header('') }) };
  const results: Record<string, unknown> = {
    'server/discover': { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } },
    'tools/list': { tools: [bad, good] },
    'tools/call': { content: [] },
  };
  let test: TestHost;
  beforeEach(() => {
    test = new TestHost();
  });
  afterEach(() => test.close());

  it('is left out over HTTP with the reason, and the other tools are called with theirs @tools.left-http-reason', async () => {
    const seen: http.IncomingHttpHeaders[] = [];
    const server = http.createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      seen.push(request.headers);
      response.setHeader('Content-Type', 'application/json').end(answer(results, JSON.parse(body || '{}')));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    try {
      test.configure({ remote: { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` } });
      const connection = await test.loads('remote');
      const { items, excluded } = connection.catalog.list('tools');
      assert.deepEqual([items.map(({ name }) => name), excluded?.map(({ name }) => name)], [['good'], ['bad']]);
      assert.match(english(excluded?.[0]?.reason ?? ''), /region/);
      assert.ok(test.logged(/^the tool bad was skipped: .*region/));
      await raw(connection).callTool(items[0]!, { region: 'west' });
      assert.equal(seen.at(-1)?.['mcp-param-region'], 'west');
    } finally {
      await test.close();
      server.close();
    }
  });

  it('is kept over stdio, which has no headers', async () => {
    const script = `const answer = ${answer};
      require('readline').createInterface({ input: process.stdin }).on('line', line =>
        console.log(answer(${JSON.stringify(results)}, JSON.parse(line))));`;
    test.configure({ local: { command: process.execPath, args: ['-e', script] } });
    const { items, excluded } = (await test.loads('local')).catalog.list('tools');
    assert.deepEqual([items.map(({ name }) => name), excluded], [['bad', 'good'], undefined]);
  });
});

describe('a tool whose parameter headers changed since it was listed', () => {
  /** A server whose tool wants its region in the header of the last name; each list gives the next name. */
  async function serve(names: readonly string[], use: (test: TestHost, calls: http.IncomingHttpHeaders[]) => unknown) {
    const calls: http.IncomingHttpHeaders[] = [];
    let lists = 0;
    const server = http.createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      const message = JSON.parse(body || '{}');
      if (message.method === 'tools/call') calls.push(request.headers);
      const isRefused = message.method === 'tools/call' && !request.headers[`mcp-param-${names.at(-1)}`];
      const name = message.method === 'tools/list' ? (names[lists++] ?? 'never') : '';
      const error = { code: -32020, message: 'Header mismatch' };
      response.writeHead(isRefused ? 400 : 200, { 'Content-Type': 'application/json' });
      response.end(
        isRefused
          ? JSON.stringify({ jsonrpc: '2.0', id: message.id, error })
          : answer(
              {
                'server/discover': { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } },
                'tools/list': { tools: [{ name: 'tool', inputSchema: object({ region: header(name) }) }] },
                'tools/call': { content: [] },
              },
              message,
            ),
      );
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const test = new TestHost();
    try {
      test.configure({ remote: { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` } });
      await test.loads('remote');
      await use(test, calls);
    } finally {
      await test.close();
      server.close();
    }
  }

  it('is listed again and called once more, with the same arguments and new headers @tools.listed-called-once', () =>
    serve(['old', 'new'], async (test, calls) => {
      const connection = test.server('remote');
      await raw(connection).callTool(connection.catalog.tools[0]!, { region: 'west' });
      assert.deepEqual(
        calls.map(headers => [headers['mcp-param-old'], headers['mcp-param-new']]),
        [
          ['west', undefined],
          [undefined, 'west'],
        ],
      );
    }));

  it("is not called a third time: the error names the server's refusal", () =>
    serve(['old', 'older', 'new'], async (test, calls) => {
      const connection = test.server('remote');
      await assert.rejects(
        raw(connection).callTool(connection.catalog.tools[0]!, { region: 'west' }),
        /"remote" could not call tool: it answered with error -32020, .*Header mismatch/,
      );
      assert.equal(calls.length, 2);
    }));
});

describe('a tool with changed parameter headers', () => {
  const tool = (name: string, more: Partial<Tool> = {}): Tool =>
    ({ name: 'tool', inputSchema: object({ region: header(name) }), ...more }) as Tool;

  it('is the same tool for approvals', () => {
    assert.ok(isSameButHeaders(tool('old'), tool('new')));
  });

  it('is another tool when anything else has changed', () => {
    assert.ok(!isSameButHeaders(tool('old'), tool('new', { description: 'Also deletes everything' })));
    assert.ok(!isSameButHeaders(tool('old'), tool('new', { annotations: { readOnlyHint: true } })));
  });
});

/** A server of the modern era in one function, which can be sent to another process as text. */
function answer(results: Record<string, unknown>, { id, method }: { id?: unknown; method?: string }): string {
  const result = results[String(method)];
  const extra = { resultType: 'complete', ttlMs: 0, cacheScope: 'private', serverInfo: { name: 's', version: '1' } };
  const error = { code: -32601, message: 'not there' };
  return JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result: { ...extra, ...result } } : { error }) });
}

const of = (visibility: unknown) => ({ _meta: { ui: { visibility } } });

describe('tools of MCP Apps', () => {
  it('are for models and apps, unless the server declares otherwise', () => {
    const who = (tool: Parameters<typeof isFor>[1]) => (['model', 'app'] as const).filter(who => isFor(who, tool));
    assert.deepEqual(who({}), ['model', 'app']);
    assert.deepEqual(who({ _meta: {} }), ['model', 'app']);
    assert.deepEqual(who({ _meta: { ui: 'app' } }), ['model', 'app']);
    assert.deepEqual(who(of(undefined)), ['model', 'app']);
    assert.deepEqual(who(of(['model', 'app'])), ['model', 'app']);
    assert.deepEqual(who(of(['app'])), ['app']);
    assert.deepEqual(who(of(['model'])), ['model']);
    assert.deepEqual(who(of('app')), ['app'], 'a word in place of a list');
    assert.deepEqual(who(of([])), []);
    assert.deepEqual(who(of([{}, 'models'])), []);
  });

  it('name their app in the current or the earlier form', () => {
    const app = (_meta: Record<string, unknown>) => appOf({ _meta });
    assert.equal(app({ ui: { resourceUri: 'ui://a/b' } }), 'ui://a/b');
    assert.equal(app({ 'ui/resourceUri': 'ui://old' }), 'ui://old');
    assert.equal(app({ ui: { resourceUri: 'ui://new' }, 'ui/resourceUri': 'ui://old' }), 'ui://new');
    assert.equal(app({ ui: { resourceUri: 'https://elsewhere' } }), undefined);
    assert.equal(app({ ui: { resourceUri: 7 } }), undefined);
    assert.equal(appOf({}), undefined);
  });

  for (const drawsApps of [true, false]) {
    it(`are hidden by a server from a client that draws ${drawsApps ? 'apps: not from this' : 'none'} @tools.hidden-server-client`, async () => {
      await using test = new TestHost({ drawsApps });
      test.configure({ apps: fixture('apps', '--gated') });
      const server = await test.loads('apps');
      const named = server.catalog.tools.map(({ name }) => name);
      assert.equal(named.includes('show_board'), drawsApps, named.join());
      assert.ok(named.includes('say'));
    });
  }
});
