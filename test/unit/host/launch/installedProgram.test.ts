import assert from 'node:assert/strict';
import type { ServerDefinition } from '../../../../src/host/definition';
import { fetchesAtStart, isPackageProgram, packageRunner } from '../../../../src/host/launch/installedProgram';
import { splitCommandLine } from '../../../../src/host/settings/entryTexts';

const runnerOf = (line: string) => {
  const [command = '', ...args] = splitCommandLine(line);
  return packageRunner(command, args);
};

describe('What is fetched at each start', () => {
  const runners = {
    'npx -y foo': 'npx',
    'npx foo@1.2.3': 'npx',
    '/usr/local/bin/npx foo': 'npx',
    'C:\\node\\NPX.CMD -y foo': 'npx',
    'npm exec foo': 'npm exec',
    'npm --prefix /x exec foo': 'npm exec',
    'npm x -- foo': 'npm exec',
    'pnpm dlx foo': 'pnpm dlx',
    'pnpx foo': 'pnpm dlx',
    'yarn dlx foo': 'yarn dlx',
    'bunx foo': 'bunx',
    'bun x foo': 'bunx',
    'uvx foo': 'uvx',
    'uv tool run foo': 'uvx',
    'uv --quiet tool run foo': 'uvx',
    'uv run --with mcp server.py': 'uv run',
    'pipx run foo': 'pipx run',
    'python3 -m pipx run foo': 'pipx run',
    'deno run -A npm:foo': 'deno run',
    'go run example.com/foo@latest': 'go run',
    'nix run nixpkgs#foo': 'nix run',
    'docker run -i --rm image': 'docker run',
    'docker --context c container run image': 'docker run',
    'podman run image': 'podman run',
    'env A=1 npx foo': 'npx',
    '/usr/bin/env -S npx foo': 'npx',
    'sudo -u me docker run image': 'docker run',
    'mise exec -- npx foo': 'npx',
    'corepack pnpm dlx foo': 'pnpm dlx',
    'cmd /c npx -y foo': 'npx',
    'cmd.exe /d /s /c "npx -y foo"': 'npx',
    'sh -c "cd /x && exec npx -y foo"': 'npx',
    'bash -lc "uvx foo"': 'uvx',
    'powershell -Command "npx foo"': 'npx',
    'node /usr/lib/node_modules/npm/bin/npx-cli.js foo': 'npx',
    'caffeinate -i npx foo': 'npx',
    'ionice -c 3 npx foo': 'npx',
    'volta run --node 22 npx foo': 'npx',
    'fnm exec --using 22 npx foo': 'npx',
    'nvm exec 22 npx foo': 'npx',
    'conda run -n npm npx foo': 'npx',
    'gtimeout -k 1 5s npx foo': 'npx',
    'busybox sh -c "npx foo"': 'npx',
    'nu -c "npx foo"': 'npx',
    'bash -euo pipefail -c "exec npx foo"': 'npx',
    'pwsh -ExecutionPolicy Bypass -Command "npx foo"': 'npx',
    'poetry -C /x run uvx foo': 'uvx',
    'pipenv run npx foo': 'npx',
    'bundle exec npx foo': 'npx',
    'uv run npx foo': 'npx',
    'pnpm exec npx foo': 'npx',
    'script -qec "npx foo" /dev/null': 'npx',
    'script -q /dev/null npx foo': 'npx',
    'flock /tmp/l npx foo': 'npx',
    'flock -w 5 /tmp/l -c "npx foo"': 'npx',
    'taskset ff npx foo': 'npx',
    'taskset -c 0-3 npx foo': 'npx',
    'chrt -f 10 npx foo': 'npx',
    'chroot /srv npx foo': 'npx',
    'nix shell nixpkgs#foo -c foo': 'nix run',
    'env -S "A=1 npx foo"': 'npx',
    'proto run npm -- exec foo': 'npm exec',
    'corepack pnpm@9 dlx foo': 'pnpm dlx',
    'python3.12 -u -m uv tool run foo': 'uvx',
    'op run --env-file x -- npx foo': 'npx',
    'my-wrapper --flag -- npx foo': 'npx',
    'docker mcp gateway run': 'docker run',
  };
  for (const [line, runner] of Object.entries(runners)) {
    it(`recognizes ${line}`, () => assert.equal(runnerOf(line), runner));
  }

  for (const line of [
    'node server.js',
    'node server.js npx',
    'npm run exec',
    'npm start -- exec',
    'pnpm exec foo',
    'uv run server.py',
    'deno run main.ts',
    'go run .',
    'nix run .',
    'docker exec -i box server',
    'docker ps run',
    'npxfoo',
    'sh -c "node x"',
    'sudo docker exec -i box npx foo',
    'dotnet tool run foo',
    'conda run -n npx node /opt/server.js',
    'constructor',
    '',
  ]) {
    it(`does not recognize "${line}"`, () => assert.equal(runnerOf(line), undefined));
  }

  it('is found in bounded time, however much stands before it @packageRunner.found-bounded-time', () => {
    for (const word of ['env', 'sh', 'python', 'sh -c "sh env" & sh']) {
      assert.equal(packageRunner('env', Array(50_000).fill(word)), undefined);
      assert.equal(packageRunner('sh', Array(50_000).fill(word)), undefined);
    }
  });

  it('may come from a program by its name alone, with a path or an extension, whatever it is asked to do', () => {
    for (const command of ['npx', 'C:\\nodejs\\NPX.CMD', '/usr/bin/uv', 'docker', 'go', 'deno.exe'])
      assert.ok(isPackageProgram(command), command);
    for (const command of ['node', 'python3', 'sh', 'constructor', 'mynpx'])
      assert.ok(!isPackageProgram(command), command);
  });

  it('is assumed where it cannot be told: an unknown program, an installer, a variable, Base64, code in an argument @packageRunner.assumed-told-unknown', () => {
    const fetches = (command: string, ...args: string[]) =>
      fetchesAtStart({ entry: { type: 'stdio', command, args } } as unknown as Pick<ServerDefinition, 'entry'>);
    for (const [command = '', ...args] of [
      ['my-wrapper', 'npx', 'foo'],
      ['sh', './with-env.sh', 'npx', 'foo'],
      ['node', 'proxy.js', '--', 'npx', 'foo'],
      ['mcp-proxy', '--stdio', 'cd /x; npm --yes exec foo'],
      ['mcp-proxy', '--config={"command":"uvx","args":["foo"]}'],
      ['osascript', '-e', 'do shell script "docker run foo"'],
      ['sudo', '--unheard-of', 'docker', 'npx', 'foo'],
      ['ssh', 'host', 'npx', 'foo'],
      ['python', '-mpipx', 'run', 'foo'],
      ['sh', '-c', '"$RUNNER" foo'],
      ['sh', '-c', 'eval "npx foo"'],
      ['env', ...Array<string>(500).fill('env'), 'npx', 'foo'],
      ['${input:program}', 'foo'],
      ['pwsh', '-NoProfile', '-enc', 'bgBwAHgAIABmAG8AbwA='],
      ['sh', '-c', 'npm install -g foo && foo'],
      ['sh', '-c', 'uv tool install foo && foo'],
      ['sh', '-c', 'curl -fsSL https://example.com/foo | sh'],
      ['sh', '-c', 'exec /opt/server "$(curl https://example.com)"'],
      ['sh', '-c', '. ./env.sh && /opt/server'],
      ['sh'],
      ['nix', 'shell', 'nixpkgs#foo', '-c', 'foo'],
      ['nix-shell', '-p', 'foo', '--run', 'foo'],
      ['/run/current-system/sw/bin/nix-shell', '-p', 'foo'],
      ['docker', 'compose', 'run', 'foo'],
      ['docker', 'exec', '-i', 'box', 'foo'],
      ['uv', 'run', '/opt/script.py'],
      ['deno', 'run', '/opt/server.ts'],
      ['make', 'serve'],
      ['cargo', 'run'],
      ['npm', 'start'],
      ['poetry', 'run', 'server'],
      ['some-server', '--stdio'],
      ['node', '-e', 'x'],
      ['node', '--import=data:text/javascript,x', '/opt/server.js'],
      ['node', 'https://example.com/server.js'],
      ['python3', '-c', 'x'],
      ['python3', '-m', 'pip', 'install', 'x'],
      ['nice', '--unheard-of', '5', '/opt/server'],
      ['/opt/server', '--', 'npx', 'foo'],
      ['https://example.com/server'],
      ['/opt/$RUNNER/server'],
      [''],
    ])
      assert.ok(fetches(command, ...args), [command, ...args].join(' ').slice(0, 200));
    for (const [command = '', ...args] of [
      ['node', '/opt/npx-server/index.js', '--dir', '/data/npm'],
      ['/opt/my-server', '--docker', 'exec', 'npm', 'start'],
      ['C:\\tools\\my-server.exe', '--stdio'],
      ['node', 'server.js'],
      ['python3', '-u', '-m', 'mcp_server'],
      ['/usr/bin/java', '-Xmx1g', '-jar', 'server.jar'],
      ['sh', '/opt/start.sh'],
      ['timeout', '-k', '1', '5s', 'env', 'A=1', '/opt/server'],
      ['flock', '-n', '/tmp/l', 'node', '/opt/server.js'],
      ['sh', '-c', '$HOME/bin/server "$@"'],
      ['bash', '-lc', 'cd /opt && export A=1; exec node ./server.js'],
      ['sh', '-c', '"${HOME}/bin/server" --cwd "$PWD"'],
    ])
      assert.ok(!fetches(command, ...args), [command, ...args].join(' '));
  });

  it('accepts definitions, and finds none for an address or a broken entry', () => {
    const of = (entry: unknown) => fetchesAtStart({ entry } as Pick<ServerDefinition, 'entry'>);
    assert.equal(of({ type: 'stdio', command: 'npx', args: ['x'], env: {} }), true);
    assert.equal(of({ type: 'stdio', command: '/opt/x', args: [], env: {} }), false);
    assert.equal(of({ type: 'http', url: 'https://npx', headers: {} }), false);
    assert.equal(of(undefined), false);
  });
});
