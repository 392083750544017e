import assert from 'node:assert/strict';
import { ApprovalPolicy, type Origin } from '../../../../../src/features/trust/core/approvals';
import type { AuditEvent } from '../../../../../src/features/trust/core/audit';
import { Flow, type FlowMark, Trail } from '../../../../../src/features/trust/core/flow';
import { Pins } from '../../../../../src/features/trust/core/pins';
import { type NamedCaller, Requests } from '../../../../../src/features/trust/core/requestPolicy';
import { type AskedCall, type PersonsAnswer, ToolCalls } from '../../../../../src/features/trust/core/toolCalls';
import * as host from '../../../../../src/host';
import { McpHost, RunningCalls, type ServerConnection } from '../../../../../src/host';
import { raw } from '../../../../setup/raw';
import { fixture, TestHost } from '../../../host/testHost';

/** Everyone who makes requests, and whether they have been asked already. A new one is not compiled before it is here. */
const CALLERS: Record<Origin, 'byHand' | 'asked'> = {
  palette: 'byHand',
  check: 'byHand',
  trace: 'byHand',
  skills: 'byHand',
  test: 'byHand',
  chat: 'asked',
  languageModelTool: 'asked',
  gateway: 'asked',
  app: 'asked',
  extension: 'asked',
  agent: 'asked',
};
const ORIGINS = Object.keys(CALLERS) as Origin[];
const SECRET = 'hunter2-hunter2';

describe('requests', () => {
  let test: TestHost;
  let server: ServerConnection;
  let events: AuditEvent[];
  let denied: string[];
  let asked: AskedCall[];
  let answer: PersonsAnswer | undefined;
  let flow: Flow;
  let requests: Requests;
  let calls: ToolCalls;
  let running: RunningCalls;
  let keptReads: unknown;
  let marks: FlowMark[];

  const makeFlow = () => {
    return new Flow(
      {
        get: ({ launch }) => ({ launch, marks }),
        set: async () => {},
        get keptReads() {
          return keptReads;
        },
        keepReads: reads => {
          keptReads = JSON.parse(JSON.stringify(reads));
        },
      },
      () => ({ isOn: true, added: () => [] }),
      id => test.host.get(id),
    );
  };

  beforeEach(async () => {
    test = new TestHost();
    [events, denied, asked, answer, keptReads, marks] = [[], [], [], undefined, undefined, []];
    const policy = new ApprovalPolicy({ get: () => ({}), set: async () => {} }, () => ({
      ...{ skipReadOnly: false, deny: denied },
    }));
    const pins = new Pins({ read: async () => undefined, write: async () => {} }, () => 'enforce');
    const audit = { record: (event: AuditEvent) => void events.push(event) };
    flow = makeFlow();
    running = new RunningCalls({ get: () => [], set: () => {} });
    requests = new Requests(policy, pins, audit, () => flow);
    calls = new ToolCalls({ policy, pins, audit, make: running.make, flow: () => flow, trace: () => undefined });
    test.configure({ content: fixture('content') });
    server = await test.loads('content');
  });
  afterEach(() => {
    running.dispose();
    return test.close();
  });

  const ask = async (call: AskedCall) => {
    asked.push(call);
    return answer;
  };
  const caller = (origin: Origin, trail: Trail | undefined = new Trail()): NamedCaller =>
    CALLERS[origin] === 'byHand' ? ({ origin } as NamedCaller) : ({ origin, trail, ask } as NamedCaller);
  const listed = () => server.catalog.resources[0]?.uri ?? assert.fail('it lists no resource');
  const lines = () =>
    events.map(event => (event.type === 'use' ? [event.origin, event.method, event.outcome] : event.type));

  for (const origin of ORIGINS) {
    it(`of ${origin} are written into the audit log, also failed ones`, async () => {
      const { readResource, getPrompt } = requests.as(caller(origin))(server);
      await readResource(listed());
      await assert.rejects(readResource('nowhere://at/all'));
      await assert.rejects(getPrompt('no such prompt', { password: SECRET }));
      assert.deepEqual(lines(), [
        [origin, 'resources/read', 'ok'],
        [origin, 'resources/read', 'PROTOCOL'],
        [origin, 'prompts/get', 'PROTOCOL'],
      ]);
      assert.ok(!JSON.stringify(events).includes(SECRET));
    });

    it(`of ${origin} ${CALLERS[origin] === 'asked' ? 'are not made' : 'are made'} where the person denies models the server`, async () => {
      denied.push('content/*');
      const { readResource } = requests.as(caller(origin))(server);
      if (CALLERS[origin] === 'byHand') await readResource(listed());
      else
        await assert.rejects(readResource(listed()), {
          code: 'DENIED',
          message: /MCP server "content" could not read/,
        });
    });

    it(`of ${origin} cannot call a denied tool`, async () => {
      denied.push('content/*');
      const [tool] = server.catalog.tools;
      assert.ok(tool);
      const approved = await calls.approve({ server, tool, args: { token: SECRET }, origin }, ask);
      assert.equal(approved.approved, false);
      const [event] = events;
      assert.deepEqual(event?.type === 'call' && [event.origin, event.answer], [origin, 'deny']);
      assert.ok(!JSON.stringify(events).includes(SECRET));
      assert.deepEqual(asked, []);
    });
  }

  for (const origin of ORIGINS.filter(one => CALLERS[one] === 'asked')) {
    it(`of ${origin} ask about unlisted addresses once they could carry out what was read`, async () => {
      marks = ['private', 'untrusted', 'sends'];
      const trail = new Trail();
      flow.read(server, trail);
      const { readResource } = requests.as(caller(origin, trail))(server);
      await readResource(listed());
      assert.deepEqual(asked, []);
      const withData = `https://example.invalid/?q=${SECRET}`;
      await assert.rejects(readResource(withData), { code: 'DENIED' });
      assert.deepEqual(
        (asked as AskedCall[]).map(({ tool, args }) => [tool.name, args]),
        [['resources/read', { uri: withData }]],
      );
      answer = { answer: 'allow' };
      await assert.rejects(readResource(withData), { code: 'PROTOCOL' });
    });
  }

  it('count what a model read in its conversation for a day, across reloads of the window', async () => {
    marks = ['private', 'untrusted', 'sends'];
    const { readResource } = requests.as(caller('gateway', flow.trailOf('chat 1')))(server);
    await readResource(listed());
    flow = makeFlow();
    const after = requests.as(caller('gateway', flow.trailOf('chat 1')))(server);
    await assert.rejects(after.readResource('https://example.invalid/data'), { code: 'DENIED' });
    assert.equal(asked.length, 1);
    keptReads = (keptReads as { at: number }[]).map(kept => ({ ...kept, at: kept.at - 25 * 60 * 60_000 }));
    flow = makeFlow();
    const nextDay = requests.as(caller('gateway', flow.trailOf('chat 1')))(server);
    await assert.rejects(nextDay.readResource('https://example.invalid/data'), { code: 'PROTOCOL' });
    assert.equal(asked.length, 1);
  });
});

