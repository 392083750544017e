import assert from 'node:assert/strict';
import {
  META_TOOLS,
  type OfferLimits,
  type ToolNeeds,
  TurnTools,
} from '../../../../../src/features/chat/core/turnTools';
import { ToolIndex } from '../../../../../src/features/languageModel/core/relevance';
import { type DefinedTool, nameTools } from '../../../../../src/features/languageModel/core/toolNames';

const inputSchema = { type: 'object', properties: { id: { type: 'number' }, note: {} }, required: ['id'] } as const;
const names = (tools: TurnTools) => tools.definitions.map(({ name }) => name);
const meta = META_TOOLS.map(({ name }) => name);
/** As many for each tool, and none for ours. */
const TOKENS = 100;

function defined(...tools: [name: string, description: string][]): readonly DefinedTool[] {
  const wanted = tools.map(([name, description]) => ({
    serverId: 's',
    serverName: 's',
    tool: { name, description, inputSchema: { ...inputSchema, required: ['id'] } },
  }));
  return nameTools(wanted).map(named => ({
    ...named,
    definition: { name: named.name, description: named.tool.description!, inputSchema },
  }));
}

function turn(
  tools: readonly DefinedTool[],
  limits: Partial<OfferLimits> = {},
  wanted: Partial<ToolNeeds> = {},
  blocked: readonly DefinedTool[] = [],
) {
  const index = new ToolIndex(tools);
  return new TurnTools(new Map(tools.map(tool => [tool.name, tool])), new Map(blocked.map(tool => [tool.name, tool])), {
    limits: { maxTools: 128, maxTokens: 1000, ...limits },
    tokensOf: ({ name }) => (meta.includes(name) ? 0 : TOKENS),
    index: () => index,
    wanted: { question: '', ...wanted },
  });
}

const many = defined(
  ...Array.from({ length: 300 }, (_, i) => [`tool_${i}`, `Does thing number ${i}`] as [string, string]),
);
const animals = defined(
  ['feed', 'Feeds a zebra'],
  ['wash', 'Washes an elephant'],
  ['count', 'Counts the lions'],
  ...Array.from({ length: 97 }, (_, i) => [`other_${i}`, 'Something else'] as [string, string]),
);

