import assert from 'node:assert/strict';
import { choose, type Inputs } from '../../setup/changed';

const inputs: Inputs = {
  'out/unit/base/text.test.js': ['test/unit/base/text.test.ts', 'src/base/text.ts'],
  'out/unit/host/calls.test.js': [
    'test/unit/host/calls.test.ts',
    'test/unit/host/testHost.ts',
    'test/setup/paths.ts',
    'src/host/host.ts',
    'src/base/text.ts',
  ],
  'out/unit/readme.test.js': ['test/unit/readme.test.ts'],
  'out/editor/logs.test.js': ['test/editor/logs.test.ts'],
  'out/ui/logs.test.js': ['test/ui/logs.test.ts'],
  'out/servers/hostile.js': ['test/servers/hostile.ts', 'test/servers/raw/lines.ts'],
  'dist/demo-server.js': ['src/demo/server.ts'],
};
const texts: Record<string, string> = {
  'test/unit/host/testHost.ts': "fixture('hostile', ...flags)",
  'test/unit/readme.test.ts': "read('README.md'); start('dist/demo-server.js');",
};
const repository = (...changed: string[]) => ({
  changed,
  inputs,
  read: (file: string) => texts[file] ?? '',
  msOf: (test: string) => (test.includes('calls') ? 3_000 : 1_000),
});
const chosen = (...changed: string[]) => choose('unit', repository(...changed), 10_000).chosen;

describe('the tests of a change', () => {
  it('are those that are made of what changed, or changed themselves', () => {
    assert.deepEqual(chosen('src/base/text.ts'), ['test/unit/base/text.test.ts', 'test/unit/host/calls.test.ts']);
    assert.deepEqual(chosen('src/host/host.ts'), ['test/unit/host/calls.test.ts']);
    assert.deepEqual(chosen('test/unit/base/text.test.ts'), ['test/unit/base/text.test.ts']);
  });

  it('are those that start a program of it, also through a helper, or read a file by its name', () => {
    assert.deepEqual(chosen('test/servers/raw/lines.ts'), ['test/unit/host/calls.test.ts']);
    assert.deepEqual(chosen('src/demo/server.ts'), ['test/unit/readme.test.ts']);
    assert.deepEqual(chosen('README.md'), ['test/unit/readme.test.ts']);
  });

  it('are all when how everything is built has changed, and a file that none depends on is told of', () => {
    assert.equal(chosen('package-lock.json').length, 3);
    assert.deepEqual(choose('unit', repository('docs/x.md', 'README.md'), 10_000).unseen, ['docs/x.md']);
  });

  it('are the nearest where all would take too long, and those that changed in any case', () => {
    const choice = choose('unit', repository('src/base/text.ts'), 1_500);
    assert.deepEqual(choice.chosen, ['test/unit/base/text.test.ts']);
    assert.deepEqual(choice.left, ['test/unit/host/calls.test.ts']);
    const both = choose('unit', repository('src/base/text.ts', 'test/unit/host/calls.test.ts'), 1_500);
    assert.equal(both.left.length, 0);
  });

  it('are found in an editor by the name of the feature', () => {
    assert.deepEqual(choose('editor', repository('src/features/logs/log.ts'), 1_500).chosen, [
      'test/editor/logs.test.ts',
    ]);
  });
});
