import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runScript, type WantedScript } from '../../../../../src/features/codeMode/core/isolate';
import { DEFAULT_LIMITS, type ScriptLimits } from '../../../../../src/features/codeMode/core/scriptLimits';
import { inRepository, temporaryFolder } from '../../../../setup/paths';

type Call = WantedScript['call'];

const program = inRepository('dist/script-worker.js');
/** Says what it was called with; `fail…` fails. */
const echo: Call = async (name, args) => {
  if (name.startsWith('fail')) throw new Error(`${name} failed`);
  return JSON.stringify({ name, args });
};

function run(
  script: string,
  call: Call = echo,
  limits: Partial<ScriptLimits> = {},
  signal = new AbortController().signal,
) {
  return runScript({ script, call, program, signal, limits: { ...DEFAULT_LIMITS, computeMs: 300_000, ...limits } });
}

describe('an isolated script', () => {
  it('prints what it logs and returns, and gets the results of its calls', async () => {
    const { output, problem } = await run(`
      const { name, args } = await tools.look_up({ words: ['a', 'b'] });
      console.log(name, args.words.length, undefined, null, 1n);
      console.log(new Map([['a', new Set([1])]]), () => 1, new TypeError('no'));
      return { done: true };
    `);
    assert.equal(problem, undefined);
    assert.equal(output, 'look_up 2 undefined null "1"\n{"a":[1]} "[function]" "TypeError: no"\n{"done":true}');
  });

  it('calls tools by any name, also without arguments', async () => {
    const { output } = await run(
      'return [await tools["a-b.c"](), await tools.constructor({ x: 1 }), await tools.__proto__({})]',
    );
    assert.deepEqual(JSON.parse(output), [
      { name: 'a-b.c', args: {} },
      { name: 'constructor', args: { x: 1 } },
      { name: '__proto__', args: {} },
    ]);
  });

  it('reports the line of a failure', async () => {
    const cases: [string, string, number, string][] = [
      ['const a = 1;\nawait tools.fail({});', 'thrown', 2, 'ToolError: fail failed'],
      ['let x;\n\nx.y.z = 1;', 'thrown', 3, 'TypeError'],
      ['const a = 1;\nconst b = ;', 'syntax', 2, 'SyntaxError'],
      ['const a: string = "x"', 'syntax', 1, 'SyntaxError'],
      ['import fs from "fs";', 'syntax', 1, 'SyntaxError'],
      ['\nfetch("https://example.com")', 'thrown', 2, "'fetch' is not defined"],
      ['await tools.a([1])', 'thrown', 1, 'one object'],
      ['const f = async () => {\n  await tools.fail();\n};\nawait f();', 'thrown', 2, 'fail failed'],
    ];
    for (const [script, kind, line, said] of cases) {
      const { problem } = await run(script);
      assert.equal(problem?.kind, kind, script);
      assert.equal(problem.line, line, script);
      assert.ok(problem.message.includes(said), `${script}: ${problem.message}`);
    }
    const { problem } = await run('throw { odd: 1 }');
    assert.deepEqual(problem, { kind: 'thrown', message: '{"odd":1}', line: undefined });
  });

  it('can catch the error of a call, and continue', async () => {
    const { output, problem } = await run('try { await tools.fail({}) } catch (e) { console.log(e.message) } return 2');
    assert.deepEqual({ output, problem }, { output: 'fail failed\n2', problem: undefined });
  });

  it('reaches nothing but tools and console @isolate.reaches-tools-console', async () => {
    const { output } = await run(`
      const names = ['require', 'process', 'module', 'fetch', 'setTimeout', 'setInterval', 'queueMicrotask', 'WebAssembly',
        'Worker', 'Atomics', 'navigator', 'importScripts', 'Buffer', 'vscode', 'std', 'os', 'scriptArgs', 'print'];
      const everywhere = (0, eval)('this');
      const made = tools.x.constructor('return this')();
      const deep = [].constructor.constructor('return typeof process')();
      const own = Object.getOwnPropertyNames(globalThis);
      return [names.filter(name => name in globalThis), everywhere === globalThis, made === globalThis, deep,
        own.filter(name => name === 'tools' || name === 'console')];
    `);
    assert.deepEqual(JSON.parse(output), [[], true, true, 'undefined', ['console', 'tools']]);
    for (const script of [
      'await import("fs")',
      'await import("node:child_process")',
      'await import("data:text/javascript,1")',
    ]) {
      const { problem } = await run(script);
      assert.equal(problem?.kind, 'thrown', script);
    }
  });

  it('affects only itself when it changes globals @isolate.affects-itself-changes', async () => {
    const { output, problem } = await run(
      `
      Object.prototype.polluted = 1;
      JSON.stringify = () => '{"forged":1}';
      Promise.prototype.then = function () { return this; };
      Array.prototype.map = () => ['forged'];
      Map.prototype.get = () => undefined;
      console.log = () => { throw new Error('mine'); };
      const args = JSON.parse('{"__proto__": {"admin": true}, "constructor": 1}');
      tools.a(args);
    `,
      async (name, args) => {
        assert.equal(name, 'a');
        assert.ok(Object.hasOwn(args, '__proto__'), 'a name like any other');
        return '{}';
      },
    );
    // It can no longer wait for its own calls.
    assert.deepEqual({ output, kind: problem?.kind }, { output: '', kind: 'stuck' });
    assert.equal(({} as { polluted?: number }).polluted, undefined);
    assert.equal((await run('return 1')).output, '1');
  });

  it('prints cyclic, odd and throwing values', async () => {
    const { output, problem } = await run(`
      const o = { a: { } }; o.a.o = o;
      console.log(o);
      console.log({ toJSON() { throw new Error('no'); } });
      console.log({ get x() { return 1n; } }, Symbol('s'), [undefined], new Proxy({}, { ownKeys() { throw 1; } }));
      return o;
    `);
    assert.equal(problem, undefined);
    const [first, second, third, last] = output.split('\n');
    assert.equal(first, '{"a":{"o":"[cyclic]"}}');
    assert.match(second!, /^\[cannot be shown: Error: no\]$/);
    assert.match(third!, /^\{"x":"1"\} Symbol\(s\) \[null\] \[cannot be shown/);
    assert.equal(last, first);
  });

  it('prints a bounded amount @isolate.prints-bounded-amount', async () => {
    const { output, problem } = await run('for (let i = 0; i < 1000; i++) console.log("x".repeat(100));', echo, {
      output: 1_000,
    });
    assert.equal(problem, undefined);
    assert.ok(
      output.length < 1_100 && output.endsWith('[Printed too much: the rest is left out.]'),
      output.slice(-100),
    );
  });

  it('is stopped in an endless loop @isolate.stopped-endless-loop', async () => {
    const brief = { computeMs: 20 };
    const endless = [
      'try { for (;;); } catch { for (;;); } finally { for (;;); }',
      'async function f() { for (;;) await null; } await f();',
      '(function f() { Promise.resolve().then(f); })()',
      '/(a+)+$/.test("a".repeat(64) + "b")',
      'await tools.a({}); for (;;);',
      'return { toJSON() { for (;;); } }',
      'new Proxy({}, { get() { for (;;); } }).x',
    ];
    for (const script of endless) {
      const { problem } = await run(`console.log('begun');\n${script}`, echo, brief);
      assert.equal(problem?.kind, 'time', `${script}: ${JSON.stringify(problem)}`);
    }
    const { output, problem } = await run("console.log('begun'); for (;;);", echo, { computeMs: 400 });
    assert.deepEqual([output, problem?.kind], ['begun', 'time']);
  });

  it('is stopped when it uses too much memory or recursion @isolate.stopped-uses-too', async () => {
    const limits = { memoryBytes: 8 * 1024 * 1024 };
    const cases: [string, RegExp][] = [
      ['const a = []; for (;;) a.push(new Uint8Array(100000));', /memory/],
      ['const m = new Map(); for (let i = 0; ; i++) m.set(i, { i })', /memory/],
      ['new Uint8Array(2 ** 30)', /memory/],
      ['const a = new ArrayBuffer(64 * 1024 * 1024); return a.byteLength', /memory/],
      ['function f() { return f() + 1; } f()', /depth/],
      ['JSON.parse("[".repeat(1000000))', /depth/],
      ['new RegExp("(".repeat(100000))', /thrown/],
      ['eval("(".repeat(100000))', /depth/],
    ];
    for (const [script, kind] of cases) {
      const { problem } = await run(script, echo, limits);
      assert.match(problem?.kind ?? 'none', kind, `${script}: ${JSON.stringify(problem)}`);
    }
    const many = 'const a = []; try { for (;;) a.push(new Uint8Array(100000)); } catch { return a.length; }';
    const { output } = await run(many, echo, limits);
    // What the engine begins with counts besides.
    assert.ok(Number(output) > 0 && Number(output) <= 240, `${output} blocks`);
  });

  it('may use 64 MB unless told otherwise', async () => {
    const megabytes = (count: number) => run(`return new ArrayBuffer(${count} * 1024 * 1024).byteLength`);
    assert.equal((await megabytes(60)).problem, undefined);
    assert.equal((await megabytes(65)).problem?.kind, 'memory');
  });

  it('ends when it waits for a promise that nothing can settle', async () => {
    const { problem } = await run('await new Promise(() => {})');
    assert.equal(problem?.kind, 'stuck');
  });

  it('may wait for a call without a time limit', async () => {
    const asked = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<string>();
    const ask: Call = () => {
      asked.resolve();
      return answered.promise;
    };
    let isEnded = false;
    const ended = run('return await tools.ask({})', ask, { computeMs: 700 });
    void ended.then(() => (isEnded = true));
    await asked.promise;
    // Longer than it may compute: another script uses up the time.
    assert.equal((await run('for (;;);', echo, { computeMs: 900 })).problem?.kind, 'time');
    assert.ok(!isEnded);
    answered.resolve('{"yes":1}');
    assert.equal((await ended).output, '{"yes":1}');
  });

  it('makes at most a hundred calls at once @isolate.makes-hundred-calls', async () => {
    let calls = 0;
    const counted: Call = async (_name, args) => {
      calls++;
      return JSON.stringify(args);
    };
    const at = (
      count: number,
    ) => `const all = await Promise.all(Array.from({ length: ${count} }, (_, i) => tools.a({ i })));
      return all.reduce((sum, { i }) => sum + i, 0);`;
    assert.equal((await run(at(100), counted)).output, '4950');
    calls = 0;
    assert.equal((await run(at(101), counted)).problem?.kind, 'calls');
    assert.ok(calls <= 100);
    calls = 0;
    const { problem } = await run('for (;;) try { await tools.fail({}) } catch {}', async () => {
      calls++;
      throw new Error('denied');
    });
    assert.equal(problem?.kind, 'calls');
    assert.equal(calls, 100);
  });

  it('waits at its end for calls that were not awaited', async () => {
    const made: unknown[] = [];
    const { output, problem } = await run(
      'tools.a({ n: 1 }); tools.a({ n: 2 }).then(() => console.log("later")); return 0',
      async (_, args) => {
        made.push(args.n);
        return '{}';
      },
    );
    assert.deepEqual({ output, problem, made }, { output: '0\nlater', problem: undefined, made: [1, 2] });
  });

  it('neither receives nor sends oversized values @isolate.neither-receives-sends', async () => {
    const limits = { args: 100, result: 100 };
    const script = 'try { await tools.a({ x: "x".repeat(%) }) } catch (e) { return e.message }';
    assert.match((await run(script.replace('%', '1000'), echo, limits)).output, /arguments have 1009 characters/);
    const named = 'try { await tools["n".repeat(1000)]({}) } catch (e) { return e.message }';
    assert.match((await run(named, echo, limits)).output, /arguments have 1002 characters/);
    const long: Call = async () => JSON.stringify('y'.repeat(1_000));
    assert.match((await run(script.replace('%', '1'), long, limits)).output, /result has 1002 characters/);
  });

  it('stops when told to, whatever it does @isolate.stops-told', async () => {
    for (const script of ['for (;;);', 'await tools.never({})', 'for (;;) await tools.a({})']) {
      const stop = new AbortController();
      const ended = run(
        `await tools.begin({}); ${script}`,
        name => {
          if (name === 'begin') setImmediate(() => stop.abort());
          return name === 'never' ? new Promise(() => undefined) : Promise.resolve('{}');
        },
        { computeMs: 60_000, calls: 1_000_000 },
        stop.signal,
      );
      assert.equal((await ended).problem?.kind, 'stopped', script);
    }
    const { problem } = await run('return 1', echo, {}, AbortSignal.abort());
    assert.equal(problem?.kind, 'stopped');
  });

  it('affects nothing else when its process crashes or hangs @isolate.affects-else-process', async () => {
    const folder = temporaryFolder();
    const start = (text: string) => {
      const file = join(folder, 'worker.cjs');
      writeFileSync(file, text);
      const limits = { ...DEFAULT_LIMITS, computeMs: -4_900 };
      return runScript({ script: '', call: echo, program: file, limits, signal: new AbortController().signal });
    };
    assert.equal((await start('throw new Error("gone")')).problem?.kind, 'crashed');
    assert.equal((await start('process.exit(3)')).problem?.kind, 'crashed');
    // What V8 does where it finds itself broken.
    assert.equal((await start('process.abort()')).problem?.kind, 'crashed');
    const hangs = 'process.send({ type: "ready" }, () => { for (;;); });';
    assert.equal((await start(hangs)).problem?.kind, 'time');
    // Gigabytes of fractions, in which the collector has nothing to follow.
    assert.equal((await start('const a = []; for (;;) a.push(new Array(1e6).fill(0.5))')).problem?.kind, 'crashed');
    const missing = { script: '', call: echo, program: join(folder, 'none.js'), limits: DEFAULT_LIMITS };
    assert.equal((await runScript({ ...missing, signal: new AbortController().signal })).problem?.kind, 'crashed');
  });
});
