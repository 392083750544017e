import assert from 'node:assert/strict';
import type { Tool } from '@modelcontextprotocol/client';
import { english, type Phrase, phrase } from '../../../../../src/base/phrase';
import { Callers } from '../../../../../src/features/trace/core/traceSource';
import { ApprovalPolicy, type StoredApprovals } from '../../../../../src/features/trust/core/approvals';
import type { ArgumentRule } from '../../../../../src/features/trust/core/argumentRules';
import type { AuditEvent } from '../../../../../src/features/trust/core/auditLog';
import { type PinMode, Pins } from '../../../../../src/features/trust/core/pins';
import { Requests } from '../../../../../src/features/trust/core/requestPolicy';
import {
  type CallToApprove,
  type PersonsAnswer,
  ToolCalls,
  type WantedCall,
} from '../../../../../src/features/trust/core/toolCalls';
import { type OpenRequests, type RequestsOf, RunningCalls, type ServerConnection } from '../../../../../src/host';
import { waitFor } from '../../../../servers/spawn';
import { raw } from '../../../../setup/raw';
import { fixture, hostile, TestHost } from '../../../host/testHost';

describe('tool calls', () => {
  let test: TestHost;
  let events: AuditEvent[];
  let denied: string[];
  let asksAlways: boolean;
  let rules: Record<'user' | 'workspace', StoredApprovals>;
  let policy: ApprovalPolicy;
  let pins: Pins;
  let mode: PinMode;
  let running: RunningCalls;
  let calls: ToolCalls;
  let prompts: RequestsOf;
  let because: Phrase | undefined;
  let open: OpenRequests;

  beforeEach(() => {
    test = new TestHost();
    events = [];
    denied = [];
    asksAlways = false;
    rules = { user: {}, workspace: {} };
    const store = {
      get: (scope: 'user' | 'workspace') => rules[scope],
      set: async (scope: 'user' | 'workspace', value: StoredApprovals) => {
        rules[scope] = value;
      },
    };
    policy = new ApprovalPolicy(store, () => ({ skipReadOnly: false, deny: denied, asksAlways }));
    mode = 'enforce';
    running = new RunningCalls({ get: () => [], set: () => {} }, raw);
    pins = new Pins({ read: async () => undefined, write: async () => {} }, () => mode);
    because = undefined;
    const flow = { reason: () => because, read: () => {} };
    open = raw;
    const services = { open: (server: ServerConnection) => open(server), policy, pins, flow: () => flow };
    prompts = new Requests({ ...services, audit: { record: () => {} } }).as({ origin: 'palette' });
    calls = new ToolCalls({
      ...services,
      audit: { record: event => void events.push(event) },
      make: running.make,
      trace: () => test.host.trace,
    });
  });
  afterEach(() => {
    running.dispose();
    return test.close();
  });

  const wanted = async (name: string, args = {}): Promise<WantedCall> => {
    test.configure({ content: fixture('content') });
    const server = await test.loads('content');
    const tool = server.catalog.tools.find(tool => tool.name === name) ?? assert.fail(`no tool ${name}`);
    return { server, tool, args, origin: 'chat', chat: 'one' };
  };
  const says = (answer: PersonsAnswer | undefined) => async () => answer;
  const never = async () => assert.fail('nobody is to be asked');
  const firstTool = async () => {
    test.configure({ content: fixture('content') });
    return (await test.loads('content')).catalog.tools[0]!.name;
  };

  it('are made after approval, and logged without arguments or results @toolCalls.made-approval-logged', async () => {
    const call = await wanted(await firstTool(), { secret: 'hunter2' });
    const approved = await calls.approve(call, says({ answer: 'allow' }));
    assert.ok(approved.approved);
    const { result, ms } = await approved.run();
    assert.ok(result.content);
    assert.ok(ms > 0);
    const [event] = events;
    assert.ok(event?.type === 'call');
    assert.deepEqual([event.decided, event.answer, event.origin], ['person', 'allow', 'chat']);
    assert.ok(!JSON.stringify(events).includes('hunter2'));
    await assert.rejects(approved.run(), /holds for one call/);
  });

  it('are asked about with their arguments @toolCalls.asked-arguments', async () => {
    const asked: unknown[] = [];
    await calls.approve(await wanted(await firstTool(), { text: 'hello' }), async ({ args }) => {
      asked.push(args);
      return undefined;
    });
    assert.deepEqual(asked, [{ text: 'hello' }]);
  });

  it('show their caller in the trace, also while running', async () => {
    const call = await wanted(await firstTool(), { text: 'same' });
    const { trace } = test.host;
    trace.limit({ messages: 100, size: 1e6 });
    const callers = new Callers(() => trace.calls);
    const made = () =>
      trace
        .records()
        .filter(({ direction, text }) => direction === 'sent' && text.includes('tools/call'))
        .map(record => callers.of(record));
    const run = async (more: Partial<WantedCall>) => {
      const approved = await calls.approve({ ...call, ...more }, says({ answer: 'allow' }));
      assert.ok(approved.approved);
      return approved.run();
    };
    const agent = { id: 'a', name: 'Codex' };
    const both = [run({ origin: 'agent', client: agent, args: { text: 'another' } }), run({ origin: 'chat' })];
    await waitFor(() => made().length === 2, { what: () => 'both calls in the trace' });
    const expected = [{ origin: 'agent', name: 'Codex' }, { origin: 'chat' }];
    assert.deepEqual(made(), expected);
    await Promise.all(both);
    await run({ origin: 'app', app: 'Board' });
    assert.deepEqual(made(), [...expected, { origin: 'app', name: 'Board' }]);
  });

  it('that are carried out otherwise are approved and recorded in the same way', async () => {
    const call = await wanted(await firstTool());
    const [listed] = call.server.catalog.resources;
    const { uri } = listed ?? assert.fail('it lists no resource');
    const tool: Tool = { name: 'resources/read', inputSchema: { type: 'object' } };
    const reading = { ...call, tool, isRequest: true } as const;
    const refused = await calls.approve(reading, says({ answer: 'deny' }));
    assert.ok(!refused.approved);
    const approved = await calls.approve(reading, says({ answer: 'allow', args: { uri } }));
    assert.ok(approved.approved);
    const { contents } = await raw(call.server).readResource(uri);
    assert.deepEqual((await approved.run()).result, {
      content: contents.map(resource => ({ type: 'resource', resource })),
    });
    const lines = events.map(event => event.type === 'call' && [event.tool, event.answer, event.outcome]);
    assert.deepEqual(lines, [
      ['resources/read', 'deny', undefined],
      ['resources/read', 'edit', 'ok'],
    ]);
  });

  it('that read a changed resource are blocked and logged', async () => {
    const call = await wanted(await firstTool());
    const resource = call.server.catalog.resources[0] ?? assert.fail('it lists no resource');
    const { uri } = resource;
    const tool: Tool = { name: 'resources/read', inputSchema: { type: 'object' } };
    const reading = { ...call, tool, args: { uri }, isRequest: true } as const;
    await pins.offerResources(call.server, 'resource', [resource]);
    assert.ok((await calls.approve(reading, says({ answer: 'allow' }))).approved);
    await pins.offerResources(call.server, 'resource', [{ ...resource, description: 'Another.' }]);
    const blocked = await calls.approve(reading, never);
    assert.ok(!blocked.approved && blocked.why === 'blocked');
    assert.deepEqual(
      events.map(event => event.type === 'call' && [event.tool, event.answer]),
      [['resources/read', 'blocked']],
    );
  });

  it('are asked about whatever rules allow, when there is a reason: the answer holds once, a denial all the same @toolCalls.asked-rules-allow', async () => {
    const call = await wanted(await firstTool());
    const always: PersonsAnswer = { answer: 'allow', scope: 'user' };
    assert.ok((await calls.approve(call, says(always))).approved);
    assert.ok((await calls.approve(call, never)).approved);
    because = phrase('A skill may want it.');
    let asked = 0;
    const ask = async (one: CallToApprove) => {
      asked++;
      assert.equal(one.because, because);
      return { answer: 'allow', scope: 'workspace' } as const;
    };
    for (let i = 1; i <= 2; i++) {
      assert.ok((await calls.approve(call, ask)).approved);
      assert.equal(asked, i);
    }
    assert.deepEqual(rules.workspace, {});
    const made = await calls.approve(call, ask);
    assert.ok(made.approved);
    await made.run().catch(() => undefined);
    assert.ok(events.some(event => event.type === 'call' && event.flow));
    because = undefined;
    assert.ok((await calls.approve(call, never)).approved);
    because = phrase('A skill may want it.');
    denied = [`content/${call.tool.name}`];
    assert.ok(!(await calls.approve(call, never)).approved);
    denied = [];
    assert.ok(!(await calls.approve(call, says({ answer: 'deny', scope: 'workspace' }))).approved);
    assert.ok(!(await calls.approve(call, never)).approved);
  });

  it('are asked about each time where the organization says so, and the question says that', async () => {
    const call = await wanted(await firstTool());
    assert.ok((await calls.approve(call, says({ answer: 'allow', scope: 'user' }))).approved);
    assert.ok((await calls.approve(call, never)).approved);
    asksAlways = true;
    const kept = structuredClone(rules);
    const reasons: unknown[] = [];
    const ask = async ({ because }: CallToApprove) => {
      reasons.push(because && english(because));
      return { answer: 'allow', scope: 'workspace' } as const;
    };
    for (let i = 1; i <= 2; i++) assert.ok((await calls.approve(call, ask)).approved);
    const reason = 'Your organization wants you to be asked about each call.';
    assert.deepEqual(reasons, [reason, reason]);
    assert.deepEqual(rules, kept);
  });

  it('report a result that violates the output schema, and keep it', async () => {
    test.configure({ odd: hostile('--odd-results') });
    const server = await test.loads('odd');
    const tool = server.catalog.tools.find(({ name }) => name === 'mismatched') ?? assert.fail();
    const approved = await calls.approve({ server, tool, args: {}, origin: 'chat' }, says({ answer: 'allow' }));
    assert.ok(approved.approved);
    const { result, problem } = await approved.run();
    assert.deepEqual(result.structuredContent, { a: 'no number' });
    assert.match(english(problem ?? ''), /^The tool was carried out, but/);
    const [event] = events;
    assert.equal(event?.type === 'call' && event.outcome, 'ok');
  });

  it('name the fault of an input schema with a result that is an error, because the arguments were not checked', async () => {
    test.configure({ odd: fixture('oddSchemas', '--frameworks') });
    const server = await test.loads('odd');
    const refers = ({ inputSchema }: Tool) => JSON.stringify(inputSchema).includes('#/components/schemas/X');
    const tool = server.catalog.tools.find(refers) ?? assert.fail();
    for (const [args, expected] of [
      [{ fail: true }, 'it refers to "#/components/schemas/X", which is not there'],
      [{ a: 1 }, undefined],
    ] as const) {
      const approved = await calls.approve({ server, tool, args, origin: 'chat' }, says({ answer: 'allow' }));
      assert.ok(approved.approved);
      const { problem } = await approved.run();
      const before = 'The arguments could not be checked against the input schema of the tool: ';
      assert.equal(problem && english(problem), expected && `${before}${expected}`);
    }
  });

  it('are made with the arguments as the person changed them', async () => {
    const approved = await calls.approve(await wanted(await firstTool()), says({ answer: 'allow', args: { a: 1 } }));
    assert.ok(approved.approved);
    assert.deepEqual(approved.args, { a: 1 });
    await approved.run().catch(() => undefined);
    assert.equal((events[0] as Extract<AuditEvent, { type: 'call' }>).answer, 'edit');
  });

  it('without an answer are not made', async () => {
    const refused = await calls.approve(await wanted(await firstTool()), says(undefined));
    assert.deepEqual([refused.approved, !refused.approved && refused.why], [false, 'unanswered']);
  });

  it('denied once stay denied without a question, and name the way to revoke that', async () => {
    const call = await wanted(await firstTool());
    await calls.approve(call, says({ answer: 'deny', scope: 'workspace' }));
    const refused = await calls.approve(call, never);
    assert.ok(!refused.approved);
    assert.match(english(refused.message), /on MCP server "content" is denied by your approvals.*Manage Trust/);
    assert.equal((await calls.refusal({ ...call, origin: 'palette' }))?.why, 'denied');
  });

  it('of tools on the deny list are refused for every caller', async () => {
    const call = await wanted(await firstTool());
    denied = ['content/*'];
    for (const origin of ['chat', 'palette', 'gateway', 'languageModelTool'] as const) {
      const refused = await calls.approve({ ...call, origin }, never);
      assert.equal(refused.approved, false, origin);
    }
  });

  it('of a changed tool are blocked, from the palette too', async () => {
    const call = await wanted(await firstTool());
    await pins.offer(call.server);
    const changed: Tool = { ...call.tool, description: 'Something else' };
    for (const origin of ['chat', 'palette'] as const) {
      const refused = await calls.approve({ ...call, tool: changed, origin }, never);
      assert.ok(!refused.approved);
      assert.equal(refused.why, 'blocked');
    }
    assert.equal((events.at(-1) as Extract<AuditEvent, { type: 'call' }>).answer, 'blocked');
  });

  it('of a changed tool ask every caller for this one call, in warn mode @toolCalls.changed-tool-ask', async () => {
    mode = 'warn';
    const call = await wanted(await firstTool());
    await pins.offer(call.server);
    const changed: Tool = { ...call.tool, description: 'Something else' };
    const asked: string[] = [];
    for (const origin of ['chat', 'gateway', 'languageModelTool', 'palette'] as const) {
      for (let times = 0; times < 2; times++) {
        const answer = await calls.approve({ ...call, tool: changed, origin }, async (_call, pin) => {
          asked.push(`${origin} ${pin}`);
          return { answer: 'allow', scope: 'user' };
        });
        assert.ok(answer.approved);
      }
    }
    assert.equal(asked.length, 8);
    assert.ok(asked.every(said => said.endsWith(' changed')));
    assert.deepEqual(policy.rules, []);
    assert.ok(!events.some(({ type }) => type === 'approval'));
    mode = 'off';
    assert.ok((await calls.approve({ ...call, tool: changed, origin: 'palette' }, never)).approved);
  });

  it('allowed by an argument rule name it in the audit log', async () => {
    const call = await wanted(await firstTool(), { path: '/x', mode: 'secret-mode' });
    const rule: ArgumentRule = [
      { path: '/path', is: 'any' },
      { path: '/mode', is: 'equals', value: 'secret-mode' },
    ];
    await calls.approve(call, says({ answer: 'allow', scope: 'user', rule }));
    const approved = await calls.approve({ ...call, args: { path: '/y', mode: 'secret-mode' } }, never);
    assert.ok(approved.approved);
    await approved.run();
    const [made, event] = events;
    assert.ok(made?.type === 'approval' && event?.type === 'call');
    assert.match(made.rule ?? '', /^[0-9a-f]{16}$/);
    assert.deepEqual([event.decided, event.answer, event.rule], ['rule', 'allow', made.rule]);
    assert.ok(!JSON.stringify(events).includes('secret-mode'));
    const other = await calls.approve({ ...call, args: { path: '/x', mode: 'w' } }, says(undefined));
    assert.equal(other.approved, false);
  });

  it('are not made when the tool changes between the approval and the call @toolCalls.made-tool-changes', async () => {
    const call = await wanted(await firstTool());
    const approved = await calls.approve(
      { ...call, tool: { ...call.tool, description: 'As it was when it was approved' } },
      says({ answer: 'allow' }),
    );
    assert.ok(approved.approved);
    await assert.rejects(
      approved.run(),
      /"content" could not call .*: the tool has changed since the call was approved/,
    );
    assert.equal((events.at(-1) as Extract<AuditEvent, { type: 'call' }>).outcome, 'CHANGED');
  });

  it('are for the program that was asked about: not for one that came under its name meanwhile @toolCalls.program-asked-about', async () => {
    const call = await wanted(await firstTool());
    const { server, tool } = call;
    const other = (mode: string) => {
      const { env, ...entry } = fixture('content');
      test.configure({ content: { ...entry, env: { ...env, MODE: mode } } });
    };
    const asked = await calls.approve(call, async () => {
      other('asked');
      return { answer: 'allow', scope: 'workspace' };
    });
    assert.deepEqual([asked.approved, rules], [false, { user: {}, workspace: {} }]);
    await test.loads('content');
    assert.equal(calls.isAllowed({ server, tool, origin: 'chat' }), false);

    const approved = await calls.approve(call, says({ answer: 'allow' }));
    assert.ok(approved.approved);
    other('approved');
    await assert.rejects(approved.run(), /has changed since the call was approved/);

    const denied = await calls.approve(call, async () => {
      other('denied');
      return { answer: 'deny', scope: 'workspace' };
    });
    assert.deepEqual([denied.approved, Object.values(rules.workspace)], [false, ['deny']]);
  });

  it('are not made with a stale list: of another tool, or of a changed prompt @toolCalls.made-stale-list', async () => {
    const call = await wanted(await firstTool());
    const { definition } = call.server;
    const prompt = { name: 'p', description: 'As it was' };
    let isListed = false;
    let sent = 0;
    // It is up, and its lists are still on their way.
    const server = {
      id: definition.id,
      name: definition.name,
      definition,
      state: { kind: 'ready' },
      info: undefined,
      untilReady: async () => undefined,
      catalog: {
        list: (kind: string) => {
          const items = kind === 'tools' ? [call.tool] : kind === 'prompts' ? [prompt] : [];
          return isListed ? { status: 'ready', items: [] } : { status: 'loading', cached: true, items };
        },
        loaded: async () => {
          isListed = true;
        },
        get tools() {
          return isListed ? [{ ...call.tool, description: 'Something else' }] : [];
        },
        get prompts() {
          return isListed ? [{ ...prompt, description: 'Something else' }] : [];
        },
      },
    } as unknown as typeof call.server;
    open = () => ({ callTool: async () => ++sent, getPrompt: async () => ++sent }) as never;
    const approved = await calls.approve({ ...call, server }, says({ answer: 'allow' }));
    assert.ok(approved.approved);
    await assert.rejects(approved.run(), /the tool has changed since the call was approved/);

    isListed = false;
    const before = { name: 'content', id: definition.id, definition, info: undefined };
    const ready = { status: 'ready' as const, items: [prompt] };
    const list = ((kind: string) => (kind === 'prompts' ? ready : { status: 'ready', items: [] })) as never;
    await pins.offer({ ...before, catalog: { list } });
    await assert.rejects(prompts(server).getPrompt('p', {}), /could not get the prompt p: it has changed/);
    assert.equal(sent, 0);
    mode = 'warn';
    await prompts(server).getPrompt('p', {});
    assert.equal(sent, 1);
  });

  it('that fail are logged with their code @toolCalls.fail-logged-code', async () => {
    const call = await wanted(await firstTool());
    const approved = await calls.approve(call, says({ answer: 'allow' }));
    await call.server.stop('test');
    assert.ok(approved.approved);
    await assert.rejects(approved.run(), /"content" could not call/);
    await waitFor(() => events.length === 1, { what: 'the event' });
    assert.equal((events[0] as Extract<AuditEvent, { type: 'call' }>).outcome, 'NOT_READY');
  });

  it('of tests ask no questions, respect denials and blocks, and are logged @toolCalls.tests-ask-questions', async () => {
    const { server, tool } = await wanted(await firstTool());
    const client = { id: 'a.mcptest.yaml', name: 'a.mcptest.yaml' };
    const args = { secret: 'hunter2' };
    const ask = (wanted = tool) => calls.approveTest({ server, tool: wanted, args, client });
    const allowed = await ask();
    assert.ok(allowed.approved);
    assert.ok((await allowed.run()).result.content);
    const told = () =>
      events.map(event => (event.type === 'call' ? [event.origin, event.client, event.answer] : event));
    assert.deepEqual(told(), [['test', client.id, 'allow']]);
    assert.ok(!JSON.stringify(events).includes('hunter2'));
    const failing = await ask({ name: 'no such tool', inputSchema: { type: 'object' } });
    assert.ok(failing.approved);
    await assert.rejects(failing.run(), { code: 'PROTOCOL' });

    denied = [`*/${tool.name}`];
    const bySetting = await ask();
    assert.ok(!bySetting.approved && bySetting.why === 'denied');
    denied = [];
    const kept = await calls.approve(
      { server, tool, args, origin: 'chat' },
      says({ answer: 'deny', scope: 'workspace' }),
    );
    assert.ok(!kept.approved);
    const byAnswer = await ask();
    assert.ok(!byAnswer.approved && byAnswer.why === 'denied');
    await policy.forget({ scope: 'workspace', serverId: server.id });
    await pins.offer(server);
    const changed = { ...tool, description: 'Another.' };
    const blocked = await ask(changed);
    assert.ok(!blocked.approved && blocked.why === 'blocked');
    assert.deepEqual(
      events.flatMap(event => (event.type === 'call' && event.origin === 'test' ? [event.answer] : [])),
      ['allow', 'allow', 'deny', 'deny', 'blocked'],
    );
  });
});
