import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, createServer as createNetServer, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { english } from '../../../../src/base/phrase';
import { releaseGroup, spawnGroup } from '../../../../src/host/launch/processGroup';
import { SandboxAttempts } from '../../../../src/host/sandbox/attempts';
import { findBubblewrap } from '../../../../src/host/sandbox/bubblewrap';
import { type ConfineOptions, confine } from '../../../../src/host/sandbox/confine';
import type { ConfinedLaunch } from '../../../../src/host/sandbox/confinement';

export const BRIDGE = join(process.cwd(), 'out/servers/sandboxBridge.js');

/** Why programs can't be confined by bubblewrap on this machine. Undefined: they can. */
export async function whyNot(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'bubblewrap is a program of Linux';
  const found = await findBubblewrap();
  return 'reason' in found ? english(found.reason) : undefined;
}

/** For `before`: leaves out what needs bubblewrap where there is none, and says why. */
export async function onlyWhereConfined(this: Mocha.Context): Promise<void> {
  leaveOut(this, await whyNot());
}

/** For `before`: leaves out what needs Seatbelt. On macOS it has to work: nothing is left out there. */
export function onlyOnMacos(this: Mocha.Context): void {
  leaveOut(this, process.platform === 'darwin' ? undefined : 'Seatbelt is a part of macOS');
}

function leaveOut(context: Mocha.Context, why: string | undefined): void {
  if (why === undefined) return;
  console.log(`    Nothing can be confined on this machine: ${why}.`);
  context.skip();
}

/** A home folder with secrets, a workspace, and what confined programs say there. */
export class World {
  readonly top = realpathSync(mkdtempSync('/var/tmp/mcp-host-sandbox-'));
  readonly home = this.folder('home');
  readonly workspace = this.folder('home/work/project');
  /** Rules by which the workspace may be changed. */
  readonly writing = { rules: { write: [this.workspace] } };
  readonly notes: string[] = [];
  attempts = new SandboxAttempts();
  readonly #homeBefore = process.env.HOME;

  constructor() {
    process.env.HOME = this.home;
  }

  folder(path: string): string {
    mkdirSync(join(this.top, path), { recursive: true });
    return join(this.top, path);
  }

  /** @param path relative to the home folder */
  file(path: string, text = 'secret'): string {
    const file = join(this.home, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }

  async confined(
    command: string,
    args: readonly string[],
    options: Partial<ConfineOptions> & { env?: NodeJS.ProcessEnv; cwd?: string } = {},
  ): Promise<ConfinedLaunch> {
    const { env = {}, cwd = this.workspace, ...others } = options;
    const launch = { command, args, env: { PATH: process.env.PATH, HOME: this.home, ...env }, cwd };
    return confine(launch, {
      ...{
        name: 'one',
        rules: {},
        roots: [this.workspace],
        base: this.workspace,
        bridge: BRIDGE,
        keeps: [],
        aside: join(this.top, 'aside'),
      },
      ...{ folder: join(this.top, 'storage/one'), note: text => this.notes.push(text) },
      attempts: this.attempts,
      ...others,
    });
  }

  /** What a program says in its sandbox: its output, then its errors. Between the two streams there is no order. */
  async run(command: string, args: readonly string[], options?: Parameters<World['confined']>[2]): Promise<string> {
    const launch = await this.confined(command, args, options);
    const child = spawnGroup(launch);
    launch.attach?.(child);
    child.stdin?.end();
    const [output, errors] = [text(child.stdout!), text(child.stderr!)];
    await new Promise(resolve => child.once('close', resolve));
    releaseGroup(child.pid!);
    await launch.end();
    return `${(await output).trimEnd()}\n${await errors}`.trim();
  }

  /** What a shell says of a script. */
  sh(script: string, options?: Parameters<World['confined']>[2]): Promise<string> {
    return this.run('sh', ['-c', script], options);
  }

  /** What Node says of a script. */
  node(script: string, options?: Parameters<World['confined']>[2]): Promise<string> {
    return this.run(process.execPath, ['-e', script], options);
  }

  remove(): void {
    process.env.HOME = this.#homeBefore;
    rmSync(this.top, { recursive: true, force: true });
  }
}

/** A page of this machine, for each address of its host, until the end of the scope. */
export async function servePage(answer: (request: IncomingMessage) => string = () => 'the page') {
  const server = createServer((request, response) => {
    response.setHeader('Content-Type', 'text/html').end(answer(request));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return { port, host: `127.0.0.1:${port}`, url: `http://127.0.0.1:${port}/`, ...closing(server) };
}

/** Sockets at these paths that answer `reached`, until the end of the scope. */
export async function serveSockets(...paths: string[]) {
  const servers = paths.map(path => createNetServer(socket => socket.end('reached')).listen(path));
  await Promise.all(servers.map(server => once(server, 'listening')));
  return closing(...servers);
}

const closing = (...servers: Server[]) => ({
  async [Symbol.asyncDispose]() {
    for (const server of servers) server.close();
  },
});

/** Asserts that a script could not do something, and that it got as far as trying. */
export function refused(
  said: string,
  pattern = /Read-only file system|EROFS|Permission denied|EACCES|EPERM|not permitted/,
): void {
  assert.match(said, pattern);
}
