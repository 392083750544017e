import { randomBytes } from 'node:crypto';
import { existsSync, watch } from 'node:fs';
import { lstat, mkdtemp, readdir, rmdir, unlink } from 'node:fs/promises';
import type * as http from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as net from 'node:net';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { type Disposable, type Event, getOrInsert } from '../base/events';
import { isSameSecret } from '../base/fingerprint';
import { listen, localServer, onLoopback } from '../base/localServer';
import { shallowJson } from '../base/shallowJson';
import { asciiName } from '../base/text';
import type { ServerConnection, ServerSet } from '../host';
import type { ServerId } from '../host/definition';
import { Endpoint, type EndpointOptions, type ForwardedLog } from './endpoint';
import { readBody, refuse, sendResponse, webRequest } from './httpExchange';
import type { ToolOptions } from './toolsForModels';

export interface GatewayOptions extends ToolOptions, EndpointOptions {
  readonly servers: Pick<ServerSet, 'all' | 'get'>;
  /** Fires with each log message of a server, which those of its clients get that want it. Absent: none is passed on. */
  readonly onDidLog?: Event<ForwardedLog & { readonly server: ServerId }>;
  /** Called for failures that no client sees. */
  readonly failed?: (message: string) => void;
  /** Called when its socket was removed and it listens at a new `address`. */
  readonly moved?: () => void;
  /** Use loopback TCP, for editors that do not support sockets. Default: false. */
  readonly tcp?: boolean;
}

export interface GatewayAddress {
  readonly scheme: 'unix' | 'pipe' | 'http';
  /** Path of the socket or pipe; host and port for `http`. */
  readonly at: string;
  /** The path of requests, with a leading slash: letters, digits, `-`, `_`, `~` and `/`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The most connections at once; the editor has a handful. */
const MAX_CONNECTIONS = 4_096;
/** A connection that is idle for this long is closed, in milliseconds. Streams send a sign of life every 15 s. */
const IDLE_MS = 120_000;
/** Limit for the head of a request. Long, because it includes the time in which a busy editor does not read. */
const HEADERS_MS = 30_000;
/** A request, with its body, has to arrive within this time, in milliseconds. */
const REQUEST_MS = 60_000;

/** Reason to abort the request of a connection that has ended. */
const CLOSED = new Error('The client has disconnected.');

/**
 * Serves the host's connections over MCP, to the editor's own client and anyone else who knows the secret: one path for each
 * server, over a private socket. It opens no connections to servers: its answers come over the host's.
 */
export class Gateway {
  /** The value of the `Authorization` header. New in each window, and kept nowhere. */
  readonly #authorization = `Bearer ${randomBytes(32).toString('base64url')}`;
  readonly #endpoints = new Map<ServerConnection, Endpoint>();
  readonly #http: http.Server;
  readonly #logs: Disposable | undefined;
  #place: ListeningPlace | undefined;
  #watch: Disposable | undefined;
  #listening: Promise<void> | undefined;
  #port: number | undefined;
  #isClosed = false;

