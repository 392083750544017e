// MCP over HTTP in all the ways that a client meets it, each on a path of its own. Prints `listening <port>` and
// serves until its stdin ends. With `--refuse`, all of it is refused with 403.
//   /mcp              Streamable HTTP, legacy era, well-behaved; `?answer=sse` streams every answer
//   /modern           2026-07-28 only
//   /modern-waking    as /modern, but its first `server/discover` is answered with 502
//   /sse, /messages   the older HTTP+SSE
//   /sse-elsewhere    as /sse-only, but the stream names an address of another port
//   /sse-only         POST is refused with 405, GET opens an HTTP+SSE stream
//   /echo-headers     as /mcp, with a tool `headers` that answers with the request headers it was called with
//   /keyed            as /echo-headers; needs `Authorization: Bearer` with the key, else 401
//   /redirect-other   302 (or `?status=307`) to /mcp of another port
//   /redirect         302 (or `?status=307`) to the address in `?to=`
//   /401 /403 /404 /500 /html /hang /close     no MCP at all
//   /__requests       GET: the requests seen, as JSON; DELETE: forget them
//   /__key?is=…       PUT: the key that counts from now on
//   /__streams        DELETE: break off the streams of /modern
//   /__sessions       DELETE: forget all sessions of /mcp and /sse, as a restart of the server would
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ModernEndpoint } from './http/modern';
import { refusals } from './http/refusals';
import { RequestLog } from './http/requestLog';
import { goodBehaviour } from './raw/behaviour';
import { bodyOf, sendJson } from './raw/eventStream';
import { HttpSseEndpoint } from './raw/httpSse';
import { listen } from './raw/listen';
import { type Offer, ordinaryOffer, text } from './raw/offer';
import { StreamableHttpEndpoint } from './raw/streamableHttp';

type Route = (request: IncomingMessage, response: ServerResponse, body: string, url: URL) => void | Promise<void>;

/** The ordinary offer under another name. */
function offerNamed(name: string, title: string): Offer {
  return { ...ordinaryOffer(), serverInfo: { name, title, version: '1.0.0' } };
}

const echoHeadersOffer: Offer = {
  ...offerNamed('echo-headers', 'Header fixture'),
  tools: [
    {
      definition: { name: 'headers', title: 'Headers', inputSchema: { type: 'object' } },
      call: (_args, { headers }) => text(JSON.stringify(headers)),
    },
  ],
};

const log = new RequestLog();
const mcp = new StreamableHttpEndpoint(goodBehaviour(offerNamed('http', 'HTTP fixture')));
const echoHeaders = new StreamableHttpEndpoint(goodBehaviour(echoHeadersOffer));
const elsewhere = new StreamableHttpEndpoint(goodBehaviour(offerNamed('elsewhere', 'Other origin')));
const sse = new HttpSseEndpoint(goodBehaviour(offerNamed('sse', 'SSE fixture')), '/messages');
const modern = new ModernEndpoint();
let otherPort = 0;
let isAwake = false;
let key = 'none';

const notAllowed = (response: ServerResponse, allow: string) => void response.writeHead(405, { allow }).end();

/** The older transport on one path: only a GET is served there. */
const openSse: Route = (request, response) =>
  request.method === 'GET' ? sse.open(response) : notAllowed(response, 'GET');

const routes: Readonly<Record<string, Route>> = {
  '/mcp': (request, response, body, url) =>
    mcp.handle(request, response, body, url.searchParams.get('answer') === 'sse' ? 'sse' : 'auto'),
  '/modern': (request, response, body) => modern.handle(request, response, body),
  '/modern-waking': async (request, response, body) => {
    if (isAwake || !body.includes('"server/discover"')) return modern.handle(request, response, body);
    isAwake = true;
    response.writeHead(502).end('Waking up');
  },
  '/sse': openSse,
  '/sse-only': openSse,
  '/sse-elsewhere': (request, response) => {
    if (request.method !== 'GET') return notAllowed(response, 'GET');
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`event: endpoint\ndata: http://127.0.0.1:${otherPort}/messages\n\n`);
  },
  '/messages': (request, response, body) =>
    request.method === 'POST' ? sse.post(request, response, body) : notAllowed(response, 'POST'),
  '/echo-headers': (request, response, body) => echoHeaders.handle(request, response, body),
  '/keyed': (request, response, body) =>
    request.headers.authorization === `Bearer ${key}`
      ? echoHeaders.handle(request, response, body)
      : refusals['/401']?.(response),
  '/redirect': (_request, response, _body, url) => {
    const status = Number(url.searchParams.get('status') ?? 302);
    response.writeHead(status, { location: url.searchParams.get('to') ?? '' }).end();
  },
  '/redirect-other': (_request, response, _body, url) => {
    const status = Number(url.searchParams.get('status') ?? 302);
    response.writeHead(status, { location: `http://127.0.0.1:${otherPort}/mcp` }).end();
  },
};

const controls: Readonly<Record<string, Route>> = {
  '/__requests': (request, response) => {
    if (request.method === 'DELETE') log.clear();
    sendJson(response, 200, log.seen);
  },
  '/__key': (_request, response, _body, url) => {
    key = url.searchParams.get('is') ?? '';
    response.writeHead(204).end();
  },
  '/__streams': (_request, response) => {
    modern.breakStreams();
    response.writeHead(204).end();
  },
  '/__sessions': (_request, response) => {
    mcp.forgetSessions();
    sse.forgetSessions();
    response.writeHead(204).end();
  },
};

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  const control = controls[url.pathname];
  const body = await bodyOf(request);
  if (!control) log.add('main', request, body);
  const route = control ?? routes[url.pathname];
  if (process.argv.includes('--refuse')) refusals['/403']?.(response);
  else if (route) await route(request, response, body, url);
  else if (refusals[url.pathname]) refusals[url.pathname]?.(response);
  else response.writeHead(404).end('No such fixture');
}

async function main(): Promise<void> {
  otherPort = await listen(async (request, response) => {
    const body = await bodyOf(request);
    log.add('other', request, body);
    elsewhere.handle(request, response, body);
  });
  await listen(handle, { announce: true, exitOnStdinEnd: true });
}

main().catch((error: Error) => {
  console.error(error.stack);
  process.exitCode = 1;
});
