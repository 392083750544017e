import assert from 'node:assert/strict';
import { packagesOf, pinEntry } from '../../../../../src/features/supply/core/packageReference';

const DIGEST = `sha256:${'0'.repeat(64)}`;

/** What is found, as text: `name version pin`. */
const found = (command: string, ...args: string[]) =>
  packagesOf(command, args)
    .map(({ name, version, pin }) => [name, version, pin].filter(Boolean).join(' '))
    .join(', ');
/** A command line in words, without quotes. */
const line = (text: string) => {
  const [command = '', ...args] = text.split(' ');
  return found(command, ...args);
};
/** The command line with what is found pinned to a version. */
function pinned(version: string, command: string, ...args: string[]): string[] {
  const words = [command, ...args];
  for (const { place, pinned } of packagesOf(command, args)) {
    const text = words[place.argument + 1]!;
    words[place.argument + 1] = text.slice(0, place.start) + pinned(version) + text.slice(place.end);
  }
  return words;
}

describe('the package in a command line', () => {
  it('of npm is what its runners are told to run, after any options', () => {
    for (const runner of [
      'npx',
      'npx -y',
      'npx --yes --quiet',
      'npm exec',
      'npm exec -y --',
      'npm --silent x',
      'pnpm dlx',
      'pnpx',
      'yarn dlx -q',
      'bunx --bun',
      'bun x',
      '/usr/bin/npx',
      'C:\\node\\npx.cmd',
      'NPX.EXE',
    ]) {
      assert.equal(line(`${runner} some-server --port 5`), 'some-server floating', runner);
      assert.equal(line(`${runner} @scope/some.server@1.2.3 x@1`), '@scope/some.server 1.2.3 exact', runner);
    }
  });

  it('is the named one where one of its programs is run: npx -y -p a b', () => {
    for (const text of [
      'npx -y -p a b',
      'npx -p=a b',
      'npx --package a b',
      'npx --package=a -- b',
      'npm exec --package=a -- b',
      'yarn dlx -p a b',
    ])
      assert.equal(line(text), 'a floating', text);
    assert.equal(line('npx -p a@1.0.0 -p @s/c b'), 'a 1.0.0 exact, @s/c floating');
    assert.equal(found('npx', '-p', 'a', '-c', 'b --flag'), 'a floating');
  });

  it('is pinned only by an exact version, not by a range or a tag @packageReference.pinned-exact-version', () => {
    for (const version of ['1.2.3', 'v1.2.3', '1.2.3-beta.1', '1.2.3+build'])
      assert.equal(line(`npx a@${version}`), `a ${version} exact`);
    for (const version of ['latest', 'next', '^1.2.3', '~1.2', '1', '1.2', '1.x', '>=1.0.0', '*'])
      assert.equal(line(`npx a@${version}`), `a ${version} floating`);
    assert.equal(line('npx a@'), 'a floating');
  });

  it('from elsewhere has no writable version, unless it is a commit', () => {
    const commit = '0123456789abcdef0123456789abcdef01234567';
    for (const spec of [
      'github:user/repo',
      'user/repo',
      'git+https://example.com/a.git',
      'git@example.com:a/b.git',
      'https://example.com/a.tgz',
      './a',
      '../a',
      '/srv/a',
      'file:a',
      'a.tgz',
      '~/a',
      'C:\\a',
    ])
      assert.equal(line(`npx ${spec}`), `${spec} elsewhere`, spec);
    assert.equal(line(`npx github:user/repo#${commit}`), `github:user/repo#${commit} exact`);
    assert.equal(line('npx a@npm:b@1'), 'a npm:b@1 elsewhere');
    assert.equal(line(`uvx --from git+https://example.com/a a`), 'git+https://example.com/a elsewhere');
    assert.equal(line(`uvx --from git+https://example.com/a@${commit} a`), `git+https://example.com/a@${commit} exact`);
  });

  it('of PyPI is what its runners are told, with @, == or extras', () => {
    for (const runner of ['uvx', 'uv tool run', 'uvx --python 3.12 --with x', 'uv --quiet tool run'])
      assert.equal(line(`${runner} mcp-server-git --repository .`), 'mcp-server-git floating', runner);
    assert.equal(line('uvx a@1.2.3'), 'a 1.2.3 exact');
    assert.equal(line('uvx a@latest'), 'a latest floating');
    assert.equal(line('uvx --from a[x,y]==1.2 b'), 'a 1.2 exact');
    assert.equal(line('uvx --from a>=1,<2 b'), 'a >=1,<2 floating');
    assert.equal(line('uvx --from a==1.* b'), 'a 1.* floating');
    assert.equal(line('pipx run a'), 'a floating');
    assert.equal(line('pipx run --spec a==2024.1.post1 b'), 'a 2024.1.post1 exact');
  });

  it('of a container is its image: only a digest pins it, and the registry may have a port', () => {
    assert.equal(line('docker run -i --rm -e TOKEN -v /a:/b mcp/git --x'), 'mcp/git floating');
    assert.equal(
      line('docker run -it --name=a --network host localhost:5000/mcp/git:1.2.3'),
      'localhost:5000/mcp/git 1.2.3 floating',
    );
    assert.equal(line(`podman run --rm ghcr.io/a/b@${DIGEST} x`), `ghcr.io/a/b ${DIGEST} exact`);
    assert.equal(line(`docker container run a:1@${DIGEST}`), `a ${DIGEST} exact`);
    assert.equal(line('docker run a@sha256:short'), 'a sha256:short floating');
    assert.equal(line('docker run -eA=b --pull=always redis'), 'redis floating');
    assert.equal(line('docker exec -i a b'), '');
    assert.equal(line('docker compose run a'), '');
  });

  it('is found after variables, wrappers, interpreters and shells', () => {
    assert.equal(line('env A=1 B=2 npx -y a@1.0.0'), 'a 1.0.0 exact');
    assert.equal(line('timeout 60 npx a'), 'a floating');
    assert.equal(line('mise exec -- uvx a'), 'a floating');
    assert.equal(line('node /usr/lib/npm/bin/npx-cli.js -y a'), 'a floating');
    assert.equal(line('cmd /c npx -y a'), 'a floating');
    assert.equal(found('cmd.exe', '/d', '/s', '/c', 'npx -y a'), 'a floating');
    assert.equal(found('sh', '-c', 'cd /srv && A=1 npx -y "@s/a@latest" .'), '@s/a latest floating');
    assert.equal(found('bash', '-lc', "exec npx 'a'; echo npx b"), 'a floating');
    assert.equal(found('powershell', '-Command', 'npx a'), 'a floating');
    assert.equal(found('sudo', 'sh', '-c', 'docker run x'), 'x floating');
  });

  it('is undefined when there is none, or the word is ambiguous @packageReference.undefined-none-word', () => {
    for (const text of [
      'node server.js',
      'python -m npx',
      'my-npx a',
      'npm run start',
      'npm',
      'npx',
      'npx -y',
      'npx --',
      'uv run a',
      'docker',
      'docker ps',
      'yarn start',
      'bun run x',
      'npx --unheard-of value a',
      'docker run --unheard-of value a',
      'uvx --unheard-of a',
    ])
      assert.equal(line(text), '', text);
    for (const odd of ['${input:package}', 'a b', '@', '@/a', '@scope/', '', '\n', 'a'.repeat(10_000), '<script>', 'ä'])
      assert.equal(found('npx', odd), '', odd.slice(0, 20));
    assert.equal(found('docker', 'run', '-i', '${env:IMAGE}'), '');
    assert.equal(found('', ''), '');
    assert.equal(found('constructor', 'npx'), '');
    assert.equal(found('npm', '__proto__', 'a'), '');
  });

  it('is found in bounded work, however long the command line', () => {
    assert.equal(found('sh', '-c', '('.repeat(1_000_000)), '');
    assert.equal(found('env', ...Array<string>(100_000).fill('sh -c')), '');
    assert.equal(found('uvx', `${'a-'.repeat(100_000)}!`), '');
  });

  it('is pinned in place, with nothing else changed', () => {
    assert.deepEqual(pinned('1.0.0', 'npx', '-y', '@s/a@latest', 'a@latest'), ['npx', '-y', '@s/a@1.0.0', 'a@latest']);
    assert.deepEqual(pinned('1.0.0', 'npx', '--package=a', 'b'), ['npx', '--package=a@1.0.0', 'b']);
    assert.deepEqual(pinned('1.0.0', 'sh', '-c', 'cd a && npx -y "a" a'), ['sh', '-c', 'cd a && npx -y "a@1.0.0" a']);
    assert.deepEqual(pinned('1.0', 'uvx', 'a'), ['uvx', 'a@1.0']);
    assert.deepEqual(pinned('1.0', 'uvx', '--from', 'a[x]>=0', 'b'), ['uvx', '--from', 'a[x]==1.0', 'b']);
    assert.deepEqual(pinned('1.0', 'pipx', 'run', 'a'), ['pipx', 'run', 'a==1.0']);
    const image = 'localhost:5000/a/b:2';
    assert.deepEqual(pinned(DIGEST, 'docker', 'run', '-i', image), ['docker', 'run', '-i', `${image}@${DIGEST}`]);
  });
});

