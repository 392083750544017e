// npm run compat -- clients [--record] [name …]: the newest clients of npm, each in a folder of its own, with the servers of a
// window through the bridge, by the entry that *Share Servers with Agents…* writes. Agents that need a model get a scripted one of
// this machine. `--record` writes the table of docs/agents.md.
import * as fs from 'node:fs';
import * as path from 'node:path';
import { npmFlags } from '../setup/onDemand';
import { remove, temporaryFolder } from '../setup/paths';
import { run } from '../setup/processes';
import { AgentsHome } from '../unit/features/agents/core/testAgents';
import { TestGateway } from '../unit/gateway/testGateway';
import { fixture } from '../unit/host/testHost';
import { CLIENTS, type ClientProgram } from './clientPrograms';
import { namedBy, type Outcome } from './part';
import { recordTable } from './recordTable';
import { ScriptedModel } from './scriptedModel';

const INSTALL_MS = 900_000;

interface Row {
  readonly client: string;
  readonly version: string;
  readonly how: string;
  readonly connected: boolean;
  readonly called: boolean;
}

/** The clients of these words in their names, or all. */
export async function clients(args: string[], signal: AbortSignal): Promise<Outcome> {
  const rows: Row[] = [];
  for (const client of namedBy(args, CLIENTS)) {
    if (signal.aborted) break;
    const row = await tried(client, signal);
    console.log(lineOf(row));
    rows.push(row);
  }
  if (args.includes('--record')) recordTable('docs/agents.md', 'npm run compat -- clients --record', tableOf(rows));
  const passed = rows.filter(({ called }) => called).length;
  return { lines: rows.map(lineOf), passed, failed: rows.length - passed };
}

async function tried(client: ClientProgram, signal: AbortSignal): Promise<Row> {
  const packages = temporaryFolder();
  const [home, gateway, model] = [new AgentsHome(), new TestGateway({ tcp: true }), new ScriptedModel()];
  let version = '';
  let isSeen = false;
  try {
    version = await install(client, packages);
    const window = home.window();
    window.allow = async () => {
      isSeen = true;
      return 'allow';
    };
    await window.share({ one: fixture('content') });
    await gateway.serve({ one: fixture('content') });
    const { at, path: where, headers } = gateway.address('one');
    const http = { url: `http://${at}${where}`, headers };
    const place = { packages, home: home.folder, bridge: home.bridge, model: await model.listen(), http, signal };
    const said = await client.run(place).catch(error => String(error));
    const events = client.overHttp ? gateway.events : window.events;
    const called = events.some(event => event.type === 'call' && event.tool === 'count');
    if (!called) console.log(`${said.slice(-2_000)}\n${model.asked.slice(-10).join('\n')}`);
    return { client: client.name, version, how: client.how, connected: isSeen || called, called };
  } catch (error) {
    console.log(error);
    return { client: client.name, version, how: client.how, connected: isSeen, called: false };
  } finally {
    await Promise.allSettled([home.close(), gateway.close(), model.close()]);
    remove(packages);
  }
}

/** No install script is run. @returns the version of the first package. */
async function install({ packages }: ClientProgram, folder: string): Promise<string> {
  fs.writeFileSync(path.join(folder, 'package.json'), '{ "private": true }');
  const newest = packages.map(name => (/.@/.test(name) ? name : `${name}@latest`));
  await run('npm', ['install', ...npmFlags, ...newest], { cwd: folder, timeoutMs: INSTALL_MS });
  const name = packages[0]!.replace(/(?<=.)@[^/]*$/, '');
  const manifest = fs.readFileSync(path.join(folder, 'node_modules', name, 'package.json'), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

const lineOf = ({ client, version, connected, called }: Row) =>
  `clients: ${client} ${version}: ${called ? 'called a tool' : connected ? 'connected, called no tool' : 'did not connect'}`;

function tableOf(rows: readonly Row[]): string {
  const table = rows.map(
    ({ client, version, how, connected, called }) =>
      `| ${client} | ${version} | ${connected ? 'yes' : 'no'} | ${called ? `yes, by ${how}` : 'no'} |`,
  );
  return ['| client | version | connects | calls a tool |', '|---|---|---|---|', ...table].join('\n');
}
