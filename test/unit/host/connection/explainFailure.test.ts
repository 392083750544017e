import assert from 'node:assert/strict';
import { ProtocolError, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import { PhraseError, phrase } from '../../../../src/base/phrase';
import { type Circumstances, explain, httpStatus, isSessionLost } from '../../../../src/host/connection/explainFailure';
import { resolveDefinitions } from '../../../../src/host/definitions';

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
    assert.deepEqual([httpStatus(refused), isSessionLost(refused)], [404, true]);
  });
});
