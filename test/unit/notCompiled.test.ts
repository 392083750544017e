import assert from 'node:assert/strict';
import type { SecretVault } from '../../src/base/secretVault';
import type { PlainState, ScopedStorage } from '../../src/editor/storage';
import type { NamedCaller, Requests } from '../../src/features/trust/core/requestPolicy';
import type { ToolCalls } from '../../src/features/trust/core/toolCalls';
import type { AllowedRequests, ServerSet } from '../../src/host';
import * as host from '../../src/host';
import { type HostPorts, type KeptFor, KeptRecords, type ProgramStore } from '../../src/host/definition';
import { raw } from '../setup/raw';

function withoutLauncher(ports: HostPorts): unknown[] {
  const info = { name: 'test', version: '0' };
  const { launch, ...unadmitted } = ports;
  // @ts-expect-error a host without trust, consent and inputs
  new host.McpHost(info, unadmitted);
  const { sandbox, ...unconfined } = ports;
  // @ts-expect-error a host without the sandbox
  new host.McpHost(info, unconfined);
  return [launch, sandbox];
}

function withoutLaunch(kept: KeptFor<{ readonly tools: string }>): void {
  // @ts-expect-error what a person allowed a program, for whichever it is
  kept.tools;
  // @ts-expect-error the same
  kept.for();
}

function withoutProgram(store: ProgramStore, { approvals, others, memento }: EditorStores): unknown[] {
  return [
    // @ts-expect-error an answer about a program, for whichever it is
    new KeptRecords<{ readonly policy: string }>(store, () => undefined),
    // @ts-expect-error to be stored as it is
    store.set('user', { notes: 'allow' }),
    // @ts-expect-error to be stored as it is, in the editor's storage
    approvals.set('user', { notes: 'allow' }),
    // @ts-expect-error a store of programs for other answers
    new KeptRecords<string>(approvals, () => undefined),
    others('mcpHost.clients'),
    // @ts-expect-error a store of which nobody has said whether programs are allowed something in it
    others('mcpHost.newAnswers'),
    // @ts-expect-error to be kept beside all stores
    memento.update('mcpHost.newAnswers', 'allow'),
  ];
}

interface EditorStores {
  readonly approvals: ScopedStorage<'mcpHost.approvals'>;
  others(...key: ConstructorParameters<typeof ScopedStorage> extends [unknown, infer K] ? [K] : never): void;
  readonly memento: PlainState;
}

function withoutCaller(
  { all: [server], ...servers }: ServerSet,
  running: Omit<host.RunningCalls, 'make'>,
  allowed: AllowedRequests,
): void {
  if (!server) return;
  // @ts-expect-error a call
  server.callTool;
  // @ts-expect-error a read
  server.readResource;
  // @ts-expect-error a prompt
  server.getPrompt;
  // @ts-expect-error a completion
  server.complete;
  // @ts-expect-error a subscription
  server.subscriptions.add;
  // @ts-expect-error any request
  server.request;
  // @ts-expect-error the requests of a server: only its host opens them, and features have a set of servers
  servers.requests;
  // @ts-expect-error the class of these requests
  host.ServerRequests;
  // @ts-expect-error the class that makes connections, with their requests
  host.ServerConnection;
  // @ts-expect-error running calls that were not approved
  running.make;
  // @ts-expect-error a call among the other requests
  void allowed.forward({ method: 'tools/call', params: {} }, 'call', listed);
  // @ts-expect-error a message of the host's own connection
  void allowed.forward({ method: 'initialize', params: {} }, 'begin', listed);
  // @ts-expect-error a method of which nobody has said who may send it
  void allowed.forward({ method: 'files/delete', params: {} }, 'delete', listed);
  const { callTool } = raw(server);
  // @ts-expect-error requests without their server
  void callTool(server.catalog.tools[0]!, {});
}

const listed = host.listResult('tools');

function withoutName(requests: Requests, calls: ToolCalls): unknown[] {
  return [
    // @ts-expect-error everyone has a name
    requests.as({ origin: 'somebody' }),
    // @ts-expect-error a model needs somebody who is asked
    requests.as({ origin: 'agent', trail: undefined }),
    // @ts-expect-error and a conversation, or the word that there is none
    requests.as({ origin: 'chat', ask: async () => undefined }),
    // @ts-expect-error a person's own requests ask nobody
    requests.as({ origin: 'palette', ask: async () => undefined } satisfies NamedCaller),
    // @ts-expect-error a call without who makes it
    calls.approve({ server: undefined as never, tool: undefined as never, args: {} }, async () => undefined),
    // @ts-expect-error a call that nobody is asked about
    calls.approve({ server: undefined as never, tool: undefined as never, args: {}, origin: 'chat' }),
  ];
}

function withoutParts(vault: SecretVault): unknown[] {
  return [
    // @ts-expect-error a key that was joined by hand
    vault.get('mcpHost.auth user files'),
    // @ts-expect-error to be written, too
    vault.set('mcpHost.input user token', 'value'),
  ];
}

describe('the compiler rejects', () => {
  // The compiler has looked at all of them: each `@ts-expect-error` would be an error if the line below it were none.
  it('a host without a launch port or a sandbox @notCompiled.host-launch-port', () => assert.ok(withoutLauncher));
  it('a call, another request or a subscription without a caller @notCompiled.call-request-subscription', () =>
    assert.ok(withoutCaller));
  it('a permission without the launch that it was given @notCompiled.permission-launch-given', () =>
    assert.ok(withoutLaunch));
  it('a store of permissions that would outlive a program @notCompiled.store-permissions-outlive', () =>
    assert.ok(withoutProgram));
  it('a caller without a name, or without a person to ask @notCompiled.caller-name-person', () =>
    assert.ok(withoutName));
  it('a key of the secret storage that is not made of its parts @notCompiled.key-secret-storage', () =>
    assert.ok(withoutParts));
});
