import assert from 'node:assert/strict';
import { InMemoryTransport, type JSONRPCMessage, specTypeSchemas } from '@modelcontextprotocol/client';
import { english } from '../../../../src/base/phrase';
import { checkItem, judge, nameOf } from '../../../../src/host/catalog/catalogItems';
import { type ExcludedItem, PagedList } from '../../../../src/host/catalog/catalogPages';
import { keywordFault } from '../../../../src/host/reading/keywordFaults';
import { type CatalogKind, listResult } from '../../../../src/host/reading/lists';
import { HostClient } from '../../../../src/host/sdk/hostClient';
import { waitFor } from '../../../servers/spawn';
import { hostile, TestHost } from '../testHost';

const inputSchema = { type: 'object' as const };

/** What became of the items of a list. */
function check(
  kind: CatalogKind,
  items: unknown[],
  mirrors = false,
): { taken: unknown[]; excluded: ExcludedItem[]; mistakes: string[] } {
  const names = new Set<string>();
  const judged = items.map(item => ({ name: nameOf(item), ...judge({ kind, names, mirrors }, item) }));
  const good = judged.filter(({ problem }) => problem === undefined);
  return {
    taken: good.map(({ item }) => item),
    excluded: judged.flatMap(({ name, problem: reason }) => (reason === undefined ? [] : [{ name, reason }])),
    mistakes: good.flatMap(({ name, mistake }) => (mistake ? [`${name}: ${english(mistake)}`] : [])),
  };
}

