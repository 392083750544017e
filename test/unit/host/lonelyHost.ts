// A host in a process of its own, for tests that kill it: starts servers and prints their process ids as JSON.
import { hostile, TestHost } from './testHost';

async function main(): Promise<void> {
  const test = new TestHost();
  test.configure({
    plain: hostile(),
    deaf: hostile('--ignore-stdin-end', '--ignore-sigterm'),
    family: hostile('--grandchild', '--ignore-stdin-end'),
  });
  await Promise.all(['plain', 'deaf', 'family'].map(id => test.loads(id)));
  const pids = test.host.servers.map(({ state }) => (state.kind === 'ready' ? state.pid : undefined));
  const said = test.logs.find(({ data }) => /grandchild/.test(String(data)))?.data;
  console.log(JSON.stringify([...pids, Number(/\d+/.exec(String(said))?.[0])]));
}

void main();
