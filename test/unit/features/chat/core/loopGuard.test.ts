import assert from 'node:assert/strict';
import { LoopGuard } from '../../../../../src/features/chat/core/turnRecord';

describe('a repeated call', () => {
  it('is made three times, then the model is warned, then the turn ends', () => {
    const loops = new LoopGuard();
    const call = () => loops.repeated('s__state', { id: 1 });
    assert.deepEqual([call(), call(), call()], [undefined, undefined, undefined]);
    const told = call();
    assert.match(told!.told, /^The tool was not called: you have made exactly this call 3 times/);
    assert.equal(told!.ends, false);
    assert.equal(call()!.ends, true);
  });

  it('counts separately for other arguments or another tool', () => {
    const loops = new LoopGuard();
    for (let id = 0; id < 50; id++) assert.equal(loops.repeated('s__state', { id }), undefined);
    for (let id = 0; id < 50; id++) assert.equal(loops.repeated('s__other', { id }), undefined);
  });
});
