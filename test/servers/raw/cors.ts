import type { IncomingMessage, ServerResponse } from 'node:http';

const HEADERS =
  'authorization, content-type, dpop, last-event-id, mcp-method, mcp-name, mcp-protocol-version, mcp-session-id';

/** Lets web pages read the answer (CORS). True for a preflight, which is answered then. */
export function letPagesIn({ method, headers }: IncomingMessage, response: ServerResponse): boolean {
  response.setHeader('access-control-allow-origin', headers.origin ?? '*');
  response.setHeader('access-control-allow-methods', 'GET, POST, DELETE');
  response.setHeader('access-control-allow-headers', HEADERS);
  response.setHeader('access-control-expose-headers', 'mcp-session-id, www-authenticate');
  if (method !== 'OPTIONS') return false;
  response.writeHead(204).end();
  return true;
}
