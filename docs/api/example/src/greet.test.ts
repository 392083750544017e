import * as assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeMcpHost, type FakeServer } from '@mcp-host/api/testing';
import { greet } from './greet';

const hostWith = (greeter: Partial<FakeServer>) => new FakeMcpHost({ start: () => greeter });

test('greets, and removes its server', async () => {
  const host = hostWith({ tools: [{ name: 'greet', call: ({ name }) => `Hello ${name}` }] });
  assert.equal(await greet(host.api, 'server.js'), 'Hello Ada');
  assert.deepEqual(host.calls, [{ server: 'greeter@publisher.extension', tool: 'greet', args: { name: 'Ada' } }]);
  assert.deepEqual(host.api.servers, []);
});

test('accepts that the person denies the call', async () => {
  const host = hostWith({ tools: [{ name: 'greet', isDenied: true }] });
  assert.equal(await greet(host.api, 'server.js'), 'You did not want to be greeted.');
});

test('says why its server did not start', async () => {
  const host = hostWith({
    state: 'failed',
    error: { code: 'COMMAND_NOT_FOUND', reason: 'there is no node' },
    logs: [{ at: 0, level: 'error', text: 'node: not found' }],
  });
  assert.equal(await greet(host.api, 'x'), 'The greeter did not start (COMMAND_NOT_FOUND): node: not found');
});

test('has no API when the person denies it', async () => {
  const { exports } = new FakeMcpHost({ refuses: 'DENIED' });
  await assert.rejects(exports.getApi(1), { name: 'McpHostError', code: 'DENIED' });
});
