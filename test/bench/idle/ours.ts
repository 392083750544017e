// Connections of our host bundle, all of one host.
import { bareHost } from '../bareHost';
import { grow } from './grow';

const [server = '', idleMs = '0'] = process.argv.slice(2);
const { host, configure } = bareHost();
const value: Record<string, object> = {};

function open(count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    value[`server ${Object.keys(value).length}`] = { command: process.execPath, args: [server] };
  }
  return new Promise(resolve => {
    const listener = host.onDidChangeServer(({ server: { state } }) => {
      if (state.kind === 'failed') throw state.error;
      if (!host.servers.every(({ catalog }) => catalog.list('tools').status === 'ready')) return;
      listener.dispose();
      resolve();
    });
    configure(value);
  });
}

void grow(open, Number(idleMs))
  .then(() => host.dispose())
  .then(() => process.exit());
