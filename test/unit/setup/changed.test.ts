import assert from 'node:assert/strict';
import { choose } from '../../setup/changed';

const always = { msOf: () => 1_000, budgetMs: Number.POSITIVE_INFINITY };
const chosen = (layer: string, ...changed: string[]) => choose([layer], changed, always).chosen;

describe('tests selected by a change', () => {
  it('are those that import what changed, or changed themselves', () => {
    const tests = chosen('unit', 'src/base/processes.ts');
    assert.ok(tests.includes('test/unit/base/processes.test.ts'));
    assert.ok(tests.includes('test/unit/host/connection/supervision.test.ts'), 'by what it imports');
    assert.ok(!tests.includes('test/unit/base/numberText.test.ts'));
    assert.deepEqual(chosen('unit', 'test/unit/base/numberText.test.ts'), ['test/unit/base/numberText.test.ts']);
  });

  it('are those that start a program of it, or read a file by its name', () => {
    assert.ok(chosen('unit', 'test/servers/hostile/taskFlags.ts').includes('test/unit/host/sdk/tasks.test.ts'));
    assert.ok(chosen('unit', 'README.md').includes('test/unit/readme.test.ts'));
  });

  it('are all when the build changed; a file without dependents is reported', () => {
    const unknown = ['nowhere', 'x'].join('.'); // in quotes it would be named here
    assert.ok(chosen('unit', 'package-lock.json').length > 250);
    assert.deepEqual(choose(['unit'], [unknown, 'README.md'], always).unseen, [unknown]);
  });

  it('are the nearest where all would take too long, those that changed first; the others are named', () => {
    const short = { ...always, budgetMs: 2_500 };
    const choice = choose(['unit', 'ui'], ['src/base/processes.ts', 'test/ui/logs.night.test.ts'], short);
    assert.deepEqual(choice.chosen, ['test/ui/logs.night.test.ts', 'test/unit/base/processes.test.ts']);
    assert.ok(choice.left.includes('test/unit/host/connection/supervision.test.ts'));
    const none = choose(['unit'], ['src/base/processes.ts'], { ...always, budgetMs: 0 });
    assert.deepEqual(none.chosen, ['test/unit/base/processes.test.ts'], 'one in any case');
  });

  it('are chosen in the editor layer by the name of the feature', () => {
    assert.ok(chosen('ui', 'src/features/trace/traceFiles.ts').includes('test/ui/trace.night.test.ts'));
  });
});
