import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  linkSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import { english } from '../../../../src/base/phrase';
import { findBubblewrap } from '../../../../src/host/sandbox/bubblewrap';
import { neededBy } from '../../../../src/host/sandbox/readablePlaces';
import { inRepository } from '../../../setup/paths';
import { onlyWhereConfined, refused, servePage, serveSockets, World } from './confined';

/** Each is what a hostile server would try, as a real process in a real sandbox. */
describe('A program in a sandbox', () => {
  let world: World;
  before(onlyWhereConfined);
  beforeEach(() => {
    world = new World();
  });
  afterEach(() => world.remove());

  describe('reading', () => {
    it('sees its roots and the system, but no secrets @escape.sees-roots-system', async () => {
      world.file('.ssh/id_ed25519');
      world.file('.aws/credentials');
      world.file('.netrc');
      world.file('work/project/a.txt', 'mine\n');
      const said = await world.sh(
        'cat a.txt; ls -A ~/.ssh ~/.aws; cat ~/.netrc; cat ~/.ssh/id_ed25519; ls /usr/bin/env',
      );
      assert.match(said, /^mine/);
      assert.match(said, /^\/usr\/bin\/env$/m);
      assert.doesNotMatch(said, /secret/);
      assert.match(said, /No such file/);
    });

    it('sees nothing else of the home folder and of other disks, but programs that are installed there @escape.sees-else-home', async () => {
      for (const path of [
        'notes/a.txt',
        '.gemini/oauth.json',
        '.config/github-copilot/apps.json',
        '.copilot/config.json',
      ])
        world.file(path);
      for (const path of [
        '.local/share/opencode/auth.json',
        '.config/NewEditor/state',
        '.mcp-host/windows/card',
        '.gitconfig',
      ])
        world.file(path);
      world.file('.nvm/versions/node/v22/bin/node', 'installed');
      world.file('.local/bin/uvx', 'installed');
      const elsewhere = join(world.folder('elsewhere'), 'a');
      writeFileSync(elsewhere, 'secret');
      for (const rules of [{}, { read: [] }]) {
        const said = await world.sh(
          `cat ~/.nvm/versions/node/v22/bin/node ~/.local/bin/uvx; cat ${elsewhere}; ls -A ~; \
          grep -r secret ~; ls -A / /var`,
          { rules },
        );
        assert.match(said, /^installedinstalled/);
        assert.doesNotMatch(said, /secret$/m);
        for (const name of ['notes', '.gemini', '.config', '.copilot', '.mcp-host', '.gitconfig', 'opencode'])
          assert.doesNotMatch(said, new RegExp(`^${name.replace('.', '\\.')}$`, 'm'));
      }
    });

    it('sees in /opt only browsers, package managers, and where its program and PATH lead @escape.sees-opt-browsers', async () => {
      const expected = ['google', 'microsoft', 'brave.com', 'vivaldi', 'homebrew', 'local'];
      const led = `${process.env.PATH}:${realpathSync(process.execPath)}`.matchAll(/(?<=^|:)\/opt\/([^/:]+)\//g);
      const allowed = new Set([...expected, ...[...led].map(([, name]) => name)]);
      const seen = (await world.sh('ls -A /opt', { rules: { read: [] } })).split('\n');
      assert.deepEqual(
        readdirSync('/opt').filter(name => seen.includes(name) && !allowed.has(name)),
        [],
      );
      const start = { args: [], cwd: '/', home: world.home, base: '/', env: { PATH: '/usr/bin:/opt/conda/bin' } };
      const needed = neededBy({ ...start, program: '/opt/node-22/bin/node' }, []);
      assert.ok(needed.includes('/opt/conda') && needed.includes('/opt/node-22') && !needed.includes('/opt'));
    });

    it('writes into no named pipe of others that it can see @escape.writes-named-pipe', async () => {
      for (const path of ['home/work/project/deep', 'home/notes']) {
        execFileSync('mkfifo', [join(world.folder(path), 'pipe')]);
      }
      const pipes = [join(world.workspace, 'deep/pipe'), join(world.home, 'notes/pipe')];
      const readers = pipes.map(pipe => openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK));
      try {
        const said = await world.sh('echo evil > deep/pipe; echo evil > ~/notes/pipe; ls deep ~/notes', {
          rules: { read: ['~/notes'] },
        });
        assert.equal(said.match(/^pipe$/gm)?.length, 2, said);
        for (const fd of readers) assert.equal(readSync(fd, Buffer.alloc(9)), 0);
      } finally {
        for (const fd of readers) closeSync(fd);
      }
    });

    it('reads the home folder except secret places when "read" allows it', async () => {
      world.file('notes/a.txt', 'named');
      world.file('.gemini/oauth.json');
      world.file('.ssh/id');
      const said = await world.sh('cat ~/notes/a.txt ~/.gemini/oauth.json ~/.ssh/id', { rules: { read: ['~'] } });
      assert.match(said, /^named/);
      assert.doesNotMatch(said, /secret/);
    });

    it('reads its script and its package, but nothing else in that folder @escape.reads-script-package', async () => {
      world.file('servers/weather/package.json', '{}');
      world.file('servers/weather/lib.sh', 'echo library');
      const script = world.file(
        'servers/weather/bin/main.sh',
        '. $(dirname $0)/../lib.sh; cat $1; cat ~/servers/other.txt',
      );
      world.file('servers/other.txt');
      world.file('.config/settings.json', 'its settings');
      world.file('.config/other.json');
      const said = await world.run('sh', [script, join(world.home, '.config/settings.json')]);
      assert.match(said, /^library\nits settings/);
      assert.doesNotMatch(said, /secret/);
      const inFolder = await world.sh('cat ~/servers/weather/lib.sh', { cwd: join(world.home, 'servers/weather') });
      assert.match(inFolder, /library/);
    });

    it('reads its program through several links, as in a Python environment', async () => {
      // The program lies in a folder with its library; links to it are in folders of which it sees nothing else.
      world.file('tools/python-3.1/lib.txt', 'library');
      const program = world.file(
        'tools/python-3.1/bin/python3.1',
        '#!/bin/sh\ncat "$(dirname "$(readlink -f "$0")")"/../lib.txt',
      );
      chmodSync(program, 0o755);
      symlinkSync('python3.1', join(world.home, 'tools/python-3.1/bin/python3'));
      world.folder('home/links');
      symlinkSync(join(world.home, 'tools/python-3.1/bin/python3'), join(world.home, 'links/python'));
      world.folder('home/servers/own/.venv/bin');
      const python = join(world.home, 'servers/own/.venv/bin/python');
      symlinkSync(join(world.home, 'links/python'), python);
      assert.equal(await world.run(python, []), 'library');
    });

    it("cannot be led elsewhere by a repository's links in its start files", async () => {
      world.file('private/a.txt');
      const script = world.file('private/b.sh', 'echo secret');
      symlinkSync(join(world.home, 'private'), join(world.workspace, 'folder'));
      symlinkSync(world.home, join(world.workspace, 'up'));
      symlinkSync(script, join(world.workspace, 'main.sh'));
      symlinkSync(join(world.home, 'private'), join(world.workspace, 'node_modules'));
      world.file('work/project/own.sh');
      for (const args of [['--directory', 'folder'], ['--directory=up'], ['main.sh'], ['own.sh']]) {
        const said = await world.run('sh', ['-c', 'cat ~/private/*', 'sh', ...args]);
        assert.match(said, /No such file/);
        assert.doesNotMatch(said, /secret/);
      }
    });

    it('finds its folders also by links, which lie where it sees nothing else', async () => {
      const real = world.folder('disk/project');
      writeFileSync(join(real, 'a.txt'), 'there');
      symlinkSync(real, join(world.home, 'link'));
      const cwd = join(world.home, 'link');
      assert.equal(await world.sh(`cat ${cwd}/a.txt; ls -A ~`, { roots: [cwd], base: cwd, cwd }), 'there' + 'link');
    });

    it('sees no .env of another project, but its own', async () => {
      world.file('work/other/.env', 'secret');
      world.file('work/other/.env.local', 'secret');
      world.file('work/.env', 'secret');
      world.file('work/project/.env', 'own');
      const rules = { read: ['~'] };
      const said = await world.sh('cat .env ../other/.env ../other/.env.local ../.env', { rules });
      assert.match(said, /^own/);
      assert.doesNotMatch(said, /secret/);
      assert.equal(said.match(/Permission denied/g)?.length, 3);
    });

    it('sees in the home folder only what "read" names', async () => {
      world.file('notes/a.txt', 'named');
      world.file('diary/b.txt');
      world.file('.ssh/config');
      const said = await world.sh('cat ~/notes/a.txt; ls -A ~; cat ~/diary/b.txt; echo x > ~/notes/a.txt', {
        rules: { read: ['~/notes'] },
      });
      assert.match(said, /^named/);
      assert.doesNotMatch(said, /secret/);
      refused(said);
    });

    it('reaches no other file by a link, whether new or already there @escape.reaches-file-link', async () => {
      const key = world.file('.ssh/id');
      symlinkSync(key, join(world.workspace, 'before'));
      const said = await world.sh(
        `cat before; ln -s ${key} after && cat after; ln ${key} hard && cat hard`,
        world.writing,
      );
      assert.doesNotMatch(said, /secret/);
      assert.match(said, /No such file/);
    });

    it('finds nothing more by /proc, in no process that it sees @escape.finds-proc-process', async () => {
      const key = world.file('.ssh/id');
      const said = await world.sh(
        `for p in /proc/[0-9]*; do echo "$p"; cat $p/root${key} $p/cwd/../../.ssh/id; tr '\\0' ' ' < $p/environ; done; cat /proc/1/mem | head -c1`,
        { env: { OWN: 'of-its-own' } },
      );
      assert.doesNotMatch(said, /secret/);
      assert.doesNotMatch(said, new RegExp(`/proc/${process.pid}\\b`));
      assert.match(said, /OWN=of-its-own/);
    });

    it('inherits no descriptor, however it was left open @escape.inherits-descriptor', async () => {
      const key = world.file('.ssh/id');
      // As a shell leaves one to what it starts: not closed when a program is run.
      const child = spawn(
        '/bin/sh',
        ['-c', `exec 7<${key}; exec "$@"`, 'sh', process.execPath, '-e', 'process.stdin.resume()'],
        {
          stdio: ['pipe', 'ignore', 'ignore'],
        },
      );
      child.kill('SIGKILL');
      const fd = openSync(key, 'r');
      const said = await world.sh('for f in /proc/self/fd/*; do echo "$f $(readlink $f)"; done; cat <&7');
      assert.ok(fd > 2);
      assert.doesNotMatch(said, /secret|\.ssh/);
    });

    it('gets no variable that it was not given', async () => {
      const said = await world.sh('env', { env: { GIVEN: 'yes' } });
      const names = said.split('\n').map(line => line.split('=')[0]);
      assert.ok(names.includes('GIVEN'));
      assert.ok(names.includes('TMPDIR'));
      assert.ok(!names.some(name => /SSH_AUTH_SOCK|DBUS|XDG_RUNTIME/.test(name ?? '')), said);
    });
  });

  describe('writing', () => {
    it('changes its own temporary folder, and nothing else unless that was agreed to: not even its roots @escape.changes-temporary-folder', async () => {
      const script =
        'echo t > /tmp/t.txt; cat /tmp/t.txt; echo a > a.txt; echo b > ~/b.txt; echo c > /etc/c; echo d > /var/tmp/d';
      const said = await world.sh(script);
      assert.match(said, /^t\n/);
      assert.equal(said.match(/Read-only file system/g)?.length, 4, said);
      assert.ok(!existsSync(join(world.workspace, 'a.txt')));
      assert.equal((await world.sh(script, world.writing)).match(/Read-only file system/g)?.length, 3);
      assert.equal(readFileSync(join(world.workspace, 'a.txt'), 'utf8'), 'a\n');
      assert.ok(!existsSync('/tmp/t.txt'));
      assert.ok(!existsSync(join(world.home, 'b.txt')));
    });

    it('changes only what "write" names, if it exists', async () => {
      world.folder('home/out');
      const said = await world.sh('echo a > ~/out/a; echo b > b', { rules: { write: ['~/out'] } });
      refused(said);
      assert.ok(existsSync(join(world.home, 'out/a')));
      assert.ok(!existsSync(join(world.workspace, 'b')));
    });

    it('changes nothing outside by a link @escape.changes-outside-link', async () => {
      const profile = world.file('.bashrc', 'as it was');
      symlinkSync(profile, join(world.workspace, 'before'));
      symlinkSync(world.home, join(world.workspace, 'up'));
      const said = await world.sh(
        `echo evil >> before; echo evil > up/.profile; ln -s ${profile} after; echo evil >> after; ln ${profile} hard && echo evil >> hard`,
        world.writing,
      );
      refused(said);
      assert.equal(readFileSync(profile, 'utf8'), 'as it was');
      assert.ok(!existsSync(join(world.home, '.profile')));
    });

    it('leaves the settings of the editor and the hooks of git alone @escape.leaves-settings-editor', async () => {
      world.file('work/project/.vscode/settings.json', '{}');
      world.file('work/project/.git/hooks/pre-commit', 'as it was');
      world.file('work/project/.git/config', '[core]');
      world.file('work/project/.mcp.json', '{}');
      world.file('work/project/lib/.git/config', '[core]');
      const said = await world.sh(
        `
        echo evil > .vscode/settings.json; echo evil > .vscode/tasks.json; rm -rf .vscode; mv .vscode v
        echo evil > .git/hooks/pre-commit; echo evil > .git/hooks/post-checkout; echo evil > .git/config; echo .. > .git/commondir
        mv .git g && mkdir -p .git/hooks && echo evil > .git/hooks/pre-commit
        echo evil > .mcp.json; rm .mcp.json; mv .mcp.json m; echo evil > lib/.git/config
      `,
        world.writing,
      );
      refused(said);
      const at = (path: string) => readFileSync(join(world.workspace, path), 'utf8');
      assert.equal(at('.vscode/settings.json'), '{}');
      assert.equal(at('.git/hooks/pre-commit'), 'as it was');
      assert.equal(at('.git/config'), '[core]');
      assert.equal(at('.mcp.json'), '{}');
      assert.equal(at('lib/.git/config'), '[core]');
      for (const path of ['v', 'g', 'm', '.vscode/tasks.json', '.git/commondir', '.git/hooks/post-checkout'])
        assert.ok(!existsSync(join(world.workspace, path)), path);
    });

    describe('cannot make git run anything outside:', () => {
      const git = (folder: string, ...args: string[]) => {
        const env = { PATH: process.env.PATH, HOME: world.home, GIT_CONFIG_NOSYSTEM: '1' };
        return execFileSync('git', ['-C', folder, ...args], { env, encoding: 'utf8', stdio: 'pipe' });
      };
      const evil = (marker: string) => `[core]\n\tfsmonitor = "touch ${marker}; false"\n`;
      let marker: string;
      beforeEach(() => {
        marker = join(world.home, 'ran');
        git(world.workspace, 'init', '-q');
      });
      const ran = () => existsSync(marker);
      const inWorkspace = (path: string) => join(world.workspace, path);

      it('no new repository, not even a bare one, without a grant @escape.new-repository-bare', async () => {
        const said = await world.sh(
          'mkdir -p new/.git bare/objects; echo x > HEAD; mkdir objects refs; echo x > config',
        );
        refused(said);
        for (const path of ['new', 'bare', 'HEAD', 'objects', 'config'])
          assert.ok(!existsSync(inWorkspace(path)), path);
      });

      it('no change of a bare repository in a granted folder, at any depth @escape.change-bare-repository', async () => {
        git(world.workspace, 'init', '-q', '--bare', 'some/where/bare.git');
        const bare = inWorkspace('some/where/bare.git');
        const config = readFileSync(join(bare, 'config'), 'utf8');
        refused(
          await world.sh(
            `cd some/where/bare.git; printf '${evil(marker)}' > config; echo x > hooks/pre-auto-gc; echo y > HEAD; cd ..
            mv bare.git b; rm -rf bare.git; cd ..; mv where w; cd ..; mv some s`,
            world.writing,
          ),
          /Read-only|busy/,
        );
        assert.equal(readFileSync(join(bare, 'config'), 'utf8'), config);
        git(bare, 'rev-parse', '--git-dir');
        assert.ok(!ran());
      });

      it('no replacement of a nested repository @escape.replacement-nested', async () => {
        const lib = world.folder('home/work/project/deep/lib');
        git(lib, 'init', '-q');
        const said = await world.sh(
          `mv deep/lib deep/old; mv deep deep2; mkdir -p deep/lib/.git; printf '${evil(marker)}' >> deep/lib/.git/config
          rm -rf deep/lib/.git`,
          world.writing,
        );
        refused(said, /busy/);
        git(lib, 'status');
        assert.ok(!ran());
        assert.doesNotMatch(readFileSync(join(lib, '.git/config'), 'utf8'), /fsmonitor/);
      });

      it('no hook where core.hooksPath leads, and no change of included configuration @escape.hook-core-hookspath', async () => {
        git(world.workspace, 'config', 'core.hooksPath', 'tools/hooks');
        git(world.workspace, 'config', 'include.path', '../tools/gitconfig');
        world.file('work/project/tools/hooks/post-checkout', 'exit 0');
        world.file('work/project/tools/gitconfig', '');
        const said = await world.sh(
          `echo touch ${marker} > tools/hooks/pre-commit; printf '${evil(marker)}' > tools/gitconfig; mv tools t; mv tools/hooks h
          echo fine > tools/other`,
          world.writing,
        );
        refused(said);
        git(world.workspace, 'status');
        assert.ok(!ran());
        assert.ok(!existsSync(inWorkspace('tools/hooks/pre-commit')));
        assert.ok(existsSync(inWorkspace('tools/other')));
      });

      it('it puts no hook where the configuration of the person, or of a nested repository, leads @escape.puts-hook-configuration', async () => {
        world.file('.gitconfig', '[core]\n\thooksPath = .hooks\n');
        const lib = world.folder('home/work/project/deep/lib');
        git(lib, 'init', '-q');
        git(lib, 'config', 'filter.own.clean', 'sh run.sh');
        world.file('work/project/deep/lib/run.sh', 'exit 0');
        const said = await world.sh(
          `mkdir .hooks; echo touch ${marker} > .hooks/pre-commit; echo touch ${marker} > deep/lib/run.sh; mv deep d`,
          world.writing,
        );
        refused(said);
        assert.ok(!existsSync(inWorkspace('.hooks/pre-commit')) && existsSync(lib));
        assert.equal(readFileSync(join(lib, 'run.sh'), 'utf8'), 'exit 0');
      });

      it('no other folder in .git/commondir @escape.folder-git-commondir', async () => {
        const said = await world.sh(
          `mkdir fake; printf '${evil(marker)}' > fake/config; cp -r .git/refs .git/objects fake; echo ../fake > .git/commondir`,
          world.writing,
        );
        refused(said);
        git(world.workspace, 'status');
        assert.ok(!ran() && !existsSync(inWorkspace('.git/commondir')));
      });
    });

    it('cannot change what agents, environments and builds run, at any depth @escape.change-agents', async () => {
      const kept = [
        'a/b/.claude/settings.json',
        'a/.github/workflows/ci.yml',
        'a/node_modules/.bin/tsc',
        '.venv/bin/python',
        'env/pyvenv.cfg',
        'env/bin/python',
        ...[
          'package.json',
          'a/package.json',
          'Makefile',
          'a/Jenkinsfile',
          'AGENTS.md',
          '.eslintrc.js',
          'vite.config.ts',
        ],
        ...['.hg/hgrc', 'a/.jj/repo/config.toml', '.run/a.run.xml', '.storybook/main.js', 'tox.ini', '.tool-versions'],
      ];
      for (const path of [...kept, 'a/b/.envrc', 'x.code-workspace', 'a/node_modules/x/index.js'])
        world.file(`work/project/${path}`, 'as it was');
      const all = [...kept, 'a/b/.envrc', 'x.code-workspace'];
      refused(
        await world.sh(`for f in ${all.join(' ')}; do echo evil > $f; done; mv a z; echo y > a/b/c`, world.writing),
      );
      for (const path of all) assert.equal(readFileSync(join(world.workspace, path), 'utf8'), 'as it was', path);
      assert.ok(existsSync(join(world.workspace, 'a/b/c')));
    });

    it('may change what builds read where it is named, also by putting another file in its place @escape.change-builds-read', async () => {
      world.file('work/project/package.json', 'as it was');
      world.file('work/project/Makefile', 'as it was');
      const rules = { write: ['~/work/project', '~/work/project/package.json'] };
      refused(await world.sh('echo new > p; mv p package.json; echo new > Makefile', { rules }));
      assert.equal(readFileSync(join(world.workspace, 'package.json'), 'utf8'), 'new\n');
      assert.equal(readFileSync(join(world.workspace, 'Makefile'), 'utf8'), 'as it was');
    });

    it('cannot create `.git` or `.vscode`, and leaves no trace of the attempt @escape.create-git-vscode', async () => {
      const said = await world.sh(
        'mkdir -p .git/hooks .vscode; echo evil > .vscode/settings.json; echo evil > .git/config; rmdir .git; mv .git g',
        world.writing,
      );
      refused(said, /Read-only file system|busy/);
      assert.ok(!existsSync(join(world.workspace, '.git')));
      assert.ok(!existsSync(join(world.workspace, '.vscode')));
      assert.ok(!existsSync(join(world.workspace, 'g')));
    });

    it('can use a named .git, but not change its hooks or what git runs @escape.use-named-git', async () => {
      world.file('work/project/.git/config', '[core]');
      const said = await world.sh(
        'echo ref > .git/HEAD; mkdir .git/objects; echo evil > .git/config; mkdir -p .git/hooks; echo evil > .git/hooks/a; mv .git g',
        {
          rules: { write: ['~/work/project', '~/work/project/.git'] },
        },
      );
      refused(said);
      assert.equal(readFileSync(join(world.workspace, '.git/HEAD'), 'utf8'), 'ref\n');
      assert.equal(readFileSync(join(world.workspace, '.git/config'), 'utf8'), '[core]');
      assert.ok(!existsSync(join(world.workspace, '.git/hooks')));
    });
  });

  describe('a policy', () => {
    const cases: [title: string, write: string, reason: RegExp][] = [
      ['with ..', '~/work/../.ssh', /contains "\.\."/],
      ["of another person's home folder", '~root/x', /another person's home folder/],
      ['with a pattern', '~/work/*', /is a pattern/],
      ['that is relative', 'work', /relative path/],
      ['with the whole home folder', '~', /your whole home folder/],
      ['with the whole disk', '/', /your whole home folder/],
      ['with keys', '~/.ssh', /cannot be made writable/],
      ['around what the shell runs', '~/.config', /cannot be made writable/],
      ['with a shell profile', '~/.bashrc', /cannot be made writable/],
      ['with what npm runs', '~/.npm', /cannot be made writable/],
      ['with what versions of Node are run from', '~/.nvm/versions', /cannot be made writable/],
      ['with scripts that a shell may run', '~/.bashrc.d', /cannot be made writable/],
      ['with plugins of a shell', '~/.oh-my-zsh/custom', /cannot be made writable/],
      ['with what agents share with us', '~/.mcp-host', /cannot be made writable/],
      ['with installed packages', '~/work/env/lib/python3.12/site-packages', /cannot be made writable/],
      ['with installed modules', '~/work/project/node_modules', /cannot be made writable/],
      ['with settings of agents', '~/work/project/.claude', /cannot be made writable/],
      ['with folders that programs are put into', '/opt/x', /cannot be made writable/],
      ['with what servers of the system run', '/var/www', /cannot be made writable/],
      ['with settings of the editor', '~/work/project/.vscode', /cannot be made writable/],
      ['with hooks of git', '~/work/project/.git/hooks', /cannot be made writable/],
      ['with folders of the system', '/etc', /cannot be made writable/],
    ];
    for (const [title, write, reason] of cases) {
      it(`${title} starts nothing`, async () => {
        await assert.rejects(world.confined('sh', [], { rules: { write: [write] } }), {
          code: 'SANDBOX_RULES',
          message: reason,
        });
      });
    }

    it('of the workspace does not lead out through a link @escape.workspace-lead-through', async () => {
      symlinkSync(world.home, join(world.workspace, 'out'));
      for (const rules of [{ write: [join(world.workspace, 'out')] }, { read: [join(world.workspace, 'out/.ssh')] }])
        await assert.rejects(world.confined('sh', [], { rules }), {
          code: 'SANDBOX_RULES',
          message: /is a link that leads out of its folder/,
        });
    });

    it('starts without a folder that does not exist, and logs that', async () => {
      assert.equal(await world.sh('echo up', { rules: { write: ['~/missing'] } }), 'up');
      assert.match(world.notes.join(), /missing is not there/);
      assert.ok(!existsSync(join(world.home, 'missing')));
    });
  });

  describe('reaching out', () => {
    it('makes no direct connection and resolves no name @escape.makes-direct-connection', async () => {
      await using page = await servePage(() => 'reached');
      const { port } = page;
      const said = await world.node(`
        const net = require('net'), dns = require('dns'), dgram = require('dgram');
        net.connect(${port}, '127.0.0.1').on('error', e => console.log('tcp', e.code)).on('connect', () => console.log('tcp reached'));
        net.connect(53, '1.1.1.1').on('error', e => console.log('far', e.code));
        dns.lookup('example.com', e => console.log('dns', e && e.code));
        dns.resolve4('example.com', e => console.log('resolve', e && e.code));
        const udp = dgram.createSocket('udp4');
        udp.send('x', 53, '1.1.1.1', e => { console.log('udp', e && e.code); udp.close(); });
      `);
      assert.doesNotMatch(said, /reached/);
      assert.match(said, /tcp ECONNREFUSED/);
      assert.match(said, /far ENETUNREACH/);
      assert.match(said, /dns EAI_AGAIN|dns ENOTFOUND/);
      assert.match(said, /udp ENETUNREACH/);
    });

    it('reaches agreed hosts through the proxy, and only those, even if the program ignores the proxy @escape.reaches-agreed-hosts', async () => {
      await using page = await servePage(({ url }) => `reached ${url}`);
      const { port } = page;
      const rules = { network: [`127.0.0.1:${port}`] };
      const said = await world.node(
        `
        const http = require('http'), { hostname, port } = new URL(process.env.HTTP_PROXY);
        const get = (url, more) => new Promise(done => http.get({ hostname, port, path: url, headers: { host: "x" }, agent: new http.Agent(), ...more }, answer => {
          let text = ''; answer.on('data', part => text += part).on('end', () => done(answer.statusCode + ' ' + text.trim()));
        }).on('error', error => done(error.code)));
        const tunnel = place => new Promise(done => http.request({ hostname, port, method: "CONNECT", path: place, agent: new http.Agent() })
          .on('connect', (answer, socket) => {
            if (answer.statusCode !== 200) return done('tunnel ' + answer.statusCode);
            socket.write('GET /inside HTTP/1.0\\r\\n\\r\\n');
            let text = ''; socket.on('data', part => text += part).on('end', () => done('tunnel ' + text.split('\\r\\n\\r\\n')[1]));
          }).on('error', error => done(error.code)).end());
        (async () => {
          console.log(await get('http://127.0.0.1:${port}/agreed'));
          console.log(await get('http://127.0.0.1:${port + 1}/other-port'));
          console.log(await get('http://example.com/other-host'));
          console.log(await tunnel('127.0.0.1:${port}'));
          console.log(await tunnel('example.com:443'));
          console.log('direct', await get('/direct', { hostname: '127.0.0.1', port: ${port} }));
          process.exit();
        })();`,
        { rules },
      );
      assert.deepEqual(said.split('\n'), [
        '200 reached /agreed',
        '403 This host is not one that was agreed to.',
        '403 This host is not one that was agreed to.',
        'tunnel reached /inside',
        'tunnel 403',
        'direct ECONNREFUSED',
      ]);
      const refusals = [`127.0.0.1:${port + 1}`, 'example.com'].map(what => ({ kind: 'network', what }));
      assert.deepEqual(world.attempts.blocked, refusals);
    });

    it('reaches no socket of the person: of agents for keys, of containers, of the desktop @escape.reaches-socket-person', async () => {
      const path = join(world.workspace, 'agent.sock');
      await using _ = await serveSockets(path);
      const said = await world.node(`
        const net = require('net');
        for (const path of [${JSON.stringify(path)}, '\\0abstract', '/run/docker.sock'])
          net.connect(path).on('error', e => console.log(e.code)).on('connect', () => console.log('reached'));
        net.createServer().on('error', e => console.log('listen', e.code)).listen('/tmp/own.sock');
      `);
      assert.doesNotMatch(said, /reached/);
      assert.match(said, /EPERM/);
    });

    it('gets no pair of sockets of which one end could send to any other in the file system @escape.gets-pair-sockets', async () => {
      const pair = (type: string) => `use Socket; socketpair(A, B, AF_UNIX, ${type}, 0) ? print "made" : print $! + 0`;
      assert.equal(await world.run('perl', ['-e', pair('SOCK_DGRAM')]), '1');
      assert.equal(await world.run('perl', ['-e', pair('SOCK_RAW')]), '1');
      for (const type of ['SOCK_STREAM', 'SOCK_SEQPACKET'])
        assert.equal(await world.run('perl', ['-e', pair(type)]), 'made', type);
    });

    it('with "sockets" reaches only its own: not in a root, the temporary folder, by link or name @escape.sockets-reaches-root', async () => {
      const [path, elsewhere] = [join(world.workspace, 'agent.sock'), join(world.home, 'agent.sock')];
      const inTmp = `/tmp/mcp-host-escape-${process.pid}.sock`;
      await using _ = await serveSockets(path, elsewhere, inTmp);
      const said = await world.node(
        `
        const net = require('net'), fs = require('fs');
        try { fs.linkSync(${JSON.stringify(path)}, 'hard.sock') } catch (e) { console.log('link', e.code) }
        try { fs.renameSync(${JSON.stringify(path)}, 'moved.sock') } catch (e) { console.log('move', e.code) }
        fs.symlinkSync(${JSON.stringify(elsewhere)}, 'soft.sock');
        for (const path of [${JSON.stringify(path)}, ${JSON.stringify(elsewhere)}, '${inTmp}', 'hard.sock', 'moved.sock', 'soft.sock', '/run/docker.sock', '\\0abstract'])
          net.connect(path).on('error', e => console.log(e.code)).on('connect', () => console.log('reached', path));
        net.createServer(s => s.end('own')).listen('/tmp/own.sock', () => net.connect('/tmp/own.sock').on('data', d => { console.log(String(d)); process.exit(); }));
      `,
        { rules: { sockets: true, ...world.writing.rules } },
      );
      assert.doesNotMatch(said, /reached/);
      assert.match(said, /^own$/m);
      assert.match(said, /^move EBUSY$/m);
    });

    it('still talks to programs that it starts', async () => {
      assert.equal(
        await world.node(`console.log(require('child_process').execFileSync('echo', ['down']).toString())`),
        'down',
      );
    });
  });

  describe('other processes', () => {
    it('see and trace only each other @escape.see-trace', async () => {
      const sibling = spawn('sleep', ['60']);
      try {
        const said = await world.sh(
          `kill -0 ${sibling.pid}; ls -d /proc/[0-9]* | wc -l; cat /proc/${sibling.pid}/environ`,
        );
        assert.match(said, /No such process/i);
        assert.match(said, /No such file/);
        assert.ok(Number(/^\d+$/m.exec(said)?.[0]) <= 6, said);
      } finally {
        sibling.kill('SIGKILL');
      }
    });

    it('changes no setting of the kernel, also as root, and takes no descriptor from another process @escape.changes-setting-kernel', async () => {
      const settings = '/proc/sys/kernel/core_pattern /proc/sys/kernel/modprobe /proc/sys/vm/drop_caches';
      assert.equal(await world.sh(`for f in ${settings}; do [ -w $f ] && echo $f; done; true`), '');
      const said = await world.sh(`perl -e 'syscall(438, -1, 0, 0); print "errno ", $! + 0'`);
      assert.match(said, /errno 1$/m);
    });

    it('leaves no file that runs as its owner, and may give any other mode @escape.leaves-file-runs', async () => {
      const open = `fs.closeSync(fs.openSync('opened', 'w', 0o4755))`;
      const said = await world.sh(
        `touch a b; chmod 755 a && echo plain; chmod 4755 b; echo "of chmod: $?"; install -m 4755 /bin/true installed; \
        '${process.execPath}' -e "${open}"; ls; umask 022; echo x > new && cat new`,
        world.writing,
      );
      assert.match(said, /^plain$/m);
      assert.match(said, /^of chmod: 1$/m);
      assert.match(said, /^x$/m);
      for (const name of readdirSync(world.workspace))
        assert.equal(statSync(join(world.workspace, name)).mode & 0o4000, 0, name);
      assert.equal(statSync(join(world.workspace, 'a')).mode & 0o777, 0o755);
    });

    it('takes no lease, which would make others wait when they open the file @escape.holds-up-nobody', async () => {
      writeFileSync(join(world.workspace, 'leased'), 'x');
      const [setLease, toRead, getFlags] = [1024, 0, 3];
      const said =
        await world.sh(`perl -e 'open(F, "<", "leased") or die; print fcntl(F, ${getFlags}, 0) ? "flags " : ""; \
        print fcntl(F, ${setLease}, ${toRead}) ? "leased" : "errno ", $! + 0'`);
      assert.match(said, /flags errno 1$/m);
    });

    it('gets no privileges, by no program and no namespace of its own @escape.gets-privileges-program', async () => {
      const said = await world.sh('cat /proc/self/status; unshare -Ur id; mount -t tmpfs none /mnt');
      assert.match(said, /CapEff:\s*0+\n/);
      assert.match(said, /CapBnd:\s*0+\n/);
      assert.match(said, /NoNewPrivs:\s*1/);
      assert.match(said, /Seccomp:\s*2/);
      assert.doesNotMatch(said, /uid=0\(root\)/);
    });
  });

  it('is not run where the sandbox does not refuse what it must @escape.run-sandbox-refuse', async () => {
    const folder = world.folder('engines');
    const engine = (name: string, script: string) => {
      const path = join(folder, name);
      writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
      return findBubblewrap([path]);
    };
    // It confines nothing at all.
    const none = await engine('none', 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"');
    assert.match('reason' in none ? english(none.reason) : '', /it does not refuse all that it must: .*files.*network/);
    // It lacks one of the filters.
    const lax = await engine(
      'lax',
      'n=$#; skip=0; while [ $n -gt 0 ]; do o=$1; shift; n=$((n - 1)); [ "$o" = --seccomp ] && skip=2; if [ $skip -gt 0 ]; then skip=$((skip - 1)); else set -- "$@" "$o"; fi; done; exec /usr/bin/bwrap "$@"',
    );
    assert.match('reason' in lax ? english(lax.reason) : '', /it does not refuse all that it must: Seccomp:0/);
    assert.ok(!('reason' in (await findBubblewrap())));
  });

  it('is not run at all where its program or folder is not there', async () => {
    await assert.rejects(world.confined('no-such-program', []), { code: 'ENOENT' });
    await assert.rejects(world.confined('/no/such/program', []), { code: 'ENOENT' });
  });

  it('treat existing hard links in a root as part of it', async () => {
    const outside = world.file('outside.txt', 'as it was');
    linkSync(outside, join(world.workspace, 'linked'));
    await world.sh('echo changed > linked', world.writing);
    assert.equal(readFileSync(outside, 'utf8'), 'changed\n');
  });

  it('runs from the temporary folder and sees only its own part of it', async () => {
    const scripts = mkdtempSync('/tmp/mcp-host-sandbox-test-');
    writeFileSync(join(scripts, 'script.sh'), 'echo runs; ls /tmp\n');
    const said = await world.run('sh', [join(scripts, 'script.sh')]);
    rmSync(scripts, { recursive: true });
    // What a program is run with is seen too, where this repository lies there.
    const [folder = ''] = relative('/tmp', inRepository('.')).split(sep);
    const own = [basename(scripts), ...(folder === '..' ? [] : [folder])].sort();
    assert.deepEqual(said.split('\n'), ['runs', ...own]);
  });
});
