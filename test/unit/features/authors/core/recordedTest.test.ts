import assert from 'node:assert/strict';
import { readTestFile } from '../../../../../src/features/authors/core/readTestFile';
import {
  type RecordedRequest,
  recordedStep,
  testAsYaml,
  withTest,
} from '../../../../../src/features/authors/core/recordedTest';
import { REDACTED } from '../../../../../src/host';

const same = (text: string) => text;
const record = (method: string, params: unknown, outcome?: RecordedRequest['outcome'], redact = same) =>
  recordedStep({ method, params, ...(outcome && { outcome }) }, redact) ?? assert.fail(`${method} is not recorded`);
const text = (...texts: string[]) => ({ result: { content: texts.map(one => ({ type: 'text', text: one })) } });
const step = (...given: Parameters<typeof record>) => record(...given).step;

describe('a recorded test', () => {
  it('repeats the request, and expects its result', () => {
    assert.deepEqual(step('tools/call', { name: 'add', arguments: { a: 1 }, _meta: { progressToken: 1 } }, text('2')), {
      call: 'add',
      arguments: { a: 1 },
      expect: { contains: '2' },
    });
    const data = { result: { structuredContent: { total: 1 }, content: [{ type: 'text', text: '1' }] } };
    assert.deepEqual(step('tools/call', { name: 'count', arguments: {} }, data), {
      call: 'count',
      expect: { contains: { structuredContent: { total: 1 } } },
    });
    assert.deepEqual(step('tools/call', { name: 'no' }, { result: { isError: true, ...text('gone').result } }), {
      call: 'no',
      expect: { isError: true, contains: 'gone' },
    });
    assert.deepEqual(step('prompts/get', { name: 'p', arguments: { a: 'b' } }, { error: { code: -32602 } }), {
      get: 'p',
      arguments: { a: 'b' },
      expect: { error: -32602 },
    });
    assert.deepEqual(step('resources/read', { uri: 'a:b' }, { result: { contents: [{ uri: 'a:b', text: 'c' }] } }), {
      read: 'a:b',
      expect: { contains: 'c' },
    });
    assert.deepEqual(
      step(
        'completion/complete',
        { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: 'b' } },
        { result: { completion: { values: ['bc'] } } },
      ),
      {
        complete: { prompt: 'p', argument: 'a', value: 'b' },
        expect: { matches: [{ path: '$.values', equals: ['bc'] }] },
      },
    );
    assert.deepEqual(step('tools/list', {}, { result: { tools: [{ name: 'add', inputSchema: {} }] } }), {
      list: 'tools',
      expect: { contains: { tools: [{ name: 'add' }] } },
    });
    assert.deepEqual(step('resources/subscribe', { uri: 'a:b' }), { subscribe: 'a:b' });
    assert.equal(recordedStep({ method: 'initialize', params: {} }, same), undefined);
  });

  it('expects one line of a long text', () => {
    const { expect } = step('tools/call', { name: 'a' }, text(`\nfirst ${'x'.repeat(300)}\n${'y'.repeat(900)}`));
    assert.equal(expect?.contains, `first ${'x'.repeat(194)}`);
  });

  it('contains no secrets, neither known ones nor those with telling names, and reports that @recordedTest.contains-secrets-neither', () => {
    const redact = (given: string) => given.replaceAll('hunter2', REDACTED);
    const token = `ghp_${'a1'.repeat(18)}`;
    const args = { query: 'hunter2', password: 'other', count: 3, nested: [{ header: `Bearer ${token}` }] };
    const result = {
      result: { structuredContent: { ok: true, key: 'abc', said: 'hunter2!', list: ['x', `y ${token}`] } },
    };
    const recorded = record('tools/call', { name: 'login', arguments: args }, result, redact);
    assert.equal(recorded.isStruck, true);
    assert.deepEqual(recorded.step, {
      call: 'login',
      arguments: {
        query: REDACTED,
        password: REDACTED,
        count: 3,
        nested: [{ header: `Bearer ${REDACTED}` }],
      },
      expect: { contains: { structuredContent: { ok: true, list: ['x'] } } },
    });
    const said = record('tools/call', { name: 'a' }, text('You are hunter2, and welcome here'), redact);
    assert.deepEqual([said.step.expect, said.isStruck], [{ contains: ', and welcome here' }, true]);
    assert.equal(record('tools/call', { name: 'a', arguments: { count: 3 } }, text('ok'), redact).isStruck, false);
    const deep = JSON.parse(`${'['.repeat(5_000)}${']'.repeat(5_000)}`);
    assert.ok(record('tools/call', { name: 'a', arguments: { deep } }));
  });

  it('starts a file, or is appended to one whose other lines stay unchanged', () => {
    const call = record('tools/call', { name: 'add', arguments: { text: 'a: b # c' } }, text('- x\n  y'));
    const first = withTest('', 'new.mcptest.yaml', 'notebook', call);
    const read = (given: string, name = 'a.mcptest.yaml') => {
      const { file, problems } = readTestFile(given, name);
      assert.deepEqual(problems, [], given);
      return file!.tests.map(test => [test.name, test.place.line, test.steps[0]?.step] as const);
    };
    assert.deepEqual(read(first.text), [['add', first.line, call.step]]);
    assert.match(first.text, /^server: notebook\ntests:\n {2}- name: add\n/);
    const second = withTest(first.text, 'new.mcptest.yaml', 'notebook', call);
    assert.deepEqual(read(second.text), [
      ['add', first.line, call.step],
      ['add 2', second.line, call.step],
    ]);
    for (const before of [
      '# About it\nserver: x # here\ntests:\n- name: a   # first\n  steps: [ { list: tools } ]\n# after\ntimeoutMs: 10\n',
      'tests:\n    -   name: a\n        steps:\n          - list: tools\n\nserver: x',
      'server: x\ntests: [{ name: a, steps: [{ list: tools }] }]\n',
    ]) {
      const { text: now, line } = withTest(before, 'a.mcptest.yaml', 'other', call);
      assert.deepEqual(read(now).slice(1), [['add', line, call.step]]);
      if (!before.includes('tests: ['))
        for (const kept of before.trim().split('\n')) assert.ok(now.split('\n').includes(kept), `${kept} in\n${now}`);
      assert.match(now, /server: x/);
    }
    const json =
      '{\n  // as in settings\n  "server": "x",\n  "tests": [{ "name": "a", "steps": [{ "list": "tools" }] }],\n}\n';
    const added = withTest(json, 'a.mcptest.json', 'x', call);
    assert.deepEqual(read(added.text, 'a.mcptest.json')[1], ['add', added.line, call.step]);
    assert.match(added.text, /\/\/ as in settings/);
    assert.deepEqual(read(withTest('', 'b.mcptest.json', 'x', call).text, 'b.mcptest.json')[0]?.[2], call.step);
    assert.match(testAsYaml(call), /^- name: add\n {2}steps:\n {4}- call: add\n/);
  });

  it('is not written into a file with mistakes', () => {
    const call = record('tools/call', { name: 'a' });
    for (const wrong of ['tests: [', 'server: x\ntests: nothing'])
      assert.throws(() => withTest(wrong, 'a.mcptest.yaml', 'x', call), /There are mistakes in a\.mcptest\.yaml\./);
  });
});
