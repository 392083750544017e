import assert from 'node:assert/strict';
import { HostError } from '../../../../src/base/errors';
import { Emitter } from '../../../../src/base/events';
import { english } from '../../../../src/base/phrase';
import type { DefinitionSource } from '../../../../src/host/definition';
import { sandboxFor } from '../../../../src/host/sandbox/confine';
import { confinementOf } from '../../../../src/host/sandbox/confinement';
import { parseServers } from '../../../../src/host/settings';
import { allowsHost, isHost, type SandboxSetting } from '../../../../src/host/settings/sandboxRules';
import { stdioServer } from '../../../../src/host/settings/schema';
import { freely } from '../../../setup/freely';

const problemsOf = (sandbox: unknown) =>
  parseServers({ one: { command: 'node', sandbox } }).servers[0]!.problems.map(
    ({ path, message, severity }) => `${severity} ${path.slice(1).join('.')}: ${english(message)}`,
  );

describe('"sandbox" of an entry', () => {
  it('is true, false or lists, with variables and ~', () => {
    for (const sandbox of [
      true,
      false,
      {},
      { read: ['~/notes', '${workspaceFolder}/a'], write: ['/srv/x', '~', '${env:OUT}', 'C:\\data'] },
      { network: ['example.com', '*.example.com', 'example.com:8443', '10.0.0.1', '[::1]:80', '*', '${env:HOST}'] },
      { env: ['TOKEN'] },
      { sockets: true },
    ])
      assert.deepEqual(problemsOf(sandbox), [], JSON.stringify(sandbox));
  });

  it('reports an invalid place, host or name at its position', () => {
    const cases: [sandbox: unknown, problem: RegExp][] = [
      [{ write: ['${workspaceFolder}/../x'] }, /^error sandbox\.write\.0: .*contains "\.\."/],
      [{ read: ['a', '~root/x'] }, /^error sandbox\.read\.0: .*relative path/],
      [{ read: ['~root/x'] }, /another person's home folder/],
      [{ write: ['~/*.txt'] }, /is a pattern/],
      [{ write: ['~/{a,b}'] }, /is a pattern/],
      [{ network: ['https://example.com'] }, /^error sandbox\.network\.0: .*is not a host/],
      [{ network: ['example.com/path'] }, /is not a host/],
      [{ network: ['a.*.com'] }, /is not a host/],
      [{ network: ['example.com:0'] }, /is not a host/],
      [{ network: ['example.com:70000'] }, /is not a host/],
      ['yes', /"sandbox" must be true, false, or an object of lists/],
      [{ write: '~/x' }, /^error sandbox/],
      [{ env: ['A=B'] }, /^error sandbox/],
      [{ sockets: 'yes' }, /^error sandbox/],
      [{ writes: [] }, /^warning sandbox\.writes: .*Did you mean "write"/],
    ];
    for (const [sandbox, problem] of cases)
      assert.match(problemsOf(sandbox)[0] ?? 'none', problem, JSON.stringify(sandbox));
  });

  it('allows a host by name, pattern and port only', () => {
    const allows = (hosts: string[], host: string, port = 443) => allowsHost(hosts, host, port);
    assert.ok(allows(['example.com'], 'EXAMPLE.com.', 80));
    assert.ok(allows(['*.example.com'], 'a.b.example.com'));
    assert.ok(allows(['[::1]:80'], '::1', 80));
    assert.ok(allows(['*'], 'anything.org', 22));
    assert.ok(allows(['example.com:8443'], 'example.com', 8443));
    assert.ok(!allows(['example.com:8443'], 'example.com'));
    assert.ok(!allows(['example.com'], 'example.com', 22));
    assert.ok(!allows(['example.com'], 'evil-example.com'));
    assert.ok(!allows(['example.com'], 'example.com.evil.org'));
    assert.ok(!allows(['*.example.com'], 'example.com'));
    assert.ok(!allows(['*.example.com'], 'evilexample.com'));
    assert.ok(!allows([], 'example.com'));
    assert.ok(!isHost('a b') && !isHost('') && !isHost('-a.com') && !isHost('a..b'));
  });
});

describe('confinement', () => {
  const kindOf = (
    sandbox: unknown,
    setting: SandboxSetting,
    scope: DefinitionSource['scope'] = 'user',
    {
      command = 'node',
      args = [] as string[],
      platform = 'linux' as NodeJS.Platform,
      arch = 'x64' as NodeJS.Architecture,
      ...more
    }: {
      command?: string;
      args?: string[];
      platform?: NodeJS.Platform;
      arch?: NodeJS.Architecture;
      env?: object;
      envFile?: string;
    } = {},
  ) => {
    const entry = stdioServer.parse({ command, args, ...more, ...(sandbox !== undefined && { sandbox }) });
    const found = confinementOf({ entry, source: { scope }, fromWorkspace: scope !== 'user' }, setting, {
      platform,
      arch,
    });
    return found.kind === 'unable' ? `unable: ${found.why}${found.isAsked ? ', asked' : ''}` : found.kind;
  };

  it('applies to servers whose entry asks for it, and to those that the setting selects @sandboxRules.applies-servers-entry', () => {
    assert.equal(kindOf(undefined, 'off'), 'free');
    assert.equal(kindOf(true, 'off'), 'confined');
    assert.equal(kindOf({ network: ['a.com'] }, 'off', 'workspace'), 'confined');
    assert.equal(kindOf(undefined, 'workspaceServers'), 'free');
    assert.equal(kindOf(undefined, 'workspaceServers', 'workspace'), 'confined');
    assert.equal(kindOf(undefined, 'all'), 'confined');
  });

  it('applies to servers that the person watches, whatever entry and setting say', () => {
    const entry = stdioServer.parse({ command: 'node', sandbox: false });
    const watched = { entry, source: { scope: 'user' as const }, fromWorkspace: false };
    const on = (platform: NodeJS.Platform) => confinementOf(watched, 'off', { platform, arch: 'x64' }, true);
    assert.deepEqual(on('linux'), { kind: 'confined', rules: {}, isAsked: true });
    assert.deepEqual(on('darwin'), { kind: 'confined', rules: {}, isAsked: true });
    assert.deepEqual(on('win32'), { kind: 'unable', why: 'platform', isAsked: true });
  });

  it('is switched off against the setting by the person only @sandboxRules.switched-against-setting', () => {
    assert.equal(kindOf(false, 'all'), 'free');
    assert.equal(kindOf(false, 'all', 'workspace'), 'confined');
    assert.equal(kindOf(false, 'workspaceServers', 'workspaceFolder'), 'confined');
    assert.equal(kindOf(false, 'off', 'workspace'), 'free');
  });

  it('names server, action and remedy when no sandbox is available @sandboxRules.names-server-action', async () => {
    const on = async (
      platform: NodeJS.Platform,
      entry: object,
      setting: SandboxSetting = 'off',
      isDemanded = false,
    ) => {
      const notes: string[] = [];
      const definition = { id: 'one', name: 'one', entry: stdioServer.parse({ command: 'node', ...entry }) };
      const own = { setting: () => setting, isDemanded: () => isDemanded };
      const port = { ...freely.sandbox, ...own, storage: '', bridge: '' };
      const ports = { sandbox: port, roots: { list: () => [], onDidChange: new Emitter<void>().event } };
      const machine = { platform, arch: 'x64' as const };
      const more = { source: { scope: 'user' as const }, fromWorkspace: false, place: { base: '' } };
      try {
        const found = await sandboxFor({ ...definition, ...more } as never, ports, text => notes.push(text), {
          machine,
        });
        return found ? 'confined' : notes.join();
      } catch (error) {
        assert.ok(error instanceof HostError && error.code === (isDemanded ? 'NOT_ALLOWED' : 'SANDBOX_RULES'));
        return error.message;
      }
    };
    assert.match(
      await on('win32', { sandbox: true }),
      /"?one"?.*start.*can be confined on Linux and macOS only.*WSL, SSH or container window/s,
    );
    assert.match(
      await on('linux', { sandbox: true, command: 'docker', args: ['run', 'x'] }),
      /one.*start.*container.*options of the container/s,
    );
    assert.match(
      await on('win32', {}, 'all'),
      /^it is not confined, although "mcpHost.sandbox" says so: that is possible on Linux and macOS only$/,
    );
    assert.equal(await on('win32', { sandbox: false }, 'all'), '');
    assert.match(
      await on('win32', {}, 'all', true),
      /one.*start.*your organization requires a sandbox.*Linux and macOS only.*Ask your administrator/s,
    );
    assert.match(
      await on('linux', { command: 'docker', args: ['run', 'x'] }, 'all', true),
      /your organization requires a sandbox, which cannot confine a container/,
    );
    // An entry does not switch off what the setting demands by an address.
    const served = { url: 'http://localhost:8080/mcp' };
    assert.match(await on('linux', served, 'all'), /one.*start.*it has to run in a sandbox.*"url"/s);
    assert.equal(await on('linux', served, 'off'), '');
    assert.equal(await on('darwin', { sandbox: true }), 'confined');
  });

  it('applies to no server where sandboxes are not available, and to no container, with a message if an entry asks for it @sandboxRules.applies-server-sandboxes', () => {
    assert.equal(kindOf(true, 'off', 'user', { platform: 'win32' }), 'unable: platform, asked');
    assert.equal(kindOf(undefined, 'all', 'user', { platform: 'win32' }), 'unable: platform');
    assert.equal(kindOf(true, 'off', 'user', { platform: 'darwin', arch: 'arm64' }), 'confined');
    assert.equal(kindOf(undefined, 'all', 'workspace', { platform: 'darwin' }), 'confined');
    assert.equal(kindOf(true, 'off', 'user', { platform: 'freebsd' }), 'unable: platform, asked');
    assert.equal(kindOf(true, 'off', 'user', { arch: 'arm' }), 'unable: platform, asked');
    const docker = { command: 'docker', args: ['run', '-i', 'mcp/fetch'] };
    assert.equal(kindOf(true, 'off', 'user', docker), 'unable: container, asked');
    assert.equal(kindOf(undefined, 'all', 'user', docker), 'unable: container');
  });

  it('applies to a workspace program that only resembles a container, and to a shell that may run several @sandboxRules.applies-workspace-program', () => {
    const run = { args: ['run', 'x'] };
    for (const entry of [
      { ...run, command: '/work/docker' },
      { ...run, command: 'docker', env: { PATH: '/work/bin' } },
      { ...run, command: 'docker', envFile: '/work/.env' },
      { command: 'env', args: ['PATH=/work/bin', 'docker', 'run', 'x'] },
      { command: 'sh', args: ['-c', 'docker run x; ./evil'] },
      { command: 'poetry', args: ['run', 'docker', 'run', 'x'] },
    ])
      assert.equal(kindOf(undefined, 'workspaceServers', 'workspace', entry), 'confined', JSON.stringify(entry));
    for (const entry of [
      { ...run, command: 'docker', env: { TOKEN: 'x', HTTPS_PROXY: 'http://proxy' } },
      { ...run, command: '/usr/bin/podman' },
    ])
      assert.equal(kindOf(undefined, 'workspaceServers', 'workspace', entry), 'unable: container');
    assert.equal(
      kindOf(undefined, 'all', 'user', { command: 'sudo', args: ['docker', 'run', 'x'] }),
      'unable: container',
    );
    assert.equal(kindOf(undefined, 'all', 'user', { command: 'sh', args: ['-c', 'docker run x'] }), 'confined');
  });
});
