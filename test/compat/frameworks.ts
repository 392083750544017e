// npm run compat -- frameworks [--record] [name …]: servers of frameworks and SDKs in four languages, each the smallest that its
// README documents, at pinned versions, through the host and through the bare SDK client. They are installed into
// `.vscode-test/frameworks`, once. `--record` writes docs/frameworks.md.
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import * as net from 'node:net';
import * as path from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { messageOf } from '../../src/base/errors';
import { freePort } from '../servers/freePort';
import { waitFor } from '../servers/spawn';
import { installOnce, npmFlags } from '../setup/onDemand';
import { cache, inRepository, remove, temporaryFolder } from '../setup/paths';
import { run, spawnGroup, stopGroup } from '../setup/processes';
import { raw } from '../setup/raw';
import { TestHost } from '../unit/host/testHost';
import { FRAMEWORKS, type FrameworkServer } from './frameworkServers';
import { namedBy, type Outcome } from './part';
import { recordTable } from './recordTable';

const PLACE = path.join(cache, 'frameworks');
const STEP_MS = 30_000;
const INSTALL_MS = 900_000;
const ECHO = { tool: 'echo', args: { text: 'hello' } };

/** What one client got from a server. */
interface Seen {
  /** Why the client did not connect. */
  readonly failed?: string;
  readonly era?: string | undefined;
  /** How many tools, prompts and resources are listed, or why not. */
  readonly lists: readonly (number | string)[];
  readonly called: boolean;
  /** Whether what a tool sent before its result is in that. Undefined: there is none that does. */
  readonly streamed?: boolean | undefined;
  /** Whether a call that was cancelled ended, and the server answered afterwards. Undefined: there is none to cancel. */
  readonly cancelled?: boolean | undefined;
  /** The lists of which the server announces changes. */
  readonly followed: readonly string[];
}

interface Row {
  readonly server: FrameworkServer;
  readonly ours: Seen;
  readonly bare: Seen;
}

/** How to reach a started server. */
type Entry = { readonly url: string } | { command: string; args: string[]; cwd: string; env: Record<string, string> };

