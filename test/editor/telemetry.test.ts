import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { OtlpReceiver } from '../servers/otlpReceiver';
import { api, closeEditors, configure, eventually, fixture, loads, raw, setting } from './window';

const input = { type: 'promptString', id: 'otel-token', password: true } as const;

describe('reports to OpenTelemetry', () => {
  let receiver: OtlpReceiver;
  before(async () => {
    receiver = await OtlpReceiver.start();
    await configure({ reported: fixture('hostile') });
    await loads('reported');
  });
  after(async () => {
    await setting('openTelemetry', undefined);
    await setting('inputs', undefined);
    await closeEditors();
    await configure({});
    await receiver.close();
    assert.deepEqual(receiver.faults, []);
  });

  const call = async () => {
    const server = await loads('reported');
    const tool = server.catalog.tools.find(({ name }) => name === 'echo')!;
    await raw(server).callTool(tool, { text: 'private' });
  };

  it('begin with the setting, while servers run, with secret headers', async () => {
    const { inputs } = (await api()).trust();
    await inputs.store({ scope: 'user' }, input, 'from-storage');
    await setting('inputs', [input]);
    const headers = { Authorization: 'Bearer ${input:otel-token}' };
    await setting('openTelemetry', { endpoint: receiver.endpoint, headers });
    await call();
    await eventually(() => assert.equal(receiver.named('tools/call echo').length, 1));
    const [span] = receiver.spans;
    assert.equal(span?.attributes['service.peer.name'], 'reported');
    assert.equal(receiver.requests[0]?.headers.authorization, 'Bearer from-storage');
    assert.doesNotMatch(receiver.bodies.join('\n'), /private/);
  });

  it('are not for a workspace to begin @telemetry.workspace-begin', async () => {
    const { Workspace } = vscode.ConfigurationTarget;
    const settings = vscode.workspace.getConfiguration('mcpHost');
    await assert.rejects(async () => settings.update('openTelemetry', { endpoint: 'http://127.0.0.1:9' }, Workspace));
  });

  it('end with the setting, and what is left is sent', async () => {
    await call();
    await setting('openTelemetry', undefined);
    await eventually(() => {
      assert.equal(receiver.named('tools/call echo').length, 2);
      assert.ok(receiver.metrics.has('mcp.client.operation.duration'));
    });
    const before = receiver.requests.length;
    await call();
    assert.equal(receiver.requests.length, before);
  });
});
