import assert from 'node:assert/strict';
import { ModelToolNames, offeredTools } from '../../../../../src/features/sampling/core/toModel';

type Request = ConstructorParameters<typeof ModelToolNames>[0];
const request = (tools: string[], called: string[] = []): Request => ({
  tools: tools.map(name => ({ name, inputSchema: { type: 'object' } })),
  messages: called.map(name => ({ role: 'assistant', content: { type: 'tool_use', id: '1', name, input: {} } })),
});

describe('ModelToolNames', () => {
  it('offers no tools to a model that must not use any @toModel.offers-tools-model', () => {
    const { tools = [] } = request(['look']);
    assert.deepEqual(offeredTools({ tools, toolChoice: { mode: 'none' } }), []);
    for (const mode of ['auto', 'required'] as const)
      assert.deepEqual(offeredTools({ tools, toolChoice: { mode } }), tools);
    for (const toolChoice of [{}, undefined])
      assert.deepEqual(offeredTools({ tools, ...(toolChoice && { toolChoice }) }), tools);
    assert.deepEqual(offeredTools({}), []);
  });

  it('keeps names that models accept', () => {
    const plain = ['look', 'A-1_b', 'a'.repeat(64)];
    const names = new ModelToolNames(request(plain));
    assert.deepEqual(
      plain.map(name => names.forModel(name)),
      plain,
    );
    assert.equal(names.areChanged, false);
  });

  it('maps other names to accepted ones, and back @toModel.maps-names-accepted', () => {
    const odd = ['admin.tools.list', 'admin_tools_list', 'x'.repeat(128), 'x'.repeat(127), 'a b', 'ä', '...', '工具'];
    const names = new ModelToolNames(request(odd));
    const given = odd.map(name => names.forModel(name));
    for (const name of given) assert.match(name, /^[a-zA-Z0-9_-]{1,64}$/);
    assert.equal(new Set(given).size, odd.length);
    assert.match(given[0]!, /^admin_tools_list_[0-9a-f]{10}$/);
    assert.equal(given[1], 'admin_tools_list');
    assert.deepEqual(
      given.map(name => names.original(name)),
      odd,
    );
    assert.equal(names.areChanged, true);
  });

  it('keeps the same names in every request, and in calls of tools no longer offered', () => {
    const once = new ModelToolNames(request(['a.b', 'c.d'])).forModel('a.b');
    assert.equal(new ModelToolNames(request([], ['a.b'])).forModel('a.b'), once);
  });

  it('cannot be confused on purpose @toModel.confused-purpose', () => {
    const taken = new ModelToolNames(request(['a.b'])).forModel('a.b');
    for (const tools of [
      ['a.b', taken],
      [taken, 'a.b'],
    ]) {
      const names = new ModelToolNames(request(tools));
      assert.equal(names.forModel(taken), taken);
      assert.notEqual(names.forModel('a.b'), taken);
      assert.equal(names.original(names.forModel('a.b')), 'a.b');
      assert.equal(names.original(taken), taken);
    }
    assert.equal(new ModelToolNames(request(['a'])).original('invented'), 'invented');
  });
});
