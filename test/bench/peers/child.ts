// node child.js <peer> <task>: does one task with one client and prints the figure.
import { npmServerPath } from '../../servers/npm';
import { median } from '../row';
import { wireServer } from '../wire/rawClient';
import { PEERS, type Peer, type PeerName } from './peers';

const rounds = 3;
/** No more rounds begin after that. */
const enoughMs = 5_000;

/** The median of as many rounds as fit; the first do not count, unless there are no others. */
async function several(count: number, act: () => Promise<unknown>, warmUps = 1): Promise<number> {
  const times: number[] = [];
  const began = performance.now();
  while (times.length < warmUps + count && performance.now() - began < enoughMs) {
    const start = performance.now();
    await act();
    times.push(performance.now() - start);
  }
  return median(times.length > warmUps ? times.slice(warmUps) : times);
}

/** Each returns milliseconds, or what happened. */
const TASKS = {
  connect: async (connect: (args: string[]) => Promise<Peer>) => {
    await connect([npmServerPath('everything'), 'stdio']); // loads code
    const start = performance.now();
    await connect([npmServerPath('everything'), 'stdio']);
    return performance.now() - start;
  },
  one: async connect => {
    const peer = await connect([wireServer]);
    return several(100, () => peer.call('echo', { text: 'hello' }), 20);
  },
  hundred: async connect => {
    const peer = await connect([wireServer]);
    const call = () => Promise.all(Array.from({ length: 100 }, () => peer.call('echo', { text: 'hello' })));
    return (await several(9, call)) / 100;
  },
  large1: async connect => large(await connect([wireServer]), 1),
  large32: async connect => large(await connect([wireServer]), 32),
  lists: async connect => {
    const peer = await connect([wireServer]);
    await peer.call('storm', { count: 1_000 });
    await new Promise(resolve => setTimeout(resolve, 3_000));
    return `listed again ${Number(/\d+/.exec(JSON.stringify(await peer.call('lists', {})))) - 1}×`;
  },
  endless: async connect => {
    const connected = connect([wireServer, '--endless']).then(
      () => 'ends',
      error => `fails: ${firstLine(error)}`,
    );
    return Promise.race([connected, late(20_000, 'still listing after 20 s')]);
  },
  crash: async connect => {
    const peer = await connect([wireServer]);
    const start = performance.now();
    const crashed = peer.call('crash', {}).then(
      () => 'an answer',
      () => `fails after ${Math.round(performance.now() - start)} ms`,
    );
    const outcome = await Promise.race([crashed, late(20_000, 'no answer in 20 s')]);
    const again = peer.call('echo', { text: 'hello' }).then(
      () => 'the next call works',
      () => 'the next call fails',
    );
    return `${outcome}, ${await Promise.race([again, late(20_000, 'the next call hangs')])}`;
  },
  logs: async connect => {
    const peer = await connect([wireServer]);
    return several(rounds, () => peer.call('flood', { count: 100_000 }));
  },
} satisfies Record<string, (connect: (args: string[]) => Promise<Peer>) => Promise<number | string>>;

export type PeerTask = keyof typeof TASKS;

async function large(peer: Peer, megabytes: number): Promise<number> {
  return several(rounds, () => peer.call('large', { bytes: megabytes * 1024 * 1024 }));
}

const late = (ms: number, what: string) => new Promise<string>(resolve => setTimeout(resolve, ms, what).unref());
/** Without the paths of this machine. */
const firstLine = (error: unknown) =>
  String((error as Error).message)
    .split('\n')[0]!
    .replace(/:? \/.*/, '')
    .slice(0, 80);

const [peer = '', task = ''] = process.argv.slice(2);
TASKS[task as PeerTask](PEERS[peer as PeerName]).then(
  figure => process.stdout.write(JSON.stringify(figure), () => process.exit()),
  error => process.stdout.write(JSON.stringify(`fails: ${firstLine(error)}`), () => process.exit()),
);
