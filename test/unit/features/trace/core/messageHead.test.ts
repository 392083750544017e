import assert from 'node:assert/strict';
import { messageHead } from '../../../../../src/features/trace/core/messageHead';

describe('messageHead', () => {
  const head = (text: string, size = text.length) => messageHead({ text, size });

  it('returns method, id and subject', () => {
    const cases: [object, string | undefined][] = [
      [{ method: 'resources/read', params: { uri: 'a:b' } }, 'a:b'],
      [{ method: 'completion/complete', params: { ref: { type: 'ref/prompt', name: 'p' } } }, 'p'],
      [{ method: 'notifications/progress', params: { progress: 2, total: 5, message: 'half' } }, '2/5 half'],
      [{ method: 'notifications/message', params: { level: 'info', data: 1 } }, 'info'],
      [{ method: 'initialize', params: { clientInfo: { name: 'c' } } }, 'c'],
      [{ method: 'tools/list' }, undefined],
    ];
    for (const [message, subject] of cases) assert.equal(head(JSON.stringify(message)).subject, subject);
  });

  it('reads a message of which only the start is kept', () => {
    const call = '{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"x","id":5';
    assert.deepEqual(head(call, 1e7), { kind: 'request', method: 'tools/call', id: '"a"' });
    assert.deepEqual(head('{"jsonrpc":"2.0","id":3,"result":{"id":4', 1e7), { kind: 'answer', id: '3' });
    assert.deepEqual(head('{"result":{"id":4', 1e7), { kind: 'answer' });
  });

  it('returns unreadable for what is no message, and never throws', () => {
    for (const text of ['', 'nope', '{}', '1', 'null', '{"id":1}', '{"method":1}'])
      assert.equal(head(text).kind, 'unreadable', text);
    assert.equal(head('[{"method":"x"}]').kind, 'batch');
    for (const text of ['{"method":"x","params":null}', '{"method":"x","params":[1]}', '{"id":null,"error":1}'])
      assert.notEqual(head(text).kind, 'unreadable', text);
  });

  it('recognizes a request for more input', () => {
    assert.equal(head('{"id":1,"result":{"resultType":"input_required"}}').note, 'input_required');
  });
});
