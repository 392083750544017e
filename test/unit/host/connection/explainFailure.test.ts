import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ProtocolError, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import { PhraseError, phrase } from '../../../../src/base/phrase';
import { httpStatus, isSessionLost } from '../../../../src/host/connection/errorFacts';
import { type Circumstances, explain } from '../../../../src/host/connection/explainFailure';
import { resolveDefinitions } from '../../../../src/host/definitions';
import { refusedWithSession } from '../../../../src/host/transport/httpFault';

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
    assert.deepEqual([missing.code, missing.reason], ['COMMAND_NOT_FOUND', 'the command "no-such" was not found']);
    assert.deepEqual(missing.phrases.reason, phrase('the command "{0}" was not found', 'no-such'));
    assert.equal(
      explain(failed('ENOENT'), circumstances({ command: 'x', cwd: '/no/such/folder' })).code,
      'FOLDER_NOT_FOUND',
    );
    assert.equal(explain(failed('EACCES'), circumstances(program)).code, 'SPAWN_FAILED');
    assert.equal(explain(failed('EMFILE'), circumstances(program)).code, 'SPAWN_FAILED');
  });

  it('says that packages are not installed, where Node lacks a module in a folder without any', async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'mcp-uninstalled-')));
    try {
      const run = { command: process.execPath, args: ['dist/server.js'], cwd: folder };
      const { stderr } = spawnSync(run.command, run.args, { cwd: folder, encoding: 'utf8' });
      const exit = { code: 1, signal: null };
      const ended = (more: Partial<Circumstances> = {}) =>
        explain(new Error(), circumstances(run, { exit, stderrTail: stderr.split('\n'), ...more }));
      assert.equal(ended().code, 'EXITED', 'nothing says that it is a package');
      await writeFile(join(folder, 'package.json'), '{}');
      const { code, reason, remedy } = ended();
      assert.deepEqual([code, reason], ['NOT_INSTALLED', `the packages of ${folder} are not installed`]);
      assert.equal(remedy, 'Run npm install in that folder, then start it.');
      assert.equal(ended({ stderrTail: ['Error: no token'] }).code, 'EXITED');
      assert.equal(ended({ stderrTail: [`Error: Cannot find module '${__filename}s'`] }).code, 'EXITED', 'not its own');
      const imported = `Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'tsx' imported from ${folder}/`;
      assert.equal(ended({ stderrTail: [imported] }).code, 'NOT_INSTALLED');
      assert.equal(ended({ limit: 'requestMs' }).code, 'EXITED', 'it has run');
      await writeFile(join(folder, 'yarn.lock'), '');
      assert.equal(ended().code, 'EXITED', 'npm does not install them');
      await rm(join(folder, 'yarn.lock'));
      await mkdir(join(folder, 'node_modules'));
      assert.equal(ended().code, 'EXITED', 'they are installed');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('names the expired time limit for any action', () => {
    const late = new SdkError(SdkErrorCode.RequestTimeout, 'late');
    for (const limit of ['startMs', 'requestMs', 'toolCallMs', undefined] as const) {
      const error = explain(late, circumstances(program, { action: 'call it a start', limit, timeoutMs: 1_500 }));
      assert.deepEqual([error.code, error.limit], ['TIMEOUT', limit ?? 'requestMs']);
      assert.equal(error.reason, 'it did not answer within 1.5 s');
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
    assert.deepEqual([httpStatus(said), isSessionLost(said)], [undefined, false]);
    assert.equal(explain(said, circumstances(program)).rpcCode, -32_000);
    const refused = new Error('Error POSTing to endpoint (HTTP 404): gone');
    assert.deepEqual([httpStatus(refused), isSessionLost(refused)], [404, false]);
    assert.ok(isSessionLost(refusedWithSession()));
  });
});
