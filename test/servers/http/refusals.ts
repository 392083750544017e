import type { ServerResponse } from 'node:http';

/** Answers that are no MCP, by path; each is the same whatever the method and the message. */
export const refusals: Readonly<Record<string, (response: ServerResponse) => void>> = {
  '/401': response => {
    response.writeHead(401, { 'www-authenticate': 'Bearer realm="fixture"', 'content-type': 'application/json' });
    response.end('{"error":"invalid_token"}');
  },
  '/403': response => void response.writeHead(403).end('Forbidden'),
  '/404': response => void response.writeHead(404).end('Not found'),
  '/500': response => void response.writeHead(500).end('Internal server error'),
  '/html': response => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('<!doctype html><title>Welcome</title><h1>It works!</h1><script>alert(1)</script>');
  },
  '/hang': () => undefined,
  '/close': response => void response.destroy(),
};
