import assert from 'node:assert/strict';
import { waitFor } from '../../../servers/spawn';
import { hostile, TestHost } from '../testHost';

describe('a slow start', () => {
  it('shows what the program has printed so far', async () => {
    await using test = new TestHost({}, { slowStartMs: 50 });
    test.configure({ one: hostile('--stderr=2', '--slow-start=100000') });
    const shown = () => {
      const { state } = test.server('one');
      return state.kind === 'starting' && state.isSlow ? state.printed : undefined;
    };
    await waitFor(() => shown() === 'stderr line 2', { what: 'its last line' });
  });

  it('is reported once, with the possible cause and the limit', async () => {
    await using test = new TestHost({}, { slowStartMs: 50 });
    test.configure({
      one: hostile('--slow-start=300'),
      quick: { ...hostile('--silent'), timeouts: { startMs: 10 } },
    });
    const { state: atFirst } = test.server('one');
    let isHinted = false;
    test.host.onDidChangeServer(() => {
      const { state } = test.server('one');
      isHinted ||= state.kind === 'starting' && state.isSlow;
    });
    await test.reaches('one', 'ready');
    assert.ok(atFirst.kind === 'starting' && !atFirst.isSlow);
    assert.ok(isHinted);
    const notes = test.logs.filter(({ data }) => /^still starting/.test(String(data)));
    assert.deepEqual(
      notes.map(({ server, level, data }) => [server, level, data]),
      [
        [
          'one',
          'warning',
          'still starting after 0.05 s: its program has not answered yet; "timeouts": { "startMs": 60000 } in its ' +
            'settings entry ends the start after 60 s',
        ],
      ],
    );
  });
});
