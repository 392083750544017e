import * as assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { demoServer, ERAS, startDemo, stopDemos, until } from './demoClient';

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: { roots: {} }, clientInfo: { name: 'test', version: '1' } },
};
const REINDEX = {
  jsonrpc: '2.0',
  id: 2,
  method: 'tools/call',
  params: { name: 'reindex', arguments: { steps: 1000, delayMs: 60_000 }, _meta: { progressToken: 1 } },
};

describe('the process of the demo server', () => {
  let child: ChildProcess;
  let output = '';
  beforeEach(() => {
    output = '';
    child = spawn(process.execPath, [demoServer()], { stdio: ['pipe', 'pipe', 'pipe'] });
    child.stdout?.on('data', chunk => {
      output += chunk;
    });
  });
  afterEach(async () => {
    await stopDemos();
    if (child.exitCode === null) child.kill('SIGKILL');
  });

  const say = (...messages: object[]) => child.stdin?.write(messages.map(m => `${JSON.stringify(m)}\n`).join(''));
  /** It is waited for as long as a test may take: what it was at when stdin closed would take longer. */
  const endsAtOnce = async () => {
    const exited = once(child, 'exit');
    child.stdin?.end();
    const [code] = await exited;
    assert.equal(code, 0);
  };

  it('ends when stdin closes before anything was said', endsAtOnce);

  it('ends when stdin closes while it waits for roots that never come', async () => {
    say(INITIALIZE, { jsonrpc: '2.0', method: 'notifications/initialized' });
    await until(() => output.includes('roots/list'), 'it asks for roots');
    await endsAtOnce();
  });

  it('ends when stdin closes in the middle of a slow tool', async () => {
    const quick = { ...REINDEX, params: { ...REINDEX.params, arguments: { steps: 1_000, delayMs: 1_000 } } };
    say(INITIALIZE, quick);
    await until(() => output.includes('notifications/progress'), 'the tool runs');
    await endsAtOnce();
  });

  it('keeps stdout for the protocol and says one line on stderr', async () => {
    let errors = '';
    child.stderr?.on('data', chunk => {
      errors += chunk;
    });
    say(INITIALIZE);
    await until(() => output.endsWith('\n'), 'an answer');
    await endsAtOnce();
    for (const line of output.trim().split('\n')) assert.equal(JSON.parse(line).jsonrpc, '2.0');
    assert.match(errors, /^\[notebook\] \d+\.\d+\.\d+ is ready; [^\n]*\n$/);
  });

  for (const era of ERAS) {
    it(`introduces itself (${era})`, async () => {
      const { client } = await startDemo({ era });
      const info = client.getServerVersion();
      assert.equal(info?.name, 'notebook');
      assert.equal(info.title, 'Project Notebook');
      assert.match(info.icons?.[0]?.src ?? '', /^data:image\/png;base64,iVBOR/);
      assert.match(client.getInstructions() ?? '', /^A notebook for the open project/);
      assert.equal(client.getNegotiatedProtocolVersion(), era === 'modern' ? '2026-07-28' : '2025-11-25');
      assert.deepEqual(client.getServerCapabilities(), {
        logging: {},
        completions: {},
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
      });
    });
  }
});

describe('the bundle of the demo server', () => {
  it('is one file of at most 500 KB', () => {
    const { size } = fs.statSync(demoServer());
    assert.ok(size < 500_000, `${size} bytes`);
    assert.doesNotMatch(fs.readFileSync(demoServer(), 'utf8'), /devDependencies/);
  });
});