describe('the compiler rejects', () => {
  it('a request without a caller, and a host without a launch port', () => {
    // Never run: the compiler has looked at it, and each line would be an error without the one above it.
    const proofs = (server: ServerConnection, requests: Requests, running: Omit<RunningCalls, 'make'>) => {
      // @ts-expect-error a call has a door of its own, `ToolCalls`
      server.callTool;
      // @ts-expect-error
      server.readResource;
      // @ts-expect-error
      server.getPrompt;
      // @ts-expect-error
      server.complete;
      // @ts-expect-error
      server.request;
      // @ts-expect-error the host keeps the key of a server's requests to itself
      server[host.SERVER_REQUESTS];
      const { callTool } = raw(server);
      // @ts-expect-error the requests of a server are not made without it
      void callTool(server.catalog.tools[0]!, {});
      // @ts-expect-error features get running calls without what makes them
      running.make;
      // @ts-expect-error a model needs somebody who is asked
      requests.as({ origin: 'agent', trail: undefined });
      // @ts-expect-error and a conversation, or the word that there is none
      requests.as({ origin: 'chat', ask: async () => undefined });
      // @ts-expect-error everyone has a name
      requests.as({ origin: 'somebody' });
      const ports = new TestHost().host as unknown as ConstructorParameters<typeof McpHost>[1];
      const { launch, ...unadmitted } = ports;
      // @ts-expect-error without trust, consent and inputs
      new McpHost({ name: 'test', version: '0' }, unadmitted);
      const { sandbox, ...unconfined } = ports;
      // @ts-expect-error without the sandbox
      new McpHost({ name: 'test', version: '0' }, unconfined);
      return [launch, sandbox];
    };
    assert.ok(proofs);
  });
});
