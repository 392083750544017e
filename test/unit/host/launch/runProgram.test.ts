import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { english } from '../../../../src/base/phrase';
import { runProgram } from '../../../../src/host/launch/runProgram';

describe('a program that is run to its end', () => {
  const run = async (script: string, limits: { timeoutMs?: number; signal?: AbortSignal } = {}) => {
    const lines: string[] = [];
    const why = await runProgram({
      commandLine: `"${process.execPath}" -e '${script}'`,
      cwd: tmpdir(),
      shellPath: undefined,
      clearOf: [],
      timeoutMs: 60_000,
      signal: new AbortController().signal,
      onLine: line => lines.push(line),
      ...limits,
    });
    return { why: why && english(why), lines };
  };

  it('succeeds when it ends with 0, and is heard in both its outputs', async () => {
    const { why, lines } = await run('console.log("one"); console.error("two")');
    assert.equal(why, undefined);
    assert.deepEqual(lines.sort(), ['one', 'two']);
  });

  it('fails with its code', async () => {
    assert.equal((await run('process.exit(4)')).why, 'it ended with code 4');
  });

  it('fails when it is not there, in words', async () => {
    const none = { cwd: tmpdir(), shellPath: undefined, clearOf: [], timeoutMs: 60_000, onLine: () => {} };
    const { signal } = new AbortController();
    const why = await runProgram({ ...none, signal, commandLine: 'no-such-program-of-ours --all' });
    assert.equal(why && english(why), 'no-such-program-of-ours was not found');
  });

  it('runs in no shell', async () => {
    const { lines } = await run('console.log(process.argv.slice(1).join())\' "&&" "$HOME;" \'');
    assert.deepEqual(lines, ['&&,$HOME;,']);
  });

  it('ends with all that it has started when it is cancelled', async () => {
    const cancel = new AbortController();
    const script =
      'require("child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "inherit" }); console.log("up"); setInterval(() => {}, 1000)';
    const lines: string[] = [];
    const why = await runProgram({
      commandLine: `"${process.execPath}" -e '${script}'`,
      cwd: tmpdir(),
      shellPath: undefined,
      clearOf: [],
      timeoutMs: 60_000,
      signal: cancel.signal,
      onLine: line => {
        lines.push(line);
        cancel.abort();
      },
    });
    assert.equal(why, undefined);
    assert.deepEqual(lines, ['up']);
  });
});