const pin = (text: string, versions: Record<string, string>, name = 'a') =>
  pinEntry(text, name, new Map(Object.entries(versions)), {});

describe('pinning a package in settings', () => {
  it('changes only its word, whatever surrounds it', () => {
    const text = `{
  // mine
  "mcpHost.servers": {
    "b": { "command": "npx", "args": ["x"] },
    "a": {
      "command": "npx", // runs it
      "args": ["-y", "@s/x@latest", /* where */ "\${workspaceFolder}", "@s/x"],
    },
  },
}`;
    assert.equal(pin(text, { '@s/x': '1.2.3' }), text.replace('@s/x@latest', '@s/x@1.2.3'));
  });

  it('pins several packages, and several in one script', () => {
    const text = '{"mcpHost":{"servers":{"a":{"command":"sh","args":["-c","npx -p x -p yy z"]}}}}';
    assert.equal(pin(text, { x: '1.0.0', yy: '2.0.0' }), text.replace('-p x -p yy', '-p x@1.0.0 -p yy@2.0.0'));
  });

  it('leaves alone what is pinned, a variable, missing or broken', () => {
    const entry = (command: unknown, args?: unknown) => JSON.stringify({ 'mcpHost.servers': { a: { command, args } } });
    for (const text of [
      entry('npx', ['x@1.0.0']),
      entry('npx', ['${env:PACKAGE}']),
      entry('npx', 'x'),
      entry(5, ['x']),
      entry('npx', [{ x: 1 }]),
      '{"mcpHost.servers":{"b":{}}}',
      '{"mcpHost.servers":',
      '{"mcpHost.servers":{"a":7}}',
      '',
    ])
      assert.equal(pin(text, { x: '1.2.3' }), undefined, text);
    assert.equal(pin(entry('npx', ['x']), { y: '1.0.0' }), undefined);
  });
});
