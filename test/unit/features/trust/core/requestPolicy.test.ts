import assert from 'node:assert/strict';
import type { HostError } from '../../../../../src/base/errors';
import type { Disposable } from '../../../../../src/base/events';
import { ApprovalPolicy, type Origin } from '../../../../../src/features/trust/core/approvals';
import type { AuditEvent } from '../../../../../src/features/trust/core/auditLog';
import { Flow, type FlowMark, Trail } from '../../../../../src/features/trust/core/flow';
import { Pins } from '../../../../../src/features/trust/core/pins';
import { type NamedCaller, Requests } from '../../../../../src/features/trust/core/requestPolicy';
import { type CallToApprove, type PersonsAnswer, ToolCalls } from '../../../../../src/features/trust/core/toolCalls';
import { RunningCalls, type ServerConnection, type WantedSubscription } from '../../../../../src/host';
import { raw } from '../../../../setup/raw';
import { fixture, TestHost } from '../../../host/testHost';

/**
 * Everyone who makes requests: by a person's own hand, by a file that they have allowed, or after they were asked. A new one is not
 * compiled before it is here.
 */
const CALLERS: Record<Origin, 'byHand' | 'file' | 'asked'> = {
  palette: 'byHand',
  check: 'byHand',
  trace: 'byHand',
  skills: 'byHand',
  test: 'file',
  chat: 'asked',
  languageModelTool: 'asked',
  gateway: 'asked',
  app: 'asked',
  extension: 'asked',
  agent: 'asked',
};
const ORIGINS = Object.keys(CALLERS) as Origin[];
const SECRET = 'hunter2-hunter2';
const anyResult = { '~standard': { version: 1 as const, vendor: 'test', validate: (value: unknown) => ({ value }) } };

