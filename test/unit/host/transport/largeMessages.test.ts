import assert from 'node:assert/strict';
import { waitFor } from '../../../servers/spawn';
import { raw } from '../../../setup/raw';
import { hostile, TestHost } from '../testHost';

/** A server whose tool `big` answers with so many megabytes of text, and whose tool `deep` with as many levels. */
const server = {
  command: process.execPath,
  args: [
    '-e',
    `const answer = (id, result) => process.stdout.write('{"jsonrpc":"2.0","id":' + id + ',"result":' + result + "}\\n");
     const text = text => '{"content":[{"type":"text","text":"' + text + '"}]}';
     let rest = "";
     process.stdin.on("data", chunk => {
       const lines = (rest + chunk).split("\\n"); rest = lines.pop();
       for (const line of lines) {
         const {id, method, params} = JSON.parse(line);
         const size = params?.arguments?.size;
         if (method === "initialize") answer(id, JSON.stringify({protocolVersion: "2025-11-25", capabilities: {tools: {}}, serverInfo: {name: "x", version: "1"}}));
         else if (method === "tools/list") answer(id, '{"tools":[]}');
         else if (params?.name === "big") answer(id, text("x".repeat(size * 1024 * 1024)));
         else if (params?.name === "deep") answer(id, '{"content":[],"structuredContent":{"a":' + "[".repeat(size) + "]".repeat(size) + "}}");
         else if (id !== undefined) process.stdout.write(JSON.stringify({jsonrpc: "2.0", id, error: {code: -32601, message: "?"}}) + "\\n");
       }
     });
     process.stdin.on("end", () => process.exit(0));`,
  ],
  env: { ELECTRON_RUN_AS_NODE: '1' },
};

describe('a message of a server over stdio', () => {
  let test: TestHost;
  beforeEach(() => {
    test = new TestHost();
  });
  afterEach(() => test.close());

  const call = (name: string, size: number) =>
    raw(test.server('big')).callTool({ name, inputSchema: { type: 'object' } }, { size });

  it('over the limit is skipped: its call fails with the reason and a log line, and all other calls work', async function () {
    this.timeout(60_000);
    test.configure({ big: server, other: hostile() });
    await test.loads('big');
    await assert.rejects(call('big', 65), {
      code: 'TOO_LARGE',
      message: /"big" could not call big: it sent a message of more than 67108864 bytes.*Request less/,
    });
    const isSaid = () =>
      test.logs.some(({ level, data }) => level === 'warning' && /more than 67108864 bytes/.test(String(data)));
    await waitFor(isSaid, { what: 'the line in the log' });
    const { content } = await call('big', 1);
    assert.equal(content.length, 1);
    await test.loads('other');
  });

  it('nested 100,000 levels deep does no harm', async () => {
    test.configure({ big: server });
    await test.loads('big');
    await test.withLimits('big', { toolCallMs: 3_000 }, () =>
      call('deep', 100_000).catch(error => assert.equal(error.name, 'HostError')),
    );
    assert.equal((await call('big', 0)).content.length, 1);
  });
});

describe('log messages of a server over stdio', () => {
  it('arrive in a flood with every warning among them', async () => {
    await using test = new TestHost();
    test.configure({ chatty: hostile('--log-flood=100000') });
    const flood = () => test.logs.filter(({ source }) => source === 'server');
    await waitFor(() => flood().length === 100_000, { timeoutMs: 30_000, what: () => `${flood().length} of 100000` });
    const severe = flood().filter(({ level }) => level === 'warning' || level === 'error');
    assert.equal(severe.length, 40_000);
    await test.loads('chatty');
  });
});
