import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { sep } from 'node:path';
import { inRepository } from '../setup/paths';
import { ERAS, TestGateway } from './gateway/testGateway';
import { fixture, hostile } from './host/testHost';

/** From whoever wants a call to the pipe that takes it, both included. */
const MOST_FILES = 8;
const SERVERS = { legacy: hostile(), modern: fixture('content') };

const read = (path: string) => readFileSync(inRepository(path), 'utf8');

/** The list in ARCHITECTURE.md: what each step names. */
function documented(): string[][] {
  const [, list = ''] =
    /\*\*A tool call\*\*[\s\S]*?\n\n((?:\d\. .*\n(?: {3}.*\n)*)+)/.exec(read('ARCHITECTURE.md')) ?? [];
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

describe('the path of a tool call', () => {
  let gateway: TestGateway;
  beforeEach(() => {
    gateway = new TestGateway();
  });
  afterEach(() => gateway.close());

  it('is at most eight files long', () => {
    const steps = documented();
    assert.ok(steps.length > 2 && steps.length <= MOST_FILES, String(steps.length));
    assert.ok(steps.every(([file]) => file !== undefined));
  });

  for (const era of ERAS) {
    it(`passes the files in ARCHITECTURE.md, each once: ${era}`, async () => {
      await gateway.serve({ one: SERVERS[era] });
      const client = await gateway.connect('one', era);
      const [tool] = (await client.listTools()).tools;
      const { trace } = gateway.test.host;
      const write = trace.write.bind(trace);
      let way: string[] = [];
      trace.write = (server, direction, text) => {
        if (direction === 'sent' && text.includes('"tools/call"')) way = filesOnStack();
        write(server, direction, text);
      };
      await client.callTool({ name: tool!.name, arguments: { text: 'hello' } });
      const [callers, ...steps] = documented();
      const caller = way.findLastIndex(file => callers!.includes(file));
      const pipe = way.indexOf(steps.at(-1)![0]!);
      assert.deepEqual(
        way.slice(caller + 1, pipe + 1),
        steps.map(([file]) => file),
      );
      assert.equal(way[caller], 'src/gateway/passThrough.ts');
    });
  }

  it('begins with the caller, and has one owner', () => {
    const files = readdirSync(inRepository('src'), { recursive: true, encoding: 'utf8' });
    const sources = files.filter(file => file.endsWith('.ts')).map(file => `src/${file.replaceAll(sep, '/')}`);
    const that = (pattern: RegExp) => sources.filter(file => pattern.test(read(file))).sort();
    assert.deepEqual(that(/\bcalls\.approve\(/), documented()[0]!.sort());
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
