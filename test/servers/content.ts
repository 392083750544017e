// Resources of every kind over stdio, in both protocol eras: what the reading tests open.
//   node out/servers/content.js
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { contentServer } from './content/server';
import { OldErrorCodeTransport } from './content/transport';

serveStdio(contentServer, { transport: new OldErrorCodeTransport(), onerror: error => console.error(error.message) });