  constructor(private readonly options: GatewayOptions) {
    this.#http = localServer((request, response) => this.#answer(request, response), {
      headersTimeout: HEADERS_MS,
      requestTimeout: REQUEST_MS,
      connectionsCheckingInterval: 5_000,
    });
    this.#http.maxConnections = MAX_CONNECTIONS;
    this.#http.timeout = IDLE_MS;
    this.#logs = options.onDidLog?.(message => {
      const server = options.servers.get(message.server);
      if (server) this.#endpoints.get(server)?.log(message);
    });
  }

  /** Begins to listen, once. Rejects if there is no place to listen on. */
  listen(): Promise<void> {
    this.#listening ??= this.#listen();
    return this.#listening;
  }

  /** How to reach a server. Only after `listen`. */
  address({ id }: ServerConnection): GatewayAddress {
    const path = pathOf(id);
    const headers = { Authorization: this.#authorization };
    if (this.#place?.kind === 'unix' || this.#place?.kind === 'pipe') {
      return { scheme: this.#place.kind, at: this.#place.path, path, headers };
    }
    return { scheme: 'http', at: `127.0.0.1:${this.#port}`, path, headers };
  }

  /** Disconnects the clients of servers that are gone. Called when the set of servers has changed. */
  update(): void {
    for (const [server, endpoint] of this.#endpoints) {
      if (this.options.servers.get(server.id) === server) continue;
      this.#endpoints.delete(server);
      void endpoint.close();
    }
  }

  /** Ends all connections and leaves nothing on disk. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#watch?.dispose();
    this.#logs?.dispose();
    await this.#listening?.catch(() => {});
    const closed = this.#http.listening && new Promise<void>(resolve => this.#http.close(() => resolve()));
    await Promise.allSettled([...this.#endpoints.values()].map(endpoint => endpoint.close()));
    this.#endpoints.clear();
    this.#http.closeAllConnections();
    await closed;
    if (this.#place) await leavePlace(this.#place);
  }

  async #listen(): Promise<void> {
    let place: ListeningPlace = this.options.tcp ? { kind: 'tcp' } : await newPlace();
    this.#place = place;
    try {
      await this.#listenAt(place);
    } catch (error) {
      if (place.kind === 'tcp') throw error;
      await leavePlace(place);
      place = { kind: 'tcp' };
      this.#place = place;
      await this.#listenAt(place);
    }
    // A later failure affects only one connection.
    this.#http.on('error', this.#failed);
    this.#watch = whenRemoved(place, () => this.#move());
    if (place.kind === 'tcp') this.#port = (this.#http.address() as AddressInfo).port;
  }

  readonly #failed = (error: Error) => this.options.failed?.(error.message);

  /** Open connections go on; new ones find it at another place. */
  #move(): void {
    if (this.#isClosed) return;
    this.#http.off('error', this.#failed).close();
    this.#listening = this.#listen();
    this.#listening.then(() => this.options.moved?.(), this.#failed);
  }

  #listenAt(place: ListeningPlace): Promise<void> {
    return listen(this.#http, place.kind === 'tcp' ? onLoopback() : { path: place.path, backlog: MAX_CONNECTIONS });
  }

  async #answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.once('close', () => gone.abort(CLOSED));
    try {
      const refusal = this.#refusal(request);
      if (refusal) return refuse(request, response, refusal.status, refusal.reason);
      const endpoint = this.#endpoint(request.url ?? '');
      if (!endpoint) return refuse(request, response, 404, 'There is no such server');
      const isPost = request.method === 'POST';
      const text = isPost ? await readBody(request) : undefined;
      if (text === 'too large') return refuse(request, response, 413, 'The request is too large');
      const body = text === undefined ? undefined : shallowJson(text);
      if (isPost && body === undefined) return refuse(request, response, 400, 'Parse error: the body is not JSON');
      const answer = await endpoint.fetch(webRequest(request, gone.signal), body);
      await sendResponse(answer, response);
    } catch (error) {
      if (gone.signal.aborted) return;
      const { message } = error as Error;
      this.options.failed?.(message);
      if (response.headersSent) response.destroy();
      else refuse(request, response, 503, message);
    }
  }

  /** Admits clients that know the secret, but no web pages. */
  #refusal({ headers }: IncomingMessage): { status: 401 | 403; reason: string } | undefined {
    // Browsers send it with every request that a page makes; the editor's client does not.
    if (headers.origin !== undefined) return { status: 403, reason: 'web pages have no access' };
    // Over loopback TCP, a foreign one reveals DNS rebinding.
    const hosts = [`127.0.0.1:${this.#port}`, `localhost:${this.#port}`];
    if (this.#port !== undefined && !hosts.includes(headers.host ?? ''))
      return { status: 403, reason: 'the Host is not this one' };
    const isKnown = isSameSecret(headers.authorization ?? '', this.#authorization);
    return isKnown ? undefined : { status: 401, reason: 'the bearer token is missing or wrong' };
  }

  #endpoint(url: string): Endpoint | undefined {
    if (this.#isClosed) return undefined;
    const [path] = url.split('?', 1);
    const server = this.options.servers.all.find(({ id }) => pathOf(id) === path);
    if (!server) return undefined;
    return getOrInsert(this.#endpoints, server, () => new Endpoint(server, this.options));
  }
}

/** Ids are whatever people write. Each has a path of its own. */
const pathOf = (id: ServerId): string => `/servers/${asciiName(id)}`;

export type ListeningPlace =
  | { readonly kind: 'unix'; readonly path: string; readonly folder: string }
  | { readonly kind: 'pipe'; readonly path: string }
  | { readonly kind: 'tcp' };

const PREFIX = 'mcp-host-gateway-';
const SOCKET = 's';
/** `sun_path` has 108 bytes on Linux and 104 on macOS, with the closing zero. */
const MAX_PATH_BYTES = 103;
/** A folder without a socket belongs to a window that is just starting, or to one that crashed long ago. */
const STARTING_MS = 60_000;
const MAX_STALE = 50;

/**
 * A place for this window alone: a socket in a new folder that only this user may enter, or on Windows a named pipe with an
 * unguessable name. `tcp` if no folder has a path that is short enough.
 */
export async function newPlace(): Promise<ListeningPlace> {
  if (process.platform === 'win32') {
    return { kind: 'pipe', path: `\\\\.\\pipe\\${PREFIX}${randomBytes(16).toString('hex')}` };
  }
  for (const base of folders()) {
    const longest = path.join(base, `${PREFIX}XXXXXX`, SOCKET);
    if (Buffer.byteLength(longest) > MAX_PATH_BYTES) continue;
    try {
      // Made with mode 0700.
      const folder = await mkdtemp(path.join(base, PREFIX));
      void removeStale(base);
      return { kind: 'unix', path: path.join(folder, SOCKET), folder };
    } catch {
      // Not writable; try the next one.
    }
  }
  return { kind: 'tcp' };
}

/** Calls back once if the socket of a place is removed, as by a program that cleans up temporary files. Nothing of the place is left. */
export function whenRemoved(place: ListeningPlace, gone: () => void): Disposable {
  if (place.kind !== 'unix') return { dispose: () => {} };
  try {
    const watcher = watch(place.folder, { persistent: false }, () => {
      if (existsSync(place.path)) return;
      watcher.close();
      void leavePlace(place);
      gone();
    });
    watcher.on('error', () => {});
    return { dispose: () => watcher.close() };
  } catch {
    // The system watches no more folders.
    return { dispose: () => {} };
  }
}

/** Removes what is left of a place once nothing listens there. Never rejects. */
export async function leavePlace(place: ListeningPlace): Promise<void> {
  if (place.kind === 'unix') await removePlace(place.folder).catch(() => {});
}

/** Removes a socket and its folder; not a folder with anything more, which is not ours alone. */
async function removePlace(folder: string): Promise<void> {
  const socket = path.join(folder, SOCKET);
  const isThere = await lstat(socket).then(
    found => found.isSocket(),
    () => false,
  );
  if (isThere) await unlink(socket);
  await rmdir(folder);
}

function folders(): string[] {
  const bases = [process.env.XDG_RUNTIME_DIR, tmpdir(), '/tmp'];
  return [...new Set(bases.filter((base): base is string => !!base))];
}

/** Removes folders of windows that crashed: those whose socket does not answer. Never rejects. */
async function removeStale(base: string): Promise<void> {
  try {
    const names = (await readdir(base)).filter(name => name.startsWith(PREFIX)).slice(0, MAX_STALE);
    await Promise.all(names.map(name => removeIfStale(path.join(base, name))));
  } catch {
    // Leftovers must not make it fail.
  }
}

async function removeIfStale(folder: string): Promise<void> {
  try {
    const { uid, mtimeMs } = await lstat(folder);
    if (uid !== process.getuid?.()) return;
    const answer = await knock(path.join(folder, SOCKET));
    const isStale = answer === 'ECONNREFUSED' || (answer === 'ENOENT' && Date.now() - mtimeMs > STARTING_MS);
    if (isStale) await removePlace(folder);
  } catch {
    // It is gone already, or is not ours.
  }
}

/** The error code of a connection; undefined when the socket is in use. */
function knock(socketPath: string): Promise<string | undefined> {
  return new Promise(resolve => {
    const socket = net.connect(socketPath, () => {
      socket.destroy();
      resolve(undefined);
    });
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'unknown'));
  });
}