describe('tools offered in a turn', () => {
  it('are all tools, without ours, while they are within the limits @turnTools.tools-ours-within', () => {
    const ten = turn(many.slice(0, 10));
    assert.equal(ten.isDeferred, false);
    assert.deepEqual(
      names(ten),
      many.slice(0, 10).map(({ name }) => name),
    );
    assert.equal(ten.tokens, 10 * TOKENS);
    assert.equal(turn(many.slice(0, 11)).isDeferred, true, 'too many tokens');
    assert.equal(turn(many.slice(0, 10), { maxTools: 9 }).isDeferred, true, 'too many tools');
    assert.deepEqual(names(turn([])), []);
  });

  it('are otherwise those that fit the question, and three of ours @turnTools.otherwise-fit-question', () => {
    const tools = turn(animals, {}, { question: 'Are the lions and the zebras all right?' });
    assert.deepEqual(names(tools), [...meta, 's__feed', 's__count']);
    assert.equal(tools.tokens, 2 * TOKENS);
    assert.deepEqual(names(turn(animals, {}, { question: 'no such words' })), meta);
  });

  it('include those used before and those always offered, within the limits', () => {
    const wanted = { question: 'zebra', used: ['s__other_1', 'gone'], always: ['s__other_2', 's__other_3'] };
    assert.deepEqual(names(turn(animals, {}, wanted)), [...meta, 's__feed', 's__other_1', 's__other_2', 's__other_3']);
    const used = many.map(({ name }) => name);
    assert.equal(turn(many, {}, { question: 'thing', used }).tokens, 800, 'room is left for what is found');
    assert.equal(turn(many, {}, { question: 'thing', always: used }).tokens, 1000);
    assert.equal(turn(many, { maxTokens: 100_000, maxTools: 40 }, { always: used }).definitions.length, 40);
    assert.equal(turn(many, { maxTokens: 100_000 }, { question: 'thing' }).definitions.length, meta.length + 16);
    assert.equal(turn(many, { maxTools: 1 }, { question: 'thing' }).definitions.length, meta.length + 1);
  });

  it('grow by what the model finds, as far as there is room @turnTools.grow-model-finds', () => {
    const tools = turn(animals, { maxTokens: 500 }, { question: 'zebra' });
    const found = tools.search('elephant');
    assert.equal(found, 's__wash(id, note?): Washes an elephant\nThese tools can now be called by their names.');
    assert.deepEqual(
      names(tools),
      [...meta, 's__feed', 's__wash'],
      'new ones come last, so that what was cached stays',
    );
    assert.match(
      tools.search('something'),
      /\ns__other_9\(.*\nRead the definition .* mcp_describe_tool, and call it with mcp_call_tool\.$/s,
    );
    assert.equal(tools.tokens, 500);
    assert.equal(tools.definitions.length, meta.length + 5);
    tools.search('something');
    assert.equal(tools.tokens, 500);
  });

  it('are described on request, even without room @turnTools.described-request-room', () => {
    const tools = turn(animals, { maxTokens: 200 }, { question: 'zebra' });
    const [wash, none] = tools.describe(['s__wash', 'wash']).split('\n');
    assert.deepEqual(JSON.parse(wash!), { name: 's__wash', description: 'Washes an elephant', inputSchema });
    assert.equal(none, 'Not described: there is no tool wash. There are: s__wash');
    assert.deepEqual(names(tools), [...meta, 's__wash']);
    assert.equal(JSON.parse(tools.describe('s__count')).name, 's__count');
    assert.equal(JSON.parse(tools.describe('s__feed')).name, 's__feed');
    assert.deepEqual(names(tools), [...meta, 's__wash', 's__count'], 'the third has no room');
    for (const odd of [undefined, null, 5, {}, [], [5]]) assert.match(tools.describe(odd), /^Say the names/);
    assert.equal(tools.describe(many.map(() => 's__feed')).split('\n').length, 10);
  });

  it('reveals only that a blocked tool is blocked @turnTools.reveals-blocked-tool', () => {
    const [secret, ...rest] = animals;
    const tools = turn(rest, {}, { question: 'zebra' }, [secret!]);
    assert.doesNotMatch(tools.search('zebra'), /Feeds/);
    assert.match(tools.describe(['s__feed']), /^Not described: s__feed is blocked, because it has changed/);
    assert.doesNotMatch(tools.describe(['s__feed']), /Feeds|zebra/);
    assert.match(tools.missing('s__feed'), /is blocked/);
  });

  it('are listed when a search finds nothing', () => {
    const tools = turn(animals);
    const nothing = /^No tool fits\. .*There are 100 tools, of these servers: s\.$/;
    for (const query of ['giraffe', '', undefined, 5, {}]) assert.match(tools.search(query), nothing);
    assert.deepEqual(names(tools), meta);
  });

  it('with equal names are distinguished by their model names', () => {
    const equal = defined(...Array.from({ length: 20 }, (_, i) => [`same_${i}`, 'Does the same'] as [string, string]));
    const tools = turn(equal, { maxTokens: 10 * TOKENS });
    assert.equal(tools.search('same').split('\n').length, 11);
    assert.equal(new Set(names(tools)).size, names(tools).length);
  });

  it('are chosen among 10,000 as among a few, even with equal names and descriptions', () => {
    const crowd = defined(
      ...Array.from({ length: 10_000 }, (_, i) => [`same_${i % 5_000}`, 'Does the same'] as [string, string]),
      ['feed', 'Feeds a zebra'],
    );
    const tools = turn(crowd, {}, { question: 'feed the zebra' });
    assert.ok(tools.isDeferred && names(tools).includes('s__feed'), names(tools).join());
    assert.ok(names(tools).length <= 10 + meta.length);
    assert.match(tools.search('zebra'), /^s__feed\(/);
    assert.equal(new Set(names(tools)).size, names(tools).length);
  });

  it('are found on one line each, whatever their texts', () => {
    const hostile = defined(['a', `x\n\u202e${'long '.repeat(1000)}`], ['b', 'x']);
    const [line] = turn(hostile, { maxTools: 1 })
      .search('x')
      .split('\n')
      .filter(one => one.startsWith('s__a'));
    assert.ok(line!.length < 400);
    assert.match(line!, /⟨U\+202E⟩/);
  });

  it('become for scripts one tool that runs them, and declarations', () => {
    const tools = turn(animals.slice(0, 3), { inScripts: true, maxTools: 1 });
    assert.deepEqual(names(tools), ['mcp_run_script']);
    assert.equal(tools.isDeferred, false);
    const [first, ...others] = tools.declarations.split('\n');
    assert.equal(first, 'declare const tools: {');
    assert.deepEqual(others.slice(0, 2), [
      '/** Feeds a zebra */',
      's__feed(args: { id: number; note?: unknown }): Promise<any>;',
    ]);
    assert.ok(tools.tokens >= tools.declaredTokens && tools.declaredTokens > 0);
    assert.equal(turn(animals.slice(0, 3)).declarations, '');
    assert.equal(turn([], { inScripts: true }).declarations, '');
  });

  it('are found for scripts by search unless they are declared', () => {
    const tools = turn(animals, { inScripts: true, maxTokens: 300 }, { question: 'zebra' });
    assert.deepEqual(names(tools), ['mcp_run_script', 'mcp_search_tools', 'mcp_describe_tool']);
    assert.match(tools.declarations, /s__feed/);
    assert.doesNotMatch(tools.declarations, /s__wash/);
    const before = tools.tokens;
    assert.match(tools.search('elephant'), /^\/\*\* Washes an elephant \*\/\ns__wash\(args: /);
    assert.match(tools.describe(['s__count']), /^\/\*\* Counts the lions \*\/\ns__count\(/);
    assert.match(tools.describe('s__gone'), /^Not described: there is no tool s__gone/);
    assert.equal(tools.tokens, before, 'declarations stay as they are, so that what was cached stays');
  });

  it('have script names that lead to them', () => {
    const tools = turn(defined(['with-dash', 'One'], ['plain', 'Two']), { inScripts: true });
    assert.equal(tools.toolOf('s__with_dash')?.tool.name, 'with-dash');
    assert.equal(tools.toolOf('s__with-dash')?.tool.name, 'with-dash');
    assert.equal(tools.toolOf('s__other'), undefined);
    assert.equal(turn(defined(['with-dash', 'One'])).toolOf('s__with_dash'), undefined);
  });

  it('stay within the token limit for scripts too, however many there are', () => {
    const all = defined(...Array.from({ length: 10_000 }, (_, i) => [`t${i}`, `Does thing ${i}`] as [string, string]));
    const tools = turn(all, { inScripts: true, maxTokens: 2_000 }, { question: 'thing' });
    assert.ok(tools.isDeferred && tools.tokens <= 2_000, `${tools.tokens}`);
    assert.ok(tools.declarations.length < 4 * 2_000);
  });
});
