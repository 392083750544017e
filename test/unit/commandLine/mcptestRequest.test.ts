import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommandLineError, isRequestKind, requestOnce } from '../../../src/commandLine/mcptestRequest';
import { freePort } from '../../servers/freePort';
import { fixturePath, startScript, waitFor } from '../../servers/spawn';
import { inRepository, remove, temporaryFolder } from '../../setup/paths';
import { type Ended, inThisProcess } from './inThisProcess';

const hostile = (...flags: string[]) => [process.execPath, fixturePath('hostile'), ...flags];

describe('one request with mcptest', () => {
  let folder: string;
  before(() => {
    folder = temporaryFolder();
    const [command, ...args] = hostile();
    const servers = { mine: { command, args }, asks: { command, args: ['${input:key}'] }, wrong: { command: 7 } };
    const inputs = [{ id: 'key', type: 'promptString' }];
    write('.mcp.json', { mcpServers: servers, inputs });
    write('mine.mcptest.json', { server: { command, args }, tests: [{ name: 'a', steps: [{ list: 'tools' }] }] });
    write('named.mcptest.json', { server: 'mine', tests: [{ name: 'a', steps: [{ list: 'tools' }] }] });
    write('other.json', { 'mcpHost.servers': { other: servers.mine } });
    write('broken.mcptest.json', { server: 'mine', tests: 7 });
  });
  after(() => remove(folder));

  const write = (name: string, value: unknown) => writeFileSync(join(folder, name), JSON.stringify(value));
  /** Runs the program as a person does. */
  const mcptest = (args: readonly string[]) =>
    new Promise<Ended>(resolve => {
      const program = [inRepository('dist', 'mcptest.js'), ...args];
      execFile(process.execPath, program, { cwd: folder }, (error, stdout, stderr) =>
        resolve({ code: error ? error.code : 0, stdout, stderr }),
      );
    });
  const request = ([kind, ...args]: readonly string[], env: NodeJS.ProcessEnv = {}) => {
    assert.ok(isRequestKind(kind));
    return inThisProcess(() => requestOnce(kind, args, new AbortController().signal), folder, env);
  };
  const answer = async (...args: string[]) => {
    const { code, stdout, stderr } = await request(args);
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  };

  it('calls a tool, and prints the result as JSON', async () => {
    const { code, stdout, stderr } = await mcptest(['call', 'mine', 'echo', 'text=12']);
    assert.equal(code, 0, stderr);
    assert.deepEqual(JSON.parse(stdout).content, [{ type: 'text', text: '12' }]);
    const object = await answer('call', 'echo', '--args', '{"text":"a b"}', '--', ...hostile());
    assert.deepEqual(object.content, [{ type: 'text', text: 'a b' }]);
  });

  it('reads a resource, gets a prompt, completes an argument and lists', async () => {
    const read = await answer('read', 'mine', 'hostile://notes/readme.md');
    assert.match(read.contents[0].text, /Read me/);
    const got = await answer('get', 'mine', 'greet', 'name=Ada', 'language=7');
    assert.equal(got.messages[0].content.text, 'Greet Ada in 7');
    const completed = await answer('complete', 'mine', 'greet', 'name', 'A');
    assert.deepEqual(completed.completion.values, ['Ada', 'Alan']);
    const template = await answer('complete', 'mine', 'hostile://items/{id}', 'id');
    assert.deepEqual(template.completion.values, ['1', '2', '10']);
    const { tools, ...others } = await answer('list', 'mine', 'tools');
    assert.deepEqual(
      tools.map(({ name }: { name: string }) => name),
      ['echo', 'wait', 'log'],
    );
    assert.deepEqual(others, {});
    assert.deepEqual(Object.keys(await answer('list', 'mine')), ['tools', 'prompts', 'resources', 'resourceTemplates']);
  });

  it('finds its server in settings, in a test file, or at a URL with a header from the environment', async () => {
    for (const server of ['mine.mcptest.json', 'named.mcptest.json'])
      assert.ok((await answer('list', server, 'tools')).tools.length > 0, server);
    assert.ok((await answer('list', 'other', 'tools', '--settings', 'other.json')).tools.length > 0);
    const http = startScript(fixturePath('http'));
    try {
      const line = await waitFor(() => http.stdout.find(text => text.startsWith('listening ')), { what: 'its port' });
      const url = `http://127.0.0.1:${line.split(' ')[1]}/echo-headers`;
      const header = ['--header', 'X-Key: ${env:TEST_KEY}'];
      const { code, stdout, stderr } = await request(['call', url, 'headers', ...header], { TEST_KEY: 'hush' });
      assert.equal(code, 0, stderr);
      assert.match(stdout, /\\"x-key\\":\\"hush\\"/);
    } finally {
      await http.stop();
    }
  });

  const fails = async (code: number, message: RegExp, ...args: string[]) => {
    const result = await (code === 1 ? request(args) : mcptest(args));
    assert.equal(result.code, code, result.stdout + result.stderr);
    assert.match(result.stderr, message);
    assert.equal(result.stdout, '');
  };

  it('names the server, what was done and the remedy when it fails', async () => {
    await fails(
      1,
      /MCP server "mine" could not call nothing: it lists no tool of that name\. Call one of its tools: echo, wait, log\./,
      ...['call', 'mine', 'nothing'],
    );
    await fails(1, /MCP server "mine" could not read hostile:\/\/none: /, 'read', 'mine', 'hostile://none');
    await fails(1, /MCP server "mine" could not get the prompt none: /, 'get', 'mine', 'none');
    await fails(
      1,
      /MCP server "node hostile\.js --exit-at-start=3" could not start: .* \(its process exited with code 3\)\..* --verbose prints all of its output\.\n {2}stderr: Starting/,
      ...['list', '--', ...hostile('--exit-at-start=3')],
    );
    const script = 'console.error("starting"); console.error("Error: boom"); process.exitCode = 3';
    write('boom.json', { 'mcpHost.servers': { boom: { command: process.execPath, args: ['-e', script] } } });
    const { stderr } = await request(['list', 'boom', '--settings', 'boom.json']);
    assert.equal(stderr.split('Error: boom').length, 2, stderr);
    assert.match(stderr, /stderr: starting/);
    await fails(1, /MCP server "no-such-program" could not start: .*no-such-program/, 'list', '--', 'no-such-program');
    const url = `http://127.0.0.1:${await freePort()}/mcp`;
    await fails(1, new RegExp(`MCP server "${url}" could not connect: `), 'list', url);
  });

  it('has another exit code when the command line is wrong, and starts nothing', async () => {
    await fails(2, /MCP server "none" could not start: .*\nmcptest --help says how it is used\./, 'list', 'none');
    const wrong: [RegExp, ...string[]][] = [
      [
        /MCP server "none" could not start: .*\.mcp\.json has no server of that name\. It has mine, asks, wrong\./,
        'list',
        'none',
      ],
      [/MCP server "asks" could not start: it needs inputs of a person\. Use \$\{env:NAME\}/, 'list', 'asks'],
      [/MCP server "wrong" could not start: its entry cannot be used\. "command" must be a string/, 'list', 'wrong'],
      [/broken\.mcptest\.json:\d+: This must be of type array/, 'list', join(folder, 'broken.mcptest.json')],
      [/Which server\?/, 'list'],
      [/"mcptest call" needs the name of a tool after the server\./, 'call', 'mine'],
      [/"toools" is no list: take tools, prompts/, 'list', 'mine', 'toools'],
      [/"x" is no argument: write name=value\./, 'call', 'mine', 'echo', 'x'],
      [/--args is no JSON/, 'call', 'mine', 'echo', '--args', '{'],
      [/--args has to be a JSON object/, 'call', 'mine', 'echo', '--args', '[]'],
      [/Unknown option '--arg'/, 'call', 'mine', 'echo', '--arg', '{}'],
      [/There is no command after "--"\./, 'list', '--'],
      [/--header is for servers given by a URL\./, 'list', 'mine', '--header', 'A: b'],
    ];
    // In this process, because a hundred starts of Node take long.
    for (const [message, kind = '', ...args] of wrong) {
      assert.ok(isRequestKind(kind));
      const at = args.indexOf('--');
      const settings = ['--settings', join(folder, '.mcp.json')];
      const whole = at < 0 ? [...args, ...settings] : [...args.slice(0, at), ...settings, ...args.slice(at)];
      await assert.rejects(requestOnce(kind, whole, new AbortController().signal), (error: Error) => {
        assert.ok(error instanceof CommandLineError, error.stack);
        assert.match(error.message, message);
        return true;
      });
    }
  });

  it('counts the error that a tool reports as a failure, and prints it', async () => {
    const demo = ['--', process.execPath, inRepository('dist', 'demo-server.js')];
    const { code, stdout, stderr } = await mcptest(['call', 'add_note', 'name=../outside', 'text=x', ...demo]);
    assert.equal(code, 1);
    assert.equal(JSON.parse(stdout).isError, true);
    assert.match(stderr, /, call add_note: the tool reports an error\n/);
  });

  it('prints what the server logs when asked to, and what it hides as code points', async () => {
    const { code, stdout, stderr } = await request(['call', 'mine', 'log', 'text=now\n::group::now', '--verbose']);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /\[info\] now\n\[info\] ::group::now\n/);
    assert.doesNotMatch((await request(['call', 'mine', 'log', 'text=now'])).stderr, /now/);
    const hidden = await request(['call', 'mine', 'echo', 'text=a\u202eb\u009bc']);
    assert.ok(hidden.stdout.includes('a\\u202eb\\u009bc'), hidden.stdout);
    assert.equal(JSON.parse(hidden.stdout || stdout).content[0].text, 'a\u202eb\u009bc');
  });
});
