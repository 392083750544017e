import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { english } from '../../../../../src/base/phrase';
import { fromSources, notFromSources } from '../../../../../src/features/organization/core/packageSources';
import { parseServers } from '../../../../../src/host/settings';
import { temporaryFolder } from '../../../../setup/paths';

const SOURCES = {
  npm: 'https://npm.corp.example/',
  pypi: 'https://pypi.corp.example/simple',
  image: 'corp.example/mcp',
};
const FILE = '/etc/mcp-host/managed-settings.json';

function programOf(command: string, args: readonly string[], env = {}) {
  const entry = parseServers({ one: { command, args, env } }).servers[0]?.entry;
  assert.ok(entry?.type === 'stdio');
  return entry;
}

function said(line: string, sources: object = SOURCES, env = {}): string {
  const [command = '', ...args] = line.split(' ');
  const refused = notFromSources(sources, FILE, { entry: programOf(command, args, env) });
  return refused ? english(refused) : 'may start';
}

describe('the sources of packages that an organization allows', () => {
  it('are those of what runners fetch by a plain name, and concern nothing that is installed', () => {
    for (const line of [
      'npx -y @corp/server@1.2.3 --stdio',
      'npx --yes -p @corp/server -p left-pad server',
      'uvx corp-server@2.0.0 --verbose',
      'uvx --from corp-server corp',
      'uv tool run corp-server',
      'pipx run corp-server',
      'docker run -i --rm corp.example/mcp/files:2',
      'node /opt/corp/server.js',
      '/opt/corp/bin/server --stdio',
    ])
      assert.equal(said(line), 'may start', line);
  });

  it('are not told by commands in which they may be others', () => {
    for (const line of [
      'npx --registry https://evil.example server',
      'npx --registry=https://evil.example server',
      'npx --userconfig ./other.npmrc server',
      'npx -y --package=one --prefix=/tmp one',
      'npm exec server',
      'pnpm dlx server',
      'bunx server',
      'yarn dlx server',
      'uvx --index https://evil.example/simple server',
      'uvx --with evil --from server server',
      'uvx --default-index=https://evil.example server',
      'uv --config-file evil.toml tool run server',
      'uv run server.py',
      'pipx run --pip-args=--index-url=https://evil.example server',
      'env NPM_CONFIG_REGISTRY=https://evil.example npx -y server',
      'deno run jsr:@evil/server',
      'go run evil.example/server@latest',
      'nix run nixpkgs#server',
      'make server',
      'sh -c curl',
    ])
      assert.match(
        said(line),
        /^your organization allows packages only from the sources in .*, and it cannot be told/,
        line,
      );
  });

  it('are not where an address, a folder, another name of a package or another registry leads', () => {
    for (const line of [
      'npx -y https://evil.example/server.tgz',
      'npx -y git+https://evil.example/server.git',
      'npx -y evil/server',
      'npx -y github:evil/server#0123456789012345678901234567890123456789',
      'npx -y server@npm:evil@1.0.0',
      'npx -y server@https://evil.example/server.tgz',
      'npx -y ./server',
      'npx -y @My_Scope/server',
      'uvx --from git+https://evil.example/server server',
      'docker run evil/server',
      'docker run corp.example/mcp-evil/server',
      'podman run docker.io/corp.example/mcp/server',
    ])
      assert.match(
        said(line),
        /^your organization allows packages only from .*, and ".*" is from elsewhere$|cannot be told/,
        line,
      );
  });

  it('are none where the file names none of the kind, or variables of the entry may change them', () => {
    assert.match(said('npx -y server', {}), /, which has none of "npm"$/);
    assert.match(said('docker run corp.example/mcp/files', { npm: SOURCES.npm }), /, which has none of "image"$/);
    assert.match(
      said('npx -y server', SOURCES, { NPM_CONFIG_REGISTRY: 'https://evil.example' }),
      /variable NPM_CONFIG/,
    );
    assert.match(said('npx -y server', SOURCES, { HOME: '/tmp' }), /variable HOME/);
  });

  it('are where npx fetches from, whatever files and variables of the person say', async () => {
    const [wanted, other] = [[] as string[], [] as string[]];
    const registries = [wanted, other].map(asked =>
      createServer((request, response) => {
        asked.push(decodeURIComponent(request.url ?? ''));
        response.writeHead(404, { 'Content-Type': 'application/json' }).end('{}');
      }).listen(0, '127.0.0.1'),
    );
    await Promise.all(registries.map(one => once(one, 'listening')));
    const [npm, evil] = registries.map(one => `http://127.0.0.1:${(one.address() as AddressInfo).port}/`);
    const folder = temporaryFolder();
    try {
      writeFileSync(join(folder, 'package.json'), '{}');
      writeFileSync(join(folder, '.npmrc'), `registry=${evil}\n@corp:registry=${evil}\n`);
      for (const name of ['@corp/server', 'server']) {
        const { command, args, env } = fromSources({ npm: npm! }, programOf('npx', ['-y', name]));
        const inherited = { ...process.env, NPM_CONFIG_REGISTRY: evil, npm_config_cache: join(folder, 'cache') };
        const done = new Promise(resolve =>
          execFile(
            command,
            args,
            { cwd: folder, env: { ...inherited, ...env }, shell: process.platform === 'win32' },
            resolve,
          ),
        );
        assert.ok((await done) instanceof Error);
      }
      assert.deepEqual([...new Set(wanted)].sort(), ['/@corp/server', '/server']);
      assert.deepEqual(other, []);
    } finally {
      for (const one of registries) one.close();
    }
  });
});
