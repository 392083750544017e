import assert from 'node:assert/strict';
import type { Tool } from '@modelcontextprotocol/client';
import { english } from '../../../../../src/base/phrase';
import {
  changeText,
  compareSnapshots,
  type InterfaceSnapshot,
  readSnapshot,
  type ServerInterface,
  snapshotOf,
} from '../../../../../src/features/authors/core/interfaceSnapshot';

type Schema = Tool['inputSchema'];
const object = (properties: Record<string, object>, ...required: string[]) =>
  ({ type: 'object', properties, ...(required.length > 0 && { required }) }) as Schema;
const offered = (others: Partial<ServerInterface> = {}): ServerInterface => ({
  tools: [],
  prompts: [],
  resourceTemplates: [],
  ...others,
});
const tool = (others: Partial<Tool> = {}): Tool => ({ name: 't', inputSchema: object({}), ...others });
/** What has changed between two servers, or two tools, each as `verdict where: what`. */
const changes = (before: Partial<ServerInterface>, now: Partial<ServerInterface>) =>
  compareSnapshots(snapshotOf(offered(before)), snapshotOf(offered(now))).map(
    change => `${change.verdict} ${english(changeText(change))}`,
  );
const ofTool = (before: Partial<Tool>, now: Partial<Tool>) =>
  changes({ tools: [tool(before)] }, { tools: [tool(now)] }).map(text => text.replace('tools/t/', ''));
const input = (before: Schema, now: Schema) =>
  ofTool({ inputSchema: before }, { inputSchema: now }).map(text => text.replace('inputSchema/', ''));
const output = (before: Schema, now: Schema) =>
  ofTool({ outputSchema: before }, { outputSchema: now }).map(text => text.replace('outputSchema/', ''));

