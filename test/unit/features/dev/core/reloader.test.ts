import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { english } from '../../../../../src/base/phrase';
import { changeText } from '../../../../../src/features/authors/core';
import { type DevState, Reloader } from '../../../../../src/features/dev/core/reloader';
import { waitFor } from '../../../../servers/spawn';
import { programPorts } from '../../../../setup/itsServer';
import { temporaryFolder } from '../../../../setup/paths';
import { raw } from '../../../../setup/raw';
import { TestHost } from '../../../host/testHost';
import { OWN_SERVER, tool } from '../ownServer';

describe('reloading a server on file changes', () => {
  let folder: string;
  let host: TestHost;
  let reloader: Reloader | undefined;
  let states: (DevState['kind'] | undefined)[];
  let log: string[];

  beforeEach(async () => {
    folder = temporaryFolder();
    host = new TestHost();
    states = [];
    log = [];
    await writeFile(join(folder, 'server.mjs'), OWN_SERVER);
    await tools(tool('a'), tool('wait'));
  });
  afterEach(async () => {
    reloader?.dispose();
    await host.close();
  });

  const tools = (...all: object[]) => writeFile(join(folder, 'tools.json'), JSON.stringify(all));
  const buildsOf = async () =>
    (await readFile(join(folder, 'builds'), 'utf8').catch(() => '')).split('\n').slice(0, -1);

  /** @param build a script; its text is in a file, because no shell takes it apart. */
  async function begin(build?: string, buildMs?: number): Promise<Reloader> {
    if (build !== undefined) await writeFile(join(folder, 'build.mjs'), build);
    const node = process.execPath.includes(' ') ? `"${process.execPath}"` : process.execPath;
    host.configure({
      own: {
        command: process.execPath,
        args: ['server.mjs'],
        cwd: folder,
        env: { ELECTRON_RUN_AS_NODE: '1' },
        logLevel: 'error',
        dev: { watch: '*.json', ...(build !== undefined && { build: `${node} build.mjs` }) },
      },
    });
    const server = await host.loads('own');
    const made: Reloader = new Reloader(
      server,
      {
        ...programPorts,
        log: (level, text) => log.push(`${level}: ${text}`),
        changed: () => states.push(made.state?.kind),
      },
      buildMs,
    );
    reloader = made;
    return made;
  }

  const changes = ({ state }: Reloader) =>
    state?.kind === 'reloaded' ? state.changes.map(change => english(changeText(change))) : state?.kind;

  it('restarts that server alone, and reports the changes of its interface', async () => {
    const own = await begin();
    host.server('own');
    const before = host.pid('own');
    await tools(tool('a', 'another'), tool('b'), tool('wait'));
    await own.reload();
    assert.notEqual(host.pid('own'), before);
    assert.deepEqual(changes(own), ['Tool added: b.', 'tools/a/description: The text has changed.']);
    assert.deepEqual(states, ['restarting', 'reloaded']);
    await own.reload();
    assert.deepEqual(changes(own), [], 'compared with the last time');
  });

  it('restores its log level and subscriptions', async () => {
    const own = await begin();
    const server = host.server('own');
    raw(server).subscribe('own://a');
    const state = async () => {
      const { content } = await raw(server).callTool(server.catalog.tools[0]!, {});
      return JSON.parse((content[0] as { text: string }).text) as { level?: string; followed: string[] };
    };
    const isBack = async () => {
      const { level, followed } = await state();
      return level === 'error' && followed.join() === 'own://a';
    };
    await waitFor(isBack, { what: 'the level and the subscription' });
    await own.reload();
    await waitFor(isBack, { what: 'the level and the subscription after the restart' });
  });

  it('fails a running call with an error that names the reason, and answers later ones', async () => {
    const own = await begin();
    const server = host.server('own');
    const running = raw(server).callTool(server.catalog.tools.find(({ name }) => name === 'wait')!, {});
    const failed = assert.rejects(running, /"own" could not call wait: .*(closed|stopped|restart)/i);
    const reloaded = own.reload();
    const later = raw(server).callTool(tool('a') as never, {});
    await failed;
    await reloaded;
    assert.ok((await later).content.length > 0);
  });

  it('builds first, and does not restart while the build fails', async () => {
    const own = await begin(`
      import { appendFileSync, existsSync } from 'node:fs';
      appendFileSync('builds', 'b\\n');
      console.log('\\u001b[31mlooking\\u001b[0m');
      if (existsSync('broken')) { console.error('it is broken'); process.exitCode = 3; }
    `);
    await writeFile(join(folder, 'broken'), '');
    const before = host.pid('own');
    await own.reload();
    const { state } = own;
    assert.ok(state?.kind === 'buildFailed');
    assert.equal(english(state.reason), 'it ended with code 3');
    assert.deepEqual([...state.tail].sort(), ['it is broken', 'looking']);
    assert.equal(host.pid('own'), before);
    assert.ok(log.includes('info: build: it is broken'));
    await rm(join(folder, 'broken'));
    await tools(tool('a'));
    await own.reload();
    assert.notEqual(host.pid('own'), before);
    assert.deepEqual(changes(own), ['Tool removed: wait.']);
    assert.deepEqual(await buildsOf(), ['b', 'b']);
  });

  it('keeps the places of errors, and the first lines of a build that prints megabytes', async () => {
    const own = await begin(`
      console.log('server.ts(3,7): error TS2322: It is no number.');
      for (let line = 0; line < 20_000; line++) console.log('x'.repeat(200));
      console.log('the last');
      process.exitCode = 1;
    `);
    await own.reload();
    const { state } = own;
    assert.ok(state?.kind === 'buildFailed');
    assert.deepEqual(
      state.problems.map(({ file, line, source }) => [file, line, source]),
      [[join(folder, 'server.ts'), 3, 'tsc TS2322']],
    );
    assert.equal(state.tail.at(-1), 'the last');
    assert.equal(log.filter(line => line.startsWith('info: build: x')).length, 1_999);
    assert.ok(log.some(line => /only its first 2000 lines/.test(line)));
    await writeFile(join(folder, 'build.mjs'), '');
    await own.reload();
    assert.equal(own.state?.kind, 'reloaded');
  });

  it('cancels a build when files change again, and never runs two at once', async () => {
    const own = await begin(`
      import { appendFileSync, existsSync, rmSync, writeFileSync } from 'node:fs';
      const isSlow = existsSync('slow'); // before anybody learns that it runs
      if (existsSync('running')) appendFileSync('builds', 'two\\n');
      writeFileSync('running', '');
      process.on('SIGTERM', () => { rmSync('running'); process.exit(1); });
      appendFileSync('builds', 'began\\n');
      if (isSlow) setInterval(() => {}, 1_000);
      else rmSync('running', { force: true });
    `);
    await writeFile(join(folder, 'slow'), '');
    const before = host.pid('own');
    const first = own.reload();
    await waitFor(async () => (await buildsOf()).length === 1, { what: 'the first build' });
    const second = own.reload();
    const third = own.reload();
    await rm(join(folder, 'slow'));
    await Promise.all([first, second, third]);
    if (process.platform !== 'win32') assert.deepEqual(await buildsOf(), ['began', 'began']);
    assert.notEqual(host.pid('own'), before);
    assert.equal(own.state?.kind, 'reloaded');
    assert.ok(log.some(line => /the build was cancelled/.test(line)));
  });

  it('aborts an endless build, and reports a missing build program', async () => {
    const own = await begin('setInterval(() => {}, 1_000);', 60);
    const before = host.pid('own');
    await own.reload();
    assert.ok(own.state?.kind === 'buildFailed');
    assert.match(english(own.state.reason), /^it took longer than/);
    assert.equal(host.pid('own'), before);
  });

  it('skips a server that waits for a person, and does not start a stopped one', async () => {
    const own = await begin();
    await host.server('own').stop('by a person');
    await own.reload();
    assert.equal(host.server('own').state.kind, 'stopped');
    assert.deepEqual(states, []);
  });

  it('retries a failed start on the next change', async () => {
    const own = await begin();
    await writeFile(join(folder, 'tools.json'), 'nonsense');
    await own.reload();
    assert.equal(host.server('own').state.kind, 'failed');
    assert.equal(own.state, undefined);
    await tools(tool('a'), tool('wait'), tool('c'));
    await own.reload();
    assert.deepEqual(changes(own), ['Tool added: c.'], 'compared with what ran last');
  });
});
