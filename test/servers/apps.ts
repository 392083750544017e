// MCP Apps over stdio, in both protocol eras: a good one that shows what it is told, and pages that try what they may not.
//   node out/servers/apps.js [--gated] [--hostile] [--changing] [--farewell=<origin>]
//   --gated     has tools with apps only for clients that say they draw them
//   --hostile   has a tool for each bad page, and for each way to give none; show_slow ends when it is cancelled
//   --farewell  is what show_farewell tells that it was closed, at the address in its title
//   --changing  has another page and another declaration each time it is read, and a tool `elsewhere`
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type ReadResourceResult,
  Server,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { pages } from './apps/pages';

const MIME_TYPE = 'text/html;profile=mcp-app';
const EXTENSION = 'io.modelcontextprotocol/ui';
const has = (flag: string) => process.argv.includes(`--${flag}`);

interface Answer {
  readonly text?: string;
  readonly blob?: string;
  readonly mimeType?: string;
  readonly ui?: object;
}

const farewell = process.argv.find(arg => arg.startsWith('--farewell='))?.split('=')[1];

let reads = 0;

/** What a read of `ui://apps/<name>` gets, apart from the pages. Undefined: there is none. */
const others: Readonly<Record<string, () => Answer | undefined>> = {
  gone: () => undefined,
  plain: () => ({ text: 'no page', mimeType: 'text/plain' }),
  empty: () => ({ text: '' }),
  nohtml: () => ({ text: '{"not": "a page"}' }),
  huge: () => ({ text: `<!doctype html><p>${'x'.repeat(20 * 1024 * 1024)}</p>` }),
  blob: () => ({ blob: Buffer.from(pages.board!).toString('base64') }),
  domains: () => ({
    text: pages.board!,
    ui: {
      csp: {
        connectDomains: ['https://api.example.com', 'wss://live.example.com'],
        resourceDomains: ['https://*.example.org'],
      },
      permissions: { clipboardWrite: {}, camera: {} },
    },
  }),
  badcsp: () => ({
    text: pages.escape!,
    ui: {
      csp: {
        connectDomains: [
          '*',
          'https:',
          "'self' https://example.com",
          'https://a.example; script-src *',
          7,
          'javascript:1',
        ],
        resourceDomains: 'https://example.com',
        frameDomains: ['data:', 'https://*'],
      },
      permissions: ['camera'],
    },
  }),
};

function read(uri: string): ReadResourceResult {
  const name = uri.replace('ui://apps/', '');
  reads++;
  const text = pages[name];
  const answer = text === undefined ? others[name]?.() : { text, ...changing(text) };
  if (!answer) throw new Error(`There is no ${uri}`);
  const { ui, mimeType = MIME_TYPE, ...content } = answer;
  const _meta = ui && { _meta: { ui } };
  return { contents: [{ uri, mimeType, ..._meta, ...content } as ReadResourceResult['contents'][number]] };
}

function changing(text: string): Answer {
  if (text === pages.farewell) return { ui: { csp: { connectDomains: [farewell] } } };
  if (!has('changing')) return {};
  return { text: `${text}<!-- ${reads} -->`, ui: { csp: { connectDomains: [`https://v${reads}.example.com`] } } };
}

const tool = (name: string, ui?: object): Tool => ({
  name,
  description: `The tool ${name}`,
  inputSchema: { type: 'object', properties: { title: { type: 'string' } } },
  annotations: { readOnlyHint: name !== 'erase' },
  ...(ui && { _meta: { ui } }),
});

const WITHOUT_APPS = [tool('say')];
const WITH_APPS = [
  ...WITHOUT_APPS,
  tool('show_board', { resourceUri: 'ui://apps/board' }),
  tool('refresh', { resourceUri: 'ui://apps/board', visibility: ['app'] }),
  tool('plan', { visibility: ['model'] }),
  tool('erase', { visibility: ['app', 'model'] }),
];
const BAD = Object.keys({ ...pages, ...others })
  .filter(name => name !== 'board')
  .map(name => tool(`show_${name}`, { resourceUri: `ui://apps/${name}` }));

const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64');
const DRAWING = { type: 'image', mimeType: 'image/svg+xml', data: svg } as const;

function appsServer(): Server {
  const capabilities = { resources: {}, tools: { listChanged: true } };
  const server = new Server({ name: 'apps', version: '1.0.0' }, { capabilities });
  const odd = has('drawing') ? [tool('odd', { resourceUri: 'x://h/page', visibility: ['model'] })] : [];
  const others = has('hostile') ? BAD : has('changing') ? [tool('elsewhere')] : odd;
  const all = [...WITH_APPS, ...others];
  const drawsApps = ({ mcpReq }: ServerContext): boolean => {
    const envelope: Readonly<Record<string, unknown>> = mcpReq.envelope ?? {};
    const declared = envelope[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities();
    return (declared as ClientCapabilities | undefined)?.extensions?.[EXTENSION] !== undefined;
  };
  server.setRequestHandler('tools/list', (_, context) => ({
    tools: has('gated') && !drawsApps(context) ? WITHOUT_APPS : all,
  }));
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: args } }, { mcpReq: { signal } }) => {
    if (name === 'show_slow') await new Promise(resolve => signal.addEventListener('abort', resolve));
    return {
      content: [{ type: 'text', text: `${name} is done` }, ...(has('drawing') ? [DRAWING] : [])],
      structuredContent: { name, args, reads, at: Date.now() },
    };
  });
  server.setRequestHandler('resources/list', () => ({ resources: [] }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }));
  server.setRequestHandler('resources/read', ({ params: { uri } }) => read(uri));
  return server;
}

serveStdio(appsServer, { onerror: error => console.error(error.message) });
