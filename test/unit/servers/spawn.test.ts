import assert from 'node:assert/strict';
import * as path from 'node:path';
import { Client, SSEClientTransport } from '@modelcontextprotocol/client';
import { startEverything } from '../../servers/npm';
import { fixturePath, processIsAlive, startScript, waitFor } from '../../servers/spawn';

describe('test helpers for fixtures', () => {
  it('find a compiled fixture, and name the remedy when there is none', () => {
    assert.ok(path.isAbsolute(fixturePath('hostile')));
    assert.throws(() => fixturePath('none'), /none\.js is missing: run `node esbuild\.js --tests`/);
  });

  it('know whether a process is alive', async () => {
    assert.ok(processIsAlive(process.pid));
    const fixture = startScript(fixturePath('hostile'));
    assert.ok(processIsAlive(fixture.pid));
    await fixture.stop();
    assert.ok(!processIsAlive(fixture.pid));
  });

  it('stop a fixture that does not want to end, and its grandchild', async () => {
    const fixture = startScript(fixturePath('hostile'), ['--grandchild', '--ignore-sigterm', '--ignore-stdin-end']);
    const line = await waitFor(() => fixture.stderr[0], { what: 'the pid of the grandchild' });
    await fixture.stop(50);
    assert.equal(await fixture.exited, 'SIGKILL');
    await waitFor(() => !processIsAlive(Number(line.split(' ')[1])), { what: 'the grandchild to end' });
  });

  it('wait for a condition, and return its value', async () => {
    let calls = 0;
    assert.equal(await waitFor(() => (++calls === 3 ? 'third' : undefined), { what: 'the third call' }), 'third');
  });

  it('give up in time, with the awaited condition and the last failure', async () => {
    const failing = () => {
      throw new Error('not yet');
    };
    await assert.rejects(waitFor(failing, { timeoutMs: 30, what: () => 'the impossible' }), (error: Error) => {
      assert.equal(error.message, 'Waited 30 ms for the impossible');
      assert.equal((error.cause as Error).message, 'not yet');
      return true;
    });
  });

  it('start server-everything over HTTP', async () => {
    const everything = await startEverything('sse');
    try {
      const client = new Client({ name: 'test', version: '1.0.0' });
      await client.connect(new SSEClientTransport(new URL(everything.url('/sse'))));
      assert.equal(client.getServerVersion()?.name, 'mcp-servers/everything');
      await client.close();
    } finally {
      await everything.stop();
    }
    assert.ok(!processIsAlive(everything.pid));
  });
});
