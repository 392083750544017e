// A proxy of a network: takes tunnels (CONNECT) and whole addresses, and knows every host that ends in `.test`, all of which
// are this machine. Prints `listening <port>` and serves until its stdin ends.
//   /__seen             GET: where it was asked to go, as a JSON list of `host:port`
//   /__refuse?status=…  PUT: it lets nobody through from now on; without a status, everybody again
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { sendJson } from './raw/eventStream';

const seen: string[] = [];
let refusal = 0;

const realHost = (host: string) => (host.endsWith('.test') ? '127.0.0.1' : host);

function control(asked: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(asked.url ?? '/', 'http://127.0.0.1');
  if (pathname === '/__refuse') refusal = Number(searchParams.get('status') ?? 0);
  sendJson(response, 200, seen);
}

function forward(asked: IncomingMessage, response: ServerResponse): void {
  const { hostname, port, host, pathname, search } = new URL(asked.url ?? '');
  seen.push(host);
  if (refusal) {
    response.writeHead(refusal).end();
    return;
  }
  const { method, headers } = asked;
  const sent = request({ host: realHost(hostname), port, path: pathname + search, method, headers }, answer => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  sent.on('error', () => response.destroy());
  response.on('close', () => sent.destroy());
  asked.pipe(sent);
}

function tunnel({ url = '' }: IncomingMessage, near: Socket): void {
  seen.push(url);
  near.on('error', () => undefined);
  const refuse = (status: number) => near.end(`HTTP/1.1 ${status} Refused\r\nContent-Length: 0\r\n\r\n`);
  if (refusal) {
    refuse(refusal);
    return;
  }
  const { hostname, port } = new URL(`http://${url}`);
  const far = connect(Number(port || 80), realHost(hostname));
  // The editor asks a proxy that closes without an answer again, at once and for ever.
  far.once('error', () => refuse(502));
  far.once('connect', () => {
    near.write('HTTP/1.1 200 Connection established\r\n\r\n');
    near.pipe(far).pipe(near);
    far.on('close', () => near.destroy());
  });
  near.on('close', () => far.destroy());
}

const server = createServer((asked, response) => (asked.url?.startsWith('/') ? control : forward)(asked, response)).on(
  'connect',
  tunnel,
);
server.listen(0, '127.0.0.1', () => console.log(`listening ${(server.address() as AddressInfo).port}`));
process.stdin.on('end', () => process.exit(0)).resume();
