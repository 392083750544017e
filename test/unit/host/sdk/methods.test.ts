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

  it("have one sender each; what is the host's own, or a call, is open to nobody else", () => {
    const all = Object.values(SENDERS).flatMap(words => words.split(' '));
    assert.deepEqual(all, [...new Set(all)]);
    for (const method of [SENDERS.host, SENDERS.call, SENDERS.follow].flatMap(words => words.split(' ')))
      assert.deepEqual([isCallerMethod(method), isPersonMethod(method)], [false, false], method);
    for (const method of ['constructor', 'files/delete']) assert.ok(!isCallerMethod(method) && !isPersonMethod(method));
    for (const method of all.filter(isCallerMethod)) assert.ok(isPersonMethod(method), method);
  });

  it('give a model content of the server, except for lists, which are pinned @methods.answer-content-model', () => {
    for (const method of SENDERS.caller.split(' '))
      assert.equal(givesContent(method), !method.endsWith('/list'), method);
    assert.ok(!givesContent('ping'));
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
