import assert from 'node:assert/strict';
import type { Prompt, Tool } from '@modelcontextprotocol/client';
import fc from 'fast-check';
import { canonicalJson } from '../../../src/base/fingerprint';
import { exact, visible, visibleJson, visibleLines } from '../../../src/base/text';
import { ApprovalPolicy, type StoredApprovals, type ToolCall } from '../../../src/features/trust/core/approvals';
import { type PinnedServer, Pins } from '../../../src/features/trust/core/pins';
import type { ServerDefinition } from '../../../src/host/definition';
import { Redactor } from '../../../src/host/secrets/redactor';
import { holds } from './fuzz';
import { hiddenIn, hostile, names, oneOf, pick } from './texts';
import { json } from './values';

const schema = oneOf<unknown>(
  [
    4,
    fc.record({
      type: pick('object'),
      properties: fc.dictionary(names, json, { maxKeys: 3 }),
      required: fc.array(names, { maxLength: 2 }),
    }),
  ],
  [1, json],
);
const hints = fc.record(
  { readOnlyHint: fc.boolean(), destructiveHint: fc.boolean(), title: hostile },
  { requiredKeys: [] },
);
const tools = fc.record(
  {
    name: names,
    title: hostile,
    description: hostile,
    inputSchema: schema,
    outputSchema: schema,
    annotations: hints,
    _meta: fc.constant({ other: 1 }),
  },
  { requiredKeys: ['name', 'inputSchema'] },
) as unknown as fc.Arbitrary<Tool>;

/** What a server makes of its tool later, under the same name. */
const change = oneOf<(tool: Tool) => Tool>(
  [4, hostile.map(text => tool => ({ ...tool, description: text }))],
  [2, hostile.map(text => tool => ({ ...tool, description: `${tool.description ?? ''}${text}` }))],
  [2, hostile.map(text => tool => ({ ...tool, title: text }))],
  [3, schema.map(other => tool => ({ ...tool, inputSchema: other as Tool['inputSchema'] }))],
  [1, schema.map(other => tool => ({ ...tool, outputSchema: other as NonNullable<Tool['outputSchema']> }))],
  [1, hints.map(other => tool => ({ ...tool, annotations: other as NonNullable<Tool['annotations']> }))],
  [1, fc.constant((tool: Tool) => structuredClone(tool))],
);

/** All by which a person or a model judges a tool; undefined when it is too deep to be compared. */
function judged({ name, title, description, inputSchema, outputSchema, annotations }: Tool): string | undefined {
  try {
    return canonicalJson({ name, title, description, inputSchema, outputSchema, annotations });
  } catch {
    return undefined;
  }
}

function serverOf(tool: Tool, redact: (text: string) => string): PinnedServer {
  const definition = { id: 'one', name: 'one', source: { scope: 'user' } } as ServerDefinition;
  const list = (kind: string) => ({ status: 'ready', items: kind === 'tools' ? [tool] : ([] as Prompt[]) });
  return { id: 'one', definition, info: undefined, catalog: { list } as never, redact };
}

describe('fuzz: definitions of tools', () => {
  holds(
    'one that changed is noticed, also by who reads the pins later, and whatever the server calls a secret @tools.changed-noticed-reads',
    'pins',
    fc.tuple(tools, change, fc.nat(3), fc.boolean()),
    async ([before, edit, secretOf, isLater]) => {
      const now = edit(before);
      const [was, is] = [judged(before), judged(now)];
      if (was === undefined || is === undefined) return;
      // The tokens that a server gives may be any text: that of its own tool, before and after the change.
      const redactor = new Redactor();
      const { description: one = '' } = before;
      const { description: other = '' } = now;
      redactor.learn('one', [[], [one], [other], [one, other]][secretOf]!);
      const redact = (text: string) => redactor.text(text);
      let kept: unknown;
      const store = {
        read: async () => kept,
        write: async (_server: unknown, pins: unknown) => {
          kept = structuredClone(pins);
        },
      };
      const pins = new Pins(store, () => 'enforce');
      await pins.offer(serverOf(before, redact));
      const later = isLater ? new Pins(store, () => 'enforce') : pins;
      const server = serverOf(now, redact);
      await later.load(server);
      assert.equal(later.toolState(server, now), was === is ? 'accepted' : 'changed');
      assert.equal(later.blocks(server, now), was !== is);
    },
  );

  holds(
    'nothing is called before somebody allowed it, and what was allowed is what is called @tools.called-somebody-allowed',
    'approvals',
    fc.tuple(
      tools,
      change,
      pick<'call' | 'chat' | 'workspace' | 'user'>('chat', 'workspace', 'user'),
      pick<ToolCall['scope']>('user', 'workspace', 'workspaceFolder'),
    ),
    async ([before, edit, scope, from]) => {
      const rules: Record<'user' | 'workspace', StoredApprovals> = { user: {}, workspace: {} };
      const policy = new ApprovalPolicy(
        { get: where => rules[where], set: async (where, value) => void Object.assign(rules, { [where]: value }) },
        () => ({ skipReadOnly: false, deny: [] }),
      );
      const call = (tool: Tool, more: Partial<ToolCall> = {}): ToolCall =>
        ({
          serverId: 'one',
          serverName: 'one',
          scope: from,
          tool,
          origin: 'chat',
          chat: 'c',
          args: {},
          ...more,
        }) as ToolCall;
      const now = edit(before);
      assert.equal(policy.decide(call(before)).answer, 'ask');
      await policy.remember(call(before), 'allow', scope as 'chat');
      const [was, is] = [judged(before), judged(now)];
      if (was === undefined || is !== was) assert.equal(policy.decide(call(now)).answer, 'ask');
      assert.equal(policy.decide(call(before, { serverId: 'other', serverName: 'other' })).answer, 'ask');
      assert.equal(policy.decide(call(before, { scope: from === 'user' ? 'workspace' : 'user' })).answer, 'ask');
      await policy.remember(call(now), 'deny', 'user');
      for (const tool of [before, now]) assert.equal(policy.decide(call(tool)).answer, 'deny');
    },
  );

  holds('everything of it that is shown is seen, on one line, and bounded', 'shownTool', tools, tool => {
    for (const text of [tool.name, tool.title ?? '', tool.description ?? '']) {
      assert.deepEqual(hiddenIn(visible(text)), [], 'in a row');
      assert.ok(visible(text).length <= 200 * 12);
      assert.deepEqual(hiddenIn(visibleLines(text), '\n\t'), [], 'in lines');
      assert.deepEqual(hiddenIn(exact(text)), [], 'to the letter');
    }
    if (judged(tool) === undefined) return;
    const shown = visibleJson(tool);
    assert.deepEqual(hiddenIn(shown, '\n'), [], 'as JSON');
    assert.deepEqual(JSON.parse(shown), JSON.parse(JSON.stringify(tool)), 'which is the same value');
  });
});
