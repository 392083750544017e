import { randomBytes } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import { performServerHandshake } from 'node:http2';
import { type AddressInfo, connect, isIP, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { Duplex } from 'node:stream';
import { attempt } from '../../base/errors';
import { Emitter, type Event } from '../../base/events';
import { isSameSecret } from '../../base/fingerprint';
import { listen, localServer, onLoopback } from '../../base/localServer';
import { isAmong, placeOf } from '../../base/networkAddress';
import { Queue, within } from '../../base/queue';
import { isLoopback } from '../../base/text';
import type { NetworkLimits } from '../definition/ports';
import { allowsHost, type SandboxGrant } from '../settings/sandboxRules';
import { hostText, type SandboxAttempts } from './attempts';
import type { SandboxPolicy } from './sandboxPolicy';

/** What a proxy allows. Asked for each connection. */
interface ProxyRules {
  hosts(): readonly string[];
  /** Whether a host may be allowed at all. */
  mayReach(host: string, port: number): boolean;
  /** Asks whether a host that is not allowed yet may be reached. The connection waits for that. */
  wants(host: string, port: number): Promise<boolean>;
  /** Called for each requested connection. */
  noteHost(host: string, port: number, isAllowed: boolean): void;
  /** Fires when hosts were withdrawn: connections to them end. */
  readonly onDidWithdraw: Event<void>;
}

/** Time limit for a name lookup and for connecting, in milliseconds. */
const CONNECT_MS = 30_000;
/** The most connections of one server at once. A browser keeps 32 to a proxy. */
const MAX_CONNECTIONS = 64;

/** Programs send what stands before the host of its URL, most of them as Basic credentials at once, others when they are asked. */
const USER = 'mcp-host';
const ASKS_FOR_CREDENTIALS = { 'Proxy-Authenticate': 'Basic realm="MCP Host"', Connection: 'close' };

/**
 * An HTTP proxy (with `CONNECT`) that reaches only allowed hosts. Connections arrive over a descriptor (`serveOver`), or on a
 * port of this machine for clients that know its token (`listen`). The proxy resolves names itself and connects to the
 * addresses that it checked. A name or pattern never allows an address of this machine or its network: such an address needs
 * its own permission.
 */
export class FilteringProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Connections that no person was asked about: they may be open as long as the rules allow their host. */
  readonly #ruled = new Set<{ readonly host: string; readonly port: number; readonly end: () => void }>();
  readonly #lookups = new Queue();
  #credentials: string | undefined;
  #open = 0;

  /** @param find looks up a name. Default: this machine's resolver. @param own this machine's addresses. */
  constructor(
    private readonly rules: ProxyRules,
    private readonly find: (host: string) => Promise<{ readonly address: string }> = lookup,
    private readonly own = ownAddresses,
  ) {
    this.#server = localServer((incoming, response) => {
      if (this.#admits(incoming)) return this.#forward(incoming, response);
      return response.writeHead(407, ASKS_FOR_CREDENTIALS).end();
    });
    this.#server.on('connect', (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
      socket.on('error', () => {});
      if (this.#admits(incoming)) void this.#tunnel(incoming.url ?? '', socket, head);
      else socket.end(withoutBody('407 Proxy Authentication Required', ASKS_FOR_CREDENTIALS));
    });
    this.#server.maxConnections = MAX_CONNECTIONS;
    rules.onDidWithdraw(() => {
      for (const { host, port, end } of this.#ruled) if (!this.#isRuled(host, port)) end();
    });
  }

  /** Accepts connections on a port of this machine that need the token in the URL, until it is closed. */
  async listen(): Promise<{ readonly port: number; readonly url: string }> {
    const token = randomBytes(32).toString('hex');
    this.#credentials = `Basic ${Buffer.from(`${USER}:${token}`).toString('base64')}`;
    this.#server.on('connection', socket => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    await listen(this.#server, onLoopback());
    const { port } = this.#server.address() as AddressInfo;
    return { port, url: `http://${USER}:${token}@127.0.0.1:${port}` };
  }

  /** Ends it with all connections. */
  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Accepts the connections that the bridge in a sandbox forwards. */
  serveOver(way: Duplex): void {
    way.on('error', () => {});
    const session = performServerHandshake(way, { settings: { maxConcurrentStreams: MAX_CONNECTIONS } });
    session.on('error', () => {});
    session.on('stream', stream => {
      stream.on('error', () => {});
      stream.respond({ ':status': 200 });
      this.#server.emit('connection', inBytes(stream));
    });
  }

  async #tunnel(authority: string, socket: Duplex, head: Buffer): Promise<void> {
    if (!this.#enter(socket)) {
      socket.end(withoutBody('503 Service Unavailable', { Connection: 'close' }));
      return;
    }
    const { hostname, port } = targetOf(`tunnel://${authority}`) ?? {};
    const address = hostname && port ? await this.#addressOf(hostname, port) : undefined;
    if (!address || !port || socket.destroyed) {
      socket.end(withoutBody('403 Forbidden', { Connection: 'close' }));
      return;
    }
    const there = connect({ host: address, port, timeout: CONNECT_MS });
    const end = () => {
      socket.destroy();
      there.destroy();
    };
    there.once('timeout', end);
    there.once('connect', () => {
      there.setTimeout(0);
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      if (head.length > 0) there.write(head);
      socket.pipe(there).pipe(socket);
    });
    there.on('error', end);
    there.on('close', end);
    socket.on('close', end);
    this.#keepRuled(hostname!, port, { until: socket, end });
  }

  async #forward(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!this.#enter(response)) {
      response.writeHead(503, { Connection: 'close' }).end();
      return;
    }
    const { hostname, port, path, host } = targetOf(incoming.url ?? '') ?? {};
    const address = hostname && port ? await this.#addressOf(hostname, port) : undefined;
    if (!address || !port || response.destroyed) {
      response.writeHead(403, { 'Content-Type': 'text/plain' }).end('This host is not one that was agreed to.\n');
      return;
    }
    // Of its own (RFC 9112, section 3.2.2): a server of many hosts would answer for another one.
    const headers: OutgoingHttpHeaders = { ...withoutHops(incoming.headers), host };
    // Node adds it to no GET, whose body would be the next request.
    if (incoming.headers['transfer-encoding']) headers['transfer-encoding'] = 'chunked';
    const to = { host: address, port, path, timeout: CONNECT_MS };
    // A connection that is kept might serve another server.
    const asked = request({ ...to, method: incoming.method, headers, agent: false }, answer => {
      const begun = attempt(() => response.writeHead(answer.statusCode ?? 502, withoutHops(answer.headers)));
      if (begun) answer.pipe(response);
      else asked.destroy(new Error('No answer of HTTP.'));
    });
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => (response.headersSent ? response.destroy() : response.writeHead(502).end()));
    response.on('close', () => asked.destroy());
    this.#keepRuled(hostname!, port, { until: response, end: () => response.destroy() });
    incoming.pipe(asked);
  }

  #keepRuled(host: string, port: number, { until, end }: { until: Duplex | ServerResponse; end: () => void }): void {
    if (!this.#isRuled(host, port)) return;
    const connection = { host, port, end };
    this.#ruled.add(connection);
    until.once('close', () => this.#ruled.delete(connection));
  }

  #admits({ headers }: IncomingMessage): boolean {
    return !this.#credentials || isSameSecret(headers['proxy-authorization'] ?? '', this.#credentials);
  }

  /** Counts a connection until it is closed. False: there are too many. */
  #enter(connection: Pick<Duplex | ServerResponse, 'once'>): boolean {
    if (this.#open >= MAX_CONNECTIONS) return false;
    this.#open++;
    connection.once('close', () => this.#open--);
    return true;
  }

  async #addressOf(host: string, port: number): Promise<string | undefined> {
    const isRuled = this.#isRuled(host, port);
    const isAllowed = isRuled || (this.rules.mayReach(host, port) && (await this.rules.wants(host, port)));
    const address = isAllowed ? await this.#lookedUp(host) : undefined;
    // It was withdrawn meanwhile.
    if (isRuled && !this.#isRuled(host, port)) return undefined;
    if (address !== undefined && !this.#mayConnect(host, address, port)) {
      // The address itself needs the permission.
      const isAgreed = (await this.rules.wants(address, port)) && this.#mayConnect(host, address, port);
      this.rules.noteHost(address, port, isAgreed);
      return isAgreed ? address : undefined;
    }
    this.rules.noteHost(host, port, isAllowed);
    return address;
  }

  #isRuled(host: string, port: number): boolean {
    return this.rules.mayReach(host, port) && allowsHost(this.rules.hosts(), host, port);
  }

  async #lookedUp(host: string): Promise<string | undefined> {
    if (isIP(host)) return host;
    // One at a time: few threads look names up for all of this process, and a host decides how long its name takes.
    const found = await within(
      this.#lookups.run(() => this.find(host)).catch(() => undefined),
      CONNECT_MS,
      undefined,
    );
    return found?.address;
  }

  /** Whether an address of an allowed host is public, or was allowed itself. */
  #mayConnect(host: string, address: string, port: number): boolean {
    const place = isAmong(address, this.own()) ? 'machine' : placeOf(address);
    const isHere = place === 'machine' && isLoopback({ hostname: host });
    const exact = this.rules.hosts().filter(name => !name.startsWith('*'));
    return place === 'public' || allowsHost(exact, address, port) || (isHere && allowsHost(exact, host, port));
  }
}

