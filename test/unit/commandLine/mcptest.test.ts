import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { testAll } from '../../../src/commandLine/mcptestFiles';
import { fixturePath, processIsAlive, waitFor } from '../../servers/spawn';
import { inRepository, temporaryFolder } from '../../setup/paths';
import { type Ended, inThisProcess } from './inThisProcess';

/** The processes that this one started, with theirs, once there are two; undefined before. */
function processesBelow(pid: number): number[] | undefined {
  const parents = readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap(name => {
      try {
        // After the name in parentheses come the state and the parent.
        const [, parent] = /\) \w (\d+) /.exec(readFileSync(`/proc/${name}/stat`, 'latin1')) ?? [];
        return [{ pid: Number(name), parent: Number(parent) }];
      } catch {
        return []; // it has ended meanwhile
      }
    });
  const found = [pid];
  for (const above of found) found.push(...parents.filter(({ parent }) => parent === above).map(each => each.pid));
  return found.length > 2 ? found.slice(1) : undefined;
}

describe('mcptest.js', () => {
  let folder: string;
  before(() => {
    folder = temporaryFolder();
  });

  /** Runs the program as a person does, in `folder`. */
  const mcptest = (...args: string[]) =>
    new Promise<Ended>(resolve => {
      const cwd = folder;
      execFile(process.execPath, [inRepository('dist', 'mcptest.js'), ...args], { cwd }, (error, stdout, stderr) =>
        resolve({ code: error ? error.code : 0, stdout, stderr }),
      );
    });
  const runs = (...args: string[]) => inThisProcess(() => testAll(args, new AbortController().signal), folder);
  const server = { command: process.execPath, args: [fixturePath('hostile')] };
  const write = (name: string, value: unknown) => {
    const file = join(folder, name);
    writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value));
    return file;
  };

  it('prints each line of a server that does not start once', async () => {
    const script = 'console.error("starting"); console.error("Error: boom"); process.exitCode = 3';
    const boom = { command: process.execPath, args: ['-e', script] };
    const file = write('boom.mcptest.json', {
      server: boom,
      tests: [{ name: 'lists', steps: [{ list: 'tools' }] }],
    });
    try {
      const { code, stdout } = await runs('boom.mcptest.json');
      assert.equal(code, 1);
      assert.deepEqual(stdout.match(/starting|Error: boom/g)?.toSorted(), ['Error: boom', 'starting']);
    } finally {
      rmSync(file);
    }
  });

  it('tests the demo server by the file beside it', async () => {
    const { code, stdout, stderr } = await mcptest(inRepository('src', 'demo'));
    assert.equal(code, 0, stdout + stderr);
    assert.match(stdout, /\n6 passed, 0 failed, 0 skipped\n$/);
    assert.match(stdout, /\n {2}covered: tools 5\/11, prompts 1\/4, templates \d\/\d, resources \d\/\d\n/);
    assert.match(stdout, /\n {2}prompts not used: daily_summary, recall_month, describe_cover\n/);
  });

  it('tests our own fixtures by the files beside them', async () => {
    const { code, stdout, stderr } = await runs(inRepository('test', 'servers'));
    assert.equal(code, 0, stdout + stderr);
    assert.match(stdout, /\n4 passed, 0 failed, 0 skipped\n$/);
  });

  it('reports in text, TAP and JUnit, and fails when a test or a file does', async () => {
    mkdirSync(join(folder, 'mixed'));
    write('mixed/a.mcptest.json', {
      server,
      tests: [
        { name: 'echoes', steps: [{ call: 'echo', arguments: { text: 'hi' }, expect: { contains: 'hi' } }] },
        { name: 'a <bad> #1', steps: [{ call: 'echo', arguments: { text: 'hi' }, expect: { contains: 'ho' } }] },
      ],
    });
    write('mixed/b.mcptest.yaml', 'server: x\ntests: nothing\n');
    const text = await mcptest('mixed', '--junit', 'out.xml');
    assert.equal(text.code, 1);
    assert.match(text.stdout, /✓ echoes \(\d+ ms\)/);
    assert.match(
      text.stdout,
      /✗ a <bad> #1 .*\n +mixed\/a\.mcptest\.json:1:\d+ call echo\n.*lacks what was expected\.\n +- ho\n +\+ hi\n/,
    );
    assert.match(text.stdout, /mixed\/b\.mcptest\.yaml:2:8: This must be of type array\.\n/);
    assert.match(text.stdout, /\n1 passed, 2 failed, 0 skipped\n$/);
    const junit = readFileSync(join(folder, 'out.xml'), 'utf8');
    assert.match(junit, /<testsuite name="mixed\/a\.mcptest\.json" tests="2" failures="1" skipped="0">/);
    assert.match(junit, /name="a &#60;bad&#62; #1" time="[\d.]+"><failure message="The text of the result/);
    const tap = await runs('mixed', '--tap');
    assert.equal(tap.code, 1);
    assert.match(
      tap.stdout,
      /^TAP version 14\n1\.\.3\nok 1 - mixed\/a\.mcptest\.json: echoes\nnot ok 2 - mixed\/a\.mcptest\.json: a <bad> \\#1\n {2}---\n/,
    );
  });

  it('takes servers from settings by name', async () => {
    write('settings.json', `{ // with comments\n "mcpHost.servers": { "files": ${JSON.stringify(server)} } }`);
    const file = write('named.mcptest.yml', 'server: files\ntests: [{ name: a, steps: [{ list: tools }] }]');
    assert.equal((await runs(file, '--settings', 'settings.json')).code, 0);
    const without = await runs(file);
    assert.equal(without.code, 1);
    assert.match(without.stdout, /:1:9: There is no server named "files" in settings\./);
  });

  it('has no secret of the server in snapshots and in what it prints', async () => {
    mkdirSync(join(folder, 'secret'));
    const secret = 'fixture-secret-0123456789';
    const tools = [{ name: 'plain', description: `Uses ${secret}.`, inputSchema: { type: 'object' } }];
    const result = { content: [{ type: 'text', text: `It is ${secret}.` }] };
    const answers = { 'tools/list': { tools }, 'tools/call': result };
    const args = Object.entries(answers).map(
      ([method, answer]) => `--answer-at=${method} "result":${JSON.stringify(answer)}`,
    );
    write('secret/a.mcptest.json', {
      server: { command: process.execPath, args: [fixturePath('hostile'), ...args], env: { API_TOKEN: secret } },
      tests: [
        { name: 'the interface', steps: [{ snapshot: 'mcp.snapshot.json' }] },
        { name: 'a result', steps: [{ call: 'plain', expect: { contains: 'other' } }] },
      ],
    });
    const { stdout } = await runs('secret', '--update', '--junit', join(folder, 'secret.xml'));
    assert.match(stdout, /It is •/);
    const texts = [
      stdout,
      ...['secret/mcp.snapshot.json', 'secret.xml'].map(name => readFileSync(join(folder, name), 'utf8')),
    ];
    for (const text of texts) assert.ok(text.length > 0 && !text.includes(secret), text);
  });

  it('writes snapshots of an interface when told to, and finds what has changed since', async () => {
    mkdirSync(join(folder, 'snap'));
    const test = (...flags: string[]) =>
      write('snap/a.mcptest.json', {
        server: { command: process.execPath, args: [fixturePath('hostile'), ...flags] },
        tests: [{ name: 'the interface', steps: [{ snapshot: 'mcp.snapshot.json' }] }],
      });
    test();
    const missing = await runs('snap');
    assert.equal(missing.code, 1);
    assert.match(
      missing.stdout,
      /The snapshot mcp\.snapshot\.json cannot be used: it does not exist\. Run mcptest\.js with --update/,
    );
    if (process.platform !== 'win32') {
      const precious = write('precious', 'as it was');
      symlinkSync(precious, join(folder, 'snap', 'mcp.snapshot.json'));
      const { code, stdout } = await runs('snap', '--update');
      assert.equal(code, 1);
      assert.match(stdout, /mcp\.snapshot\.json was not written, because it is a link/);
      assert.equal(readFileSync(precious, 'utf8'), 'as it was');
      rmSync(join(folder, 'snap', 'mcp.snapshot.json'));
    }
    assert.equal((await runs('snap', '--update')).code, 0);
    assert.equal((await runs('snap')).code, 0);
    test('--block-tool');
    assert.equal((await runs('snap')).code, 0, 'a new tool breaks nothing');
    await runs('snap', '--update');
    test();
    const broken = await runs('snap');
    assert.equal(broken.code, 1);
    assert.match(broken.stdout, /differs from its snapshot: Tool removed: block\./);
    write('snap/mcp.snapshot.json', '{ "version": 2 }');
    assert.match((await runs('snap')).stdout, /cannot be used: it is not a snapshot of version 1\./);
  });

  it('leaves no server behind when it is interrupted', async function () {
    if (process.platform !== 'linux') this.skip(); // looks at /proc
    const hangs = { ...server, args: [...server.args, '--hang-at=tools/call', '--grandchild'] };
    const file = write('hangs.mcptest.json', {
      server: hangs,
      tests: [
        {
          name: 'waits',
          steps: [{ call: 'echo', arguments: { text: 'a' }, expect: { logs: [{ contains: 'never' }] } }],
        },
        { name: 'never begins', steps: [{ list: 'tools' }] },
      ],
    });
    const program = execFile(process.execPath, [inRepository('dist', 'mcptest.js'), file], { cwd: folder });
    let text = '';
    program.stdout?.on('data', data => {
      text += data;
    });
    const ended = new Promise<number | null>(resolve => program.on('close', resolve)); // all was printed
    const below = await waitFor(() => processesBelow(program.pid!), { what: 'the server and its own process' });
    program.kill('SIGINT');
    assert.equal(await ended, 1);
    assert.match(text, /0 passed, 0 failed, 2 skipped\n$/);
    for (const pid of below) await waitFor(() => !processIsAlive(pid), { what: `${pid} to be gone` });
  });

  it('has another exit code when there is nothing to run', async () => {
    mkdirSync(join(folder, 'empty'));
    for (const args of [['empty'], ['--what'], ['no-such-file.mcptest.json']])
      assert.equal((await mcptest(...args)).code, 2, args.join(' '));
    assert.equal((await mcptest('--help')).code, 0);
  });

  it('does not read a file that is too large', async () => {
    const large = write('large.mcptest.json', ' '.repeat(256 * 1024 + 1));
    const { code, stdout } = await runs(large);
    assert.equal(code, 1);
    assert.match(stdout, /The file cannot be read: it is larger than 256 KB/);
  });

  it('writes no report through a link @mcptest.writes-report-through', async function () {
    if (process.platform === 'win32') this.skip();
    const victim = write('victim', 'mine');
    write('linked.mcptest.json', { server, tests: [{ name: 'lists', steps: [{ list: 'tools' }] }] });
    symlinkSync(victim, join(folder, 'linked.xml'));
    const { code, stderr } = await mcptest('linked.mcptest.json', '--junit', 'linked.xml');
    assert.equal(code, 2);
    assert.match(stderr, /linked\.xml was not written, because it is a link/);
    assert.equal(readFileSync(victim, 'utf8'), 'mine');
  });
});
