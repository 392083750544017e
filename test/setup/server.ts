// Starts and stops the VS Code server. Only processes started here are ended, by their process group.
import type { ChildProcess } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { vscodeServer } from './installServer';
import { inRepository, remove, temporaryFolder } from './paths';
import { atExit, run, spawnGroup, stopGroup } from './processes';
import { type Settings, userSettings } from './settings';

export interface ServerOptions {
  /** With the editor's own agents, in a process beside the window. Their runtime has to be installed. */
  agentHost?: boolean;
  /** User settings, on top of those that silence first-run pages. */
  settings?: Settings;
  /** Packaged extensions to install. */
  vsix?: string[];
  /** Folders of extensions that run from where they are. */
  unpacked?: string[];
  /** Default: new folders that are removed with the server. */
  userDataDir?: string;
  extensionsDir?: string;
  env?: NodeJS.ProcessEnv;
  /** Honours extension tests in the page's address; hides notifications. */
  driver?: boolean;
  /** With all of the editor's own extensions and the environment of the person's shell, which cost time in each window. */
  complete?: boolean;
  /** With the editor's own debugger for Node. */
  debugs?: boolean;
  /** What the organization's file on this machine says; only on Linux with bubblewrap. */
  managed?: object;
  /** Extension ids that may use proposed API. */
  proposedApi?: string[];
  /** The Node that runs it. Default: the one that goes with the version. */
  node?: string;
  /** Default: a free one. */
  port?: number;
}

export interface VSCodeServer {
  /** host:port, also the authority of `vscode-remote:` URIs. */
  authority: string;
  logsDir: string;
  extensionsDir: string;
  /** Where the extension host of a window listens, with the bridge in it. */
  bridge: string;
  /** Resolves when the server ends, for whatever reason. */
  ended: Promise<void>;
  /** Gives the next window an empty profile with these settings. @returns false when the server has ended. */
  renew(settings?: Settings): boolean;
  /** Ends the server with everything that it started, and removes its folders. */
  stop(): Promise<void>;
}