describe('snapshots of an interface', () => {
  it('are equal in any order, and leave out what changes with every build', () => {
    const a = tool({ name: 'a', inputSchema: object({ x: { type: 'string' }, y: { type: 'number' } }) });
    const again = {
      inputSchema: object({ y: { type: 'number' }, x: { type: 'string' } }),
      name: 'a',
      icons: [{ src: 'data:,' }],
      _meta: { build: 7 },
    };
    const b = tool({ name: 'b' });
    assert.deepEqual(changes({ tools: [a, b] }, { tools: [b, again] }), []);
    assert.equal(JSON.stringify(Object.keys(snapshotOf(offered({ tools: [b, a] })).tools)), '["a","b"]');
  });

  it('report removals, additions and texts, in this order', () => {
    assert.deepEqual(
      changes(
        { tools: [tool(), tool({ name: 'gone' })], instructions: 'A' },
        { tools: [tool({ description: 'New' }), tool({ name: 'new' })], instructions: 'B' },
      ),
      [
        'breaking Tool removed: gone.',
        'added Tool added: new.',
        'wording instructions: The instructions have changed.',
        'wording tools/t/description: The text has changed.',
      ],
    );
    const template = { uriTemplate: 'a://{b}', name: 'b', mimeType: 'text/plain' };
    const html = { ...template, mimeType: 'text/html' };
    assert.deepEqual(changes({ resourceTemplates: [template] }, { resourceTemplates: [html] }), [
      'breaking resourceTemplates/a://{b}/mimeType: The type has changed.',
    ]);
    assert.deepEqual(changes({ resourceTemplates: [{ uriTemplate: 'a://{b}', name: 'b' }] }, {}), [
      'breaking Resource template removed: a://{b}.',
    ]);
  });

  it('of arguments: more may be accepted, but not less, and no more required', () => {
    const text = { type: 'string' };
    for (const [before, now, told] of [
      [object({ a: text }), object({ a: text, b: text }), ['added properties/b: Added.']],
      [object({ a: text }), object({ a: text, b: text }, 'b'), ['breaking properties/b: Added, and required.']],
      [object({ a: text }), object({ a: text }, 'a'), ['breaking properties/a: Now required.']],
      [object({ a: text }, 'a'), object({ a: text }), ['added properties/a: No longer required.']],
      [object({ a: text }), object({}), ['breaking properties/a: Removed.']],
      [
        object({ a: text }),
        object({ a: { type: 'number' } }),
        [
          'breaking properties/a/type: Less is allowed than before.',
          'added properties/a/type: More is allowed than before.',
        ],
      ],
      [
        object({ a: text }),
        object({ a: { type: ['string', 'null'] } }),
        ['added properties/a/type: More is allowed than before.'],
      ],
      [
        object({ a: { enum: [1, 2] } }),
        object({ a: { enum: [1, 2, 3] } }),
        ['added properties/a/enum: More is allowed than before.'],
      ],
      [
        object({ a: { enum: Array.from({ length: 2_000 }, (_, index) => index) } }),
        object({ a: { enum: Array.from({ length: 2_001 }, (_, index) => index) } }),
        ['added properties/a/enum: More is allowed than before.'],
      ],
      [
        object({ a: { enum: [1, 2] } }),
        object({ a: { enum: [1] } }),
        ['breaking properties/a/enum: Less is allowed than before.'],
      ],
      [object({ a: { enum: [1] } }), object({ a: {} }), ['added properties/a/enum: More is allowed than before.']],
      [object({ a: {} }), object({ a: { enum: [1] } }), ['breaking properties/a/enum: Less is allowed than before.']],
      [
        object({ a: { ...text, maxLength: 5 } }),
        object({ a: text }),
        ['added properties/a/maxLength: A limit was removed.'],
      ],
      [
        object({ a: text }),
        object({ a: { ...text, maxLength: 5 } }),
        ['breaking properties/a/maxLength: The schema has changed.'],
      ],
      [
        object({ a: text }),
        object({ a: { ...text, description: 'A' } }),
        ['wording properties/a/description: The text has changed.'],
      ],
      [
        object({ a: { type: 'array', items: text } }),
        object({ a: { type: 'array', items: { type: 'number' } } }),
        [
          'breaking properties/a/items/type: Less is allowed than before.',
          'added properties/a/items/type: More is allowed than before.',
        ],
      ],
    ] as [Schema, Schema, string[]][])
      assert.deepEqual(input(before, now), told, JSON.stringify(now));
  });

  it('of results: more may be promised, but not less', () => {
    const text = { type: 'string' };
    for (const [before, now, told] of [
      [object({ a: text }), object({ a: text, b: text }), ['added properties/b: Added.']],
      [object({ a: text }), object({}), ['breaking properties/a: Removed.']],
      [object({ a: text }, 'a'), object({ a: text }), ['breaking properties/a: No longer required.']],
      [object({ a: text }), object({ a: text }, 'a'), ['added properties/a: Now required.']],
      [
        object({ a: { enum: [1] } }),
        object({ a: { enum: [1, 2] } }),
        ['breaking properties/a/enum: More is allowed than before.'],
      ],
      [
        object({ a: { enum: [1, 2] } }),
        object({ a: { enum: [1] } }),
        ['added properties/a/enum: Less is allowed than before.'],
      ],
    ] as [Schema, Schema, string[]][])
      assert.deepEqual(output(before, now), told, JSON.stringify(now));
    assert.deepEqual(ofTool({ outputSchema: object({}) }, {}), ['breaking outputSchema: Removed.']);
    assert.deepEqual(ofTool({}, { outputSchema: object({}) }), ['added outputSchema: Added.']);
  });

  it('of annotations: removing a promise is breaking', () => {
    assert.deepEqual(ofTool({ annotations: { readOnlyHint: true } }, {}), [
      'breaking annotations/readOnlyHint: It promises less than before.',
    ]);
    assert.deepEqual(ofTool({}, { annotations: { destructiveHint: false } }), [
      'added annotations/destructiveHint: It promises more than before.',
    ]);
    assert.deepEqual(ofTool({}, { annotations: { readOnlyHint: false, openWorldHint: true } }), []);
  });

  it('of prompts: arguments may be added, but not become required', () => {
    const prompt = (...args: { name: string; required?: boolean }[]) => ({ prompts: [{ name: 'p', arguments: args }] });
    assert.deepEqual(changes(prompt({ name: 'a' }), prompt({ name: 'a', required: true }, { name: 'b' })), [
      'breaking prompts/p/arguments/a: Now required.',
      'added prompts/p/arguments/b: Added.',
    ]);
    assert.deepEqual(changes(prompt({ name: 'a' }), prompt({ name: 'c', required: true })), [
      'breaking prompts/p/arguments/a: Removed.',
      'breaking prompts/p/arguments/c: Added, and required.',
    ]);
  });

  it('are read in this version only', () => {
    const snapshot = snapshotOf(offered({ tools: [tool()], instructions: 'Hello' }));
    assert.deepEqual(readSnapshot(JSON.stringify(snapshot)), snapshot);
    const why = (text: string) => english(readSnapshot(text) as never);
    assert.equal(why('{'), 'it is not JSON');
    for (const text of [
      '[]',
      'null',
      '{"version":2}',
      '{"version":1}',
      '{"version":1,"tools":{"a":1},"prompts":{},"resourceTemplates":{}}',
    ])
      assert.equal(why(text), 'it is not a snapshot of version 1', text);
  });

  it('survive names such as __proto__, and schemas without end', () => {
    const odd = snapshotOf(offered({ tools: [tool({ name: '__proto__' }), tool({ name: 'constructor' })] }));
    const none = snapshotOf(offered());
    assert.deepEqual(
      compareSnapshots(none, odd).map(({ verdict }) => verdict),
      ['added', 'added'],
    );
    assert.deepEqual(
      compareSnapshots(odd, none).map(({ verdict }) => verdict),
      ['breaking', 'breaking'],
    );
    let [deep, deeper]: [object, object] = [{ type: 'string' }, { type: 'number' }];
    for (let n = 0; n < 2_000; n++)
      [deep, deeper] = [object({ a: deep as object }), object({ a: deeper as object })] as [object, object];
    const [before, now] = [deep, deeper].map(
      schema => ({ ...none, tools: { t: { inputSchema: schema } } }) as InterfaceSnapshot,
    );
    assert.equal(compareSnapshots(before!, now!)[0]?.verdict, 'breaking');
  });
});
