import assert from 'node:assert/strict';
import { LogGate } from '../../../../src/host/transport/incomingMessages';
import { waitFor } from '../../../servers/spawn';

describe('LogGate', () => {
  it('passes a burst, then drops messages below warning and counts them', async () => {
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
