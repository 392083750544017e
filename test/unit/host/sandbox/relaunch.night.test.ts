import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { onlyWhereConfined, World } from './confined';

describe('A program that has filled its folder', () => {
  let world: World;
  before(onlyWhereConfined);
  beforeEach(() => {
    world = new World();
  });
  afterEach(() => world.remove());

  it('does not start once it has made more folders than can be searched @relaunch.start-once-made', async () => {
    world.file('work/project/z/z/.git/config', 'as it was');
    await world.sh('seq 20001 | xargs mkdir', world.writing);
    await assert.rejects(world.sh('echo evil > z/z/.git/config', world.writing), {
      code: 'SANDBOX_RULES',
      message: /holds too many folders/,
    });
    // Node takes ten times as long for so many.
    execFileSync('rm', ['-rf', world.workspace]);
  });
});
