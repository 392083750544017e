import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { english, phrase } from '../../../../../src/base/phrase';
import { readTestFile } from '../../../../../src/features/authors/core/readTestFile';
import { runTests, type TestFileResult } from '../../../../../src/features/authors/core/runTests';
import { rootsWithin, testedServer } from '../../../../../src/features/authors/core/testServer';
import { DeniedCall, TestClock, UNGUARDED } from '../../../../../src/features/authors/core/testSession';
import { freely } from '../../../../setup/freely';
import { inRepository } from '../../../../setup/paths';
import { whyNot } from '../../../host/sandbox/confined';
import { hostile } from '../../../host/testHost';

const ports = { shellPath: async () => undefined, ...freely };
const path = inRepository('test', 'some.mcptest.json');

interface Given {
  server?: unknown;
  steps?: unknown[];
  tests?: unknown[];
  [key: string]: unknown;
}

/** Runs a file with these steps as its only test, or these tests. */
function run(
  given: Given,
  signal = new AbortController().signal,
  more: Partial<Pick<Parameters<typeof runTests>[1], 'guard' | 'clock' | 'debugger' | 'ports'>> = {},
): Promise<TestFileResult> {
  const { steps, tests = [{ name: 'one', steps }], server = hostile(), ...others } = given;
  const { file, problems } = readTestFile(JSON.stringify({ server, tests, ...others }), path);
  assert.deepEqual(problems, []);
  const tested = testedServer(path, file!, () => undefined);
  assert.ok('definition' in tested, JSON.stringify(tested));
  return runTests(file!, { ports, guard: UNGUARDED, path, signal, definition: tested.definition, ...more });
}

/** The status of each test, with those of its steps and what they failed by. */
const told = ({ tests }: TestFileResult) =>
  tests.map(({ status, failure, steps }) => ({
    status,
    ...(failure && { failure: english(failure.message) }),
    steps: steps.map(step => [step.status, ...step.failures.map(({ message }) => english(message))].join(': ')),
  }));