describe('requests', () => {
  let test: TestHost;
  let server: ServerConnection;
  let events: AuditEvent[];
  let denied: string[];
  let asked: CallToApprove[];
  let answer: PersonsAnswer | undefined;
  let flow: Flow;
  let requests: Requests;
  let calls: ToolCalls;
  let running: RunningCalls;
  let keptReads: unknown;
  let marks: FlowMark[];
  const followed: Disposable[] = [];

  const makeFlow = () => {
    return new Flow(
      {
        marks: { get: () => ({ content: { launch: server.definition.launch, marks } }), set: async () => {} },
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

  before(async () => {
    test = new TestHost();
    test.configure({ content: fixture('content') });
    server = await test.loads('content');
  });
  after(() => test.close());
  beforeEach(() => {
    [events, denied, asked, answer, keptReads, marks] = [[], [], [], undefined, undefined, []];
    const policy = new ApprovalPolicy({ get: () => ({}), set: async () => {} }, () => ({
      ...{ skipReadOnly: false, deny: denied },
    }));
    const pins = new Pins({ read: async () => undefined, write: async () => {} }, () => 'enforce');
    const audit = { record: (event: AuditEvent) => void events.push(event) };
    flow = makeFlow();
    running = new RunningCalls({ get: () => [], set: () => {} }, raw);
    const services = { open: raw, policy, pins, audit, flow: () => flow };
    requests = new Requests(services);
    calls = new ToolCalls({ ...services, make: running.make, trace: () => undefined });
  });
  afterEach(() => {
    running.dispose();
    for (const one of followed.splice(0)) one.dispose();
  });

  const ask = async (call: CallToApprove) => {
    asked.push(call);
    return answer;
  };
  const client = { id: 'own.mcptest.yaml', name: 'own.mcptest.yaml' };
  const caller = (origin: Origin, trail: Trail | undefined = new Trail()): NamedCaller =>
    CALLERS[origin] === 'byHand'
      ? ({ origin } as NamedCaller)
      : CALLERS[origin] === 'file'
        ? ({ origin, client } as NamedCaller)
        : ({ origin, trail, ask } as NamedCaller);
  const follow = (subscription: WantedSubscription) => {
    followed.push(subscription);
    return subscription.allowed;
  };
  const listed = () => server.catalog.resources[0]?.uri ?? assert.fail('it lists no resource');
  const lines = () =>
    events.map(event => (event.type === 'use' ? [event.origin, event.method, event.outcome] : event.type));

  for (const origin of ORIGINS) {
    it(`of ${origin} are written into the audit log, also failed ones @requestPolicy.written-audit-log`, async () => {
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

    it(`of ${origin} ${CALLERS[origin] === 'byHand' ? 'are made' : 'are not made'} where the person denies the server @requestPolicy.person-denies-server`, async () => {
      denied.push('content/*');
      const { readResource, getPrompt, complete, subscribe, permitted } = requests.as(caller(origin))(server);
      const uri = listed();
      const made: (() => Promise<unknown>)[] = [
        () => readResource(uri),
        () => getPrompt('any prompt', {}),
        () => complete({ ref: { type: 'ref/prompt', name: 'any prompt' }, argument: { name: 'name', value: '' } }),
        () => follow(subscribe(uri)),
        () => permitted({ method: 'resources/read', params: { uri } }),
      ];
      for (const make of made) {
        if (CALLERS[origin] === 'byHand')
          await make().catch((error: HostError) => assert.equal(error.code, 'PROTOCOL'));
        else await assert.rejects(make(), { code: 'DENIED', message: /MCP server "content" could not/ });
      }
      assert.equal(server.subscriptions.state(uri) !== undefined, CALLERS[origin] === 'byHand');
    });

    it(`of ${origin} log each subscription, and end it when disposed @requestPolicy.log-subscription-end`, async () => {
      const uri = listed();
      const subscription = requests.as(caller(origin))(server).subscribe(uri);
      assert.equal(server.subscriptions.state(uri), undefined, 'not before it is allowed');
      await subscription.allowed;
      assert.ok(server.subscriptions.state(uri));
      subscription.dispose();
      assert.equal(server.subscriptions.state(uri), undefined);
      assert.deepEqual(lines(), [[origin, 'resources/subscribe', 'ok']]);
    });

    it(`of ${origin} ${CALLERS[origin] === 'byHand' ? 'may be' : 'may not be'} those that the host makes for its own connection`, async () => {
      const { forward } = requests.as(caller(origin))(server);
      const pinged = forward({ method: 'ping', params: {} }, 'ping', anyResult);
      if (CALLERS[origin] === 'byHand') await pinged.catch((error: HostError) => assert.equal(error.code, 'PROTOCOL'));
      else await assert.rejects(pinged, { code: 'DENIED' });
    });

    it(`of ${origin} cannot call a denied tool @requestPolicy.call-denied-tool`, async () => {
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
    it(`of ${origin} ask about unlisted addresses once they could carry out what was read @requestPolicy.ask-unlisted-addresses`, async () => {
      marks = ['private', 'untrusted', 'sends'];
      const trail = new Trail();
      flow.read(server, trail);
      const { readResource, subscribe } = requests.as(caller(origin, trail))(server);
      await readResource(listed());
      await follow(subscribe(listed()));
      const withData = `https://example.invalid/?q=${SECRET}`;
      // An entry of the server has named it.
      await assert.rejects(readResource(withData, undefined, 'instructions'), { code: 'PROTOCOL' });
      assert.deepEqual(asked, []);
      await assert.rejects(readResource(withData), { code: 'DENIED' });
      await assert.rejects(subscribe(withData).allowed, { code: 'DENIED' });
      assert.equal(server.subscriptions.state(withData), undefined);
      assert.deepEqual(
        (asked as CallToApprove[]).map(({ tool, args }) => [tool.name, args]),
        [
          ['resources/read', { uri: withData }],
          ['resources/subscribe', { uri: withData }],
        ],
      );
      answer = { answer: 'allow' };
      await assert.rejects(readResource(withData), { code: 'PROTOCOL' });
    });
  }

  it('that were allowed go to no other program that came under the name meanwhile @requestPolicy.program-asked-about', async () => {
    marks = ['private', 'untrusted', 'sends'];
    const trail = new Trail();
    flow.read(server, trail);
    const { env, ...entry } = fixture('content');
    const changing = async () => {
      test.configure({ content: { ...entry, env: { ...env, MODE: 'other' } } });
      return { answer: 'allow' } as const;
    };
    const { readResource } = requests.as({ ...caller('agent', trail), ask: changing } as NamedCaller)(server);
    try {
      await assert.rejects(readResource('https://example.invalid/?q=1'), { code: 'DENIED' });
    } finally {
      test.configure({ content: fixture('content') });
      await test.loads('content');
    }
  });

  it('of tests are written into the audit log with their file @requestPolicy.tests-written-audit', async () => {
    await requests.as({ origin: 'test', client })(server).readResource(listed());
    const [event] = events;
    assert.ok(event?.type === 'use');
    assert.equal(event.client, client.id);
  });

  it('count what a model read in its conversation for a day, across reloads of the window @requestPolicy.count-model-read', async () => {
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
