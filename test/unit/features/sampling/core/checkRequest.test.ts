import assert from 'node:assert/strict';
import { english } from '../../../../../src/base/phrase';
import { imageTypeOf } from '../../../../../src/features/languageModel/core/contentPlan';
import { requestProblem } from '../../../../../src/features/sampling/core/checkRequest';
import { chequeredPng } from '../../../../servers/content/png';

const said = (text: string) => ({ type: 'text', text });
const user = (...content: unknown[]) => ({ role: 'user', content });
const assistant = (...content: unknown[]) => ({ role: 'assistant', content });
const use = (id: string) => ({ type: 'tool_use', id, name: 'look', input: {} });
const result = (id: string) => ({ type: 'tool_result', toolUseId: id, content: [said('seen')] });
const problemOf = (params: unknown) => {
  const problem = requestProblem(params, { imageTypeOf });
  return problem && english(problem);
};
const problem = (params: object) => problemOf({ messages: [user(said('hello'))], maxTokens: 100, ...params });
const png = chequeredPng(8).toString('base64');

describe('the check of a sampling request', () => {
  it('passes supported requests', () => {
    assert.equal(problem({}), undefined);
    const image = { type: 'image', mimeType: 'image/png', data: png };
    const tools = [{ name: 'look', inputSchema: { type: 'object' } }];
    const messages = [user(said('look'), image), assistant(use('1'), use('2')), user(result('2'), result('1'))];
    const options = {
      temperature: 0,
      stopSequences: ['END'],
      includeContext: 'none',
      toolChoice: { mode: 'required' },
    };
    assert.equal(problem({ messages, tools, ...options }), undefined);
    assert.equal(problem({ messages: [{ role: 'user', content: said('one block') }] }), undefined);
  });

  it('refuses 10 MB of text', () => {
    const text = problem({ messages: [user(said('x'.repeat(10_000_000)))] });
    assert.equal(text, 'it has 10000000 characters of text; 2000000 are allowed');
  });

  it('refuses 10 MB of anything else that is shown', () => {
    const much = 'x'.repeat(10_000_000);
    const answered = { type: 'tool_result', toolUseId: '1', content: [{ ...said('x'), annotations: { much } }] };
    for (const params of [
      { messages: [user(said('x'))], metadata: { much } },
      { messages: [user({ ...said('x'), _meta: { much } })] },
      { messages: [assistant(use('1')), user(answered)] },
      { messages: [{ role: 'user', content: Array.from({ length: 600_000 }, () => said('')) }] },
    ])
      assert.match(problem(params)!, /characters of text; 4000000 are allowed/);
  });

  it('refuses wrong roles @checkRequest.refuses-wrong-roles', () => {
    assert.match(problem({ messages: [{ role: 'system', content: said('x') }] })!, /message 1: its role is "system"/);
    assert.match(problem({ messages: [user(use('1'))] })!, /only the assistant/);
    assert.match(problem({ messages: [assistant(result('1'))] })!, /only the user/);
  });

  it('refuses invalid and broken images, and wrongly declared types @checkRequest.refuses-invalid-broken', () => {
    const image = (data: string, mimeType = 'image/png') => [user({ type: 'image', mimeType, data })];
    for (const data of ['', 'bm8gaW1hZ2U=', png.slice(0, 40)]) {
      assert.match(problem({ messages: image(data) })!, /its image is invalid/);
    }
    assert.match(problem({ messages: image(png, 'image/jpeg') })!, /its image is image\/png, not "image\/jpeg"/);
  });

  it('refuses audio and unsupported content, with the reason', () => {
    assert.match(problem({ messages: [user({ type: 'audio', data: '', mimeType: 'audio/wav' })] })!, /audio/);
    assert.match(problem({ messages: [user({ type: 'hologram' })] })!, /hologram/);
    const link = { type: 'resource_link', uri: 'x:/', name: 'x' };
    assert.match(problem({ messages: [user(link)] })!, /resource_link/);
    const odd = { type: 'tool_result', toolUseId: '1', content: [{ type: 'hologram' }] };
    assert.match(problem({ messages: [assistant(use('1')), user(odd)] })!, /hologram/);
  });

  it('passes tool results with well-formed resources, links and audio @checkRequest.passes-tool-results', () => {
    const answered = (...content: unknown[]) =>
      problem({ messages: [assistant(use('1')), user({ type: 'tool_result', toolUseId: '1', content })] });
    const link = { type: 'resource_link', uri: 'x:/', name: 'x' };
    const audio = { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' };
    const embedded = (resource: unknown) => ({ type: 'resource', resource });
    assert.equal(answered(link, audio, embedded({ uri: 'x:/a', text: 'inside' })), undefined);
    assert.equal(answered(embedded({ uri: 'x:/a', blob: 'AAAA', mimeType: 'application/zip' })), undefined);
    assert.match(answered({ ...link, uri: 5 })!, /resource_link has no uri/);
    assert.match(answered({ ...audio, data: null })!, /audio has no data/);
    for (const resource of [null, 'x', {}, { uri: 'x:/a' }, { text: 'x' }, { uri: 'x:/a', text: 5 }])
      assert.match(answered(embedded(resource))!, /no uri, or neither text nor blob/);
    assert.match(answered(embedded({ uri: 'x:/a', text: 'x'.repeat(3_000_000) }))!, /characters of text/);
    const image = { uri: 'x:/a', mimeType: 'image/png', blob: 'AAAA'.repeat(8 << 20) };
    assert.match(answered(embedded(image))!, /images have \d+ bytes/);
  });

  it('requires exactly one result for each tool call, right after it @checkRequest.requires-exactly-result', () => {
    assert.match(problem({ messages: [assistant(use('1')), user(said('and?'))] })!, /Tool result missing/);
    assert.match(problem({ messages: [assistant(use('1'))] })!, /Tool result missing/);
    assert.match(problem({ messages: [assistant(use('1'), use('2')), user(result('1'))] })!, /Tool result missing/);
    assert.match(problem({ messages: [assistant(use('1')), user(result('1'), said('x'))] })!, /mixed with other/);
    assert.match(problem({ messages: [user(result('1'))] })!, /does not belong to a tool use/);
    assert.match(problem({ messages: [assistant(use('1')), user(result('1'), result('1'))] })!, /two results/);
    assert.match(problem({ messages: [assistant(use('1'), use('1')), user(result('1'))] })!, /one id/);
  });

  it('refuses meaningless options', () => {
    for (const maxTokens of [0, -1, 1.5, Number.NaN, '5', undefined])
      assert.match(problem({ maxTokens })!, /maxTokens/);
    for (const temperature of [-1, 3, Number.NaN, 'hot']) assert.match(problem({ temperature })!, /temperature/);
    for (const stopSequences of ['END', [''], [5], Array(100).fill('x')]) {
      assert.match(problem({ stopSequences })!, /stopSequences/);
    }
    assert.match(problem({ includeContext: 'everything' })!, /includeContext/);
    assert.match(problem({ toolChoice: { mode: 'required' } })!, /requires a tool/);
  });

  it('refuses tools that providers refuse', () => {
    const tool = (name: unknown, inputSchema: unknown = {}) => ({ name, inputSchema });
    assert.match(problem({ tools: [tool('')] })!, /has no name/);
    assert.match(problem({ tools: [tool('a'.repeat(1_001))] })!, /has 1001 characters; 1000 are allowed/);
    assert.match(problem({ tools: [tool('a'), tool('a')] })!, /two tools named a/);
    assert.match(problem({ tools: [tool('a', 'any')] })!, /no inputSchema/);
    assert.match(problem({ tools: Array.from({ length: 129 }, (_, i) => tool(`t${i}`)) })!, /at most 128/);
  });

  it('passes tool names that models accept only in another form', () => {
    const tools = ['admin.tools.list', 'a'.repeat(128), 'a b', 'ä'].map(name => ({ name, inputSchema: {} }));
    assert.equal(problem({ tools }), undefined);
  });

  it('refuses other edits that make a request invalid', () => {
    for (const params of [null, 'x', [], {}, { messages: [] }, { messages: [null] }, { messages: [user()] }]) {
      assert.equal(typeof problemOf(params), 'string');
    }
  });
});
