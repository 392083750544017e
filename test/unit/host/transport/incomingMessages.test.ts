import assert from 'node:assert/strict';
import { english } from '../../../../src/base/phrase';
import { carriedIn } from '../../../../src/host/reading/carried';
import { MalformedAnswer, wellFormed } from '../../../../src/host/reading/framing';
import { LogGate } from '../../../../src/host/transport/incomingMessages';
import { waitFor } from '../../../servers/spawn';

const message = (members: object) => ({ jsonrpc: '2.0', ...members });

describe('a malformed JSON-RPC message', () => {
  for (const [title, given, taken] of [
    ['a result beside "error": null', { id: 1, result: {}, error: null }, { id: 1, result: {} }],
    ['a result with members that nobody knows', { id: 1, result: {}, time: 5 }, { id: 1, result: {} }],
    [
      'an error beside a result',
      { id: 1, result: null, error: { code: 1, message: 'no' } },
      { id: 1, error: { code: 1, message: 'no' } },
    ],
    ['a request with "params": null', { id: 1, method: 'ping', params: null }, { id: 1, method: 'ping' }],
    ['a notification with "params": null', { method: 'x', params: null }, { method: 'x' }],
    ['a notification with "id": null', { id: null, method: 'x' }, { method: 'x' }],
    ['a result with "_meta": null', { id: 1, result: { _meta: null, a: null } }, { id: 1, result: { a: null } }],
    [
      'a request with "_meta": null',
      { id: 1, method: 'x', params: { _meta: null, a: null } },
      { id: 1, method: 'x', params: { a: null } },
    ],
    [
      'a request with members that nobody knows',
      { id: 1, method: 'x', params: {}, time: 5 },
      { id: 1, method: 'x', params: {} },
    ],
  ] as const) {
    it(`is accepted without superfluous members: ${title} @incomingMessages.accepted-superfluous`, () => {
      assert.deepEqual(wellFormed(message(given)), message(taken));
    });
  }

  it('is passed on unchanged when valid', () => {
    for (const members of [
      { id: 1, result: { _meta: {} } },
      { id: 'a', error: { code: -32603, message: 'no', data: [1] } },
      { id: null, error: { code: -32603, message: 'no', data: null } },
      { id: 1, method: 'ping' },
      { method: 'notifications/progress', params: { progress: 1 } },
    ]) {
      const given = message(members);
      assert.equal(wellFormed(given), given);
    }
  });

  it('carries a result that is no object', () => {
    for (const result of ['text', ['a'], null, { _meta: 7, a: 1 }]) {
      const taken = wellFormed(message({ id: 7, result }));
      assert.deepEqual('result' in taken && carriedIn(taken.result), result);
    }
  });

  it('becomes an error that no server could send when the answer is unusable @incomingMessages.becomes-error-server', () => {
    for (const members of [{ error: 'no' }, { error: { code: '1', message: 'no' } }, { error: [] }]) {
      const taken = wellFormed(message({ id: 7, ...members }));
      assert.ok('error' in taken && taken.id === 7);
      assert.ok(taken.error.data instanceof MalformedAnswer);
      assert.equal(english(taken.error.data.phrase), taken.error.message);
    }
  });
});

describe('LogGate', () => {
  it('passes a burst, then drops messages below warning and counts them @incomingMessages.passes-burst-drops', async () => {
    const reports: number[] = [];
    const gate = new LogGate(count => reports.push(count), 10, 0);
    const passed = Array.from({ length: 15 }, () => gate.passes('info')).filter(Boolean).length;
    assert.equal(passed, 10);
    for (const level of ['warning', 'error', 'critical', 'alert', 'emergency'] as const) assert.ok(gate.passes(level));
    assert.deepEqual(reports, []);
    await waitFor(() => reports.length > 0, { what: 'the report' });
    assert.deepEqual(reports, [5]);
  });

  it('reports on request, and nothing twice', () => {
    const reports: number[] = [];
    const gate = new LogGate(count => reports.push(count), 1, 0);
    for (let i = 0; i < 3; i++) gate.passes('debug');
    gate.report();
    gate.report();
    assert.deepEqual(reports, [2]);
  });

  it('passes more as time goes on', async () => {
    const gate = new LogGate(() => {}, 1, 100);
    assert.ok(gate.passes('info'));
    await waitFor(() => gate.passes('info'), { what: 'the next to pass' });
    gate.report();
  });
});