describe('list items', () => {
  it('are accepted with unknown members', () => {
    const items = {
      tools: { name: 'a', title: 'A', inputSchema: { ...inputSchema, properties: { b: {} }, required: ['b'] } },
      prompts: { name: 'a', description: 'd', arguments: [{ name: 'b', required: true }] },
      resources: { uri: 'a:b', name: 'b', mimeType: 'text/plain', size: 4, annotations: { priority: 1 } },
      resourceTemplates: { uriTemplate: 'a:{b}', name: 'b', _meta: { c: 1 } },
    };
    for (const [kind, item] of Object.entries(items)) {
      assert.deepEqual(check(kind as CatalogKind, [item]).taken, [item], kind);
    }
  });

  it("are pre-checked with the same verdict as the SDK's schema", () => {
    const values = [undefined, null, 1, 'text', [], {}, ['a'], { a: 1 }, { type: 'object' }];
    const schemas = {
      tools: 'Tool',
      prompts: 'Prompt',
      resources: 'Resource',
      resourceTemplates: 'ResourceTemplate',
    } as const;
    const good = { name: 'n', uri: 'a:b', uriTemplate: 'a:{b}', inputSchema };
    for (const [kind, schema] of Object.entries(schemas) as [CatalogKind, 'Tool'][]) {
      for (const key of [
        'name',
        'title',
        'description',
        'uri',
        'uriTemplate',
        'mimeType',
        'size',
        'inputSchema',
        'icons',
        'x',
      ]) {
        for (const value of values) {
          const item = { ...good, [key]: value };
          // That one is read here, and more of it is accepted; and a resource has its address as its name.
          if (key === 'inputSchema' || Array.isArray(value)) continue;
          if (key === 'name' && kind.startsWith('resource')) continue;
          const result = specTypeSchemas[schema]['~standard'].validate(item);
          const { item: ours, problem } = checkItem(kind, JSON.parse(JSON.stringify(item)));
          const what = `${kind}: ${JSON.stringify(item)} ${problem}`;
          // What is odd in an optional part costs only that.
          const isRequired =
            result.issues && specTypeSchemas[schema]['~standard'].validate({ ...good, [key]: undefined }).issues;
          assert.equal(problem !== undefined, isRequired !== undefined, what);
          if (!result.issues) assert.deepEqual(ours, JSON.parse(JSON.stringify(result.value)), what);
        }
      }
    }
  });

  it('of wrong types are left out, each with the reason', () => {
    const bad = [null, 7, 'text', [], {}, { name: 'd', uri: 5 }, { name: 'no uri' }];
    const { taken, excluded } = check('resources', [...bad, { uri: 'a:d', name: 'd' }]);
    assert.equal(taken.length, 1);
    assert.equal(excluded.length, bad.length);
    assert.deepEqual(
      excluded.map(({ name }) => name),
      ['', '', '', '', '', 'd', 'no uri'],
    );
    assert.match(english(excluded[0]!.reason), /it is null, not an object/);
    assert.match(english(excluded[1]!.reason), /it is a number, not an object/);
    assert.match(english(excluded[5]!.reason), /^"uri" is a number, and not a string$/);
    for (const reason of excluded.map(item => english(item.reason)))
      assert.ok(reason.length < 250 && !reason.includes('\n'), reason);
  });

  it('have the address as their name if they are resources without one', () => {
    const { taken } = check('resources', [
      { uri: 'a:c' },
      { uri: 'a:d', name: null, title: 'D' },
      { uri: 'a:e', name: 5 },
    ]);
    assert.deepEqual(taken, [
      { uri: 'a:c', name: 'a:c' },
      { uri: 'a:d', title: 'D', name: 'D' },
      { uri: 'a:e', name: 'a:e' },
    ]);
  });

  it('with a repeated name are left out when they are tools', () => {
    const { taken, excluded } = check('tools', [
      { name: 'a', title: 'first', inputSchema },
      { name: 'a', title: 'second', inputSchema },
      { name: 'b', inputSchema },
    ]);
    assert.deepEqual(
      taken.map(tool => (tool as { title?: string }).title),
      ['first', undefined],
    );
    assert.match(english(excluded[0]!.reason), /the same name as another tool/);
  });

  it('with names that differ in case are different tools @catalogItems.names-differ-case', () => {
    const names = ['run', 'Run', 'RUN'];
    const { taken, excluded } = check(
      'tools',
      names.map(name => ({ name, inputSchema })),
    );
    assert.deepEqual(
      taken.map(tool => (tool as { name: string }).name),
      names,
    );
    assert.deepEqual(excluded, []);
  });

  it('may have names that JavaScript objects have', () => {
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
    const { taken, excluded } = check(
      'tools',
      names.map(name => ({ name, inputSchema })),
    );
    assert.equal(taken.length, names.length);
    assert.deepEqual(excluded, []);
  });

  it('cannot set a prototype', () => {
    const items = JSON.parse(
      '[{"name":"a","inputSchema":{"type":"object","properties":{"__proto__":{"type":"string"}}},"__proto__":{"evil":1}},' +
        '{"__proto__":{"name":"inherited","inputSchema":{"type":"object"}}}]',
    ) as unknown[];
    const { taken, excluded } = check('tools', items);
    assert.equal(taken.length, 1);
    assert.equal((taken[0] as { evil?: number }).evil, undefined);
    assert.equal(Object.getPrototypeOf(taken[0]), Object.prototype);
    assert.equal(excluded.length, 1);
    assert.equal(({} as { evil?: number }).evil, undefined);
  });

  it('are left out when they are tools with an unusable schema @catalogItems.left-tools-unusable', () => {
    const bad: [unknown, RegExp][] = [
      [{ type: 'string' }, /input schema takes no object/],
      [{ type: ['string', 'null'] }, /input schema takes no object/],
      [{ ...inputSchema, description: 'x'.repeat(300_000) }, /larger than 256 KB/],
      [{ ...inputSchema, enum: Array(300_000).fill(1) }, /larger than 256 KB/],
      [deepSchema(60), /nested deeper than 50 levels/],
      [deepSchema(100_000), /nested deeper than 50 levels/],
    ];
    for (const [schema, reason] of bad) {
      const { taken, excluded } = check('tools', [{ name: 'bad', inputSchema: schema }]);
      assert.equal(taken.length, 0);
      assert.match(english(excluded[0]!.reason), reason);
    }
  });

  it('are tools that take anything where their input schema can not be used, with a warning', () => {
    for (const [given, what] of [
      [undefined, 'missing'],
      [null, 'missing'],
      ['object', 'a string'],
      [true, 'a boolean'],
      [[], 'an array'],
    ]) {
      const { taken, excluded, mistakes } = check('tools', [{ name: 'a', inputSchema: given }]);
      assert.deepEqual([taken, excluded], [[{ name: 'a', inputSchema }], []], JSON.stringify(given));
      assert.deepEqual(mistakes, [`a: its input schema is ${what}, not an object`]);
    }
  });

  it('are tools with the schema that they have in a list or in another spelling', () => {
    const schema = { ...inputSchema, properties: { b: {} } };
    const { taken, mistakes } = check('tools', [
      { name: 'a', inputSchema: [schema] },
      { name: 'c', input_schema: schema },
    ]);
    assert.deepEqual(taken, [
      { name: 'a', inputSchema: schema },
      { name: 'c', inputSchema: schema },
    ]);
    assert.deepEqual(mistakes, ['a: its input schema is an array, not an object']);
  });

  it('have a text that they have alone in a list', () => {
    const given = { name: ['a'], description: ['b'], uri: ['a:b'], uriTemplate: ['a:{b}'] };
    for (const kind of ['tools', 'prompts', 'resources', 'resourceTemplates'] as const) {
      const [item] = check(kind, [{ ...given, ...(kind === 'tools' && { inputSchema }) }]).taken as { name: string }[];
      assert.partialDeepStrictEqual(item, { name: 'a', description: 'b' });
    }
  });

  it('are tools that take an object where their input schema does not say so, with a warning', () => {
    for (const given of [
      {},
      { properties: { a: {} } },
      { type: null },
      { type: ['object', 'null'] },
      { type: 'OBJECT' },
    ]) {
      const { taken, excluded, mistakes } = check('tools', [{ name: 'a', inputSchema: given }]);
      const expected = { ...given, type: 'object' };
      assert.deepEqual([taken, excluded], [[{ name: 'a', inputSchema: expected }], []], JSON.stringify(given));
      assert.equal(mistakes.length, 1);
      if (given.type !== 'OBJECT')
        assert.equal(mistakes[0], 'a: its input schema does not say "type": "object"', JSON.stringify(given));
    }
  });

  it('are tools without the part of a schema that can not be used, with a warning', () => {
    const of = (part: object) => ({ ...inputSchema, properties: { a: part } });
    for (const [schema, expected, mistake] of [
      [of({ allOf: {}, minLength: 1 }), of({ minLength: 1 }), '"properties.a.allOf" can\'t be an object'],
      [of({ type: 5 }), of({}), '"properties.a.type" can\'t be 5'],
      [{ ...inputSchema, required: 'a' }, inputSchema, '"required" can\'t be "a"'],
      [{ ...inputSchema, required: [1] }, inputSchema, '"required" can\'t be [1]'],
      [{ ...inputSchema, $defs: [] }, inputSchema, '"$defs" can\'t be []'],
    ] as const) {
      const { taken, mistakes } = check('tools', [{ name: 'a', inputSchema: schema, annotations: {} }]);
      assert.deepEqual(taken, [{ name: 'a', inputSchema: expected, annotations: {} }]);
      assert.deepEqual(mistakes, [`a: its input schema is not valid: ${mistake}`]);
    }
    const { taken, mistakes } = check('tools', [{ name: 'a', inputSchema, outputSchema: 5 }]);
    assert.deepEqual(taken, [{ name: 'a', inputSchema }]);
    assert.deepEqual(mistakes, ['a: its output schema is a number, not an object']);
  });

  it('are tools whatever classes of Unicode their patterns name, none of which is compiled @catalogItems.classes-of-unicode', () => {
    for (const pattern of ['^\\p{L}+$', '[\\p{Script=Greek}\\P{N}]']) {
      const schema = { ...inputSchema, properties: { a: { pattern } }, patternProperties: { [pattern]: {} } };
      const item = { name: 'a', inputSchema: schema };
      assert.deepEqual(check('tools', [item]), { ...check('tools', [{ name: 'a', inputSchema }]), taken: [item] });
    }
    // Each takes 50 µs to compile.
    assert.equal(keywordFault('pattern', `[${'\\p{L}'.repeat(2_000_000)}]`, undefined), undefined);
    assert.equal(keywordFault('pattern', `[${'\\p{L}'.repeat(100)}`, undefined), 'invalid');
  });

  it('are left out when a name or an address goes on without end @catalogItems.endless-names', () => {
    for (const [kind, member] of [
      ['tools', 'name'],
      ['prompts', 'name'],
      ['resources', 'uri'],
      ['resourceTemplates', 'uriTemplate'],
    ] as const) {
      const of = (length: number) => ({ name: 'a', uri: 'x:/a', [member]: 'x'.repeat(length) });
      assert.ok(checkItem(kind, of(10_000)).item, kind);
      const { item, problem } = checkItem(kind, of(10_001));
      assert.equal(item, undefined);
      assert.match(english(problem ?? ''), new RegExp(`^its "${member}" has more than 10000 characters$`));
    }
  });

  it('are tools with what a schema must not say, with a warning for the first', () => {
    for (const [schema, mistake] of [
      [{ properties: { a: { type: 'strin' } } }, '"properties.a.type" can\'t be "strin"'],
      [{ properties: { a: { type: ['string', 'string'] } } }, '"properties.a.type" can\'t be ["string","string"]'],
      [{ properties: { a: { minLength: -1 } } }, '"properties.a.minLength" can\'t be -1'],
      [{ properties: { a: { items: 5 } } }, '"properties.a.items" can\'t be 5'],
      [{ properties: { a: { pattern: '[' } } }, '"properties.a.pattern" can\'t be "["'],
      [{ properties: { a: { exclusiveMinimum: true } } }, '"properties.a.exclusiveMinimum" can\'t be true'],
      [{ properties: { a: 5 } }, '"properties.a" can\'t be 5'],
      [{ properties: { a: { anyOf: [{ maxItems: 1.5 }] } } }, '"properties.a.anyOf.maxItems" can\'t be 1.5'],
      [{ patternProperties: { '(': {} } }, '"patternProperties" can\'t be an object'],
      [{ required: ['a', 'a'] }, '"required" can\'t be ["a","a"]'],
      [{ properties: { a: { items: [{}] } } }, '"properties.a.items" can\'t be an array'],
    ] as const) {
      const item = { name: 'a', inputSchema: { ...inputSchema, ...schema } };
      const { taken, mistakes } = check('tools', [item]);
      assert.deepEqual(taken, [item]);
      assert.deepEqual(mistakes, [`a: its input schema is not valid: ${mistake}`]);
      const output = check('tools', [{ name: 'a', inputSchema, outputSchema: schema }]);
      assert.deepEqual(output.mistakes, [`a: its output schema is not valid: ${mistake}`]);
    }
  });

  it('are tools without a warning for what a schema may say, in its dialect', () => {
    for (const part of [
      { type: ['string', 'null'], enum: [null, 'a'], const: null, default: null, examples: null },
      { minLength: null, description: null, pattern: null, items: null },
      { items: false, additionalProperties: {}, unheardOf: -1, 'x-minLength': -1 },
      { pattern: '^(a+)+$', format: 'unheard-of', multipleOf: 0.1, minimum: -1 },
      { properties: { type: {}, minLength: { const: { type: 'strin', minLength: -1 } } } },
      { $ref: '#/$defs/a', $defs: { a: true } },
    ]) {
      const { mistakes } = check('tools', [{ name: 'a', inputSchema: { ...inputSchema, properties: { a: part } } }]);
      assert.deepEqual(mistakes, [], JSON.stringify(part));
    }
    for (const dialect of ['https://json-schema.org/draft/2019-09/schema', 'http://json-schema.org/draft-07/schema#']) {
      const schema = { ...inputSchema, $schema: dialect, properties: { a: { items: [{}] } } };
      assert.deepEqual(check('tools', [{ name: 'a', inputSchema: schema }]).mistakes, [], dialect);
    }
  });

  it('may have null for what they lack, also in their schemas', () => {
    const nulls = { title: null, description: null, icons: null, _meta: null };
    const tool = {
      name: 'a',
      inputSchema: { type: 'object', properties: null, required: null, $defs: null },
      outputSchema: null,
      annotations: null,
      ...nulls,
    };
    assert.deepEqual(check('tools', [tool]), {
      taken: [{ name: 'a', inputSchema }],
      excluded: [],
      mistakes: [],
    });
    assert.deepEqual(check('prompts', [{ name: 'a', arguments: null, ...nulls }]).taken, [{ name: 'a' }]);
    const resource = { uri: 'a:b', name: 'b', mimeType: null, size: null, annotations: null, ...nulls };
    assert.deepEqual(check('resources', [resource]).taken, [{ uri: 'a:b', name: 'b' }]);
  });

  it('may be tools with schema keywords as property names and data, and output of any type', () => {
    const tools = [
      {
        name: 'a',
        inputSchema: { ...inputSchema, properties: { type: { type: 'string' }, properties: { type: 'object' } } },
      },
      { name: 'b', inputSchema: { ...inputSchema, properties: { c: { default: { properties: null, allOf: 1 } } } } },
      { name: 'd', inputSchema, outputSchema: { type: 'array', items: { type: 'string' } } },
    ];
    assert.deepEqual(check('tools', tools), { taken: tools, excluded: [], mistakes: [] });
  });

  it('nested deeper than the stack are left out', () => {
    let deep: unknown = {};
    for (let i = 0; i < 100_000; i++) deep = [deep];
    const { excluded } = check('resources', [{ uri: 'a:b', name: 'b', _meta: { deep } }]);
    assert.match(english(excluded[0]!.reason), /deeper than 100 levels/);
  });

  it('are checked in slices, without blocking', async () => {
    const many = Array.from({ length: 50_000 }, (_, i) => ({
      name: `tool-${i}`,
      annotations: { readOnlyHint: true },
      inputSchema: { ...inputSchema, properties: { a: { type: 'string', description: 'x' } } },
    }));
    let turns = 0;
    let done = false;
    const count = () => {
      turns++;
      if (!done) setImmediate(count);
    };
    setImmediate(count);
    const request = async () => ({ items: many }) as never;
    const list = new PagedList('tools', { request, announces: () => false, leftOut: () => {} });
    await list.next();
    assert.equal(list.size, 50_000);
    done = true;
    assert.ok(turns > 3, `${turns} turns`);
  });

  it('are checked in turns when there are few that take long', async () => {
    const properties = Object.fromEntries(Array.from({ length: 8_000 }, (_, i) => [`p${i}`, { type: 'string' }]));
    const tools = Array.from({ length: 20 }, (_, i) => ({
      name: `t${i}`,
      inputSchema: { ...inputSchema, properties },
    }));
    const request = async () => ({ items: structuredClone(tools), nextCursor: undefined }) as never;
    const list = new PagedList('tools', { request, announces: () => false, leftOut: () => {} });
    let [turns, isDone] = [0, false];
    const count = () => {
      turns++;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    await list.next();
    isDone = true;
    assert.equal(list.size, 20);
    assert.ok(turns > 3, `${turns} turns`);
  });
});

describe('a list with bad items', () => {
  it('is read in the modern era too, where the SDK checks results before any schema', async () => {
    const client = new HostClient({ name: 'test', version: '0' });
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    const answers: unknown[] = [
      { resultType: 'complete', ttlMs: 5, cacheScope: 'public', tools: [{ name: 'a', inputSchema }, 7], nextCursor: 3 },
      { resultType: 'complete', tools: [null], ttlMs: -1 },
      { resultType: 'complete', ttlMs: 0, cacheScope: 'private', tools: 'text' },
      { resultType: 'complete', ttlMs: 0, cacheScope: 'private', tools: [7] },
    ];
    theirs.onmessage = message => {
      if (!('method' in message) || !('id' in message)) return;
      void theirs.send({ jsonrpc: '2.0', id: message.id, result: answers.shift() } as JSONRPCMessage);
    };
    await theirs.start();
    const discover = {
      resultType: 'complete',
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {} },
      serverInfo: { name: 'x', version: '1' },
      ttlMs: 0,
      cacheScope: 'private',
    };
    await client.connect(ours, { prior: { kind: 'modern', discover: discover as never } });
    const page = () => client.request({ method: 'tools/list', params: {} }, listResult('tools'));
    assert.deepEqual(await page(), {
      items: [{ name: 'a', inputSchema }, 7],
      nextCursor: 3,
      ttlMs: 5,
      cacheScope: 'public',
    });
    assert.deepEqual(await page(), { items: [null], nextCursor: undefined, ttlMs: -1, cacheScope: undefined });
    await assert.rejects(page(), /"tools" is a string and not an array/);
    await assert.rejects(client.request({ method: 'tools/list', params: {} }), /Invalid result/);
    await client.close();
  });
});

