import assert from 'node:assert/strict';
import type { Tool } from '@modelcontextprotocol/client';
import { ApprovalPolicy, type StoredApprovals, type ToolCall } from '../../../../../src/features/trust/core/approvals';
import type { ArgumentRule } from '../../../../../src/features/trust/core/argumentRules';
import type { ProgramStore } from '../../../../../src/host/definition';

class MemoryStore implements ProgramStore {
  readonly rules: Record<'workspace' | 'user', StoredApprovals> = { workspace: {}, user: {} };
  get(scope: 'workspace' | 'user') {
    return this.rules[scope];
  }
  async set(scope: 'workspace' | 'user', rules: StoredApprovals) {
    this.rules[scope] = structuredClone(rules);
  }
}

const tool = (more: Partial<Tool> = {}): Tool => ({ name: 'add', inputSchema: { type: 'object' }, ...more });
const call = (more: Partial<ToolCall> = {}): ToolCall => ({
  serverId: 'notes',
  serverName: 'notes',
  scope: 'user',
  launch: 'the program',
  tool: tool(),
  args: {},
  isChanged: false,
  origin: 'chat',
  ...more,
});
const setup = (skipReadOnly = false, deny: string[] = []) => {
  const store = new MemoryStore();
  return { store, policy: new ApprovalPolicy(store, () => ({ skipReadOnly, deny })) };
};

