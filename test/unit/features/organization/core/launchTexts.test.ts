import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { LaunchTexts } from '../../../../../src/features/organization/core/launchTexts';
import type { ProgramEntry } from '../../../../../src/host/settings';

const program = (...args: string[]) => ({ type: 'stdio', command: 'npx', args, env: {} }) as unknown as ProgramEntry;

describe('the texts of a launch', () => {
  afterEach(() => mock.restoreAll());

  it('are read as often for many denials as for one', () => {
    const readings = (denials: number) => {
      const normalize = mock.method(String.prototype, 'normalize');
      const texts = new LaunchTexts(program('-y', 'one', '--say="a \\u0062"'));
      for (let n = 0; n < denials; n++) {
        assert.equal(texts.mayRun(['npx', '-y', `@corp/p${n}`]), false);
        assert.equal(texts.mayRun([`/opt/corp/p${n}`, '--all']), false);
      }
      const ofText = normalize.mock.calls.filter(call => String(call.this).startsWith('--say')).length;
      mock.restoreAll();
      return ofText;
    };
    assert.equal(readings(100), readings(1));
  });

  it('name what patterns of a shell may become', () => {
    const texts = new LaunchTexts(program('-y', 'p?g', '@corp/*x'));
    assert.equal(texts.mayRun(['npx', '-y', 'pkg']), true);
    assert.equal(texts.mayRun(['npx', '-y', '@corp/box']), true);
    assert.equal(texts.mayRun(['npx', '-y', 'other']), false);
  });
});
