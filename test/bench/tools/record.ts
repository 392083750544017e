// node out/test/bench/tools/record.js <name> <package@version> <licence> [NAME=value …] [-- argument …]: installs a server of npm,
// starts it with these variables and arguments, and keeps its tools in servers.json.gz, in the place of those of that name.
import { createRequire } from 'node:module';
import * as path from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { writeCompressed } from '../../setup/compressed';
import { npmFlags } from '../../setup/onDemand';
import { remove, temporaryFolder } from '../../setup/paths';
import { run } from '../../setup/processes';
import { wantedServers } from '../npm/servers';
import { COLLECTED, collectedServers } from './collection';

async function record([server = '', source = '', license = '', ...rest]: string[]): Promise<void> {
  const end = rest.includes('--') ? rest.indexOf('--') : rest.length;
  const env = Object.fromEntries(rest.slice(0, end).map(pair => pair.split(/=(.*)/s).slice(0, 2)));
  const folder = temporaryFolder();
  const client = new Client({ name: 'record', version: '1' });
  try {
    await run('npm', ['install', ...npmFlags, source], { cwd: folder, timeoutMs: 600_000 });
    const wanted = { name: source.replace(/(?<=.)@[^@/]*$/, ''), args: rest.slice(end + 1), env };
    const [started] = Object.values(wantedServers(createRequire(path.join(folder, 'package.json')), [wanted]));
    await client.connect(new StdioClientTransport({ ...started!, args: [...started!.args], env }));
    const tools = (await client.listTools()).tools.map(({ name, title, description, inputSchema }) => {
      return { name, title, description, inputSchema };
    });
    const others = collectedServers().filter(one => one.server !== server);
    const all = [...others, { server, source, license, tools }];
    writeCompressed(
      COLLECTED,
      all.sort((one, other) => (one.server < other.server ? -1 : 1)),
    );
    console.log(`${server}: ${tools.length} tools of ${source}`);
  } finally {
    await client.close();
    remove(folder);
  }
}

record(process.argv.slice(2)).catch(error => {
  console.error(error);
  process.exitCode = 1;
});
