import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { releaseGroup, spawnGroup } from '../../../../src/host/launch/processGroup';
import { SandboxAttempts } from '../../../../src/host/sandbox/attempts';
import type { ConfineOptions } from '../../../../src/host/sandbox/confine';
import { settleBefore } from '../../../../src/host/sandbox/grantedFolders';
import { inHeldFolder, removeHeld } from '../../../../src/host/sandbox/heldFolder';
import { obeyedIn } from '../../../../src/host/sandbox/keptPlaces';
import { RunningNotes } from '../../../../src/host/sandbox/runningNotes';
import { SetAside } from '../../../../src/host/sandbox/setAside';
import { waitFor } from '../../../servers/spawn';
import { onlyWhereConfined, World } from './confined';

describe('What appears in a folder that a confined program may change', () => {
  let world: World;
  before(onlyWhereConfined);
  beforeEach(() => {
    world = new World();
  });
  afterEach(() => world.remove());

  const inWorkspace = (path: string) => join(world.workspace, path);
  const isThere = (path: string) => existsSync(inWorkspace(path));
  const appeared = () => world.attempts.appeared.all.map(({ path }) => relative(world.workspace, path)).sort();
  const placeAt = (path: string) => world.attempts.appeared.all.find(place => place.path === inWorkspace(path))!;
  const git = (...args: string[]) => {
    const env = { PATH: process.env.PATH, HOME: world.home, GIT_CONFIG_NOSYSTEM: '1' };
    const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];
    return execFileSync('git', ['-C', world.workspace, ...author, ...args], { env, encoding: 'utf8', stdio: 'pipe' });
  };
  /** Starts a program that goes on until its input ends. */
  const running = async (script: string, options: Partial<ConfineOptions> = world.writing) => {
    const launch = await world.confined('sh', ['-c', `${script}; cat`], options);
    const child: ChildProcess = spawnGroup(launch);
    launch.attach?.(child);
    const exited = new Promise(resolve => child.once('exit', (_code, signal) => resolve(signal)));
    const end = async () => {
      child.stdin?.end();
      await exited;
      releaseGroup(child.pid!);
      await launch.end();
    };
    return { child, exited, end };
  };

  /** The workspace, of which nothing is known. */
  const unknown = () => ({
    ...{ path: world.workspace, known: {}, mounted: {}, kept: [] },
    ...{ closed: [], projects: [], missing: [], repositories: [] },
  });

  it('is moved away at its end where others would obey it, at any depth; all else stays @appeared.moved-away-end', async () => {
    const obeyed = [
      'a/b/.husky',
      'a/package.json',
      'Makefile',
      'a/AGENT.md',
      'a/gulpfile.mjs',
      'a/knexfile.ts',
      'a/requirements-dev.txt',
      'a/vitest.setup.ts',
      '.envrc',
      'CLAUDE.md',
      'a/.github',
      'a/node_modules/.bin',
    ];
    await world.sh(
      `mkdir -p a/b/.husky a/node_modules/.bin a/.github/workflows; echo evil > a/b/.husky/pre-commit
      for f in a/AGENT.md a/gulpfile.mjs a/knexfile.ts a/requirements-dev.txt a/vitest.setup.ts a/package.json Makefile .envrc CLAUDE.md a/.github/workflows/x.yml a/main.ts a/node_modules/x.js; do echo x > $f; done`,
      world.writing,
    );
    assert.deepEqual(appeared(), [...obeyed].sort());
    for (const path of obeyed) assert.ok(!isThere(path), path);
    for (const path of ['a/b', 'a/main.ts', 'a/node_modules/x.js']) assert.ok(isThere(path), path);
    assert.match(world.notes.join('\n'), /\.husky appeared, which other programs obey/);
  });

  it('has git run nothing: neither a new folder with its own .git, nor one made into a bare repository @appeared.git-run-neither', async () => {
    git('init', '-q');
    const marker = join(world.home, 'ran');
    const config = `[core]\\n\\tfsmonitor = "touch ${marker}; false"\\n`;
    mkdirSync(inWorkspace('there/of/mine'), { recursive: true });
    writeFileSync(inWorkspace('there/of/mine/a.txt'), 'mine');
    await world.sh(
      `git init -q new; printf '${config}' >> new/.git/config
      git init -q --bare there/of/mine; printf '${config}' >> there/of/mine/config; echo 'gitdir: ../new/.git' > there/.git`,
      world.writing,
    );
    assert.deepEqual(appeared(), ['new/.git', 'there/.git', 'there/of/mine/HEAD']);
    for (const path of ['new', 'there/of/mine', 'there']) git('-C', path, 'status');
    assert.ok(!existsSync(marker));
    assert.ok(isThere('there/of/mine/a.txt'));
  });

  it('is moved away while it runs, soon after it says something or its folder changes @appeared.moved-away-runs', async () => {
    let changed = () => {};
    const watch = (_folder: string, listener: () => void) => {
      changed = listener;
      return () => {};
    };
    const { child, end } = await running('mkdir .husky; echo done; read x; mkdir -p a/.claude; touch made; read x', {
      ...world.writing,
      watch,
    });
    await waitFor(() => appeared().length === 1, { what: 'the first' });
    assert.ok(!isThere('.husky'));
    child.stdin?.write('\n');
    await waitFor(() => isThere('made'), { what: 'the second to be made' });
    changed();
    await waitFor(() => appeared().length === 2, { what: 'it to be moved away' });
    assert.deepEqual([appeared(), isThere('a/.claude')], [['.husky', 'a/.claude'], false]);
    child.stdin?.write('\n');
    await end();
  });

  it('is moved away while it runs though what hid it was moved away first @appeared.moved-away-hidden', async () => {
    const { end } = await running('mkdir -p d/objects d/.claude; echo x > d/HEAD; echo x > d/.claude/x; echo made');
    await waitFor(() => appeared().length === 2, { what: 'both to be moved away' });
    assert.deepEqual([appeared(), isThere('d/.claude')], [['d/.claude', 'd/HEAD'], false]);
    await end();
  });

  it('is moved away while it runs and says nothing, though nobody tells that its folder changed', async () => {
    const { child, end } = await running('echo done; read x; mkdir .husky; read x', { ...world.writing, everyMs: 20 });
    child.stdin?.write('\n');
    await waitFor(() => appeared().length === 1 && !isThere('.husky'), { what: 'it to be moved away' });
    child.stdin?.write('\n');
    await end();
  });

  it('is put back when the person keeps it, and may then appear again for the same program; or is removed for good @appeared.put-back-person', async () => {
    const script = 'mkdir -p .husky; echo hook > .husky/pre-commit; echo x > Makefile';
    const { end } = await running(`${script}; echo made`);
    await waitFor(() => appeared().length === 2, { what: 'both' });
    placeAt('.husky').keep();
    placeAt('Makefile').remove();
    assert.equal(readFileSync(inWorkspace('.husky/pre-commit'), 'utf8'), 'hook\n');
    await end();
    assert.deepEqual([appeared(), isThere('.husky'), isThere('Makefile')], [[], true, false]);
    assert.deepEqual(readdirSync(join(world.top, 'aside/items')), []);
    rmSync(inWorkspace('.husky'), { recursive: true });
    await world.sh(script, { ...world.writing, granted: () => ({ appears: [inWorkspace('.husky')] }) });
    assert.deepEqual([appeared(), isThere('.husky')], [['Makefile'], true]);
    // Where it is at a start, it stays as it is.
    assert.match(await world.sh('echo y > .husky/pre-commit', world.writing), /Read-only/);
  });

  it('is not put back over something else, and is still there at the next start, for each that may change its folder', async () => {
    await world.sh('mkdir .husky', world.writing);
    mkdirSync(inWorkspace('.husky'));
    assert.throws(() => placeAt('.husky').keep(), { message: /was not put back/ });
    rmSync(inWorkspace('.husky'), { recursive: true });
    world.attempts = new SandboxAttempts();
    await world.sh('true', { ...world.writing, folder: join(world.top, 'storage/other') });
    assert.deepEqual(appeared(), ['.husky']);
    placeAt('.husky').keep();
    assert.ok(isThere('.husky'));
  });

  it('may appear where the entry names it', async () => {
    const rules = { write: [world.workspace, inWorkspace('dist/package.json')] };
    await world.sh('mkdir -p dist/sub; echo {} > dist/package.json; echo {} > dist/sub/package.json', { rules });
    assert.deepEqual(appeared(), ['dist/sub/package.json']);
  });

  it('is as much a link, of which only the link is moved @appeared.much-link-link', async () => {
    world.file('tools/hook', 'mine');
    symlinkSync('tools', inWorkspace('.husky'));
    mkdirSync(inWorkspace('tools'));
    await world.sh('ln -s ~/tools .idea; rm .husky; mkdir .husky; echo evil > .husky/pre-commit', world.writing);
    assert.deepEqual(appeared(), ['.husky', '.idea']);
    placeAt('.idea').remove();
    assert.equal(readFileSync(join(world.home, 'tools/hook'), 'utf8'), 'mine');
    assert.ok(!isThere('.husky'));
  });

  it('stays where the person’s git has put it, unchanged: by a checkout, a submodule or a worktree', async () => {
    git('init', '-q');
    for (const path of ['a/package.json', '.github/workflows/x.yml', 'b/Makefile']) {
      mkdirSync(dirname(inWorkspace(path)), { recursive: true });
      writeFileSync(inWorkspace(path), 'tracked');
    }
    symlinkSync('README.md', inWorkspace('CLAUDE.md'));
    git('add', '.');
    git('commit', '-q', '-m', 'first');
    git('rm', '-q', '-r', 'a', '.github', 'b', 'CLAUDE.md');
    git('commit', '-q', '-m', 'second');
    let outdated = 0;
    world.attempts.onDidOutdate(() => outdated++);
    const { end } = await running('echo ready');
    git('checkout', '-q', 'HEAD~1');
    git('worktree', 'add', '-q', 'tree', 'HEAD');
    writeFileSync(inWorkspace('b/Makefile'), 'changed');
    writeFileSync(inWorkspace('.github/workflows/y.yml'), 'new');
    await end();
    // Of the worktree, git knows the files by another index.
    assert.deepEqual(
      appeared().filter(path => !path.startsWith('tree/')),
      ['.github', 'b/Makefile'],
    );
    for (const path of ['a/package.json', 'CLAUDE.md', 'tree/.git'])
      assert.ok(isThere(path) || path === 'CLAUDE.md', path);
    git('-C', 'tree', 'status');
  });

  it('stays for no repository of the program: not for one that it made, nor for one that it may change @appeared.stays-repository-program', async () => {
    git('init', '-q');
    await world.sh('git init -q sub; cd sub; echo x > Makefile; git add Makefile', world.writing);
    assert.deepEqual(appeared(), ['sub/.git', 'sub/Makefile']);
    const rules = { write: [world.workspace, inWorkspace('.git')] };
    await world.sh('echo x > package.json; git add package.json; echo ../fake > .git/commondir', { rules });
    assert.deepEqual(appeared().slice(0, 1).concat(appeared().slice(-3)), [
      '.git/commondir',
      'package.json',
      'sub/.git',
      'sub/Makefile',
    ]);
  });

  it('counts as tracked by no repository of which the program may change only the index @appeared.counts-tracked-repository', async () => {
    git('init', '-q');
    git('commit', '-q', '--allow-empty', '-m', 'first');
    writeFileSync(inWorkspace('a.txt'), 'a');
    git('add', 'a.txt');
    await world.sh(
      `echo x > Makefile; mkdir o; GIT_INDEX_FILE=$PWD/i.txt GIT_OBJECT_DIRECTORY=$PWD/o git add Makefile; cat i.txt > .git/index`,
      { rules: { write: [world.workspace, inWorkspace('.git/index')] } },
    );
    assert.match(git('ls-files'), /Makefile/);
    assert.deepEqual([appeared(), isThere('Makefile')], [['Makefile'], false]);
  });

  it('needs a new start of the program to be protected, as does what the person replaces: that is noticed @appeared.needs-new-start', async () => {
    writeFileSync(inWorkspace('package.json'), 'before');
    let outdated = 0;
    world.attempts.onDidOutdate(() => outdated++);
    const { child, end } = await running('echo ready; read x');
    writeFileSync(inWorkspace('new'), 'after');
    renameSync(inWorkspace('new'), inWorkspace('package.json'));
    child.stdin?.write('\n');
    await end();
    assert.deepEqual([outdated, appeared()], [1, []]);
  });

  it('is also a file that the configuration of git names @appeared.file-configuration-git', async () => {
    git('init', '-q');
    git('config', 'core.fsmonitor', 'tools/watch');
    await world.sh('mkdir tools; echo evil > tools/watch; echo fine > tools/other', world.writing);
    assert.deepEqual([appeared(), isThere('tools/other')], [['tools/watch'], true]);
  });

  it('is found in a folder that it has closed to everybody @appeared.found-folder-closed', async () => {
    await world.sh('mkdir -p a/b/.husky; chmod 000 a/b; chmod 000 a', world.writing);
    assert.deepEqual(appeared(), ['a/b/.husky']);
  });

  it('is moved away at any depth if its name begins with a dot, and at the top of a project if its kind is not known @appeared.moved-away-depth', async () => {
    git('init', '-q');
    mkdirSync(inWorkspace('app'));
    writeFileSync(inWorkspace('app/package.json'), '{}');
    writeFileSync(inWorkspace('Mine'), 'as it was');
    await world.sh(
      `mkdir -p sub .unheard-of/x; for f in Unheardfile unheard.toml notes.md main.ts data.csv sub/Unheardfile sub/.unheard.yml sub/.gitkeep app/Unheardfile; do echo x > $f; done
      echo changed > Mine; echo x > .unheard-of/x/y`,
      world.writing,
    );
    assert.deepEqual(appeared(), ['.unheard-of', 'Unheardfile', 'app/Unheardfile', 'sub/.unheard.yml', 'unheard.toml']);
    for (const path of ['notes.md', 'main.ts', 'data.csv', 'sub/Unheardfile', 'sub/.gitkeep', 'Mine'])
      assert.ok(isThere(path), path);
  });

  it('is moved away in a `.git` that may be written to, but for what a commit needs @appeared.moved-away-git', async () => {
    git('init', '-q');
    git('commit', '-q', '--allow-empty', '-m', 'first');
    const options = {
      ...world.writing,
      rules: { ...world.writing.rules, write: [world.workspace, inWorkspace('.git')] },
    };
    await world.sh(
      `mkdir .git/unheard-of .git/rebase-merge; echo x > .git/rebase-merge/git-rebase-todo; echo x > .git/unheard; echo x >> .git/info/attributes
      echo x > a.txt; git -c user.name=A -c user.email=a@b.example add a.txt && git -c user.name=A -c user.email=a@b.example commit -q -m second`,
      options,
    );
    assert.deepEqual(appeared(), ['.git/rebase-merge', '.git/unheard', '.git/unheard-of']);
    assert.ok(!isThere('.git/info/attributes'));
    assert.match(git('log', '--oneline'), /second[\s\S]*first/);
  });

  it('is moved away with the folder that hides it: one with a name that is no text, or with a path too long to be mounted @appeared.moved-away-folder', async () => {
    const long = Array.from({ length: 14 }, () => 'x'.repeat(240)).join('/');
    await world.sh(
      `n=$(printf 'a\\377'); mkdir -p "$n/.husky" a "${long}/.husky"; echo x > a/Makefile; mkdir -p .vscode 2>/dev/null; true`,
      world.writing,
    );
    const [made, hidden, tooLong] = appeared();
    assert.deepEqual([made, hidden], ['a/Makefile', 'a\ufffd']);
    assert.match(tooLong ?? '', /^(x{240}\/?)+$/);
    assert.ok(!isThere('a/Makefile') && !isThere(`${long}/.husky`));
    assert.ok(!readdirSync(world.workspace).some(name => name.includes('\ufffd')));
    assert.match(world.notes.join('\n'), /it was ended: it can't be told what is in/);
    // It is put back under its own name.
    world.attempts.appeared.all.find(({ path }) => path.includes('\ufffd'))!.keep();
    const names = readdirSync(world.workspace, { encoding: 'buffer' }).map(name => name.toString('hex'));
    assert.ok(names.includes('61ff'));
  });

  it("is moved away also in a folder that the program marked as one to pass over, where the person's files stay", async () => {
    mkdirSync(inWorkspace('lib'));
    for (const path of ['lib/package.json', 'lib/Makefile']) writeFileSync(inWorkspace(path), '{}');
    await world.sh(
      `mkdir -p x/sub/.vscode; echo x > x/pyvenv.cfg; for f in x/.envrc x/sub/.vscode/tasks.json x/sub/.envrc; do echo x > $f; done
      echo x > lib/pyvenv.cfg; echo x > lib/.envrc`,
      world.writing,
    );
    for (const path of ['x/.envrc', 'x/sub/.vscode', 'x/sub/.envrc', 'lib/.envrc']) assert.ok(!isThere(path), path);
    for (const path of ['lib/package.json', 'lib/Makefile']) assert.ok(isThere(path), path);
  });

  it('is moved away also under several names that read the same', async () => {
    await world.sh(
      `for n in '\\377' '\\376' '\\375'; do d=$(printf "a$n"); mkdir -p "$d/.vscode"; echo x > "$d/.vscode/tasks.json"; done`,
      world.writing,
    );
    const left = readdirSync(world.workspace, { encoding: 'buffer' }).filter(
      name => name[0] === 0x61 && name.length === 2,
    );
    assert.deepEqual(left, []);
  });

  it('is moved away also where it made more folders than are searched while it runs @appeared.moved-away-made', async function () {
    this.timeout(120_000);
    await world.sh('mkdir -p $(seq -f "a/%.0f" 21000) z/.husky; echo x > z/Makefile', world.writing);
    assert.deepEqual(appeared(), ['z/.husky', 'z/Makefile']);
    assert.match(world.notes.join('\n'), /it was ended: there are too many folders/);
  });

  it('is looked for among the entries of a folder in turns, and ends what makes too many', async () => {
    const folder = join(world.top, 'many');
    mkdirSync(folder);
    for (let n = 0; n < 12_000; n++) writeFileSync(join(folder, `${n}.x`), '');
    writeFileSync(join(folder, 'Makefile'), '');
    let turns = 0;
    let isDone = false;
    const count = () => {
      turns++;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    const found = await obeyedIn(folder);
    isDone = true;
    assert.deepEqual([found.places.filter(({ isStrange }) => !isStrange).length, found.isPart], [1, false]);
    assert.ok(turns > 2, String(turns));
    assert.ok((await obeyedIn(folder, { maxFolders: 100 })).isPart);
  });

  it('ends it where there is too much of it @appeared.ends-too-much', async () => {
    const { exited, end } = await running('for i in $(seq 101); do mkdir -p $i/.husky; done; echo made');
    assert.equal(await exited, 'SIGKILL');
    await end();
    assert.match(world.notes.join('\n'), /it was ended: 100 things appeared/);
    assert.equal(world.attempts.appeared.all.length, 101);
  });

  it('is moved away at the next start of any program if the window ended first, but not what came to be later @appeared.moved-away-next', async () => {
    const notes = join(world.top, 'aside/running');
    const folder = unknown();
    new RunningNotes(notes).begin({ program: 'one', folders: [folder], writable: [world.workspace], mayAppear: [] });
    mkdirSync(inWorkspace('.husky'));
    const [name = ''] = readdirSync(notes);
    await settleBefore(join(world.top, 'aside'), () => {});
    assert.ok(isThere('.husky'), 'its window lives');
    const { pid } = execEnded();
    renameSync(join(notes, name), join(notes, `${pid}-gone.json`));
    utimesSync(join(notes, `${pid}-gone.json`), 1, 1);
    await settleBefore(join(world.top, 'aside'), () => {});
    assert.ok(isThere('.husky'), 'it came to be long after that');
    assert.deepEqual(readdirSync(notes), []);
    new RunningNotes(notes).begin({ program: 'one', folders: [folder], writable: [world.workspace], mayAppear: [] });
    renameSync(join(notes, readdirSync(notes)[0]!), join(notes, `${pid}-gone.json`));
    await world.sh('true');
    assert.ok(!isThere('.husky'));
    assert.deepEqual(appeared(), ['.husky']);
  });

  it('is moved away later where the note of its program can not be read now, which is logged with its path', async () => {
    const notes = join(world.top, 'aside/running');
    new RunningNotes(notes).begin({ program: 'one', folders: [unknown()], writable: [world.workspace], mayAppear: [] });
    mkdirSync(inWorkspace('.husky'));
    const note = join(notes, `${execEnded().pid}-gone.json`);
    renameSync(join(notes, readdirSync(notes)[0]!), note);
    const { size } = statSync(note);
    // Larger than any that is read.
    truncateSync(note, 20 * 1024 * 1024);
    const logged: string[] = [];
    await settleBefore(join(world.top, 'aside'), text => logged.push(text));
    assert.deepEqual([isThere('.husky'), logged.map(text => text.includes(note))], [true, [true]]);
    truncateSync(note, size);
    await settleBefore(join(world.top, 'aside'), text => logged.push(text));
    assert.deepEqual([isThere('.husky'), existsSync(note), logged.length], [false, false, 1]);
    writeFileSync(note, '{');
    await settleBefore(join(world.top, 'aside'), text => logged.push(text));
    assert.match(logged.at(-1) ?? '', /gone\.json is damaged/);
  });

  it('is moved away also where something else can not be looked at, or the notes of other programs can not be read', async () => {
    mkdirSync(inWorkspace('sub'));
    writeFileSync(inWorkspace('sub/package.json'), '{}');
    const first = await running('touch up; read x; echo x > AGENTS.md; echo said');
    await waitFor(() => isThere('up'), { what: 'it to run' });
    renameSync(inWorkspace('sub'), inWorkspace('before'));
    symlinkSync('sub', inWorkspace('sub'));
    writeFileSync(join(world.top, 'aside/running', `${process.pid}-half.json`), '{');
    first.child.stdin?.write('\n');
    await first.end();
    assert.ok(!isThere('AGENTS.md'));
    assert.ok(appeared().includes('AGENTS.md'));
  });

  it('is moved away also below a folder of which only the names can be read', async function () {
    if (process.getuid?.() === 0) this.skip(); // all can be looked at
    mkdirSync(inWorkspace('sub/inner'), { recursive: true });
    writeFileSync(inWorkspace('sub/package.json'), '{}');
    await world.sh('echo x > AGENTS.md; mkdir sub/inner/.husky; chmod 444 sub', world.writing);
    assert.deepEqual(appeared(), ['AGENTS.md', 'sub/inner/.husky']);
  });

  it('is not possible where more is known than can be noted', async () => {
    const folder = inWorkspace(Array(11).fill('f'.repeat(240)).join('/'));
    mkdirSync(folder, { recursive: true });
    for (let index = 0; index < 1_500; index++) writeFileSync(join(folder, `.${index}`), '');
    await assert.rejects(world.sh('true', world.writing), { code: 'SANDBOX_RULES' });
  });

  describe('while another program may change the same folder', () => {
    const other = () => ({ ...world.writing, folder: join(world.top, 'storage/other') });
    const inSub = () => ({ ...other(), rules: { write: [inWorkspace('sub')] } });

    /** Notes that a program runs in another window. */
    const inOtherWindow = (running: Parameters<RunningNotes['begin']>[0]) => {
      const folder = join(world.top, 'aside/running');
      new RunningNotes(folder).begin(running);
      renameSync(join(folder, readdirSync(folder)[0]!), join(folder, `${process.ppid}-other.json`));
    };

    it('is new for a second program that starts later, and no repository that the first made proves anything @appeared.new-second-program', async () => {
      mkdirSync(inWorkspace('sub'));
      // It says nothing, so that nobody has looked yet.
      const first = await running(
        'echo x > CLAUDE.md; git init -q sub; cd sub; echo x > Makefile; git add Makefile; rm Makefile; touch made',
      );
      await waitFor(() => isThere('sub/made'), { what: 'all of it' });
      await world.sh('echo y > CLAUDE.md; echo x > sub/Makefile', other());
      assert.deepEqual(appeared(), ['CLAUDE.md', 'sub/.git', 'sub/Makefile']);
      await first.end();
      assert.ok(!isThere('CLAUDE.md') && !isThere('sub/.git') && !isThere('sub/Makefile'));
    });

    it('stays new for a second program in a folder inside it after the first has ended @appeared.stays-new-second', async () => {
      mkdirSync(inWorkspace('sub'));
      const first = await running('echo x > sub/CLAUDE.md; mkdir sub/.git; touch sub/.git/HEAD made');
      await waitFor(() => isThere('made'), { what: 'all of it' });
      const second = await running('cd sub; touch begun; read x; mkdir CLAUDE.md .git/b', inSub());
      await waitFor(() => isThere('sub/begun'), { what: 'the second program' });
      await first.end();
      second.child.stdin?.write('\n');
      await second.end();
      assert.ok(!isThere('sub/CLAUDE.md') && !isThere('sub/.git/b'));
      const inner = await running('echo x > sub/.envrc; touch sub/made', { ...inSub() });
      await inner.end();
      await world.sh('true', other());
      assert.ok(!isThere('sub/.envrc'));
    });

    it('is moved away also if the first runs in another window; what the person had, kept or got from git stays @appeared.moved-away-first', async () => {
      git('init', '-q');
      for (const path of ['package.json', 'AGENTS.md', 'Makefile', 'GEMINI.md']) writeFileSync(inWorkspace(path), path);
      git('add', 'AGENTS.md');
      const known = { [inWorkspace('package.json')]: '' };
      const folder = { ...unknown(), known, kept: [inWorkspace('.git')], projects: [world.workspace] };
      inOtherWindow({
        program: 'one',
        folders: [folder],
        writable: [world.workspace],
        mayAppear: [inWorkspace('Makefile')],
      });
      let outdated = 0;
      world.attempts.onDidOutdate(() => outdated++);
      await world.sh('true', other());
      assert.deepEqual([appeared(), outdated], [['GEMINI.md'], 0]);
      for (const path of ['package.json', 'AGENTS.md', 'Makefile', '.git/config']) assert.ok(isThere(path), path);
    });

    it('counts as tracked by no repository that the other program may change @appeared.counts-tracked-repository-program', async () => {
      git('init', '-q');
      git('commit', '-q', '--allow-empty', '-m', 'first');
      const first = await running(
        'h=$(echo x | git hash-object -w --stdin); git update-index --add --cacheinfo 100644,$h,Makefile; echo done',
        { ...other(), rules: { write: [inWorkspace('.git')] } },
      );
      await waitFor(() => git('ls-files').includes('Makefile'), { what: 'the index' });
      await world.sh('echo x > Makefile', world.writing);
      assert.deepEqual(appeared(), ['Makefile']);
      await first.end();
    });

    it('leaves an empty folder in place that protects a name from a program of another window @appeared.leaves-empty-folder', async () => {
      const folder = { ...unknown(), known: { [inWorkspace('.vscode')]: '' } };
      inOtherWindow({ program: 'one', folders: [folder], writable: [world.workspace], mayAppear: [] });
      await world.sh('true', other());
      assert.deepEqual([isThere('.vscode'), isThere('.git')], [true, false]);
    });

    for (const [what, replacing] of [
      ['removed the empty folder that protected the name', 'rmdir sub/.git'],
      ['put another empty folder in its place', 'rmdir sub/.git && mkdir sub/.git'],
    ] as const)
      it(`is moved away where the other program has ${what}, before the first has said anything @appeared.replaced-stand-in`, async () => {
        mkdirSync(inWorkspace('sub'));
        const fills = 'mkdir -p sub/.git && echo x > sub/.git/config';
        const acts = `echo x > sub/AGENTS.md; echo said; read x; ${fills}; read x`;
        const first = await running(`touch sub/begun; read x; ${acts}`, inSub());
        // Not before it runs: a name that is free until then is protected all the same.
        await waitFor(() => isThere('sub/begun'), { what: 'the first to run' });
        assert.ok(isThere('sub/.git'));
        await world.sh(replacing, world.writing);
        first.child.stdin?.write('\n');
        await waitFor(() => appeared().includes('sub/AGENTS.md'), { what: 'the first look' });
        first.child.stdin?.write('\n');
        await waitFor(() => isThere('sub/.git/config'), { what: 'the file' });
        first.child.stdin?.write('\n');
        await first.end();
        assert.deepEqual([appeared(), isThere('sub/.git')], [['sub/.git', 'sub/AGENTS.md'], false]);
      });

    it('does not move away the empty folder that protects a name from the other program @appeared.move-away-empty', async () => {
      mkdirSync(inWorkspace('sub'));
      const first = await running('read x; echo said');
      const second = await running('read x; echo x > .vscode/settings.json; echo said; read x', inSub());
      await waitFor(() => isThere('sub/.vscode'), { what: 'the second to run' });
      first.child.stdin?.write('\n');
      await first.end();
      second.child.stdin?.write('\n\n');
      await second.end();
      assert.deepEqual([appeared(), isThere('sub/.vscode')], [[], false]);
    });
  });

  it('lies outside of every sandbox @appeared.lies-outside-sandbox', async () => {
    await world.sh('mkdir .husky', world.writing);
    const aside = join(world.top, 'aside');
    const said = await world.sh(`ls ${aside}/items/*; echo x > ${aside}/x`, {
      rules: { read: ['~'], write: [world.workspace] },
    });
    assert.doesNotMatch(said, /content/);
    for (const write of [world.top, aside, join(aside, 'items')])
      await assert.rejects(world.sh('true', { rules: { write: [write] } }), { code: 'SANDBOX_RULES' });
  });

  /** A process that is gone. */
  const execEnded = () => ({ pid: Number(execFileSync('sh', ['-c', 'echo $$'], { encoding: 'utf8' })) });
});

describe('moving something away', () => {
  let top: string;
  let world: World;
  before(function () {
    if (process.platform === 'win32') this.skip(); // nothing is confined there
  });
  beforeEach(() => {
    world = new World();
    top = world.folder('granted');
    mkdirSync(join(top, 'a'));
    world.folder('elsewhere/.husky');
    writeFileSync(join(world.top, 'elsewhere/.husky/mine'), 'mine');
  });
  afterEach(() => world.remove());

  it('follows no link on the way, whenever that was put there @appeared.follows-link-way', () => {
    const aside = new SetAside(join(world.top, 'aside'));
    rmSync(join(top, 'a'), { recursive: true });
    symlinkSync(join(world.top, 'elsewhere'), join(top, 'a'));
    assert.throws(() => aside.take({ program: 'one', path: join(top, 'a/.husky'), folder: top }));
    assert.ok(existsSync(join(world.top, 'elsewhere/.husky/mine')));
    assert.deepEqual(readdirSync(join(world.top, 'aside')), []);
  });

  it('holds a folder by what it is, not by its name @appeared.holds-folder-name', function () {
    if (process.platform !== 'linux') this.skip(); // the system has no such paths
    mkdirSync(join(top, 'a/.husky'));
    inHeldFolder(top, join(top, 'a'), held => {
      renameSync(join(top, 'a'), join(top, 'moved'));
      symlinkSync(join(world.top, 'elsewhere'), join(top, 'a'));
      removeHeld(held, '.husky');
    });
    assert.ok(!existsSync(join(top, 'moved/.husky')));
    assert.ok(existsSync(join(world.top, 'elsewhere/.husky/mine')));
  });

  it('is renamed where it lies if it can not be moved to the disk of the storage, and is put back or removed from there', function () {
    if (!existsSync('/dev/shm')) this.skip(); // there is no other disk
    const storage = mkdtempSync('/dev/shm/mcp-host-aside-');
    try {
      const aside = new SetAside(storage);
      const place = () => aside.take({ program: 'one', path: join(top, 'a/.husky'), folder: top })!;
      mkdirSync(join(top, 'a/.husky/b'), { recursive: true });
      const first = place();
      assert.deepEqual(readdirSync(join(top, 'a')), [`set-aside-${first.id}`]);
      aside.putBack(first);
      assert.deepEqual(readdirSync(join(top, 'a')), ['.husky']);
      aside.remove(place());
      assert.deepEqual([...readdirSync(join(top, 'a')), ...readdirSync(storage)], []);
    } finally {
      rmSync(storage, { recursive: true });
    }
  });

  it('removes links and names that are no text, and nothing that a link leads to', () => {
    mkdirSync(join(top, 'a/.husky/b'), { recursive: true });
    symlinkSync(join(world.top, 'elsewhere'), join(top, 'a/.husky/b/link'));
    if (process.platform === 'linux') writeFileSync(Buffer.from(`${top}/a/.husky/b/\xff`, 'latin1'), '');
    const aside = new SetAside(join(world.top, 'aside'));
    const place = aside.take({ program: 'one', path: join(top, 'a/.husky'), folder: top })!;
    aside.remove(place);
    assert.ok(existsSync(join(world.top, 'elsewhere/.husky/mine')));
    assert.deepEqual(readdirSync(join(world.top, 'aside')), []);
  });
});
