import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { sep } from 'node:path';
import { ResourceReader } from '../../src/features/resources/core/resourceReader';
import type { McpHost } from '../../src/host';
import type { HostPorts } from '../../src/host/definition';
import { startHttpFixture } from '../servers/spawn';
import { inRepository } from '../setup/paths';
import { raw } from '../setup/raw';
import { ERAS, TestGateway } from './gateway/testGateway';
import { fixture, hostile, TestHost } from './host/testHost';

/** The most files of a path, from whoever wants something to where it ends. */
const MOST_FILES = 8;
const SERVERS = { legacy: hostile(), modern: fixture('content') };

const read = (path: string) => readFileSync(inRepository(path), 'utf8');

/** The list of a path in ARCHITECTURE.md: the files that each step names. */
function documented(path: string): string[][] {
  const [, list = ''] =
    new RegExp(`\\*\\*${path}\\*\\*[\\s\\S]*?\\n\\n((?:\\d\\. .*\\n(?: {3}.*\\n)*)+)`).exec(read('ARCHITECTURE.md')) ??
    [];
  const steps = list.split(/^\d\. /m).slice(1);
  return steps.map(step => [...step.matchAll(/`([\w/]+\.ts)`/g)].map(([, file]) => `src/${file}`));
}

/** Our own files on the stack, and those that wait for them; the outermost first, and each once in a row. */
function filesOnStack(): string[] {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = Number.POSITIVE_INFINITY;
  const { stack = '' } = new Error('where we are');
  Error.stackTraceLimit = stackTraceLimit;
  const frames = [...stack.replaceAll('\\', '/').matchAll(/\/out\/(src\/.*)\.js:\d+:\d+/g)];
  const files = frames.map(([, file]) => `${file}.ts`).reverse();
  return files.filter((file, at) => file !== files[at - 1]);
}

/** The same, each where it is first passed. */
const filesPassed = () => [...new Set(filesOnStack())];

/** What `look` returns when a message with this text is sent. */
async function whenSent(host: McpHost, text: string, run: () => Promise<unknown>): Promise<string[]> {
  const { trace } = host;
  const write = trace.write.bind(trace);
  let way: string[] = [];
  trace.write = (server, direction, message) => {
    if (direction === 'sent' && message.includes(text)) way = filesOnStack();
    write(server, direction, message);
  };
  await run();
  return way;
}

describe('the paths in ARCHITECTURE.md', () => {
  for (const path of ['A settings entry', 'A tool call', 'A question of a server', 'A resource']) {
    it(`are at most eight files long: ${path}`, () => {
      const steps = documented(path);
      assert.ok(steps.length > 2 && steps.length <= MOST_FILES, String(steps.length));
      for (const files of steps) assert.ok(files.length > 0 && files.every(file => existsSync(inRepository(file))));
    });
  }
});