function withoutBody(status: string, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries({ ...headers, 'Content-Length': '0' }).map(([name, value]) => `${name}: ${value}`);
  return `HTTP/1.1 ${status}\r\n${lines.join('\r\n')}\r\n\r\n`;
}

/** Writes only bytes: an HTTP/2 stream loses the beginning when text and bytes are mixed. */
function inBytes(stream: Duplex): Duplex {
  const way: Duplex = new Duplex({
    allowHalfOpen: true,
    read: () => stream.resume(),
    write: (chunk: Buffer, _encoding, done) => stream.write(chunk, done),
    final: done => stream.end(done),
    destroy: (error, done) => {
      stream.destroy();
      done(error);
    },
  });
  stream.on('data', chunk => way.push(chunk) || stream.pause());
  stream.on('end', () => way.push(null));
  stream.on('close', () => way.destroy());
  return way;
}

/** Headers that are meant for the next machine alone (RFC 9110, section 7.6.1). */
function withoutHops(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const hops = /^(connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/;
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hops.test(name)));
}

/** The addresses of this machine, public ones too: what listens there may trust it. */
const ownAddresses = () => Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address));

/** Parses the address in a request to a proxy. @returns `host` as it is written in a header */
function targetOf(text: string): { hostname: string; port: number; path: string; host: string } | undefined {
  if (!/^(http|tunnel):\/\//.test(text) || !URL.canParse(text)) return undefined;
  const { host, hostname, port, pathname, search, protocol } = new URL(text);
  const number = port === '' ? (protocol === 'http:' ? 80 : 443) : Number(port);
  return { hostname: hostname.replace(/^\[|\]$/g, ''), port: number, path: pathname + search, host };
}

/** What is allowed in addition to the rules of a confined server, and what happens when it wants more. */
export interface HostAgreement {
  /** What the person has allowed so far. */
  granted?(): SandboxGrant;
  /** Asks the person about a host; its connection waits meanwhile. Absent: no question is asked. */
  askHost?(host: string): Promise<boolean>;
  /** What the organization allows at most. Absent: nothing is limited. */
  limits?(): NetworkLimits | undefined;
  readonly attempts: SandboxAttempts;
}

/** Decides which hosts a confined program can reach through our proxy, and records its requests. */
export class ReachableHosts {
  #isReady = false;
  readonly #withdrawn = new Emitter<void>();
  readonly onDidWithdraw = this.#withdrawn.event;

  constructor(
    private readonly policy: Pick<SandboxPolicy, 'hosts' | 'fetchesFrom'>,
    private readonly agreement: HostAgreement,
  ) {}

  /** Whether it can reach any host. Fixed while the program runs. */
  get isAny(): boolean {
    return this.agreement.askHost !== undefined || this.hosts().length > 0;
  }

  hosts(): readonly string[] {
    return this.agreement.attempts.isWatched ? [...this.#agreed, '*'] : this.#agreed;
  }

  /** Whether the organization lets programs reach a host. */
  mayReach(host: string, port: number): boolean {
    const limits = this.agreement.limits?.();
    return !limits?.hosts || allowsHost([...limits.hosts, ...limits.sources], host, port);
  }

  noteHost(host: string, port: number, isAllowed: boolean): void {
    this.agreement.attempts.noteHost(host, port, isAllowed && allowsHost(this.#agreed, host, port));
  }

  /** Asks the person about a host that is not allowed yet, while its connection waits. */
  async wants(host: string, port: number): Promise<boolean> {
    return (await this.agreement.askHost?.(hostText(host, port))) ?? false;
  }

  /** Withdraws access to the hosts that its packages were fetched from, and ends what is connected to them. */
  settle(): void {
    if (this.#isReady) return;
    this.#isReady = true;
    this.#withdrawn.fire();
  }

  /** Environment variables for the proxy. The program's own machine bypasses it, unless that host was allowed. */
  variables(proxy: string): Record<string, string> {
    const hosts = this.hosts();
    const own = ['localhost', '127.0.0.1', '::1'].filter(name => !hosts.some(host => host.startsWith(name))).join(',');
    const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'];
    return {
      ...Object.fromEntries(names.map(name => [name, proxy])),
      NO_PROXY: own,
      no_proxy: own,
      NODE_USE_ENV_PROXY: '1',
    };
  }

  get #agreed(): readonly string[] {
    const granted = this.agreement.granted?.().network ?? [];
    return [...this.policy.hosts, ...granted, ...(this.#isReady ? [] : this.policy.fetchesFrom)];
  }
}