/** @throws Error with the server's output when it does not listen within two minutes. */
export async function startServer(options: ServerOptions = {}): Promise<VSCodeServer> {
  const installedServer = await vscodeServer();
  const { root, node } = { ...installedServer, ...(options.node && { node: options.node }) };
  const serverMain = path.join(root, 'out/server-main.js');
  const folder = temporaryFolder();
  const cancelRemove = atExit(() => remove(folder));
  const userDataDir = options.userDataDir ?? path.join(folder, 'data');
  const extensionsDir = options.extensionsDir ?? path.join(folder, 'extensions');
  const settings = writeSettings(userDataDir, userSettings(options.settings));
  const bridge = path.join(folder, 'bridge');
  const env = { ...environment(options.env), TEST_BRIDGE_SOCKET: bridge };
  const packed = await Promise.all((options.vsix ?? []).map(vsix => installedFolder(node, serverMain, vsix, env)));
  const unpacked = [...(options.unpacked ?? []), ...packed];
  if (unpacked.length > 0) registerUnpacked(extensionsDir, unpacked);

  const folders = ['--server-data-dir', folder, '--user-data-dir', userDataDir, '--extensions-dir', extensionsDir];
  const lean = options.complete
    ? []
    : [
        '--force-disable-user-env',
        '--builtin-extensions-dir',
        fewExtensions(root, path.join(folder, 'built-in'), options.debugs === true),
      ];
  const trust = settings['security.workspace.trust.enabled'] === true;
  const [program = node, ...before] = options.managed ? [...seesManaged(folder, options.managed), node] : [];
  const child = spawnGroup(
    program,
    [
      ...before,
      ...[inRepository('test/setup/vscode-server/main.mjs'), serverMain, '--accept-server-license-terms', ...folders],
      ...['--host', '127.0.0.1', '--port', String(options.port ?? 0), '--without-connection-token'],
      ...(options.agentHost ? cheap.slice(0, 1) : cheap),
      ...['--disable-telemetry', '--telemetry-level', 'off', '--disable-getting-started-override'],
      ...(trust ? [] : ['--disable-workspace-trust']),
      ...(options.proposedApi ?? []).flatMap(id => ['--enable-proposed-api', id]),
      ...lean,
      ...(options.driver ? ['--enable-smoke-test-driver'] : []),
    ],
    { env, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const ended = new Promise<void>(resolve => child.once('exit', () => resolve()));
  const stop = async () => {
    await stopGroup(child);
    cancelRemove();
    remove(folder);
  };
  const renew = (wanted?: Settings) => {
    for (const left of [bridge, ...inProfile(userDataDir)]) remove(left);
    writeSettings(userDataDir, userSettings(wanted));
    return child.exitCode === null && child.signalCode === null;
  };
  try {
    const port = await listening(child, 120_000);
    const logsDir = path.join(userDataDir, 'logs');
    return { authority: `127.0.0.1:${port}`, logsDir, extensionsDir, bridge, ended, renew, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * These make a window cheaper. Compressing messages took a tenth of its processor time; and a server that is told of another host
 * for the editor's own agents starts no process for them.
 */
const cheap = ['--disable-websocket-compression', '--agent-host-bridge-host', '127.0.0.1'];

/**
 * The editor's own extensions that run with every window or file, or that have many commands and settings, and that play no
 * part in what is tested. With them, a window costs a second or two more of a processor.
 */
const costly = [
  'debug-auto-launch debug-server-ready emmet git git-base github grunt gulp jake merge-conflict',
  'ms-vscode.js-debug-companion ms-vscode.vscode-js-profile-table notebook-renderers npm',
  'php-language-features terminal-suggest tunnel-forwarding typescript-language-features',
].flatMap(names => names.split(' '));
const debuggerOfNode = 'ms-vscode.js-debug';

/** A folder with the others. */
function fewExtensions(root: string, folder: string, debugs: boolean): string {
  const all = path.join(root, 'extensions');
  fs.mkdirSync(folder);
  for (const name of fs.readdirSync(all))
    if (!costly.includes(name) && (debugs || name !== debuggerOfNode))
      fs.symlinkSync(path.join(all, name), path.join(folder, name));
  return folder;
}

/** The port, from the line that the server prints when it is ready. */
function listening(child: ChildProcess, timeoutMs: number): Promise<number> {
  return new Promise((resolve, reject) => {
    let output = '';
    const fail = (why: string) => reject(new Error(`The VS Code server ${why}\n${output}`));
    const timer = setTimeout(() => fail(`was not ready within ${timeoutMs} ms`), timeoutMs);
    const read = (data: Buffer) => {
      if (output.length < 100_000) output += data;
      const port = /agent listening on (\d+)/.exec(output)?.[1];
      if (!port) return;
      clearTimeout(timer);
      resolve(Number(port));
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      fail(`ended with ${code ?? signal}`);
    });
  });
}

/** What windows write there, but for logs, which the server keeps open, and what it remembers of the extensions. */
function inProfile(userDataDir: string): string[] {
  const kept = ['logs', 'CachedProfilesData'];
  return fs
    .readdirSync(userDataDir)
    .filter(name => !kept.includes(name))
    .map(name => path.join(userDataDir, name));
}

/** Settings that the profile has already win. */
function writeSettings(userDataDir: string, wanted: Settings): Settings {
  const file = path.join(userDataDir, 'User', 'settings.json');
  const given = fs.existsSync(file) ? (JSON.parse(fs.readFileSync(file, 'utf8')) as Settings) : {};
  const settings = { ...wanted, ...given };
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, JSON.stringify(settings, null, 2));
  return settings;
}

const installed = new Map<string, Promise<string>>();

/** Where VS Code has installed a packaged extension: once for all servers of this process, which takes seconds. */
function installedFolder(node: string, serverMain: string, vsix: string, env: NodeJS.ProcessEnv): Promise<string> {
  const install = async () => {
    const folder = temporaryFolder();
    atExit(() => remove(folder));
    const extensionsDir = path.join(folder, 'extensions');
    const folders = ['--server-data-dir', folder, '--extensions-dir', extensionsDir];
    const args = [serverMain, '--accept-server-license-terms', ...folders, '--install-extension', vsix, '--force'];
    await run(node, args, { env, timeoutMs: 180_000 });
    const [name] = fs
      .readdirSync(extensionsDir)
      .filter(entry => fs.existsSync(path.join(extensionsDir, entry, 'package.json')));
    if (!name) throw new Error(`VS Code has not installed ${vsix}`);
    return path.join(extensionsDir, name);
  };
  const found = installed.get(vsix) ?? install();
  installed.set(vsix, found);
  return found;
}

/** VS Code loads what `extensions.json` lists, wherever it is: no packing for extensions that only tests use. */
function registerUnpacked(extensionsDir: string, folders: string[]): void {
  const entries = folders.map(folder => {
    const manifest = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8')) as Record<string, string>;
    const id = `${manifest.publisher}.${manifest.name}`.toLowerCase();
    const location = { $mid: 1, path: path.resolve(folder), scheme: 'file' };
    return { identifier: { id }, version: manifest.version, location };
  });
  fs.mkdirSync(extensionsDir, { recursive: true });
  fs.writeFileSync(path.join(extensionsDir, 'extensions.json'), JSON.stringify(entries));
}

/** No marketplace, and nothing that the terminal of another VS Code window leaks into its children. */
function environment(given: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = { ...process.env, EXTENSIONS_GALLERY: '{}', NODE_NO_WARNINGS: '1', ...given };
  for (const name of Object.keys(env)) if (/^(VSCODE|ELECTRON)_/.test(name)) delete env[name];
  return env;
}

// A file of an organization for one window, which a test must not put into a folder of the machine.

/**
 * The words before a program that make it see this managed file, by bubblewrap: all of `/etc` is as it was, with `/etc/mcp-host` in it.
 * @param folder for the file.
 */
function seesManaged(folder: string, managed: object): string[] {
  const own = path.join(folder, 'organization');
  fs.mkdirSync(own, { mode: 0o755 });
  fs.writeFileSync(path.join(own, 'managed-settings.json'), JSON.stringify(managed));
  const others = fs.readdirSync('/etc').filter(name => name !== 'mcp-host');
  const kept = others.flatMap(name => ['--ro-bind-try', `/etc/${name}`, `/etc/${name}`]);
  // The file has to be root's.
  const asRoot = process.getuid?.() === 0 ? [] : ['--unshare-user', '--uid', '0', '--gid', '0'];
  return ['bwrap', ...asRoot, '--dev-bind', '/', '/', '--tmpfs', '/etc', ...kept, '--ro-bind', own, '/etc/mcp-host'];
}

// One VS Code server for windows that come one after the other: a start costs two seconds of a processor. Each gets a
// profile of its own.

interface Idle {
  server: VSCodeServer;
  /** What it was started with. */
  key: unknown;
}

const state: { isShared: boolean; idle?: Idle | undefined } = { isShared: false };

/** From now on, a server that a window of this process has left waits for the next one. */
export function shareServers(): void {
  state.isShared = true;
}

/** What can only be chosen when a server starts. */
function keyOf({ settings, ...options }: ServerOptions): unknown {
  return [options, settings?.['security.workspace.trust.enabled'] === true];
}

/** A server with these options and an empty profile: the one that waits if it has them, else a new one. */
export async function takeServer(options: ServerOptions): Promise<VSCodeServer> {
  const { idle } = state;
  state.idle = undefined;
  if (idle && isDeepStrictEqual(idle.key, keyOf(options)) && idle.server.renew(options.settings)) return idle.server;
  await idle?.server.stop();
  return startServer(options);
}

/** Stops it, or keeps it for the next window. */
export async function leaveServer(server: VSCodeServer, options: ServerOptions): Promise<void> {
  if (!state.isShared || state.idle) return server.stop();
  state.idle = { server, key: keyOf(options) };
}

/** After the last window: the server would keep this process alive. */
export async function closeSharedServer(): Promise<void> {
  state.isShared = false;
  const { idle } = state;
  state.idle = undefined;
  await idle?.server.stop();
}