/** The requests of a client, whichever it is. */
interface Requests {
  readonly era: string | undefined;
  readonly followed: readonly string[];
  list(kind: 'tools' | 'prompts' | 'resources'): Promise<number>;
  call(tool: string, args: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<unknown>;
}

/** The servers of these words in their names, or all. */
export async function frameworks(args: string[], signal: AbortSignal): Promise<Outcome> {
  const rows: Row[] = [];
  for (const server of namedBy(args, FRAMEWORKS)) {
    if (signal.aborted) break;
    const row = await tried(server);
    console.log(lineOf(row));
    rows.push(row);
  }
  if (args.includes('--record')) recordTable('docs/frameworks.md', 'npm run compat -- frameworks --record', page(rows));
  const passed = rows.filter(isRight).length;
  return { lines: rows.map(lineOf), passed, failed: rows.length - passed };
}

async function tried(server: FrameworkServer): Promise<Row> {
  const nothing = (error: unknown): Seen => ({ failed: messageOf(error, 300), lists: [], called: false, followed: [] });
  const folder = path.join(PLACE, server.name.match(/\w+/g)!.join('-'));
  try {
    fs.mkdirSync(PLACE, { recursive: true });
    await installOnce(folder, fingerprintOf(server), installing => install(server, installing));
  } catch (error) {
    return { server, ours: nothing(error), bare: nothing(error) };
  }
  const one = async (by: typeof throughHost) => {
    const home = temporaryFolder();
    const up: ReturnType<typeof spawnGroup>[] = [];
    try {
      return await by(server, await entryOf(server, { folder, home, up }));
    } catch (error) {
      return nothing(error);
    } finally {
      await Promise.allSettled(up.map(child => stopGroup(child)));
      remove(home);
    }
  };
  return { server, ours: await one(throughHost), bare: await one(throughBareClient) };
}

const textOf = (file: string) => fs.readFileSync(inRepository('test/compat/frameworks', file), 'utf8');

function fingerprintOf({ packages, files = [] }: FrameworkServer): string {
  const all = [...packages, ...files.map(textOf)];
  return createHash('sha256').update(JSON.stringify(all)).digest('hex');
}

/** No install script is run. Programs that come in packages may lack the right to be run. */
async function install({ packages, files = [], prepare, command }: FrameworkServer, folder: string): Promise<void> {
  fs.writeFileSync(path.join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  await run('npm', ['install', ...npmFlags, ...packages], { cwd: folder, timeoutMs: INSTALL_MS });
  for (const file of files) fs.writeFileSync(path.join(folder, file), textOf(file));
  if (prepare) await run(process.execPath, [prepare], { cwd: folder, timeoutMs: INSTALL_MS });
  const [program = ''] = command;
  if (program.startsWith('node_modules')) fs.chmodSync(path.join(folder, program), 0o755);
}

interface Place {
  readonly folder: string;
  readonly home: string;
  /** Processes that were started. */
  readonly up: ReturnType<typeof spawnGroup>[];
}

/** Starts what has to listen. Nothing of the person's who runs this: a home folder of its own, and no variables but these. */
async function entryOf({ command, path: where, behind }: FrameworkServer, place: Place): Promise<Entry> {
  const { folder, home } = place;
  const env = { HOME: home, PATH: `${path.dirname(process.execPath)}${path.delimiter}${process.env.PATH}` };
  const upstream = behind && (await listening({ ...behind, env }, place));
  if (where !== undefined) return { url: await listening({ command, path: where, env }, place) };
  const [program = '', ...args] = command.map(part => (part === '$UP' ? (upstream ?? '') : part));
  return { command: programOf(program, folder), args, cwd: folder, env };
}

async function listening(
  { command, path: where, env }: { command: readonly string[]; path: string; env: Record<string, string> },
  { folder, up }: Place,
): Promise<string> {
  const port = await freePort();
  const [program = '', ...args] = command.map(part => part.replace('$PORT', String(port)));
  const child = spawnGroup(programOf(program, folder), args, {
    cwd: folder,
    env: { ...env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  up.push(child);
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', data => (said = `${said}${data}`.slice(-2_000)));
  await waitFor(() => child.exitCode !== null || accepts(port), {
    what: () => `${command.join(' ')} to listen: ${said}`,
  });
  if (child.exitCode !== null) throw new Error(`it ended: ${said}`);
  return `http://127.0.0.1:${port}${where}`;
}

const programOf = (program: string, folder: string) =>
  program === 'node' ? process.execPath : path.join(folder, program);

function accepts(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = net.connect(port, '127.0.0.1', () => resolve(true));
  socket.on('error', () => resolve(false));
  return promise.finally(() => socket.destroy());
}

async function throughHost(server: FrameworkServer, entry: Entry): Promise<Seen> {
  const host = new TestHost();
  try {
    host.configure({ server: 'url' in entry ? { type: 'http', ...entry } : entry });
    await host.reaches('server', 'ready');
    const connection = host.server('server');
    const { catalog } = connection;
    const { info } = connection;
    return await seen(server, {
      era: info?.era,
      followed: followedIn(info?.capabilities),
      list: async kind => {
        await catalog.loaded(kind);
        const { items, status, error } = catalog.list(kind);
        if (status === 'failed') throw error;
        return items.length;
      },
      call: (name, args, signal) => {
        const tool = catalog.tools.find(one => one.name === name);
        if (!tool) throw new Error(`it lists no tool ${name}`);
        return raw(connection).callTool(tool, args, { ...(signal && { signal }) });
      },
    });
  } finally {
    await host.close();
  }
}

async function throughBareClient(server: FrameworkServer, entry: Entry): Promise<Seen> {
  const client = new Client({ name: 'compat', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  const transport =
    'url' in entry
      ? new StreamableHTTPClientTransport(new URL(entry.url))
      : new StdioClientTransport({ ...entry, stderr: 'ignore' });
  try {
    await client.connect(transport);
    const capabilities = client.getServerCapabilities() ?? {};
    return await seen(server, {
      era: client.getProtocolEra(),
      followed: followedIn(capabilities),
      list: async kind => {
        if (!capabilities[kind]) return 0;
        if (kind === 'tools') return (await client.listTools()).tools.length;
        if (kind === 'prompts') return (await client.listPrompts()).prompts.length;
        return (await client.listResources()).resources.length;
      },
      call: (name, args, signal) => client.callTool({ name, arguments: { ...args } }, { ...(signal && { signal }) }),
    });
  } finally {
    await client.close();
  }
}

const followedIn = (capabilities: object = {}): string[] =>
  Object.entries(capabilities).flatMap(([kind, has]) => (has?.listChanged === true ? [kind] : []));

async function seen(server: FrameworkServer, client: Requests): Promise<Seen> {
  const { call = ECHO } = server;
  const lists: (number | string)[] = [];
  for (const kind of ['tools', 'prompts', 'resources'] as const) {
    lists.push(await within(client.list(kind)).catch(error => `refused: ${messageOf(error, 60)}`));
  }
  const calls = (tool = call.tool) =>
    within(client.call(tool, call.args)).then(
      result => call !== ECHO || JSON.stringify(result).includes('hello'),
      () => false,
    );
  const called = lists[0] !== 0 && (await calls());
  const streamed = server.streams === undefined ? undefined : await calls(server.streams);
  const { era, followed } = client;
  if (server.call || server.isSequential || lists[0] === 0) return { era, lists, called, followed };
  const abort = new AbortController();
  const slow = client.call('slow', {}, abort.signal).then(
    () => false,
    () => abort.signal.aborted,
  );
  await calls();
  abort.abort();
  const cancelled = (await within(slow).catch(() => false)) && (await calls());
  return { era, lists, called, streamed, cancelled, followed };
}

/** @throws Error for what takes longer than anyone would wait. */
async function within<T>(running: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('no answer')), STEP_MS);
  return Promise.race([running, promise]).finally(() => clearTimeout(timer));
}

/** The host lists all that is offered, calls, and cancels. What the bare client can't do is no fault of ours. */
function isRight({ server, ours }: Row): boolean {
  const { offers = [2, 1, 1] } = server;
  const isCalled = ours.called || offers[0] === 0;
  return (
    !ours.failed &&
    isCalled &&
    ours.cancelled !== false &&
    ours.streamed !== false &&
    offers.every((count, at) => ours.lists[at] === count)
  );
}

const yes = (is: boolean | undefined) => (is === undefined ? '–' : is ? 'yes' : 'no');

function inWords({ failed, era, lists, called, cancelled }: Seen): string {
  if (failed !== undefined) return `does not connect: ${failed}`;
  return `${era}, lists ${lists.join(', ')}; calls: ${yes(called)}, cancels: ${yes(cancelled)}`;
}

const lineOf = (row: Row) =>
  `frameworks: ${row.server.name}: ${isRight(row) ? 'ok' : 'FAILED'}: ours ${inWords(row.ours)} | SDK ${inWords(row.bare)}`;

function page(rows: readonly Row[]): string {
  const cell = ({ failed, era, lists }: Seen) =>
    failed === undefined
      ? `${era}: ${lists.map(count => (typeof count === 'number' ? count : 'refused')).join(' · ')}`
      : 'does not connect';
  const table = rows.map(({ server, ours, bare }) =>
    [
      ...['', server.name, server.packages[0]!.replace(/^.+@/, ''), server.path === undefined ? 'stdio' : 'HTTP'],
      ...[cell(ours), yes(ours.failed ? undefined : ours.called), yes(ours.cancelled)],
      ...[cell(bare), yes(bare.failed ? undefined : bare.called), yes(bare.cancelled)],
      ...[ours.followed.join(', ') || '–', ''],
    ].join(' | '),
  );
  const know = rows.map(({ server }) => `| ${server.name} | ${server.know.join(' ')} |`);
  return [
    '| server | version | over | MCP Host lists | calls | cancels | the SDK lists | calls | cancels | announces changes of |',
    '|---|---|---|---|---|---|---|---|---|---|',
    ...table.map(line => line.trim()),
    '',
    '| server | what its author has to know |',
    '|---|---|',
    ...know,
  ].join('\n');
}
