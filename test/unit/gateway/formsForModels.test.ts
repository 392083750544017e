import assert from 'node:assert/strict';
import { formForModels, logDataForModels } from '../../../src/gateway/formsForModels';

const long = 'a'.repeat(100_000);
const nested = (depth: number) => JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as unknown;

describe('what a client that draws it gets of a result', () => {
  it('has titles and descriptions that are read in no time, and is always the same object', () => {
    const tool = {
      name: 'x',
      title: long,
      description: long,
      annotations: { title: long, readOnlyHint: true },
      inputSchema: { type: 'object', description: long },
    };
    const listed = () => (formForModels('tools/list', { tools: [tool] }).tools as [typeof tool])[0];
    const { title, description, annotations, inputSchema } = listed();
    assert.deepEqual([title.length, description.length, annotations.title.length], [200, 8_000, 200]);
    assert.ok(title.endsWith('a…') && annotations.readOnlyHint);
    assert.equal(inputSchema, tool.inputSchema);
    assert.equal(listed(), listed());
    const short = { tools: [{ name: 'x', description: 'short' }] };
    assert.equal(formForModels('tools/list', short), short);
    const args = [{ name: 'y', description: long }, null, ...Array.from({ length: 200 }, () => ({ name: 'z' }))];
    const { prompts } = formForModels('prompts/list', { prompts: [{ name: 'x', arguments: args }] });
    const [first, ...others] = Object(prompts)[0].arguments;
    assert.deepEqual([first.description.length, others.length, others[0]], [8_000, 98, { name: 'z' }]);
  });

  it('has the members that the specification names, and JSON that no client gives up for its depth', () => {
    const more = { task: { taskId: '1' }, further: 1 };
    const call = { content: [], structuredContent: { a: nested(200) }, isError: true, _meta: { a: nested(50) } };
    assert.deepEqual(formForModels('tools/call', { ...call, ...more }), {
      content: [],
      isError: true,
      _meta: { a: nested(50) },
    });
    const tool = { name: 'x', inputSchema: {}, outputSchema: { a: nested(200) }, execution: {}, ...more };
    assert.deepEqual(formForModels('tools/list', { tools: [tool], ...more }), {
      tools: [{ name: 'x', inputSchema: {} }],
    });
    const message = { role: 'user', content: { type: 'text', text: 'a' } };
    const messages = [{ ...message, ...more }];
    assert.deepEqual(formForModels('prompts/get', { messages, ...more }), { messages: [message] });
    const contents = [{ uri: 'x:/a', text: 'a', ...more }];
    assert.deepEqual(formForModels('resources/read', { contents, ...more }), {
      contents: [{ uri: 'x:/a', text: 'a' }],
    });
    const values = [...Array.from({ length: 200 }, () => 'a'), long];
    const { completion } = formForModels('completion/complete', { completion: { values, total: 201, ...more } });
    assert.deepEqual(completion, { values: values.slice(0, 100), total: 201 });
  });

  it('has an app only by an address of one, and says who may call the tool as the host reads it', () => {
    const shown = (ui: object, more = {}) => {
      const tool = { name: 'x', inputSchema: {}, _meta: { ui, ...more } };
      return Object(formForModels('tools/list', { tools: [tool] }).tools)[0]._meta;
    };
    assert.deepEqual(shown({ resourceUri: 'ui://a', further: 1 }, { other: 1 }), { ui: { resourceUri: 'ui://a' } });
    assert.deepEqual(shown({}, { 'ui/resourceUri': 'ui://a' }), { ui: { resourceUri: 'ui://a' } });
    assert.deepEqual(shown({ resourceUri: 'https://a', visibility: 'app' }), { ui: { visibility: ['app'] } });
    assert.equal(shown({ resourceUri: 'https://a' }), undefined);
  });

  it('has titles in which nothing is markup, and one in the place of a name that is', () => {
    const listed = (more: object) => Object(formForModels('tools/list', { tools: [{ name: 'x', ...more }] }).tools)[0];
    const picture = '![a](https://example.com/)<b>`c`';
    const shown = '!a(https://example.com/)bc';
    assert.equal(listed({ title: picture }).title, shown);
    assert.equal(listed({ title: 'a\n~~~js\nb' }).title, 'a ~js b');
    assert.equal(listed({ annotations: { title: picture } }).annotations.title, shown);
    assert.equal(listed({ name: picture }).title, shown);
    assert.deepEqual(
      [listed({ name: '`' }).title, listed({ title: '[]' }).title, listed({}).title],
      ['?', undefined, undefined],
    );
  });

  it('has markdown whose code has no language, which the client would colour', () => {
    const { tools } = formForModels('tools/list', { tools: [{ name: 'x', description: 'a\n```csharp\nb\n```' }] });
    assert.equal(Object(tools)[0].description, 'a\n```\nb\n```');
  });

  it('has data of log messages of a length that is drawn at once', () => {
    assert.equal(logDataForModels(long), `${long.slice(0, 9_999)}…`);
    assert.equal(String(logDataForModels({ long })).length, 10_000);
    assert.equal(logDataForModels({ a: nested(200) }), '…');
    const short = { a: 1 };
    assert.equal(logDataForModels(short), short);
  });
});
