import assert from 'node:assert/strict';
import { givesContent, isCallerMethod, isPersonMethod } from '../../../../src/host';
import { SENDERS } from '../../../../src/host/sdk/methods';
import { raw } from '../../../setup/raw';
import { fixture, hostile, TestHost } from '../testHost';

const anyResult = { '~standard': { version: 1 as const, vendor: 'test', validate: (value: unknown) => ({ value }) } };

describe('methods that go to servers', () => {
  let test: TestHost;
  beforeEach(() => {
    test = new TestHost();
  });
  afterEach(() => test.close());

  it('are open to callers, or to a person, only where the table says so', () => {
    const methods = Object.values(SENDERS).flatMap(words => words.split(' '));
    assert.deepEqual(methods, [...new Set(methods)], 'each has one sender');
    assert.deepEqual(methods.filter(isCallerMethod), [
      ...['completion/complete', 'prompts/get', 'prompts/list', 'resources/list', 'resources/read'],
      ...['resources/templates/list', 'skills/get', 'skills/list', 'tools/list'],
    ]);
    for (const method of methods.filter(isCallerMethod)) assert.ok(isPersonMethod(method), method);
    for (const method of [
      'tools/call',
      'initialize',
      'subscriptions/listen',
      'events/stream',
      'notifications/cancelled',
      'constructor',
    ])
      assert.deepEqual([isCallerMethod(method), isPersonMethod(method)], [false, false], method);
  });

  it('say whether their answer is content that a model has read then @methods.answer-content-model', () => {
    const methods = Object.values(SENDERS).flatMap(words => words.split(' '));
    assert.deepEqual(methods.filter(givesContent), [
      ...['completion/complete', 'prompts/get', 'resources/read', 'skills/get'],
    ]);
  });

  it('are never sent unless the table names a sender @methods.sent-unless-table', async () => {
    for (const server of [hostile(), fixture('content')]) {
      test.host.trace.limit({ messages: 1_000, size: 1e7 });
      test.configure({ one: server });
      const one = await test.loads('one');
      const made = raw(one).request('delete files', (client, options) =>
        client.request({ method: 'files/delete', params: {} }, anyResult, options),
      );
      await assert.rejects(made, /No message has the method files\/delete/);
      const sent = test.host.trace.records().filter(({ direction }) => direction === 'sent');
      assert.ok(sent.length > 1 && sent.every(({ text }) => !text.includes('files/delete')));
      assert.equal(one.state.kind, 'ready');
    }
  });
});
