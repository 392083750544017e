import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fingerprint } from '../../../../../src/base/fingerprint';
import { english } from '../../../../../src/base/phrase';
import { readTestFile } from '../../../../../src/features/authors/core/readTestFile';
import { rootsOf, rootsWithin, TestConsents, testedServer } from '../../../../../src/features/authors/core/testServer';
import { temporaryFolder } from '../../../../setup/paths';

describe('roots of tests', () => {
  const folder = temporaryFolder();
  const workspace = join(folder, 'workspace');
  mkdirSync(join(workspace, 'sub'), { recursive: true });
  mkdirSync(join(folder, 'beside'));
  symlinkSync(join(folder, 'beside'), join(workspace, 'out'), 'junction');
  symlinkSync(join(workspace, 'sub'), join(workspace, 'in'), 'junction');
  symlinkSync(workspace, join(folder, 'linked'), 'junction');

  const problem = (path: string, ...folders: string[]) => {
    const found = rootsWithin(folders)(path);
    return found && english(found);
  };

  it('must be in a workspace folder after links are resolved @testRoots.workspace-folder-links', () => {
    for (const inside of ['', 'sub', 'sub/not/there', 'in'])
      assert.equal(problem(join(workspace, inside), workspace), undefined);
    assert.equal(problem(join(workspace, 'sub'), join(folder, 'linked')), undefined);
    for (const outside of [join(workspace, '..'), join(folder, 'beside'), join(workspace, 'out', 'x'), tmpdir(), '/'])
      assert.match(problem(outside, workspace) ?? '', /is not in a workspace folder/, outside);
    assert.match(problem(join(workspace, 'sub')) ?? '', /is not in a workspace folder/);
  });

  it('must not be places of secrets, even when the home folder is the workspace @testRoots.places-secrets-home', () => {
    assert.equal(problem(join(homedir(), 'projects'), homedir()), undefined);
    for (const secret of ['.ssh', '.ssh/keys', '.aws', '.config/gh'])
      assert.match(problem(join(homedir(), secret), homedir()) ?? '', /is a place where secrets are kept/, secret);
  });

  it('are part of the reviewed launch of a server in the file @testRoots.part-reviewed-launch', () => {
    const path = join(workspace, 'sub', 'own.mcptest.json');
    const entry = (more: object) => {
      const tests = [{ name: 'one', steps: [{ list: 'tools' }] }];
      const { file } = readTestFile(
        JSON.stringify({ server: { command: 'node', args: ['server.js'] }, tests, ...more }),
        path,
      );
      const tested = testedServer(path, file!, () => undefined);
      assert.ok('definition' in tested);
      return tested.definition.entry!.roots;
    };
    assert.deepEqual(entry({}), []);
    assert.deepEqual(entry({ roots: ['..', './data'] }), [workspace, join(workspace, 'sub', 'data')]);
    // In the empty folder of a test, which is nobody's.
    assert.deepEqual(entry({ roots: ['data', tmpdir()], emptyFolder: true }), [tmpdir()]);
    assert.deepEqual(rootsOf({ roots: ['../../.ssh'], emptyFolder: false }, path), [join(folder, '.ssh')]);
  });
});

describe('consent to tests that use servers of the user', () => {
  let stored: object = {};
  const consents = new TestConsents({
    get: () => stored,
    set: async (_scope, kept) => {
      stored = kept;
    },
  });
  const use = { file: 'file:///a', content: 'one', definition: { id: 'github', launch: 'launched' } };
  beforeEach(() => {
    stored = {};
  });

  it('covers one content of one file, and one launch of one server @testConsents.covers-content-file', async () => {
    assert.equal(consents.has(use), false);
    await consents.allow(use);
    assert.equal(consents.has(use), true);
    const others = [
      { ...use, file: 'file:///b' },
      { ...use, file: 'toString' },
      { ...use, content: 'two' },
      { ...use, definition: { id: 'gitlab', launch: 'launched' } },
      { ...use, definition: { id: 'github', launch: 'another' } },
    ];
    for (const other of others) assert.equal(consents.has(other), false, JSON.stringify(other));
    await consents.allow({ ...use, content: 'two' });
    assert.equal(consents.has(use), false, 'what the file had before');
  });

  it('is kept with the launch, and holds if an earlier version kept a hash of the same', async () => {
    await consents.allow(use);
    assert.deepEqual(stored, { 'file:///a': { server: 'github', content: 'one', launch: 'launched' } });
    stored = { 'file:///a': fingerprint({ content: 'one', id: 'github', launch: 'launched' }) };
    assert.equal(consents.has(use), true);
    assert.equal(consents.has({ ...use, definition: { id: 'github', launch: 'another' } }), false);
  });

  it('is kept for a limited number of files, without the oldest', async () => {
    for (let n = 0; n < 1_100; n++) await consents.allow({ ...use, file: `file:///${n}` });
    assert.equal(Object.keys(stored).length, 1_000);
    assert.deepEqual(
      [consents.has({ ...use, file: 'file:///99' }), consents.has({ ...use, file: 'file:///100' })],
      [false, true],
    );
  });
});
