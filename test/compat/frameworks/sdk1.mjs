import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { makeServer } from './sdk1Server.mjs';

await makeServer().connect(new StdioServerTransport());
