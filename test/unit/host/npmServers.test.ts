import assert from 'node:assert/strict';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ServerConnection } from '../../../src/host';
import type { ElicitationPort, SamplingPort } from '../../../src/host/definition';
import { npmServerPath, startEverything } from '../../servers/npm';
import { waitFor } from '../../servers/spawn';
import { temporaryFolder } from '../../setup/paths';
import { raw } from '../../setup/raw';
import { TestHost } from './testHost';

/** A model that always says the same. */
const answers: SamplingPort = {
  capability: () => ({ tools: {} }),
  createMessage: async () => ({
    role: 'assistant',
    model: 'test',
    content: { type: 'text', text: 'hello from the model' },
    stopReason: 'endTurn',
  }),
};

/** A person who fills in their name. */
const accepts: ElicitationPort = {
  capability: () => ({ form: {}, url: {} }),
  elicit: async () => ({ action: 'accept', content: { name: 'Ada' } }),
  visit: async () => false,
  completed: () => {},
};

/** Servers that nobody here wrote, as people have them from npm. */
describe('a server from npm', () => {
  let test: TestHost;
  let folder: string;
  beforeEach(async () => {
    test = new TestHost();
    folder = temporaryFolder();
    test.roots.items = [{ uri: pathToFileURL(folder).href, name: 'root' }];
  });
  afterEach(async () => {
    await test.close();
  });

  const node = (name: 'everything' | 'filesystem' | 'memory', ...args: string[]) => ({
    command: process.execPath,
    args: [npmServerPath(name), ...args],
  });
  const counts = ({ catalog }: ServerConnection) => [
    catalog.tools.length,
    catalog.prompts.length,
    catalog.resources.length,
    catalog.resourceTemplates.length,
  ];

  for (const transport of ['stdio', 'streamableHttp', 'sse'] as const) {
    it(`server-everything over ${transport}: every list, a read and its log arrive`, async () => {
      const remote = transport === 'stdio' ? undefined : await startEverything(transport);
      try {
        test.configure({
          everything: remote ? { url: remote.url(transport === 'sse' ? '/sse' : '/mcp') } : node('everything', 'stdio'),
        });
        const server = await test.loads('everything');
        assert.equal(server.info?.implementation?.title, 'Everything Reference Server');
        assert.match(server.info?.instructions ?? '', /Server Instructions/);
        await waitFor(() => counts(server).join() === '14,4,7,2', {
          what: () => `all it offers; it has ${counts(server)}`,
        });
        const uri = server.catalog.resources[0]!.uri;
        const { contents } = await raw(server).readResource(uri);
        assert.ok('text' in contents[0]! && contents[0].text.length > 0);
        // Over HTTP what it asks before its event stream is open is lost: it asks again when they change.
        let changes = 0;
        const hasAsked = () => {
          if (test.logged(/received from client/)) return true;
          test.roots.items = [{ uri: pathToFileURL(folder).href, name: `root ${++changes}` }];
          test.roots.changed.fire();
          return false;
        };
        await waitFor(hasAsked, { what: 'its log line about the roots' });
      } finally {
        await remote?.stop();
      }
    });
  }

  for (const transport of ['stdio', 'streamableHttp'] as const) {
    it(`server-everything over ${transport}: offers all 19 tools, and those that ask by tasks work @npmServers.server-offers-19`, async () => {
      const remote = transport === 'stdio' ? undefined : await startEverything(transport);
      const asking = new TestHost({ sampling: answers, elicitation: accepts });
      try {
        asking.configure({ everything: remote ? { url: remote.url('/mcp') } : node('everything', 'stdio') });
        const server = await asking.loads('everything');
        await waitFor(() => server.catalog.tools.length === 19, {
          what: () => `all tools; it has ${server.catalog.tools.map(({ name }) => name)}`,
        });
        const call = async (name: string, args: Record<string, unknown>) => {
          const tool = server.catalog.tools.find(one => one.name === name) ?? assert.fail(name);
          const { content } = await raw(server).callTool(tool, args);
          return content.map(part => (part.type === 'text' ? part.text : part.type)).join('\n');
        };
        const sampled = await call('trigger-sampling-request-async', { prompt: 'Say hello', maxTokens: 10 });
        assert.match(sampled, /\[COMPLETED\][\s\S]*Poll 1: completed[\s\S]*related-task[\s\S]*hello from the model/);
        const elicited = await call('trigger-elicitation-request-async', {});
        assert.match(elicited, /\[COMPLETED\] User provided the requested information![\s\S]*Name: Ada/);
        assert.ok(asking.logged(/its elicitation\/create is task [0-9a-f-]{36}/));
        assert.deepEqual(
          asking.logs.filter(({ level, source }) => level === 'warning' && source === 'lifecycle'),
          [],
        );
      } finally {
        await asking.close();
        await remote?.stop();
      }
    });
  }

  it('server-filesystem accesses the roots and nothing else', async () => {
    test.configure({ files: node('filesystem', folder) });
    const server = await test.loads('files');
    assert.deepEqual(counts(server), [14, 0, 0, 0]);
    const allowed = () =>
      raw(server).request('call list_allowed_directories', (client, options) =>
        client.callTool({ name: 'list_allowed_directories' }, options),
      );
    const inJson = JSON.stringify(folder).slice(1, -1);
    await waitFor(async () => JSON.stringify(await allowed()).includes(inJson), { what: 'the root to be allowed' });
  });

  it('server-filesystem without a readable folder fails with its output', async () => {
    test.configure({ files: node('filesystem', join(folder, 'missing')) });
    const { error } = await test.reaches('files', 'failed');
    assert.match(error.message, /"files" could not start: .*None of the specified directories are accessible/);
  });

  it('server-memory: its graph can be read', async () => {
    test.configure({ memory: { ...node('memory'), env: { MEMORY_FILE_PATH: join(folder, 'memory.json') } } });
    const server = await test.loads('memory');
    assert.deepEqual(counts(server), [9, 0, 1, 0]);
    const { contents } = await raw(server).readResource('memory://knowledge-graph');
    assert.equal(contents[0]?.mimeType, 'application/json');
  });
});
