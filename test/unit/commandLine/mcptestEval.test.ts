import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { evaluateOnce } from '../../../src/commandLine/mcptestEval';
import { CommandLineError } from '../../../src/commandLine/mcptestRequest';
import { fixturePath } from '../../servers/spawn';
import { inRepository, temporaryFolder } from '../../setup/paths';
import { type Ended, inThisProcess } from './inThisProcess';

interface Asked {
  readonly headers: IncomingMessage['headers'];
  readonly url: string | undefined;
  readonly body: {
    model: string;
    messages: { content: string }[];
    tools: { type: string; function: { name: string; description: string; parameters: object } }[];
  };
}

describe('mcptest eval', () => {
  let folder: string;
  let endpoint: Server;
  let address: string;
  let asked: Asked[];
  let answer: (request: Asked, response: ServerResponse) => void;
  const write = (name: string, value: unknown) => {
    const file = join(folder, name);
    writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value));
    return file;
  };
  const say = (response: ServerResponse, message: object, status = 200) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ choices: [{ message }] }));
  };
  const toCall = (name: string, args: object) => ({
    role: 'assistant',
    tool_calls: [{ type: 'function', function: { name, arguments: JSON.stringify(args) } }],
  });

  before(async () => {
    folder = temporaryFolder();
    const server = { command: process.execPath, args: [fixturePath('hostile')] };
    write('mcp.json', { mcpServers: { notes: server } });
    write(
      'q.mcpeval.yaml',
      `questions:
  - { question: Say hi, expect: echo, arguments: { text: hi } }
  - { question: Wait a second, expect: wait }
  - { question: Nice weather, expect: none }
  - { question: Note it down, expect: log }
`,
    );
    write('script.yaml', {
      answers: [
        { question: 'Say hi', tool: 'echo', arguments: { text: 'hi', loud: true } },
        { question: 'Wait a second', tool: 'echo', arguments: { text: 'wait' } },
        { question: 'Nice weather', tool: 'none' },
      ],
    });
    endpoint = createServer((request, response) => {
      let text = '';
      request.on('data', data => {
        text += data;
      });
      request.on('end', () => {
        const seen = { headers: request.headers, url: request.url, body: JSON.parse(text) };
        asked.push(seen);
        answer(seen, response);
      });
    });
    await new Promise<void>(resolve => endpoint.listen(0, '127.0.0.1', resolve));
    address = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}`;
  });
  beforeEach(() => {
    asked = [];
  });
  after(() => {
    endpoint.close();
    endpoint.closeAllConnections();
  });

  /** Runs the program as a person does. */
  const mcptest = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
    new Promise<Ended>(resolve => {
      const options = { cwd: folder, env: { ...process.env, ...env } };
      const program = [inRepository('dist', 'mcptest.js'), 'eval', ...args];
      execFile(process.execPath, program, options, (error, stdout, stderr) =>
        resolve({ code: error ? error.code : 0, stdout, stderr }),
      );
    });
  const evaluate = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
    inThisProcess(() => evaluateOnce(args, new AbortController().signal), folder, env);
  const scripted = ['q.mcpeval.yaml', 'notes', '--scripted', 'script.yaml'];
  const model = () => ['q.mcpeval.yaml', 'notes', '--endpoint', `${address}/v1`, '--model', 'tiny'];

  it('compares answers of a script with a threshold', async () => {
    const passed = await evaluate([...scripted, '--threshold', '0.5']);
    assert.equal(passed.code, 0, passed.stderr);
    assert.equal(
      passed.stdout,
      `✓ Say hi → echo
✗ Wait a second
    expected wait, chose echo {"text":"wait"}
✓ Nice weather → none
✗ Note it down
    script.yaml has no answer to "Note it down".
2 of 4 right (50 %, 50 % needed): tools of notes, chosen by script.yaml
`,
    );
    assert.equal((await evaluate([...scripted, '--threshold', '51%'])).code, 1);
    assert.equal((await evaluate(scripted)).code, 1, 'without a threshold, all have to be right');
  });

  it('asks an endpoint with the tools of the server, and calls none of them', async () => {
    answer = ({ body: { messages, tools } }, response) => {
      const named = (end: string) => tools.find(one => one.function.name.endsWith(end))?.function.name ?? 'invented';
      const question = messages[0]?.content;
      if (question === 'Say hi') say(response, toCall(named('echo'), { text: 'ho' }));
      else if (question === 'Nice weather') say(response, { role: 'assistant', content: 'Yes.' });
      else say(response, toCall(named(question === 'Wait a second' ? 'wait' : 'log'), {}));
    };
    const args = [...model(), '--key-env', 'TEST_MODEL_KEY', '--threshold', '75%', '--json'];
    const { code, stdout, stderr } = await mcptest(args, { TEST_MODEL_KEY: 'sk-test' });
    assert.equal(code, 0, stderr);
    const { questions, ...summary } = JSON.parse(stdout);
    const { host } = new URL(address);
    assert.deepEqual(summary, {
      model: `tiny at ${host}`,
      server: 'notes',
      ...{ threshold: 0.75, score: 0.75, right: 3, total: 4, passed: true },
    });
    assert.deepEqual(questions[0], {
      question: 'Say hi',
      ...{ expected: 'echo', isRight: false, chosen: 'echo', arguments: { text: 'ho' } },
    });
    assert.equal(asked.length, 4);
    for (const { headers, url, body } of asked) {
      assert.deepEqual([url, headers.authorization, body.model], ['/v1/chat/completions', 'Bearer sk-test', 'tiny']);
      assert.equal(body.tools.length, 3);
      assert.ok(body.tools.every(one => one.type === 'function' && one.function.description !== ''));
    }
    assert.ok(!stdout.includes('sk-test'));
  });

  it('sends no key that nobody named, and none in plain text to another machine', async () => {
    answer = (_, response) => say(response, { content: 'no' });
    await evaluate([...model(), '--threshold', '0'], { OPENAI_API_KEY: 'sk-mine' });
    assert.deepEqual(new Set(asked.map(({ headers }) => headers.authorization)), new Set([undefined]));
    const plain = ['q.mcpeval.yaml', 'notes', '--endpoint', 'http://models.example/v1', '--model', 'x'];
    const { code, stderr } = await mcptest([...plain, '--key-env', 'TEST_MODEL_KEY'], { TEST_MODEL_KEY: 'k' });
    assert.equal(code, 2);
    assert.match(stderr, /The key would go to models\.example in plain text\. Use an https: address\./);
  });

  it('stops asking after an answer that all others would get, and follows no redirect', async () => {
    answer = (_, response) => response.writeHead(401).end('no key');
    const refused = await evaluate(model());
    assert.equal(refused.code, 1);
    assert.match(
      refused.stdout,
      /at 127\.0\.0\.1:\d+ could not answer: HTTP 401, "no key"\. Name the variable .* --key-env\./,
    );
    assert.match(refused.stdout, /It was not asked\.\n0 of 4 right/);
    assert.ok(asked.length <= 2);
    asked = [];
    answer = (_, response) => response.writeHead(307, { location: `${address}/elsewhere` }).end();
    assert.equal((await evaluate([...model(), '--key-env', 'K'], { K: 'k' })).code, 1);
    assert.ok(asked.every(({ url }) => url === '/v1/chat/completions'));
  });

  it('counts answers that are none, too large or in no known form as wrong', async () => {
    const bodies = [
      '<html>',
      '{}',
      `{"choices":"${'x'.repeat(1024 * 1024)}"}`,
      '{"choices":[{"message":{"tool_calls":[7]}}]}',
    ];
    answer = ({ body }, response) => {
      const at = ['Say hi', 'Wait a second', 'Nice weather', 'Note it down'].indexOf(body.messages[0]?.content ?? '');
      response.end(bodies[at]);
    };
    const { code, stdout } = await evaluate(model());
    assert.equal(code, 1);
    assert.equal(stdout.match(/the answer is no chat completion\. Check --endpoint\./g)?.length, 3);
    assert.match(stdout, /the answer is larger than 1 MB\. Check --endpoint\./);
    assert.match(stdout, /0 of 4 right/);
  });

  it('takes the tools of a snapshot, without a server', async () => {
    const one = { inputSchema: { type: 'object' } };
    const tools = { echo: one, wait: one, log: one };
    write('mcp.snapshot.json', { version: 1, tools, prompts: {}, resourceTemplates: {} });
    const args = ['q.mcpeval.yaml', '--snapshot', 'mcp.snapshot.json', '--scripted', 'script.yaml', '--threshold', '0'];
    const { code, stdout, stderr } = await evaluate(args);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /tools of mcp\.snapshot\.json/);
  });

  it('has another exit code when the command line or a file is wrong', async () => {
    write('unknown.mcpeval.yaml', 'questions:\n  - { question: x, expect: drop }\n');
    write('bad.mcpeval.yaml', 'questions: 7\n');
    write('bad.yaml', 'answers: [{ question: 7 }]\n');
    const wrong: [RegExp, ...string[]][] = [
      [/needs a file of questions and a server/],
      [/none\.mcpeval\.yaml cannot be read: /, 'none.mcpeval.yaml', 'notes', '--scripted', 'script.yaml'],
      [/bad\.mcpeval\.yaml:1:12: /, 'bad.mcpeval.yaml', 'notes', '--scripted', 'script.yaml'],
      [
        /unknown\.mcpeval\.yaml:2: "notes" offers models no tool named "drop"/,
        'unknown.mcpeval.yaml',
        ...scripted.slice(1),
      ],
      [/bad\.yaml, answer 1: it needs "question" and "tool"/, 'q.mcpeval.yaml', 'notes', '--scripted', 'bad.yaml'],
      [/Which model\?/, 'q.mcpeval.yaml', 'notes'],
      [/Which model\?/, 'q.mcpeval.yaml', 'notes', '--endpoint', 'http://127.0.0.1/v1'],
      [/"nowhere" is no address of a model/, 'q.mcpeval.yaml', 'notes', '--endpoint', 'nowhere', '--model', 'x'],
      [/--threshold is a share/, ...scripted, '--threshold', '2'],
      [/--threshold is a share/, ...scripted, '--threshold', 'high'],
      [/has no variable NO_SUCH_KEY/, ...model(), '--key-env', 'NO_SUCH_KEY'],
      [/has no server of that name/, 'q.mcpeval.yaml', 'other', '--scripted', 'script.yaml'],
      [/could not start/, 'q.mcpeval.yaml', '--scripted', 'script.yaml', '--', 'no-such-program-at-all'],
    ];
    const settings = ['--settings', join(folder, 'mcp.json')];
    const { signal } = new AbortController();
    // In this process, because a dozen starts of Node take long.
    for (const [message, ...args] of wrong) {
      const placed = args.map(word => (/^[^/]*\.(yaml|json)$/.test(word) ? join(folder, word) : word));
      await assert.rejects(evaluateOnce([...settings, ...placed], signal), (error: Error) => {
        assert.ok(error instanceof CommandLineError, error.stack);
        assert.match(error.message, message);
        return true;
      });
    }
    const { code, stderr } = await mcptest(['q.mcpeval.yaml', 'notes']);
    assert.equal(code, 2);
    assert.match(stderr, /^Which model\?.*\nmcptest --help says how it is used\.\n$/);
  });
});
