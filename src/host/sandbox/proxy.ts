import { lookup } from 'node:dns/promises';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import { performServerHandshake } from 'node:http2';
import { connect, isIP } from 'node:net';
import { Duplex } from 'node:stream';
import { placeOf } from '../auth/address';
import { allowsHost } from './rules';

/** What a proxy allows. Asked for each connection. */
interface ProxyRules {
  hosts(): readonly string[];
  /** Nobody has agreed to a host: whether somebody does now. The connection waits for that. */
  wants(host: string, port: number): Promise<boolean>;
  /** A connection was asked for. */
  asked(host: string, port: number, isAllowed: boolean): void;
}

const CONNECT_MS = 30_000;

/**
 * A proxy (HTTP, with `CONNECT`) that reaches only the hosts that it is told. It listens nowhere: connections come over a
 * descriptor (`serveOver`). Names are looked up here, as there is no network where they are asked for; a pattern never stands
 * for an address of this machine or its network.
 */
export class FilteringProxy {
  readonly #server: Server;

  constructor(private readonly rules: ProxyRules) {
    this.#server = createServer((incoming, response) => void this.#forward(incoming, response));
    this.#server.on('connect', (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
      socket.on('error', () => {});
      void this.#tunnel(incoming.url ?? '', socket, head);
    });
    this.#server.on('clientError', (_error, socket) => socket.destroy());
  }

  /** Takes the connections that the bridge in a sandbox passes on. */
  serveOver(way: Duplex): void {
    way.on('error', () => {});
    const session = performServerHandshake(way);
    session.on('error', () => {});
    session.on('stream', stream => {
      stream.on('error', () => {});
      stream.respond({ ':status': 200 });
      this.#server.emit('connection', inBytes(stream));
    });
  }

  async #tunnel(authority: string, socket: Duplex, head: Buffer): Promise<void> {
    const { hostname, port } = targetOf(`tunnel://${authority}`) ?? {};
    const address = hostname && port ? await this.#addressOf(hostname, port) : undefined;
    if (!address || !port || socket.destroyed) {
      socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
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
  }

  async #forward(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { hostname, port, path } = targetOf(incoming.url ?? '') ?? {};
    const address = hostname && port ? await this.#addressOf(hostname, port) : undefined;
    if (!address || !port || response.destroyed) {
      response.writeHead(403, { 'Content-Type': 'text/plain' }).end('This host is not one that was agreed to.\n');
      return;
    }
    const headers = withoutHops(incoming.headers);
    const options = { host: address, port, method: incoming.method, path, headers, timeout: CONNECT_MS };
    const asked = request(options, answer => {
      response.writeHead(answer.statusCode ?? 502, withoutHops(answer.headers));
      answer.pipe(response);
    });
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => (response.headersSent ? response.destroy() : response.writeHead(502).end()));
    response.on('close', () => asked.destroy());
    incoming.pipe(asked);
  }

  /** Where a host is, if it may be reached. */
  async #addressOf(host: string, port: number): Promise<string | undefined> {
    const isAllowed = allowsHost(this.rules.hosts(), host, port) || (await this.rules.wants(host, port));
    const hosts = this.rules.hosts();
    let address: string | undefined;
    if (isAllowed) {
      address = isIP(host) ? host : (await lookup(host).catch(() => undefined))?.address;
      const isNamed = hosts.some(name => !name.startsWith('*') && allowsHost([name], host, port));
      if (address && !isNamed && placeOf(address) !== 'public') {
        this.rules.asked(host, port, false);
        return undefined;
      }
    }
    this.rules.asked(host, port, isAllowed);
    return address;
  }
}

/** A stream of HTTP/2 loses the beginning of what is written to it as text and bytes together: here all are bytes. */
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

/** Of an address as a proxy is asked for it. */
function targetOf(text: string): { hostname: string; port: number; path: string } | undefined {
  if (!/^(http|tunnel):\/\//.test(text) || !URL.canParse(text)) return undefined;
  const { hostname, port, pathname, search, protocol } = new URL(text);
  const number = port === '' ? (protocol === 'http:' ? 80 : 443) : Number(port);
  return { hostname: hostname.replace(/^\[|\]$/g, ''), port: number, path: pathname + search };
}