describe('running tests of a server', () => {
  it('calls, reads, gets and lists, and reports coverage', async () => {
    const result = await run({
      steps: [
        { list: 'tools', expect: { matches: [{ path: '$.tools[*].name', contains: 'echo' }] } },
        { call: 'echo', arguments: { text: 'hello' }, expect: { contains: 'hello' } },
        { read: 'hostile://notes/readme.md' },
      ],
    });
    assert.deepEqual(told(result), [{ status: 'passed', steps: ['passed', 'passed', 'passed'] }]);
    const { tools, resources } = result.coverage;
    assert.deepEqual(tools.used, ['echo']);
    assert.ok(resources.used.includes('hostile://notes/readme.md'), JSON.stringify(resources));
  });

  it('stops a test at its first failure, and continues with the next, on a new server', async () => {
    const result = await run({
      tests: [
        {
          name: 'fails',
          steps: [{ call: 'echo', arguments: { text: 'a' }, expect: { contains: 'b' } }, { list: 'tools' }],
        },
        { name: 'goes on', steps: [{ list: 'tools' }] },
      ],
    });
    assert.deepEqual(told(result), [
      { status: 'failed', steps: ['failed: The text of the result lacks what was expected.', 'skipped'] },
      { status: 'passed', steps: ['passed'] },
    ]);
    const [failure] = result.tests[0]!.steps[0]!.failures;
    assert.equal(failure!.expected, 'b');
  });

  it('fails each test that expects more than the server has, says what, and goes on', async () => {
    const { tests } = await run({
      tests: [
        { name: 'a tool', steps: [{ call: 'gone' }] },
        { name: 'a prompt', steps: [{ get: 'gone' }] },
        { name: 'a resource', steps: [{ read: 'hostile://gone' }] },
        { name: 'items', steps: [{ list: 'tools', expect: { matches: [{ path: '$.tools[*]', count: 999 }] } }] },
        {
          name: 'members',
          steps: [{ call: 'echo', arguments: { text: 'x' }, expect: { structuredContent: { total: 1 } } }],
        },
        { name: 'what it has', steps: [{ call: 'echo', arguments: { text: 'x' } }] },
      ],
    });
    assert.deepEqual(
      tests.map(({ test, status, steps }) => [
        test.name,
        status,
        ...steps[0]!.failures.map(({ message }) => english(message)),
      ]),
      [
        ['a tool', 'failed', 'The request failed: it answered with error -32602, Unknown tool: gone'],
        ['a prompt', 'failed', 'The request failed: it answered with error -32602, Unknown prompt: gone'],
        ['a resource', 'failed', 'The request failed: it answered with error -32002, Resource not found'],
        ['items', 'failed', '$.tools[*]: found 3 values, expected 999.'],
        ['members', 'failed', 'The structured content lacks what was expected.'],
        ['what it has', 'passed'],
      ],
    );
  });

  it('confines a server that the setting selects @runTests.confines-server-setting', async function () {
    if ((await whyNot()) !== undefined) this.skip();
    const wish = join(mkdtempSync('/var/tmp/mcp-host-test-'), 'wish');
    const all = { ...ports, sandbox: { ...freely.sandbox, setting: () => 'all' as const } };
    const server = hostile(`--writes=${wish}`);
    try {
      assert.deepEqual(told(await run({ server, steps: [{ list: 'tools' }] }, undefined, { ports: all })), [
        { status: 'passed', steps: ['passed'] },
      ]);
      assert.ok(!existsSync(wish));
      await run({ server, steps: [{ list: 'tools' }] });
      assert.ok(existsSync(wish));
    } finally {
      rmSync(dirname(wish), { recursive: true });
    }
  });

  it('reports a server that does not start, with its output', async () => {
    const { tests } = await run({ server: hostile('--exit-at-start=3'), steps: [{ list: 'tools' }] });
    assert.match(english(tests[0]!.failure!.message), /^The server did not start: .*code 3/);
    assert.ok(tests[0]!.failure!.actual, 'what it wrote to stderr');
    const missing = await run({ server: { command: 'no-such-program-at-all' }, steps: [{ list: 'tools' }] });
    assert.match(english(missing.tests[0]!.failure!.message), /^The server did not start: /);
  });

  it("shows only the end of a failed server's output", async () => {
    const script = "for (let n = 0; n < 100; n++) console.error(n, 'x'.repeat(10000)); process.exitCode = 1";
    const server = { command: process.execPath, args: ['-e', script], env: { ELECTRON_RUN_AS_NODE: '1' } };
    const { tests } = await run({ server, steps: [{ list: 'tools' }] });
    const lines = tests[0]!.failure!.actual!.split('\n');
    assert.ok(lines.length <= 20 && lines.every(line => line.length <= 310), `${lines.length}`);
    assert.match(lines.join('\n'), /^99 x/m);
  });

  it('ends with a server that never answers, at its start or later', async () => {
    const silent = await run({
      server: { ...hostile('--silent'), timeouts: { startMs: 300 } },
      steps: [{ list: 'tools' }],
    });
    assert.match(english(silent.tests[0]!.failure!.message), /^The server did not start: /);
    const result = await run({
      server: hostile('--hang-at=tools/call'),
      timeoutMs: 200,
      tests: [
        { name: 'hangs', steps: [{ call: 'echo', arguments: { text: 'a' } }, { list: 'tools' }] },
        { name: 'is to hang', steps: [{ call: 'echo', arguments: { text: 'a' }, expect: { error: 'TIMEOUT' } }] },
      ],
    });
    assert.deepEqual(told(result), [
      { status: 'failed', steps: ['failed: There was no answer within 200 ms.', 'skipped'] },
      { status: 'passed', steps: ['passed'] },
    ]);
  });

  it('reports a server that dies during a step, unless the step expects that', async () => {
    const server = hostile('--die-at=tools/call');
    const result = await run({
      server,
      tests: [
        { name: 'dies', steps: [{ call: 'echo', arguments: { text: 'a' } }, { list: 'tools' }] },
        { name: 'is to die', steps: [{ call: 'echo', arguments: { text: 'a' }, expect: { error: 'EXITED' } }] },
      ],
    });
    const [dies, expected] = told(result);
    assert.match(dies!.steps[0]!, /^failed: The request failed: /);
    assert.equal(dies!.steps[1], 'skipped');
    assert.deepEqual(expected, { status: 'passed', steps: ['passed'] });
  });

  it('waits for notifications and log lines, and names missing ones', async () => {
    const server = hostile('--log-beat=20');
    const says = await run({
      server,
      timeoutMs: 20_000,
      steps: [
        {
          list: 'tools',
          expect: { notifications: [{ method: 'notifications/message', params: { level: 'warning' } }] },
        },
        { list: 'tools', expect: { logs: [{ contains: 'slow query', level: 'warning' }] } },
      ],
    });
    const waited = told(says)[0]!;
    if (waited.status !== 'passed') {
      const seen = says.tests[0]!.steps.flatMap(({ failures }) => failures.map(({ actual }) => actual));
      assert.fail(`${JSON.stringify(waited)} ${seen.join().slice(0, 2_000)}`);
    }
    const lacks = await run({
      timeoutMs: 200,
      steps: [
        { list: 'tools', expect: { logs: [{ contains: 'x' }], notifications: [{ method: 'notifications/none' }] } },
      ],
    });
    assert.deepEqual(told(lacks)[0]!.steps, [
      'failed: The notification notifications/none was not received.: No such line was logged.',
    ]);
  });

  it('runs a test in both eras, and fails where the server speaks one', async () => {
    const steps = [{ list: 'tools' }];
    const server = { command: process.execPath, args: [inRepository('dist', 'demo-server.js')] };
    const both = await run({ server, protocol: 'both', steps });
    assert.deepEqual(
      both.tests.map(({ test, status }) => [test.name, status]),
      [
        ['one (legacy)', 'passed'],
        ['one (modern)', 'passed'],
      ],
    );
    const tests = ['legacy', 'modern'].map(protocol => ({ name: protocol, protocol, steps }));
    const [legacy, modern] = told(await run({ tests }));
    assert.equal(legacy!.status, 'passed');
    assert.equal(modern!.failure, 'The server does not speak the modern era.');
  });

  it('answers requests of the server from the file, and fails without an answer', async () => {
    const params = {
      message: 'Your name?',
      requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
    };
    const ask = { call: 'ask', arguments: { params } };
    const elicitation = [{ when: { message: 'Your name?' }, content: { name: 'Ada' } }];
    const result = await run({
      server: hostile('--elicit'),
      tests: [
        {
          name: 'answered',
          answers: { elicitation },
          steps: [{ ...ask, expect: { contains: 'Ada', asked: [{ elicitation: { message: 'Your name?' } }] } }],
        },
        {
          name: 'by a part of the message',
          answers: { elicitation: [{ when: { message: 'name' }, content: { name: 'Ada' } }] },
          steps: [{ ...ask, expect: { contains: 'Ada', asked: ['elicitation', { elicitation: 'Your' }] } }],
        },
        {
          name: 'another was expected',
          answers: { elicitation },
          steps: [{ ...ask, timeoutMs: 1_000, expect: { asked: ['sampling', { elicitation: { message: 'Else' } }] } }],
        },
        { name: 'not answered', answers: { elicitation: [{ when: { message: 'Else?' } }] }, steps: [ask] },
      ],
    });
    const [answered, byPart, another, unanswered] = told(result);
    assert.equal(byPart!.status, 'passed', JSON.stringify(byPart));
    assert.match(another!.steps[0]!, /The server did not ask for this\..*The server did not ask for this\./);
    assert.equal(
      result.tests[2]!.steps[0]!.failures[1]!.actual,
      JSON.stringify([{ elicitation: { message: 'Your name?' } }], null, 2),
    );
    assert.equal(answered!.status, 'passed', JSON.stringify(result.tests[0]!.steps[0]!.failures));
    assert.match(unanswered!.steps[0]!, /The server asked for elicitation, but the file has no answer for that\./);
  });

  it('copes with a server that changes while tests run', async () => {
    const result = await run({
      server: hostile('--drift-at-call'),
      steps: [
        {
          call: 'echo',
          arguments: { text: 'a' },
          expect: { notifications: [{ method: 'notifications/tools/list_changed' }] },
        },
        { list: 'tools' },
        { call: 'echo', arguments: { text: 'b' }, expect: { contains: 'b' } },
      ],
    });
    assert.deepEqual(told(result)[0]!.steps, ['passed', 'passed', 'passed']);
  });

  it('gives each test an empty folder of its own, and removes it', async () => {
    const script = "console.error('in', process.cwd()); require('node:fs').writeFileSync('made', ''); process.exit(1)";
    const server = { command: process.execPath, args: ['-e', script], env: { ELECTRON_RUN_AS_NODE: '1' } };
    const steps = [{ list: 'tools' }];
    const tests = [
      { name: 'a', steps },
      { name: 'b', steps },
    ];
    const result = await run({ server, emptyFolder: true, tests });
    const folders = result.tests.map(({ failure }) => /^in (.*)$/m.exec(failure?.actual ?? '')?.[1] ?? assert.fail());
    for (const folder of folders) assert.ok(!existsSync(folder), folder);
    assert.notEqual(folders[0], folders[1]);
  });

  it('stops when told to: unfinished tests are skipped', async () => {
    const stop = new AbortController();
    const running = run(
      {
        server: hostile('--hang-at=tools/call', '--stderr=1'),
        tests: [
          { name: 'hangs', steps: [{ call: 'echo', arguments: { text: 'a' } }] },
          { name: 'never begins', steps: [{ list: 'tools' }] },
        ],
      },
      stop.signal,
    );
    setImmediate(() => stop.abort());
    assert.deepEqual(told(await running), [
      { status: 'skipped', steps: ['skipped'] },
      { status: 'skipped', steps: ['skipped'] },
    ]);
  });

  it('has a debugger start each server, waits until it is attached, and until it ends', async () => {
    const told: string[] = [];
    const tests = ['a', 'b'].map(name => ({ name, steps: [{ list: 'tools' }] }));
    const result = await run({ tests }, undefined, {
      debugger: {
        debug: async (server, name, attached) => {
          const gone = Promise.withResolvers<void>();
          const follow = server.onDidChangeState(({ kind }) => {
            told.push(`${name} ${kind}`);
            if (kind === 'ready') setImmediate(attached);
            if (kind !== 'ready' && kind !== 'starting') gone.resolve();
          });
          await server.start('a debugger waits for it');
          await gone.promise;
          follow.dispose();
          await turn();
          told.push(`${name} is no longer debugged`);
          return undefined;
        },
      },
    });
    assert.deepEqual(
      result.tests.map(({ status }) => status),
      ['passed', 'passed'],
    );
    assert.deepEqual(
      told,
      ['a', 'b'].flatMap(name =>
        ['starting', 'ready', 'failed', 'is no longer debugged'].map(what => `${name} ${what}`),
      ),
    );
  });

  it('reports why a server could not be debugged, and skips its tests', async () => {
    const why = phrase('the debugger did not attach');
    const result = await run({ steps: [{ list: 'tools' }] }, undefined, { debugger: { debug: async () => why } });
    assert.deepEqual(told(result), [
      {
        status: 'failed',
        failure: 'The server could not be debugged: the debugger did not attach',
        steps: ['skipped'],
      },
    ]);
  });

  it('does not wait for a debugger that never attaches once the run is stopped', async () => {
    const stop = new AbortController();
    const debug = () => {
      setImmediate(() => stop.abort());
      return new Promise<undefined>(() => {});
    };
    const { tests } = await run({ steps: [{ list: 'tools' }] }, stop.signal, { debugger: { debug } });
    assert.equal(tests[0]!.status, 'skipped');
  });

  it('has no limit while a debugger has paused the program', async () => {
    const clock = new TestClock();
    clock.stand(true);
    const result = await run({ steps: [{ call: 'echo', arguments: { text: 'a' }, timeoutMs: 1 }] }, undefined, {
      clock,
    });
    assert.deepEqual(told(result), [{ status: 'passed', steps: ['passed'] }]);
    assert.equal(result.tests[0]!.durationMs, 0);
  });

  it('reports mistakes in the server entry at their place', () => {
    const text = '{ "server": { "command": 1 },\n"tests": [{ "name": "a", "steps": [{ "list": "tools" }] }] }';
    const tested = testedServer(path, readTestFile(text, path).file!, () => undefined);
    assert.ok('problems' in tested);
    assert.deepEqual(
      tested.problems.map(({ place, message }) => [place, english(message)]),
      [[{ line: 0, column: 25 }, '"command" must be a string, but it is a number. Put it in quotes.']],
    );
    const named = testedServer(path, { ...readTestFile(text, path).file!, server: 'gone' }, () => undefined);
    assert.ok(
      'problems' in named && english(named.problems[0]!.message) === 'There is no server named "gone" in settings.',
    );
  });

  it('makes no denied call, and no expectation matches one @runTests.makes-denied-call', async () => {
    const wanted: unknown[] = [];
    const doors: typeof UNGUARDED.doors = open => ({
      ...UNGUARDED.doors(open),
      call: async (server, tool, args, signal) => {
        wanted.push([server.name, tool.name, args]);
        if (args.text === 'denied') throw new DeniedCall(phrase('It is denied.'));
        return UNGUARDED.doors(open).call(server, tool, args, signal);
      },
    });
    const step = (text: string, expect?: object) => ({ call: 'echo', arguments: { text }, ...(expect && { expect }) });
    const result = await run(
      {
        tests: [
          { name: 'one', steps: [step('hello'), step('denied', { error: true }), step('after')] },
          { name: 'two', steps: [step('hello', { contains: 'hello' })] },
        ],
      },
      undefined,
      { guard: { ...UNGUARDED, doors } },
    );
    assert.deepEqual(told(result), [
      { status: 'failed', steps: ['passed', 'failed: It is denied.', 'skipped'] },
      { status: 'passed', steps: ['passed'] },
    ]);
    assert.deepEqual(
      wanted,
      ['hello', 'denied', 'hello'].map(text => ['some', 'echo', { text }]),
    );
  });

  it('checks roots before each test, and does not start a server with a forbidden one @runTests.checks-roots-test', async () => {
    const folder = mkdtempSync(join(dirname(path), 'roots-'));
    mkdirSync(join(folder, 'inside'));
    const root = join(folder, 'root');
    symlinkSync(join(folder, 'inside'), root, 'junction');
    let started = 0;
    const launch = freely.launch.with({
      last: {
        admit: (_, entry) => {
          started++;
          // While the first test runs, somebody leads the root elsewhere.
          rmSync(root);
          symlinkSync(dirname(path), root, 'junction');
          return { entry };
        },
      },
    });
    try {
      const guard = { ...UNGUARDED, rootProblem: rootsWithin([folder]) };
      const tests = ['one', 'two'].map(name => ({ name, steps: [{ list: 'tools' }] }));
      const result = await run({ roots: [root], tests }, undefined, { guard, ports: { ...ports, launch } });
      assert.deepEqual(told(result), [
        { status: 'passed', steps: ['passed'] },
        {
          status: 'failed',
          failure: `The root ${root} is not in a workspace folder.`,
          steps: ['skipped'],
        },
      ]);
      assert.equal(started, 1);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
