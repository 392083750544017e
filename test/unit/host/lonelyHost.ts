// A host in a process of its own, for tests that kill it: starts servers and prints their process ids as JSON.
import { hostile, TestHost } from './testHost';

async function main(): Promise<void> {
  const test = new TestHost();
  test.configure({
    plain: hostile(),
    deaf: hostile('--ignore-stdin-end', '--ignore-sigterm'),
    family: hostile('--grandchild', '--ignore-stdin-end'),
    ...(process.platform === 'linux' && { apart: inOwnGroup(hostile('--grandchild', '--ignore-stdin-end')) }),
  });
  await Promise.all(test.host.servers.map(({ id }) => test.loads(id)));
  const pids = test.host.servers.map(({ state }) => (state.kind === 'ready' ? state.pid : undefined));
  const grandchildren = test.logs.flatMap(({ data }) => /grandchild (\d+)/.exec(String(data))?.[1] ?? []);
  console.log(JSON.stringify([...pids, ...grandchildren.map(Number)]));
}

/** Behind a shell that gives it a process group of its own. */
const inOwnGroup = ({ command, args, ...rest }: ReturnType<typeof hostile>) => ({
  ...rest,
  command: '/bin/bash',
  args: ['-c', 'set -m; "$@" & wait', 'bash', command, ...args],
});

void main();