describe('the approval policy', () => {
  it('asks about every call, unless a person started it with arguments of their own @approvals.asks-call-unless', () => {
    const { policy } = setup();
    for (const origin of ['chat', 'languageModelTool', 'gateway'] as const)
      assert.equal(policy.decide(call({ origin })).answer, 'ask');
    assert.equal(policy.decide(call({ origin: 'palette' })).answer, 'allow');
  });

  it('ignores a read-only hint, unless the setting trusts it @approvals.ignores-read-hint', () => {
    const readOnly = call({ tool: tool({ annotations: { readOnlyHint: true } }) });
    assert.equal(setup().policy.decide(readOnly).answer, 'ask');
    assert.equal(setup(true).policy.decide(readOnly).answer, 'allow');
    assert.equal(setup(true).policy.decide(call()).answer, 'ask');
  });

  it('lets no answer and no setting hold for longer than one call where the organization wants each to be asked about', async () => {
    const store = new MemoryStore();
    let asksAlways = false;
    const policy = new ApprovalPolicy(store, () => ({ skipReadOnly: true, deny: ['notes/remove'], asksAlways }));
    const readOnly = call({ tool: tool({ annotations: { readOnlyHint: true } }), chat: 'a' });
    for (const scope of ['chat', 'workspace', 'user'] as const)
      assert.ok(await policy.remember(call({ chat: 'a' }), 'allow', scope));
    assert.equal(policy.decide(call({ chat: 'a' })).answer, 'allow');
    const kept = structuredClone(store.rules);
    asksAlways = true;
    for (const origin of ['chat', 'languageModelTool', 'gateway'] as const)
      for (const one of [call({ origin, chat: 'a' }), { ...readOnly, origin }])
        assert.equal(policy.decide(one).answer, 'ask', origin);
    for (const scope of ['chat', 'workspace', 'user'] as const)
      assert.equal(await policy.remember(call({ chat: 'a' }), 'allow', scope), false);
    assert.deepEqual(store.rules, kept);
    // A denial still holds, by setting or by answer.
    assert.equal(policy.decide(call({ tool: tool({ name: 'remove' }) })).answer, 'deny');
    assert.ok(await policy.remember(call(), 'deny', 'user'));
    assert.equal(policy.decide(call()).answer, 'deny');
  });

  it('keeps an answer for its chat only', async () => {
    const { policy, store } = setup();
    await policy.remember(call({ chat: 'a' }), 'allow', 'chat');
    assert.equal(policy.decide(call({ chat: 'a' })).answer, 'allow');
    assert.equal(policy.decide(call({ chat: 'b' })).answer, 'ask');
    assert.equal(policy.decide(call()).answer, 'ask');
    assert.deepEqual(store.rules, { workspace: {}, user: {} });
  });

  it('keeps "always" for this tool of this server only', async () => {
    const { policy } = setup();
    await policy.remember(call(), 'allow', 'workspace');
    assert.equal(policy.decide(call({ origin: 'gateway' })).answer, 'allow');
    assert.equal(policy.decide(call({ serverId: 'other' })).answer, 'ask');
    assert.equal(policy.decide(call({ tool: tool({ name: 'remove' }) })).answer, 'ask');
  });

  it('asks again when anything of the definition has changed, and not for the order of its keys', async () => {
    const schema = { type: 'object' as const, properties: { a: { type: 'string' }, b: { type: 'number' } } };
    const { policy } = setup();
    await policy.remember(call({ tool: tool({ inputSchema: schema, description: 'x' }) }), 'allow', 'user');
    const reordered = { properties: { b: { type: 'number' }, a: { type: 'string' } }, type: 'object' as const };
    const same = tool({ description: 'x', inputSchema: reordered });
    assert.equal(policy.decide(call({ tool: same })).answer, 'allow');
    const changes: Partial<Tool>[] = [
      { description: 'y' },
      { title: 'Add' },
      { annotations: { readOnlyHint: true } },
      { outputSchema: { type: 'object' } },
      { inputSchema: { type: 'object' } },
    ];
    for (const change of changes) assert.equal(policy.decide(call({ tool: { ...same, ...change } })).answer, 'ask');
  });

  it('lets a denial win over every approval, whatever the tool becomes', async () => {
    const { policy } = setup(true);
    await policy.remember(call({ chat: 'a' }), 'allow', 'chat');
    await policy.remember(call(), 'allow', 'workspace');
    await policy.remember(call(), 'deny', 'user');
    const changed = tool({ description: 'harmless', annotations: { readOnlyHint: true } });
    for (const denied of [call({ chat: 'a' }), call({ origin: 'palette' }), call({ tool: changed })])
      assert.equal(policy.decide(denied).answer, 'deny');
  });

  it('replaces an answer by the next one of the same scope', async () => {
    const { policy, store } = setup();
    await policy.remember(call({ tool: tool({ description: 'old' }) }), 'allow', 'workspace');
    await policy.remember(call(), 'deny', 'workspace');
    await policy.remember(call(), 'allow', 'workspace');
    assert.equal(policy.decide(call()).answer, 'allow');
    assert.equal(Object.keys(store.rules.workspace).length, 1);
  });

  it('forgets one tool, or all of a server, and announces it @approvals.forgets-tool-server', async () => {
    const { policy } = setup();
    let changes = 0;
    policy.onDidChange(() => changes++);
    for (const name of ['one', 'two', 'three']) await policy.remember(call({ tool: tool({ name }) }), 'allow', 'user');
    await policy.forget({ scope: 'user', serverId: 'notes', toolName: 'one' });
    assert.deepEqual(
      policy.rules.map(({ toolName }) => toolName),
      ['two', 'three'],
    );
    await policy.forget({ scope: 'user', serverId: 'notes' });
    assert.deepEqual(policy.rules, []);
    assert.equal(changes, 5);
  });

  it('lists what is remembered, the narrowest scope first', async () => {
    const { policy } = setup();
    await policy.remember(call(), 'deny', 'user');
    await policy.remember(call({ chat: 'a' }), 'allow', 'chat');
    const [chat, user] = policy.rules;
    assert.match(chat?.definition ?? '', /^[0-9a-f]{64}$/);
    assert.deepEqual(user, { scope: 'user', serverId: 'notes', toolName: 'add', answer: 'deny' });
  });

  it('asks each time about a tool whose definition is too deep to compare', async () => {
    let deep: Record<string, unknown> = {};
    for (let level = 0; level < 1_000; level++) deep = { deep };
    const { policy } = setup();
    const odd = call({ tool: tool({ inputSchema: { type: 'object', properties: deep as never } }) });
    await policy.remember(odd, 'allow', 'user');
    assert.equal(policy.decide(odd).answer, 'ask');
    await policy.remember(odd, 'deny', 'user');
    assert.equal(policy.decide(odd).answer, 'deny');
  });

  it('ignores foreign stored keys, and handles prototype names', async () => {
    const { policy, store } = setup();
    store.rules.user = { nonsense: 'allow', '[1]': 'allow', '{}': 'deny' };
    assert.deepEqual(policy.rules, []);
    await policy.remember(call({ serverId: '__proto__', tool: tool({ name: 'constructor' }) }), 'allow', 'user');
    assert.equal(policy.decide(call({ serverId: '__proto__', tool: tool({ name: 'constructor' }) })).answer, 'allow');
  });

  it('lets nothing that was allowed everywhere hold for a server that a workspace brings', async () => {
    const { policy } = setup();
    await policy.remember(call(), 'allow', 'user');
    assert.equal(policy.decide(call()).answer, 'allow');
    assert.equal(policy.decide(call({ scope: 'workspace' })).answer, 'ask');
  });

  it('takes the narrowest answer, but a denial from anywhere', async () => {
    const { policy } = setup();
    await policy.remember(call(), 'allow', 'user');
    await policy.remember(call(), 'ask', 'workspace');
    assert.equal(policy.decide(call()).answer, 'ask');
    await policy.remember(call({ chat: 'a' }), 'allow', 'chat');
    assert.equal(policy.decide(call({ chat: 'a' })).answer, 'allow');
    await policy.remember(call(), 'deny', 'user');
    assert.equal(policy.decide(call({ chat: 'a' })).answer, 'deny');
  });

  it("never allows what the person's deny list names", () => {
    for (const pattern of ['notes/add', 'notes/*', '*/add', '*', 'n*/a*d', '*otes/a*']) {
      assert.equal(setup(false, [pattern]).policy.decide(call({ origin: 'palette' })).answer, 'deny', pattern);
    }
    for (const pattern of ['notes', 'notes/ad', 'notes/add*d', 'other/*', '', '*x*']) {
      assert.equal(setup(false, [pattern]).policy.decide(call({ origin: 'palette' })).answer, 'allow', pattern);
    }
  });

  it('forgets in every scope that a tool was allowed, and nothing else', async () => {
    const { policy } = setup();
    await policy.remember(call(), 'allow', 'user');
    await policy.remember(call({ chat: 'a' }), 'allow', 'chat');
    await policy.remember(call({ tool: tool({ name: 'other' }) }), 'deny', 'workspace');
    assert.equal(await policy.withdraw('notes', 'add'), true);
    assert.deepEqual(
      policy.rules.map(({ toolName, answer }) => [toolName, answer]),
      [['other', 'deny']],
    );
    assert.equal(await policy.withdraw('notes', 'add'), false);
  });

  it('keeps the approval of the current definition when it forgets an earlier one', async () => {
    const { policy } = setup();
    const changed = call({ tool: tool({ description: 'changed' }) });
    await policy.remember(call(), 'allow', 'user');
    await policy.remember(changed, 'allow', 'workspace');
    assert.equal(await policy.withdraw('notes', 'add', changed), true);
    assert.deepEqual(
      policy.rules.map(({ scope }) => scope),
      ['workspace'],
    );
    assert.equal(policy.decide(changed).answer, 'allow');
    assert.equal(await policy.withdraw('notes', 'add', changed), false);
    assert.equal(await policy.withdraw('notes', 'add', { ...changed, scope: 'workspace' }), true);
  });

  describe('of a server of one folder of several', () => {
    const ofFolder = (more: Partial<ToolCall> = {}) =>
      call({ serverId: 'notes@app', serverName: 'notes', scope: 'workspaceFolder', ...more });

    it('denies what the deny list names, by configured name and by id @approvals.denies-deny-list', () => {
      for (const pattern of ['notes/add', 'notes/*', 'notes@app/add', '*@app/*']) {
        assert.equal(setup(false, [pattern]).policy.decide(ofFolder({ origin: 'palette' })).answer, 'deny', pattern);
      }
      assert.equal(setup(false, ['app/*', 'note/add']).policy.decide(ofFolder({ origin: 'palette' })).answer, 'allow');
    });

    it('denies what was denied before a second folder of its name existed @approvals.denies-denied-second', async () => {
      const twin = { serverId: 'notes@app (one)', plainId: 'notes@app' };
      for (const pattern of ['notes/add', 'notes@app/add', 'notes@app (one)/*']) {
        assert.equal(
          setup(false, [pattern]).policy.decide(ofFolder({ ...twin, origin: 'palette' })).answer,
          'deny',
          pattern,
        );
      }
      const { policy } = setup();
      await policy.remember(ofFolder(), 'allow', 'workspace');
      assert.equal(policy.decide(ofFolder(twin)).answer, 'ask', 'what was allowed is not');
      await policy.remember(ofFolder(), 'deny', 'workspace');
      assert.equal(policy.decide(ofFolder(twin)).answer, 'deny');
    });

    it('applies user-wide denials of its name, and no other answers', async () => {
      const { policy } = setup();
      await policy.remember(call({ scope: 'workspace' }), 'allow', 'user');
      await policy.remember(call({ scope: 'workspace' }), 'allow', 'workspace');
      assert.equal(policy.decide(ofFolder()).answer, 'ask');
      await policy.remember(call({ scope: 'workspace' }), 'deny', 'workspace');
      assert.equal(policy.decide(ofFolder()).answer, 'ask');
      await policy.remember(call({ scope: 'workspace' }), 'deny', 'user');
      assert.equal(policy.decide(ofFolder()).answer, 'deny');
      assert.equal(policy.decide(ofFolder({ origin: 'palette' })).answer, 'deny');
      assert.equal(policy.decide(ofFolder({ tool: tool({ name: 'other' }) })).answer, 'ask');
    });
  });

  it('lets another program under the same id inherit only denials @approvals.lets-program-id', async () => {
    const { policy } = setup();
    for (const scope of ['chat', 'workspace', 'user'] as const) {
      await policy.remember(call({ chat: 'a' }), 'allow', scope);
      assert.equal(policy.decide(call({ chat: 'a' })).answer, 'allow', scope);
      assert.equal(policy.decide(call({ chat: 'a', launch: 'another' })).answer, 'ask', scope);
      assert.equal(policy.isCurrent(policy.rules[0]!, call({ launch: 'another' })), false);
      await policy.forget({ scope, chat: 'a', serverId: 'notes' });
    }
    await policy.remember(call(), 'deny', 'user');
    assert.equal(policy.decide(call({ launch: 'another' })).answer, 'deny');
  });

  it('asks again where the first version of this extension kept an approval, which knew no launch @approvals.asks-first-version', async () => {
    const { policy, store } = setup();
    await policy.remember(call(), 'allow', 'user');
    const [key] = Object.keys(store.rules.user);
    const [server, name, definition] = JSON.parse(key!) as string[];
    store.rules.user = { [JSON.stringify([server, name, definition])]: 'allow' };
    store.rules.workspace = { [JSON.stringify([server, name, definition, 'workspace'])]: 'allow' };
    for (const scope of ['user', 'workspace'] as const) {
      for (const launch of ['the program', 'workspace', ''])
        assert.equal(policy.decide(call({ scope, launch })).answer, 'ask');
    }
    assert.equal(policy.rules.length, 2);
    store.rules.user = { [JSON.stringify([server, name])]: 'deny' };
    assert.equal(policy.decide(call()).answer, 'deny');
  });

  it('allows nothing for a changed tool, not even from the palette, and stores no approval of it', async () => {
    const { policy } = setup(true);
    const changed = call({ isChanged: true, tool: tool({ annotations: { readOnlyHint: true } }), chat: 'a' });
    for (const scope of ['chat', 'workspace', 'user'] as const) {
      await policy.remember({ ...changed, isChanged: false }, 'allow', scope);
    }
    for (const origin of ['chat', 'languageModelTool', 'gateway', 'palette'] as const) {
      assert.equal(policy.decide({ ...changed, origin }).answer, 'ask', origin);
    }
    await policy.forget({ scope: 'user', serverId: 'notes' });
    assert.equal(await policy.remember(changed, 'allow', 'user'), false);
    assert.ok(!policy.rules.some(({ scope }) => scope === 'user'));
    assert.equal(await policy.remember(changed, 'deny', 'user'), true);
    assert.equal(policy.decide(changed).answer, 'deny');
  });

  describe('narrowed to arguments', () => {
    const rule: ArgumentRule = [{ path: '/mode', is: 'equals', value: 'r' }];
    const other: ArgumentRule = [{ path: '/mode', is: 'equals', value: 'w' }];
    const reads = call({ args: { mode: 'r' } });

    it('allows only what a rule covers, and names the rule', async () => {
      const { policy } = setup();
      await policy.remember(reads, 'allow', 'workspace', rule);
      assert.deepEqual(policy.decide(reads), { answer: 'allow', rule });
      assert.equal(policy.decide(call({ args: { mode: 'w' } })).answer, 'ask');
      assert.equal(policy.decide(call({ args: { mode: 'r', more: 1 } })).answer, 'ask');
      assert.equal(policy.decide({ ...reads, launch: 'another' }).answer, 'ask');
      assert.equal(policy.decide({ ...reads, tool: tool({ description: 'other' }) }).answer, 'ask');
      assert.equal(policy.decide({ ...reads, isChanged: true }).answer, 'ask');
    });

    it('leaves it to be asked about all other calls where that was so, also when a wider scope allows them @approvals.leaves-asked-calls', async () => {
      for (const scope of ['workspace', 'chat'] as const) {
        const { policy } = setup();
        const wanted = (args: ToolCall['args']) => call({ chat: 'a', args });
        await policy.remember(wanted({}), 'allow', 'user');
        await policy.remember(wanted({}), 'ask', scope);
        assert.equal(policy.decide(wanted({ a: 1 })).answer, 'ask');
        await policy.remember(wanted({ a: 1 }), 'allow', scope, [{ path: '/a', is: 'equals', value: 1 }]);
        assert.equal(policy.decide(wanted({ a: 1 })).answer, 'allow');
        assert.equal(policy.decide(wanted({ a: 2 })).answer, 'ask');
        await policy.remember(wanted({ a: 3 }), 'allow', scope, [{ path: '/a', is: 'equals', value: 3 }]);
        assert.equal(policy.decide(wanted({ a: 2 })).answer, 'ask');
        await policy.remember(wanted({}), 'allow', scope);
        assert.equal(policy.decide(wanted({ a: 2 })).answer, 'allow');
      }
    });

    it('stands beside others, which are changed and forgotten one by one', async () => {
      const { policy, store } = setup();
      for (const one of [rule, other, rule]) await policy.remember(reads, 'allow', 'user', one);
      const args = () => policy.rules.map(kept => kept.arguments);
      assert.deepEqual(args(), [other, rule]);
      assert.ok(policy.rules.every(kept => policy.isCurrent(kept, reads)));
      const third: ArgumentRule = [{ path: '/mode', is: 'any' }];
      await policy.change(policy.rules[0]!, third);
      assert.deepEqual(args(), [third, rule]);
      await policy.forget(policy.rules[0]!);
      assert.deepEqual(args(), [rule]);
      await policy.forget(policy.rules[0]!);
      assert.deepEqual(store.rules.user, {});
    });

    it('gives way to the next answer without a rule, and to a denial anywhere', async () => {
      const { policy } = setup();
      await policy.remember(reads, 'allow', 'workspace', rule);
      await policy.remember(reads, 'deny', 'user');
      assert.equal(policy.decide(reads).answer, 'deny');
      await policy.forget({ scope: 'user', serverId: 'notes' });
      await policy.remember(reads, 'ask', 'workspace');
      assert.equal(policy.decide(reads).answer, 'ask');
      assert.equal(policy.rules.length, 1);
    });

    it('is ignored when the stored rule is corrupt', () => {
      const rulesOf = (stored: unknown) => {
        const kept = { [JSON.stringify(['notes', 'add', 'hash', 'launch', 'user'])]: stored };
        const policy = new ApprovalPolicy({ get: () => kept, set: async () => {} }, () => ({
          skipReadOnly: false,
          deny: [],
        }));
        return policy.rules.filter(({ scope }) => scope === 'user').map(one => one.arguments);
      };
      for (const spoiled of [null, 7, {}, { only: 1 }, { only: [] }, { only: [1] }, { only: [[{ path: '/x' }]] }]) {
        assert.deepEqual(rulesOf(spoiled), []);
      }
      assert.deepEqual(rulesOf({ only: [rule, [{ path: 'x', is: 'any' }]] }), [rule]);
    });
  });
});