describe('a server with a bad list', () => {
  let test: TestHost;
  beforeEach(() => {
    test = new TestHost();
  });
  afterEach(() => test.close());

  it('keeps the good items of every kind, and logs the bad ones', async () => {
    test.configure({ bad: hostile('--bad-items'), good: hostile() });
    const [{ catalog }, good] = await Promise.all([test.loads('bad'), test.loads('good')]);
    for (const kind of ['tools', 'prompts', 'resources', 'resourceTemplates'] as const) {
      const { status, items, excluded } = catalog.list(kind);
      assert.equal(status, 'ready');
      assert.deepEqual(items, good.catalog.list(kind).items);
      assert.equal(excluded?.length, 7, kind);
    }
    assert.ok(test.logged(/the tool bad was skipped: its input schema takes no object/));
    assert.ok(test.logged(/part of the resource list was skipped: it is null/));
  });

  for (const json of ['"text"', 'null', '{}', '7', 'true']) {
    it(`of ${json} fails that list with a clear error, and affects no other server`, async () => {
      test.configure({ bad: hostile(`--list-type=${json}`), good: hostile() });
      const [{ catalog }, good] = await Promise.all([test.loads('bad'), test.loads('good')]);
      const { status, error } = catalog.list('tools');
      assert.equal(status, 'failed');
      assert.match(error!.message, /"bad" could not list its tools: .*"tools" is .* and not an array/);
      assert.equal(good.catalog.list('tools').status, 'ready');
    });
  }

  it('with prototype keys offers its good items', async () => {
    test.configure({ bad: hostile('--proto-keys') });
    const { catalog } = await test.loads('bad');
    assert.deepEqual(
      catalog.tools.slice(0, 3).map(({ name }) => name),
      ['__proto__', 'constructor', 'polluter'],
    );
    assert.equal(catalog.list('tools').excluded?.length, 1);
    assert.equal(({} as { polluted?: unknown }).polluted, undefined);
  });

  it('with bad schemas, duplicate names or a schema of 100,000 levels keeps its other tools', async () => {
    test.configure({ bad: hostile('--bad-schemas', '--duplicate-tools', '--deep-schema=100000') });
    const { catalog } = await test.loads('bad');
    assert.deepEqual(
      catalog.tools.map(({ name }) => name),
      [
        ...['no-schema', 'text-schema', 'array-schema'],
        ...['null-properties', 'wrong-keyword', 'wrong-required', 'bad-output', 'echo', 'wait', 'log'],
      ],
    );
    const { excluded = [], mistakes = [] } = catalog.list('tools');
    assert.equal(excluded.length, 1 + 2 + 3);
    assert.deepEqual(
      mistakes.map(({ name }) => name),
      ['no-schema', 'text-schema', 'array-schema', 'wrong-keyword', 'wrong-required', 'bad-output'],
    );
    const logged = () => test.logs.filter(({ data }) => /the tool \S+ has a mistake: /.test(String(data))).length;
    assert.ok(test.logged(/^the tool bad-output has a mistake: its output schema is a string, not an object$/));
    assert.equal(logged(), 6);
    await catalog.load('tools');
    assert.equal(logged(), 6, 'once');
    assert.match(english(excluded.find(({ name }) => name === 'deep')!.reason), /nested deeper/);
  });

  it('of 50,000 tools offers all of them', async function () {
    this.timeout(60_000);
    test.configure({ large: hostile('--tools=50000'), good: hostile() });
    await test.loads('good');
    await waitFor(() => test.server('large').catalog.tools.length === 50_000, { timeoutMs: 30_000, what: 'the tools' });
  });
});

function deepSchema(levels: number): object {
  let schema: object = {};
  for (let i = 0; i < levels; i++) schema = { not: schema };
  return { ...inputSchema, ...schema };
}
