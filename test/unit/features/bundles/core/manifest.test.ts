import assert from 'node:assert/strict';
import { english } from '../../../../../src/base/phrase';
import { isOlder, manifestChanges, readManifest } from '../../../../../src/features/bundles/core/manifest';
import { manifestWith } from './zipBytes';

describe('an update of a bundle', () => {
  const of = (changes: object = {}) => readManifest(JSON.stringify(manifestWith(changes)), 'linux');
  const said = (before: object, after: object) => manifestChanges(of(before), of(after)).map(english);
  const server = (mcp_config: object) => ({
    server: { type: 'node', entry_point: 'server/index.js', mcp_config: { command: 'node', ...mcp_config } },
  });

  it('has nothing to say of another version that is the same otherwise', () => {
    assert.deepEqual(said({}, { version: '2.0.0', description: 'Another text' }), []);
  });

  it('says what it runs', () => {
    assert.deepEqual(said(server({ args: ['${__dirname}/a.js'] }), server({ args: ['${__dirname}/b.js', '--all'] })), [
      'Runs node ${__dirname}/b.js --all, formerly node ${__dirname}/a.js',
    ]);
    assert.deepEqual(said(server({ env: { A: '1' } }), server({ env: { A: '2', NODE_OPTIONS: '-r x' } })), [
      'Also sets: A=2, NODE_OPTIONS=-r x',
      'No longer sets: A=1',
    ]);
  });

  it('is refused when its manifest is nested too deeply to be shown', () => {
    const deep = JSON.stringify(manifestWith()).replace(/\}$/, `,"x":${'['.repeat(5_000)}${']'.repeat(5_000)}}`);
    assert.throws(() => readManifest(deep, 'linux'), /nested too deeply/);
  });

  it('is older by its numbers, not by its letters; of other versions nothing is known', () => {
    const pairs: [string, string][] = [
      ['1.9.0', '1.10.0'],
      ['1.1', '1.1.1'],
      ['2.0.0', '1.9.9'],
      ['1.0', '1.0.0'],
      ['1.0.0-beta', '1.0.0'],
    ];
    assert.deepEqual(
      pairs.map(([version, than]) => isOlder(version, than)),
      [true, true, false, false, false],
    );
  });

  it('says which options and tools are new or gone, also an option that asks for something else', () => {
    const option = (type: string) => ({ user_config: { place: { type, title: 'Place' } } });
    assert.deepEqual(said(option('string'), option('directory')), [
      'Also asks for: Place (directory)',
      'No longer asks for: Place (string)',
    ]);
    const tools = (...names: string[]) => ({ tools: names.map(name => ({ name })) });
    assert.deepEqual(said(tools('a', 'b'), tools('b', 'c\u202e')), ['New tools: c⟨U+202E⟩', 'Tools that are gone: a']);
  });
});
