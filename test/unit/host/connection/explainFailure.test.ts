import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ProtocolError, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import { PhraseError, phrase } from '../../../../src/base/phrase';
import { faultOf, httpStatus } from '../../../../src/host/connection/errorFacts';
import { type Circumstances, explain } from '../../../../src/host/connection/explainFailure';
import { resolveDefinitions } from '../../../../src/host/definitions';
import type { ServerEntry } from '../../../../src/host/settings';
import { refusedWithSession } from '../../../../src/host/transport/httpFaults';

type StdioEntry = Extract<ServerEntry, { type: 'stdio' }>;

function circumstances(entry: object, more: Partial<Circumstances> = {}): Circumstances {
  const variables = { workspaceFolders: [], userHome: '/', env: () => undefined, config: () => undefined };
  const source = { scope: 'user' } as const;
  const [definition] = resolveDefinitions([{ source, value: { one: entry }, variables }]).definitions;
  assert.ok(definition?.entry);
  return { definition, action: phrase('start'), limit: 'startMs', ...more };
}

const failed = (code: string) => Object.assign(new Error(`spawn ${code}`), { code });

describe('explainFailure', () => {
  const program = { command: 'no-such', cwd: process.cwd() };

  it('gives a missing command and a missing folder their own codes', () => {
    const missing = explain(failed('ENOENT'), circumstances(program));
    assert.deepEqual([missing.code, missing.reason], ['COMMAND_NOT_FOUND', 'command not found: no-such']);
    assert.deepEqual(missing.phrases.reason, phrase('command not found: {0}', 'no-such'));
    assert.equal(
      explain(failed('ENOENT'), circumstances({ command: 'x', cwd: '/no/such/folder' })).code,
      'FOLDER_NOT_FOUND',
    );
    assert.equal(explain(failed('EACCES'), circumstances(program)).code, 'SPAWN_FAILED');
    assert.equal(explain(failed('EMFILE'), circumstances(program)).code, 'SPAWN_FAILED');
  });

  it('suggests the command that a mistyped one is meant to be', () => {
    const { code, message } = explain(failed('ENOENT'), circumstances({ command: 'uvxx', cwd: process.cwd() }));
    assert.equal(code, 'COMMAND_NOT_FOUND');
    assert.match(message, /could not start: command not found: uvxx; did you mean "uvx"\? Check "command"/);
    const reasonOf = (command: string) => explain(failed('ENOENT'), circumstances({ ...program, command })).reason;
    assert.match(reasonOf('pyhton'), /did you mean "python"\?$/);
    assert.equal(reasonOf('uvx'), 'command not found: uvx');
    assert.equal(reasonOf('codex'), 'command not found: codex');
  });

  it('says that packages are not installed, where Node lacks a module in a folder without any', async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'mcp-uninstalled-')));
    try {
      const run = { command: process.execPath, args: ['dist/server.js'], cwd: folder };
      const { stderr } = spawnSync(run.command, run.args, { cwd: folder, encoding: 'utf8' });
      const exit = { code: 1, signal: null };
      const ended = (more: Partial<Circumstances> = {}) =>
        explain(new Error(), circumstances(run, { exit, stderrTail: stderr.split('\n'), ...more }));
      assert.equal(ended().code, 'SCRIPT_NOT_FOUND', 'nothing says that it is a package');
      await writeFile(join(folder, 'package.json'), '{}');
      const { code, reason, remedy } = ended();
      assert.deepEqual([code, reason], ['NOT_INSTALLED', `packages are not installed in ${folder}`]);
      assert.equal(remedy, 'Run npm install in that folder, then start it.');
      assert.deepEqual(ended().packages, { command: 'npm install', folder });
      assert.equal(ended({ stderrTail: ['Error: no token'] }).code, 'EXITED');
      assert.equal(ended({ stderrTail: [`Error: Cannot find module '${__filename}s'`] }).code, 'EXITED', 'not its own');
      const imported = `Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'tsx' imported from ${folder}/`;
      assert.equal(ended({ stderrTail: [imported] }).code, 'NOT_INSTALLED');
      assert.equal(ended({ limit: 'requestMs' }).code, 'EXITED', 'it has run');
      await writeFile(join(folder, 'yarn.lock'), '');
      assert.equal(ended({ stderrTail: [imported] }).code, 'EXITED', 'npm does not install them');
      await rm(join(folder, 'yarn.lock'));
      await mkdir(join(folder, 'node_modules'));
      assert.equal(ended({ stderrTail: [imported] }).code, 'EXITED', 'they are installed');
      assert.equal(ended().code, 'SCRIPT_NOT_FOUND');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('says to connect directly where mcp-remote cannot reach a server of 2026-07-28 only', () => {
    const url = 'https://example.com/mcp';
    const refusal = 'Fatal error: SdkHttpError: Error POSTing to endpoint: {"error":{"code":-32022,"message":"no"}}';
    const end = (args: string[], line: string) =>
      explain(
        new Error(),
        circumstances({ command: 'npx', args }, { exit: { code: 1, signal: null }, stderrTail: [line] }),
      );
    const { reason, remedy } = end(['-y', 'mcp-remote@latest', url], refusal);
    assert.equal(reason, "mcp-remote can't reach servers that speak 2026-07-28 only");
    assert.match(remedy ?? '', /"url": "https:\/\/example\.com\/mcp"/);
    assert.doesNotMatch(end(['mcp-remote', url], 'Fatal error: refused').reason, /2026/);
    assert.doesNotMatch(end(['other', url], refusal).reason, /2026-07-28 only/);
  });

  describe('with a file of the server that is missing', () => {
    const exit = { code: 1, signal: null };
    let folder: string;
    beforeEach(async () => {
      folder = await realpath(await mkdtemp(join(tmpdir(), 'mcp-missing-')));
    });
    afterEach(() => rm(folder, { recursive: true, force: true }));
    /** What it is told when it ends at its start, configured in user settings, with this output or its own. */
    const ended = (entry: { command: string; args?: string[]; [field: string]: unknown }, output?: string) => {
      const variables = { workspaceFolders: [], userHome: folder, env: () => undefined, config: () => undefined };
      const [definition] = resolveDefinitions([
        { source: { scope: 'user' }, value: { one: entry }, variables, ownFolders: join(folder, 'ours') },
      ]).definitions;
      assert.ok(definition?.entry?.type === 'stdio');
      const { command, args, cwd } = definition.entry;
      mkdirSync(cwd!, { recursive: true });
      const stderr = output ?? spawnSync(command, args, { cwd, encoding: 'utf8' }).stderr;
      const stderrTail = stderr.split('\n').filter(line => line.trim());
      return explain(new Error(), { definition, action: phrase('start'), limit: 'startMs', exit, stderrTail });
    };

    it('names its script, and the fields that decide where it is looked for', () => {
      const command = process.execPath;
      const own = ended({ command, args: ['--no-warnings', './build/index.js'] });
      assert.equal(own.code, 'SCRIPT_NOT_FOUND');
      assert.match(
        own.reason,
        /^script not found: \.\/build\/index\.js; without "cwd", the server runs in an empty folder$/,
      );
      assert.match(own.remedy ?? '', /^In user settings, give the full path of the script, or set "cwd"/);
      assert.ok(!own.message.includes(join(folder, 'ours')), own.message);
      const inFolder = ended({ command, args: ['build/index'], cwd: folder });
      assert.equal(inFolder.reason, `script not found: build/index, looked for at ${join(folder, 'build', 'index')}`);
      assert.match(inFolder.remedy ?? '', /^Build it, or correct "args" or "cwd"/);
      const full = ended({ command, args: [join(folder, 'index.mjs')] });
      assert.equal(full.reason, `script not found: ${join(folder, 'index.mjs')}`);
    });

    const OTHERS: [interpreter: string, args: string[], output: string][] = [
      ['Python', ['-u', 'server.py'], "python3: can't open file '/x/server.py': [Errno 2] No such file or directory"],
      ['tsx', ['src/index.ts'], "Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/x/src/index.ts' imported from /x/"],
      ['Deno', ['run', '-A', 'server.ts'], 'error: Module not found "file:///x/server.ts".'],
      ['Bun', ['run', './server.ts'], 'error: Module not found "./server.ts"'],
      ['Java', ['-jar', 'server.jar'], 'Error: Unable to access jarfile server.jar'],
      ['.NET', ['bin/server.dll'], "The application to execute does not exist: '/x/bin/server.dll'."],
      ['a shell', ['./start.sh'], 'sh: 0: cannot open ./start.sh: No such file'],
    ];
    for (const [interpreter, args, output] of OTHERS)
      it(`names the script of ${interpreter}`, () => {
        const { code, reason } = ended({ command: 'x', args, cwd: folder }, output);
        assert.equal(code, 'SCRIPT_NOT_FOUND');
        assert.match(reason, /^script not found: .*, looked for at /);
      });

    it('does not take packages and other arguments for scripts', () => {
      const missing = "npm error 404  '@acme/chart.js@*' is not in this registry.";
      assert.equal(ended({ command: 'npx', args: ['-y', '@acme/chart.js'] }, missing).code, 'EXITED');
      const place = "Error: ENOENT: no such file or directory, stat '/no/such/notes'";
      assert.equal(ended({ command: 'x', args: ['/no/such/notes'] }, place).code, 'EXITED');
    });

    it('does not blame a script that is there, or that nothing speaks of', async () => {
      await writeFile(join(folder, 'server.py'), '');
      const output = 'RuntimeError: server.py needs a token';
      assert.equal(ended({ command: 'x', args: ['server.py'], cwd: folder }, output).code, 'EXITED');
      assert.equal(ended({ command: 'x', args: ['out/log.js'], cwd: folder }, output).code, 'EXITED');
    });

    /** What is printed where a native part is missing, by the reason for it. */
    const NATIVE: [what: string, output: string, why: RegExp][] = [
      [
        'a build',
        "Error: Cannot find module '../build/Release/addon.node'\nRequire stack:\n- AT",
        /^Its install scripts were skipped, or/,
      ],
      ['bindings', 'Error: Could not locate the bindings file. Tried:\n → AT', /^Its install scripts were skipped, or/],
      [
        'a prebuilt binary',
        'Error: No native build was found for platform=linux arch=x64 runtime=node abi=127\n    loaded from: AT',
        /^Its inst/,
      ],
      [
        'a package of the platform',
        "Error: Cannot find module '@img/sharp-linux-x64/sharp.node'\n- AT",
        /^Its install/,
      ],
      [
        'a package of Rollup',
        'Error: Cannot find module @rollup/rollup-linux-x64-gnu. npm has a bug related to optional dependencies\n    at x (AT:1:1)',
        /^Its i/,
      ],
      [
        'a package of esbuild',
        'Error: The package "@esbuild/linux-x64" could not be found, and is needed by esbuild.\n    at x (AT:1:1)',
        /^Its i/,
      ],
      [
        'sharp',
        'Error: Could not load the "sharp" module using the linux-x64 runtime\n    at x (AT:1:1)',
        /^Its install/,
      ],
      [
        'another Node',
        "Error: The module 'AT'\nwas compiled against a different Node.js version using\nNODE_MODULE_VERSION 108.",
        /^It was built for another version of Node\./,
      ],
      ['another platform', 'Error: AT: invalid ELF header', /^It was made for another platform\./],
    ];
    for (const [what, output, why] of NATIVE)
      it(`says that a native part is missing, why, and what mends it: ${what} @explainFailure.native-part-missing`, async () => {
        const cache = join(folder, '_npx', 'abc');
        await mkdir(join(cache, 'node_modules', 'addon'), { recursive: true });
        await writeFile(join(cache, 'package.json'), '{}');
        const at = join(cache, 'node_modules', 'addon', 'lib', 'index.js');
        const env = { npm_config_cache: folder };
        const error = ended({ command: 'npx', args: ['server'], env }, output.replace('AT', at));
        assert.equal(error.code, 'NOT_INSTALLED');
        assert.match(error.reason, /^a native part of its packages is missing or can't be loaded \(Error: /);
        assert.match(error.remedy ?? '', why);
        assert.ok(error.remedy?.endsWith(`Run npm rebuild in ${cache}, then start it.`), error.remedy);
        assert.deepEqual(error.packages, { command: 'npm rebuild', folder: cache });
        // What it prints only chooses among folders that its entry leads to.
        const other = ended({ command: 'npx', args: ['server'] }, output.replace('AT', at));
        assert.equal(other.packages, undefined);
        const script = join(cache, 'server.js');
        const around = ended({ command: 'node', args: [script] }, output.replace('AT', at));
        assert.equal(around.packages?.folder, cache);
        await writeFile(join(folder, 'package.json'), '{}');
        const own = ended({ command: 'npx', args: ['server'] }, output.replace('AT', '/nowhere/else.js'));
        assert.match(own.remedy ?? '', /Install its packages again\.$/);
        assert.ok(!own.message.includes(join(folder, 'ours')));
      });

    it('says who skips the scripts that build it', () => {
      const output = "Error: Cannot find module '../build/Release/addon.node'";
      const env = { npm_config_ignore_scripts: 'true' };
      assert.match(
        ended({ command: 'npx', args: ['server'], env }, output).remedy ?? '',
        /^"npm_config_ignore_scripts" in its "env"/,
      );
      const { definition, ...how } = circumstances(
        { command: 'npx', args: ['server'] },
        { exit, stderrTail: [output] },
      );
      const admitted = { ...definition, entry: { ...(definition.entry as StdioEntry), env } };
      assert.match(
        explain(new Error(), { definition: admitted, ...how }).remedy ?? '',
        /^The setting "mcpHost\.installScripts" skips/,
      );
    });
  });

  it('has as much of a long output as there is room for, with the line that says what went wrong', () => {
    const frames = Array.from({ length: 60 }, (_, at) => `    at f${at} (/srv/index.js:${at}:1)`);
    const stderrTail = ['starting', 'Error: no token', ...frames, 'Node.js v22.12.0'];
    const exit = { code: 1, signal: null };
    for (const error of [
      explain(new Error(), circumstances(program, { exit, stderrTail })),
      explain(new SdkError(SdkErrorCode.RequestTimeout, 'late'), circumstances(program, { stderrTail })),
    ]) {
      assert.equal(error.stderrTail.length, 20);
      assert.deepEqual(error.stderr(2), stderrTail.slice(1, 3));
    }
    const short = explain(new Error(), circumstances(program, { exit, stderrTail: ['a', 'Error: b', 'c'] }));
    assert.deepEqual([short.stderr(1), short.stderr(5)], [['Error: b'], ['a', 'Error: b', 'c']]);
  });

  it('names the expired time limit for any action', () => {
    const late = new SdkError(SdkErrorCode.RequestTimeout, 'late');
    for (const limit of ['startMs', 'requestMs', 'toolCallMs', undefined] as const) {
      const error = explain(late, circumstances(program, { action: 'call it a start', limit, timeoutMs: 1_500 }));
      assert.deepEqual([error.code, error.limit], ['TIMEOUT', limit ?? 'requestMs']);
      assert.equal(error.reason, 'no answer within 1.5 s');
      assert.ok(error.remedy?.includes(`"timeouts": { "${limit ?? 'requestMs'}": … }`), error.remedy);
    }
  });

  it('suspects a program that is no MCP server only at its start', () => {
    const nonsense = new SyntaxError('Unexpected token');
    assert.equal(explain(nonsense, circumstances(program)).code, 'NOT_MCP');
    assert.equal(explain(nonsense, circumstances(program, { limit: 'requestMs' })).code, 'PROTOCOL');
  });

  it('uses the wording of our own errors, never of a server', () => {
    const { code, phrases } = explain(new PhraseError(phrase('its task failed')), circumstances(program));
    assert.deepEqual([code, phrases.reason], ['PROTOCOL', phrase('its task failed')]);
    const said = new ProtocolError(-32_000, 'I got nothing (HTTP 404)');
    assert.deepEqual([httpStatus(said), faultOf(said)], [undefined, undefined]);
    assert.equal(explain(said, circumstances(program)).rpcCode, -32_000);
    const refused = new Error('Error POSTing to endpoint (HTTP 404): gone');
    assert.deepEqual([httpStatus(refused), faultOf(refused)], [404, undefined]);
    assert.equal(faultOf(refusedWithSession())?.code, 'SESSION_LOST');
  });
});
