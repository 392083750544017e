import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { english } from '../../../../src/base/phrase';
import { resolveDefinitions } from '../../../../src/host';
import { runProgram } from '../../../../src/host/sandbox/runProgram';
import { freely } from '../../../setup/freely';
import { itsServer } from '../../../setup/itsServer';
import { onlyWhereConfined } from './confined';

const { definition, ports } = itsServer;
const admitted = () => ports.launch.admit(definition, 'build');

describe('a program that is run to its end', () => {
  const run = async (script: string, limits: { timeoutMs?: number; signal?: AbortSignal } = {}) => {
    const lines: string[] = [];
    const why = await runProgram({
      commandLine: `"${process.execPath}" -e '${script}'`,
      cwd: tmpdir(),
      admitted: await admitted(),
      ports,
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
    const none = { admitted: await admitted(), ports, cwd: tmpdir(), timeoutMs: 60_000, onLine: () => {} };
    const { signal } = new AbortController();
    const why = await runProgram({ ...none, signal, commandLine: 'no-such-program-of-ours --all' });
    assert.equal(why && english(why), 'no-such-program-of-ours was not found');
  });

  it('runs in no shell @runProgram.runs-shell', async () => {
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
      admitted: await admitted(),
      ports,
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

describe('the build of a server', () => {
  before(onlyWhereConfined);

  // Not in the temporary folder, of which a sandbox has its own.
  const folder = mkdtempSync('/var/tmp/mcp-host-build-');
  const [project, outside] = [join(folder, 'project'), join(folder, 'outside')];
  beforeEach(() => {
    for (const path of [project, outside]) mkdirSync(path, { recursive: true });
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** Which files a build could write that tries both. */
  async function writes(entry: object, setting: 'off' | 'all' = 'off'): Promise<string[]> {
    for (const path of [project, outside]) rmSync(join(path, 'built'), { force: true });
    const value = { own: { command: 'node', cwd: project, ...entry } };
    const variables = { workspaceFolders: {}, userHome: folder, env: () => undefined, config: () => undefined };
    const [built] = resolveDefinitions([{ source: { scope: 'user' }, value, variables }]).definitions;
    const script = `for (const at of ["${project}", "${outside}"]) try { require("fs").writeFileSync(at + "/built", "") } catch {}`;
    const why = await runProgram({
      admitted: await ports.launch.admit(built!, 'build'),
      ports: { ...ports, sandbox: { ...freely.sandbox, setting: () => setting } },
      commandLine: `"${process.execPath}" -e '${script}'`,
      cwd: project,
      timeoutMs: 60_000,
      signal: new AbortController().signal,
      onLine: () => {},
    });
    assert.equal(why && english(why), undefined);
    return [project, outside].filter(path => existsSync(join(path, 'built'))).map(path => basename(path));
  }

  it('is confined like the server, whatever that may write: to the folder that it runs in @runProgram.confined-like-server', async () => {
    assert.deepEqual(await writes({}), ['project', 'outside']);
    assert.deepEqual(await writes({ sandbox: true }), ['project']);
    assert.deepEqual(await writes({ sandbox: { write: [] } }), ['project']);
    assert.deepEqual(await writes({}, 'all'), ['project']);
  });

  it('has rules of its own in "dev", which also confine it where the server is free @runProgram.rules-dev-confine', async () => {
    const dev = (write: string[]) => ({ dev: { watch: '*.ts', build: 'x', sandbox: { write } } });
    assert.deepEqual(await writes(dev([outside])), ['outside']);
    assert.deepEqual(await writes({ sandbox: true, ...dev([project, outside]) }), ['project', 'outside']);
  });
});
