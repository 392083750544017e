import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { namedByGit, repositoryAround, trackedByGit } from '../../../../src/host/sandbox/git';
import { temporaryFolder } from '../../../setup/paths';

describe('what the configuration of git names in a folder', () => {
  let home: string;
  let folder: string;
  const before = process.env.HOME;
  beforeEach(function () {
    if (process.platform === 'win32') this.skip(); // nothing is confined there
    home = temporaryFolder();
    process.env.HOME = home;
    folder = join(home, 'project');
    git(home, 'init', '-q', 'project');
  });
  afterEach(() => {
    process.env.HOME = before;
    if (home) rmSync(home, { recursive: true, force: true });
  });

  const git = (cwd: string, ...args: string[]) =>
    execFileSync('git', ['-C', cwd, '-c', 'user.name=A', '-c', 'user.email=a@b.c', ...args], { stdio: 'pipe' });
  const file = (path: string, text = '') => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  };
  const named = async (top = folder, at = folder) => {
    const found = await namedByGit(at, [repositoryAround(top)!], []);
    const inFolder = (paths: readonly string[] = []) => paths.map(path => path.slice(at.length + 1)).sort();
    return { files: inFolder(found?.files), folders: inFolder(found?.folders), missing: inFolder(found?.missing) };
  };

  it('are hooks, commands and included files, wherever the setting is @gitConfiguration.hooks-commands-included', async () => {
    for (const path of ['tools/fs', 'tools/clean.py', 'ssh.sh', 'tools/more', 'words.txt']) file(`project/${path}`);
    file('project/tools/more', '[core]\n\tsshCommand = sh ssh.sh -x\n');
    git(folder, 'config', 'core.fsmonitor', 'tools/fs');
    git(folder, 'config', 'filter.own.clean', 'python3 "tools/clean.py" %f');
    git(folder, 'config', 'include.path', '../tools/more');
    git(folder, 'config', 'alias.lint', '!"$(git rev-parse --show-toplevel)/tools/lint" --all');
    file('.gitconfig', '[core]\n\thooksPath = .hooks\n[diff "own"]\n\ttextconv = ~/project/tools/show\n');
    assert.deepEqual(await named(), {
      files: ['ssh.sh', 'tools/clean.py', 'tools/fs', 'tools/more'],
      folders: ['.hooks'],
      missing: ['tools/lint', 'tools/show'],
    });
  });

  it('are those of a worktree, and of a repository around the folder @gitConfiguration.worktree-repository', async () => {
    git(folder, 'commit', '-q', '--allow-empty', '-m', 'first');
    git(folder, 'worktree', 'add', '-q', join(home, 'tree'));
    git(folder, 'config', 'extensions.worktreeConfig', 'true');
    git(join(home, 'tree'), 'config', '--worktree', 'core.hooksPath', 'src/hooks');
    mkdirSync(join(home, 'tree/src'));
    assert.deepEqual((await named(join(home, 'tree'), join(home, 'tree'))).folders, ['src/hooks']);
    assert.deepEqual((await named(join(home, 'tree/src'), join(home, 'tree/src'))).folders, ['hooks']);
    assert.deepEqual((await named()).folders, []);
  });

  it('are not branches, addresses and working trees, though they look like paths', async () => {
    mkdirSync(join(folder, 'origin'));
    git(folder, 'config', 'branch.main.merge', 'origin/main');
    git(folder, 'config', 'remote.origin.fetch', '+refs/heads/*:refs/remotes/origin/*');
    mkdirSync(join(folder, 'src'));
    git(folder, 'config', 'alias.one', 'log origin/main');
    git(folder, 'config', 'credential.https://example.com.helper', 'https://example.com/x');
    git(folder, 'config', 'core.worktree', '../../project/src');
    file('.gitconfig', `[safe]\n\tdirectory = ${folder}/origin\n[maintenance]\n\trepo = ${folder}/sub\n`);
    assert.deepEqual(await named(), { files: [], folders: [], missing: [] });
  });

  it('is told from what it tracks with a few questions, however much there is', async () => {
    const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    const names = Array.from({ length: 300 }, (_, n) => `.tracked${n}`);
    for (const name of names) file(`project/${name}`, name);
    git(folder, 'add', '.');
    file('project/.tracked7', 'changed');
    file('project/sub/.new/a');
    for (let n = 0; n < 5_000; n++) file(`project/.new${n}`);
    file('bin/git', `#!/bin/sh\necho called >> '${home}/calls'\nexec '${real}' "$@"\n`);
    chmodSync(join(home, 'bin/git'), 0o755);
    const { PATH } = process.env;
    process.env.PATH = `${join(home, 'bin')}:${PATH}`;
    try {
      const top = realpathSync(folder);
      const paths = [...names, 'sub/.new', ...Array.from({ length: 5_000 }, (_, n) => `.new${n}`)];
      const found = await trackedByGit(
        [repositoryAround(top)!],
        paths.map(path => join(top, path)),
        [],
      );
      assert.deepEqual(
        [...found].sort(),
        names
          .filter(name => name !== '.tracked7')
          .map(name => join(top, name))
          .sort(),
      );
    } finally {
      process.env.PATH = PATH;
    }
    assert.ok(readFileSync(join(home, 'calls'), 'utf8').split('\n').length < 60);
  });

  it('is nothing where git takes no repository for one, and runs nothing either', async () => {
    file('project/.git/config', '[core\nfsmonitor = "touch ran"\n');
    assert.deepEqual(await named(), { files: [], folders: [], missing: [] });
  });
});
