// Another window, in which a request to a protected MCP server is refused: it renews the tokens, one window at a time.
//   node out/servers/refreshingWindow.js <folder of locks> <file with the kept sign-in> <url> <looks before a takeover>
// Prints the status of the request in the end.
import { readFile, rename, writeFile } from 'node:fs/promises';
import { WindowLock } from '../../src/features/auth/core/windowLock';
import { Authorizer } from '../../src/host/auth/authorizer';
import type { AuthPort, ServerDefinition } from '../../src/host/definition';

const [folder = '', file = '', url = '', looks = ''] = process.argv.slice(2);
const lock = new WindowLock(folder, { beatMs: 50, staleLooks: Number(looks) });

const port: AuthPort = {
  read: () => readFile(file, 'utf8'),
  async write(_server, _resource, value = '') {
    await writeFile(`${file}.${process.pid}`, value);
    await rename(`${file}.${process.pid}`, file);
  },
  alone: (_server, resource, run) => lock.run(resource, run),
  openRedirect: async () => undefined,
  askClient: async () => undefined,
  authorize: async () => undefined,
};

async function main(): Promise<void> {
  const server = { id: 'a', name: 'a', source: { scope: 'user' } } as ServerDefinition;
  const settings = undefined;
  const authorizer = new Authorizer({
    port,
    server,
    url: new URL(url),
    settings,
    clientName: 'test',
    learn: () => {},
  });
  const response = await authorizer.fetch(new URL(url), { method: 'POST', body: '{}' });
  console.log(response.status);
}

main().catch((error: Error) => {
  console.error(error.stack);
  process.exitCode = 1;
});
