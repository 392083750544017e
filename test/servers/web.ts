// MCP over HTTP as web pages may and may not use it. Prints `listening <port>` and serves until its stdin ends.
//   /mcp              Streamable HTTP with CORS headers
//   /sse, /messages   the older HTTP+SSE, with them
//   /closed           as /mcp, without: a browser lets nobody read it
//   /redirect         302 to /mcp
import type { IncomingMessage, ServerResponse } from 'node:http';
import { goodBehaviour } from './raw/behaviour';
import { letPagesIn } from './raw/cors';
import { bodyOf } from './raw/eventStream';
import { HttpSseEndpoint } from './raw/httpSse';
import { listen } from './raw/listen';
import { ordinaryOffer } from './raw/offer';
import { StreamableHttpEndpoint } from './raw/streamableHttp';

const mcp = new StreamableHttpEndpoint(goodBehaviour({ ...ordinaryOffer(), instructions: 'For web pages too.' }));
const sse = new HttpSseEndpoint(goodBehaviour(ordinaryOffer()), '/messages');

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1');
  if (pathname !== '/closed' && letPagesIn(request, response)) return;
  const body = await bodyOf(request);
  if (pathname === '/mcp' || pathname === '/closed') mcp.handle(request, response, body);
  else if (pathname === '/sse') sse.open(response);
  else if (pathname === '/messages') sse.post(request, response, body);
  else if (pathname === '/redirect') response.writeHead(302, { location: '/mcp' }).end();
  else response.writeHead(404).end();
}

listen(handle, { announce: true, exitOnStdinEnd: true }).catch((error: Error) => {
  console.error(error.stack);
  process.exitCode = 1;
});
