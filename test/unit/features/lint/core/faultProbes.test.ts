import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { english } from '../../../../../src/base/phrase';
import { probeFaults } from '../../../../../src/features/lint/core/faultProbes';
import { temporaryFolder } from '../../../../setup/paths';
import { raw, unasked } from '../../../../setup/raw';
import { TestHost } from '../../../host/testHost';

/** A server that does with odd requests what its argument says, and writes down which tools were called. */
const SERVER = `
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const how = process.argv[2];
const say = message => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
const schema = { type: 'object', properties: { text: { type: 'string' } } };
const tools = [
  { name: 'write', inputSchema: schema },
  { name: 'read', inputSchema: schema, annotations: { readOnlyHint: true } },
];
createInterface({ input: process.stdin }).on('line', line => {
  const { id, method, params } = JSON.parse(line);
  const answer = result => say({ id, result });
  const refuse = () => (how === 'bad' ? answer({ content: [], messages: [], contents: [], tools }) : say({ id, error: { code: -32602, message: 'no' } }));
  if (method === 'initialize')
    answer({
      protocolVersion: '2025-06-18',
      capabilities: { tools: {}, prompts: {}, resources: {} },
      serverInfo: { name: 'own', version: '1' },
    });
  else if (method === 'tools/list' && params?.cursor === undefined) answer({ tools });
  else if (method === 'prompts/list') answer({ prompts: [] });
  else if (method === 'resources/list') answer({ resources: [] });
  else if (method === 'resources/templates/list') answer({ resourceTemplates: [] });
  else if (method === 'ping') answer({});
  else if (method === 'tools/call') {
    appendFileSync('calls', params.name + '\\n');
    if (how === 'dies' && line.length > 1_000_000) process.exit(1);
    if (params.name === 'read') answer({ content: [] });
    else refuse();
  } else if (id !== undefined) refuse();
});
`;

describe('faulty requests to a server', () => {
  let folder: string;
  let host: TestHost;
  beforeEach(async () => {
    folder = temporaryFolder();
    await writeFile(join(folder, 'server.mjs'), SERVER);
    host = new TestHost();
  });
  afterEach(async () => {
    await host.close();
  });

  async function probe(how: string): Promise<string[]> {
    const entry = {
      command: process.execPath,
      args: ['server.mjs', how],
      cwd: folder,
      env: { ELECTRON_RUN_AS_NODE: '1' },
    };
    host.configure({ own: entry });
    const server = await host.loads('own');
    const call: Parameters<typeof probeFaults>[2] = (tool, args, signal) =>
      raw(server).callTool(tool, args, { signal });
    const found = await probeFaults(server, unasked(server), call, new AbortController().signal);
    return found.map(({ message }) => english(message));
  }

  const called = async () => new Set((await readFile(join(folder, 'calls'), 'utf8')).trim().split('\n'));

  it('find nothing when each is refused, and call only read-only tools @faultProbes.find-refused-call', async () => {
    assert.deepEqual(await probe('good'), []);
    assert.deepEqual(await called(), new Set(['mcp-host-no-such-thing', 'read']));
  });

  it('find faults answered like valid requests', async () => {
    assert.deepEqual(await probe('bad'), [
      'It accepted a request for a page that does not exist instead of reporting an error.',
      'It accepted a call to a tool that does not exist instead of reporting an error.',
      'It accepted a request for a prompt that does not exist instead of reporting an error.',
      'It accepted a request for a resource that does not exist instead of reporting an error.',
    ]);
  });

  it('find crashes', async () => {
    assert.deepEqual(await probe('dies'), ['It failed on an argument of 1 MB: EXITED']);
  });
});