describe('the path of a tool call', () => {
  let gateway: TestGateway;
  beforeEach(() => {
    gateway = new TestGateway();
  });
  afterEach(() => gateway.close());

  for (const era of ERAS) {
    it(`passes the files in ARCHITECTURE.md, each once: ${era}`, async () => {
      await gateway.serve({ one: SERVERS[era] });
      const client = await gateway.connect('one', era);
      const [tool] = (await client.listTools()).tools;
      const way = await whenSent(gateway.test.host, '"tools/call"', () =>
        client.callTool({ name: tool!.name, arguments: { text: 'hello' } }),
      );
      const [callers, ...steps] = documented('A tool call');
      const caller = way.findLastIndex(file => callers!.includes(file));
      const pipe = way.indexOf(steps.at(-1)![0]!);
      assert.deepEqual(
        way.slice(caller + 1, pipe + 1),
        steps.map(([file]) => file),
      );
      assert.equal(way[caller], 'src/gateway/passThrough.ts');
    });
  }

  it('begins with the caller, and has one owner @ways.begins-caller-owner', () => {
    const files = readdirSync(inRepository('src'), { recursive: true, encoding: 'utf8' });
    const sources = files.filter(file => file.endsWith('.ts')).map(file => `src/${file.replaceAll(sep, '/')}`);
    const that = (pattern: RegExp) => sources.filter(file => pattern.test(read(file))).sort();
    assert.deepEqual(that(/\bcalls\.approve\(/), documented('A tool call')[0]!.sort());
    assert.deepEqual(that(/\bapproveTest\(/), [
      'src/features/authors/core/testSession.ts',
      'src/features/trust/core/toolCalls.ts',
    ]);
    // Owners of hosts give it to their policy. `extension.ts` gives it to tests in the extension host.
    assert.deepEqual(that(/\bhost\.requests\b/), [
      'src/extension.ts',
      'src/features/authors/core/oneRequest.ts',
      'src/features/authors/core/testSession.ts',
      'src/startServers.ts',
    ]);
  });
});

describe('the path of a settings entry', () => {
  for (const era of ERAS) {
    it(`passes the files in ARCHITECTURE.md, from the host to the state of a row: ${era}`, async () => {
      const states: string[][] = [];
      await using test = new TestHost();
      test.host.trace.limit({ messages: 100, size: 1_000_000 });
      test.host.onDidChangeServer(({ what }) => what === 'state' && states.push(filesPassed()));
      const handshake = await whenSent(test.host, era === 'legacy' ? '"initialize"' : '"server/discover"', () => {
        test.configure({ one: SERVERS[era] });
        return test.reaches('one', 'ready');
      });
      const [settings, servers, ...steps] = documented('A settings entry').map(([file]) => file!);
      const row = steps.pop()!;
      const [starting = [], ready = []] = states;
      const announced = steps.at(-1)!;
      assert.ok(starting.includes(announced) && ready.includes(announced));
      const passed = new Set([...starting.filter(file => file !== announced), ...handshake, ...ready]);
      assert.deepEqual(
        [...passed].filter(file => steps.includes(file)),
        steps,
      );
      assert.match(read(servers!), /this\.configuration\.servers[\s\S]*host\.reconcile\(/);
      assert.match(read(settings!), /class Configuration\b/);
      assert.match(read(row), /servers\.onDidChange\(/);
    });
  }
});

describe("the path of a server's question", () => {
  for (const era of ERAS) {
    it(`passes the files in ARCHITECTURE.md: ${era}`, async () => {
      const http = era === 'modern' ? await startHttpFixture() : undefined;
      let way: string[] = [];
      const elicitation: HostPorts['elicitation'] = {
        capability: () => ({ form: {} }),
        elicit: async () => {
          way = filesPassed();
          return { action: 'decline' };
        },
        completed: () => undefined,
        visit: async () => false,
      };
      await using test = new TestHost({ elicitation });
      try {
        test.configure({ one: http ? { type: 'http', url: http.url('/modern') } : hostile('--elicit') });
        const server = await test.loads('one');
        const ask = server.catalog.tools.find(({ name }) => name === 'ask')!;
        const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } };
        await raw(server).callTool(ask, { params: { message: 'Who?', requestedSchema } });
      } finally {
        await http?.stop();
      }
      const steps = documented('A question of a server').slice(0, -1);
      // Between a program's pipe and the handler, the SDK leaves no trace on the stack.
      const seen = era === 'modern' ? steps : steps.slice(2);
      assert.equal(way.length, seen.length, way.join());
      assert.ok(
        seen.every((files, at) => files.includes(way[at]!)),
        way.join(),
      );
    });
  }
});

describe('the path of a resource to an editor', () => {
  for (const era of ERAS) {
    it(`passes the files in ARCHITECTURE.md: ${era}`, async () => {
      const gateway = new TestGateway();
      try {
        await gateway.serve({ one: SERVERS[era] });
        const { host } = gateway.test;
        const server = await gateway.test.loads('one');
        const person = gateway.requests.as({ origin: 'palette' });
        const servers = {
          all: [server],
          get: () => server,
          trace: undefined,
          byHand: () => person(server),
          onDidChange: host.onDidChangeServer,
        };
        const reader = new ResourceReader(servers, true);
        const uri = server.catalog.resources[0]!.uri;
        const way = await whenSent(host, '"resources/read"', () => reader.read({ serverId: 'one', uri }));
        reader.dispose();
        const steps = documented('A resource').slice(1);
        const passed = [...new Set(way)].slice(0, steps.length);
        assert.ok(
          steps.every((files, at) => files.includes(passed[at]!)),
          passed.join(),
        );
      } finally {
        await gateway.close();
      }
    });
  }
});
