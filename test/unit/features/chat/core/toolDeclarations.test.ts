import assert from 'node:assert/strict';
import type { Tool } from '@modelcontextprotocol/client';
import { transformSync } from 'esbuild';
import { declarationOf, functionNames } from '../../../../../src/features/chat/core/toolDeclarations';
import { providerSchema } from '../../../../../src/features/languageModel/core/providerSchema';
import { type DefinedTool, nameTools } from '../../../../../src/features/languageModel/core/toolNames';
import { definedTools } from '../../../../bench/tools/collection';

function defined(...tools: (Partial<Tool> & { server?: string })[]): readonly DefinedTool[] {
  const wanted = tools.map(({ server = 's', ...tool }) => ({
    serverId: server,
    serverName: server,
    tool: { name: 'tool', inputSchema: { type: 'object' as const }, ...tool },
  }));
  return nameTools(wanted).map(named => {
    const made = providerSchema(named.tool.inputSchema);
    assert.ok(!('problem' in made));
    return { ...named, definition: { name: named.name, description: '', inputSchema: made.schema } };
  });
}

const declared = (tool: Partial<Tool>) => {
  const [made] = defined(tool);
  return declarationOf(made!, 'f');
};

const object = (properties: Record<string, object>, required: string[] = []) =>
  ({ type: 'object', properties, required }) as Tool['inputSchema'];

describe('declarations of tools for scripts', () => {
  it('include the types of their arguments', () => {
    const inputSchema = object(
      {
        id: { type: 'integer' },
        state: { type: 'string', enum: ['open', 'closed'] },
        labels: { type: 'array', items: { type: 'string' } },
        points: { type: 'array', items: { anyOf: [{ type: 'number' }, { type: 'null' }] } },
        at: object({ x: { type: 'number' }, 'odd-name': {} }, ['x']),
        any: {},
        map: { type: 'object' },
      },
      ['id', 'at'],
    );
    assert.equal(
      declared({ inputSchema }),
      'f(args: { id: number; state?: "open" | "closed"; labels?: string[]; points?: Array<number | null>; at: { x: number; "odd-name"?: unknown }; any?: unknown; map?: Record<string, unknown> }): Promise<any>;',
    );
    assert.equal(declared({}), 'f(): Promise<any>;');
    assert.equal(
      declared({ inputSchema: object({ a: { type: 'boolean' } }) }),
      'f(args?: { a?: boolean }): Promise<any>;',
    );
  });

  it("include the server's descriptions, which cannot end a comment", () => {
    const inputSchema = object({ q: { type: 'string', description: 'What to find */ evil(); /*\nand more' } }, ['q']);
    const text = declared({ description: `Finds ${'things '.repeat(100)}`, inputSchema });
    const [comment, signature] = text.split('\n');
    assert.match(comment!, /^\/\*\* Finds things .*… \*\/$/);
    assert.ok(comment!.length < 260);
    assert.equal(signature, 'f(args: { q: string /* What to find * / evil(); /* and more */ }): Promise<any>;');
  });

  it('include short declared results', () => {
    const outputSchema = object({ total: { type: 'number', description: 'not said' } }, ['total']);
    assert.equal(declared({ outputSchema }), 'f(): Promise<{ total: number }>;');
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`property_${i}`, { type: 'string' }]));
    assert.equal(declared({ outputSchema: object(many) }), 'f(): Promise<any>;');
    assert.equal(declared({ outputSchema: object({ $odd: { type: 'string' } }) }), 'f(): Promise<any>;');
  });

  it('use valid and distinct names', () => {
    const tools = defined(
      { name: 'a-b' },
      { name: 'a_b' },
      { name: 'c-d' },
      { name: 'größe' },
      { name: 'a_b', server: 't' },
    );
    const names = [...functionNames(tools).values()];
    assert.equal(new Set(names).size, names.length);
    assert.deepEqual(names.slice(0, 3), ['s__a-b', 's__a_b', 's__c_d']);
    assert.match(names[3]!, /^s__gr_e__\w{10}$/);
    assert.equal(names[4], 't__a_b');
    assert.ok(declarationOf(tools[0]!, names[0]!).startsWith('"s__a-b"('));
  });

  it('of 500 real tools compile as TypeScript, at about half the length of their definitions', () => {
    const tools = definedTools();
    const names = functionNames(tools);
    const members = tools.map(tool => declarationOf(tool, names.get(tool.name)!));
    transformSync(`declare const tools: {\n${members.join('\n')}\n};`, { loader: 'ts' });
    const length = tools.reduce((sum, { definition }) => sum + JSON.stringify(definition).length, 0);
    assert.ok(tools.length > 490);
    assert.ok(members.join('\n').length < 0.55 * length, `${members.join('\n').length} of ${length}`);
  });
});
