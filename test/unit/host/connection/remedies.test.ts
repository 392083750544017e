import assert from 'node:assert/strict';
import { HostError, type HostErrorOptions } from '../../../../src/base/errors';
import { type Ailing, remediesOf } from '../../../../src/host/connection/remedies';
import type { ServerState } from '../../../../src/host/connection/serverState';
import { resolveDefinitions } from '../../../../src/host/definitions';
import { runtimeOf } from '../../../../src/host/launch/knownPrograms';

const define = (value: object) => {
  const env = (name: string) => (name === 'HERE' ? 'x' : undefined);
  const variables = { workspaceFolders: [], userHome: '/home/x', env, config: () => undefined };
  const [definition] = resolveDefinitions([
    { source: { scope: 'user' }, value: { box: value }, variables },
  ]).definitions;
  return definition!;
};

/** What is offered for an entry that has failed, before what is offered always. */
function offered(
  value: object,
  error: Partial<HostErrorOptions> = {},
  kind: 'failed' | 'needsAuth' = 'failed',
  offersSignIn = false,
) {
  const failure = new HostError({ code: 'PROTOCOL', server: 'box', action: 'start', reason: 'x', ...error });
  const state = { kind, error: failure, gaveUp: false } as ServerState;
  const ailing: Ailing = { state, definition: define(value), account: { offersSignIn } };
  const all = remediesOf(ailing);
  return all.slice(
    0,
    all.findIndex(({ kind: of }) => of === 'start' || of === 'openLog'),
  );
}

const remote = { url: 'https://x.example' };
const timeouts = { startMs: 60_000 };

describe('remediesOf', () => {
  const cases: [what: string, found: ReturnType<typeof offered>, expected: object[]][] = [
    [
      '401 without metadata: mostly a header is missing',
      offered(remote, {}, 'needsAuth'),
      [{ kind: 'setHeader', isThere: false }, { kind: 'signIn' }],
    ],
    [
      '401 with metadata: sign in',
      offered(remote, {}, 'needsAuth', true),
      [{ kind: 'signIn' }, { kind: 'setHeader', isThere: false }],
    ],
    [
      '401 with a header: that is wrong',
      offered({ ...remote, headers: { authorization: 'x' } }, {}, 'needsAuth'),
      [{ kind: 'setHeader', isThere: true }],
    ],
    [
      '403',
      offered(remote, { code: 'FORBIDDEN', status: 403 }),
      [{ kind: 'setHeader', isThere: false }, { kind: 'signIn' }],
    ],
    ['404 at a URL without a path', offered(remote, { code: 'HTTP_STATUS', status: 404 }), [{ kind: 'appendPath' }]],
    ['a web page', offered({ url: 'https://x.example/docs' }, { code: 'NOT_MCP' }), [{ kind: 'appendPath' }]],
    [
      '404 where it ends in /mcp already',
      offered({ url: 'https://x.example/mcp/' }, { code: 'HTTP_STATUS', status: 404 }),
      [],
    ],
    ['500', offered(remote, { code: 'HTTP_STATUS', status: 500 }), []],
    ['no npx', offered({ command: 'npx' }, { code: 'COMMAND_NOT_FOUND' }), [{ kind: 'install', runtime: 'Node.js' }]],
    [
      'no uvx',
      offered({ command: 'uvx.exe' }, { code: 'COMMAND_NOT_FOUND' }),
      [{ kind: 'installUv' }, { kind: 'install', runtime: 'uv' }],
    ],
    [
      'a command that is nearly one that we know',
      offered({ command: 'nodee' }, { code: 'COMMAND_NOT_FOUND' }),
      [{ kind: 'setCommand', to: 'node' }],
    ],
    [
      'no command that we know',
      offered({ command: 'mine' }, { code: 'COMMAND_NOT_FOUND' }),
      [{ kind: 'openSettings' }],
    ],
    [
      'packages that were never installed',
      offered({ command: 'node' }, { code: 'NOT_INSTALLED', packages: { command: 'npm install', folder: '/y' } }),
      [{ kind: 'installPackages', command: 'npm install', folder: '/y' }],
    ],
    ['no script', offered({ command: 'node' }, { code: 'SCRIPT_NOT_FOUND' }), [{ kind: 'openSettings' }]],
    ['no folder', offered({ command: 'x', cwd: '/y' }, { code: 'FOLDER_NOT_FOUND' }), [{ kind: 'openSettings' }]],
    [
      'a start that is too slow',
      offered({ command: 'x', timeouts }, { code: 'TIMEOUT', limit: 'startMs' }),
      [{ kind: 'raiseLimit', limit: 'startMs', ms: 120_000 }],
    ],
    [
      'one that has had ten minutes',
      offered({ command: 'x', timeouts: { startMs: 600_000 } }, { code: 'TIMEOUT', limit: 'startMs' }),
      [],
    ],
    [
      'variables that are not set, each once',
      offered({ command: 'x', env: { A: '${env:GONE}', B: '${env:GONE}', C: '${env:HERE}' } }, { code: 'EXITED' }),
      [{ kind: 'makeInput', variable: 'GONE' }],
    ],
    [
      'a misspelt property',
      offered({ comand: 'x' }, { code: 'INVALID_SETTINGS' }),
      [{ kind: 'rename', path: ['box', 'comand'], to: 'command' }, { kind: 'openSettings' }],
    ],
  ];
  for (const [what, found, expected] of cases) it(what, () => assert.deepEqual(found, expected));

  it('returns what the person has to do, and nothing for a healthy server', () => {
    const account = { offersSignIn: false };
    const definition = define({ command: 'x' });
    const error = new HostError({ code: 'NEEDS_TRUST', server: 'box', action: 'start', reason: 'x' });
    const kinds = (state: ServerState) => remediesOf({ state, definition, account }).map(({ kind }) => kind);
    assert.deepEqual(kinds({ kind: 'needsTrust', error }), ['review', 'openSettings']);
    assert.deepEqual(kinds({ kind: 'needsInput', error }), ['enterInputs', 'openSettings']);
    const reconnecting = { kind: 'reconnecting', error, at: 0, since: 0, isDown: false } as const;
    assert.deepEqual(kinds(reconnecting), ['openLog', 'showHealth', 'explain', 'openSettings']);
    assert.deepEqual(kinds({ kind: 'stopped' }), []);
    const always = ['start', 'openLog', 'showHealth', 'explain', 'openSettings'];
    assert.deepEqual(kinds({ kind: 'failed', error, gaveUp: true }), always);
  });

  it('names the program to install for a command', () => {
    const names = ['node', 'NPX.cmd', 'uv', 'docker', 'podman', 'python3', 'bunx', 'deno', 'dnx', 'x', '/usr/bin/node'];
    const expected = [
      'Node.js',
      'Node.js',
      'uv',
      'Docker',
      'Podman',
      'Python',
      'Bun',
      'Deno',
      '.NET',
      undefined,
      undefined,
    ];
    assert.deepEqual(names.map(runtimeOf), expected);
  });
});
