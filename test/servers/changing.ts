// Resources that change when a tool says so, with subscriptions in both eras; what it is asked for of these, it tells on
// stderr. Over stdio.
//   node out/servers/changing.js [flags]
//   --legacy         speaks the legacy era only
//   --no-subscribe   has no subscriptions, and says so
//   --unknown        says that it has subscriptions, but knows no such request
//   --refuse         refuses a subscription to this URI
//   --streams        allows so many streams of changes at once
//   --control        a file; for each line that is added to it, `<uri> <text>`, that resource changes and says so
import { readFileSync, watchFile } from 'node:fs';
import { McpServer, ProtocolError, ProtocolErrorCode, type ReadResourceResult } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';
import { chequeredPng } from './content/png';
import { eachLine } from './raw/lines';
import type { JsonObject } from './raw/messages';

const args = process.argv.slice(2);
const has = (flag: string) => args.includes(`--${flag}`);
const flagValue = (flag: string) => args.find(arg => arg.startsWith(`--${flag}=`))?.slice(flag.length + 3);
const refused = flagValue('refuse');

const lines = (uri: string) => Array.from({ length: 200 }, (_, i) => `Line ${i + 1} of ${uri}\n`).join('');
/** By URI: text, or the size of a picture, or bytes. */
const contents = new Map<string, string | number | Buffer>([
  ['changing://notes/one.txt', lines('one')],
  ['changing://notes/two.txt', lines('two')],
  ['changing://notes', 'All notes\n'],
  ['changing://picture.png', 64],
  ['changing://bytes.bin', Buffer.from([0, 1, 2, 3])],
]);

function contentOf(uri: string): ReadResourceResult['contents'][number] {
  const content = contents.get(uri);
  if (content === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Resource not found', { uri });
  if (typeof content === 'string') return { uri, mimeType: 'text/plain', text: content };
  const isPicture = typeof content === 'number';
  const bytes = isPicture ? chequeredPng(content) : content;
  return { uri, mimeType: isPicture ? 'image/png' : 'application/octet-stream', blob: bytes.toString('base64') };
}

/** Text gets a line at its end, unless it begins with a line break: it is all then. A picture grows, bytes become more. */
function change(uri: string, text: string): void {
  const content = contents.get(uri) ?? '';
  if (typeof content === 'string') contents.set(uri, text.startsWith('\n') ? text : `${content}${text}\n`);
  else if (typeof content === 'number') contents.set(uri, content * 2);
  else contents.set(uri, Buffer.concat([content, Buffer.from(text), Buffer.alloc(1)]));
}

function changingServer(): McpServer {
  const resources = has('no-subscribe') ? { listChanged: true } : { listChanged: true, subscribe: true };
  const server = new McpServer({ name: 'changing', version: '1.0.0' }, { capabilities: { resources } });
  const raw = server.server;
  raw.setRequestHandler('resources/list', () => ({
    resources: [...contents].map(([uri]) => ({ uri, name: uri.slice(uri.lastIndexOf('/') + 1) })),
  }));
  raw.setRequestHandler('resources/read', ({ params }) => ({ contents: [contentOf(params.uri)] }));
  if (!has('unknown') && !has('no-subscribe')) {
    raw.setRequestHandler('resources/subscribe', ({ params }) => {
      if (params.uri === refused) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Not this one');
      return {};
    });
    raw.setRequestHandler('resources/unsubscribe', () => ({}));
  }
  const done = { content: [{ type: 'text' as const, text: 'done' }] };
  server.registerTool(
    'change',
    {
      description: 'Changes a resource and says so `times` times; 0: says nothing',
      inputSchema: z.object({ uri: z.string(), text: z.string().default('Changed.'), times: z.number().default(1) }),
    },
    ({ uri, text, times }) => {
      change(uri, text);
      for (let i = 0; i < times; i++) void raw.sendResourceUpdated({ uri });
      return done;
    },
  );
  const control = flagValue('control');
  if (control)
    followFile(control, (uri, text) => {
      change(uri, text);
      void raw.sendResourceUpdated({ uri });
    });
  server.registerTool('remove', { inputSchema: z.object({ uri: z.string() }) }, ({ uri }) => {
    contents.delete(uri);
    void raw.sendResourceUpdated({ uri });
    server.sendResourceListChanged();
    return done;
  });
  server.registerTool('announce', { inputSchema: z.object({ uri: z.string() }) }, ({ uri }) => {
    void raw.sendResourceUpdated({ uri });
    return done;
  });
  return server;
}

function followFile(file: string, onLine: (uri: string, text: string) => void): void {
  let done = 0;
  watchFile(file, { interval: 100 }, () => {
    const all = readFileSync(file, 'utf8').split('\n').slice(0, -1);
    for (const line of all.slice(done)) onLine(line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1));
    done = all.length;
  });
}

/** `subscribe <uri>`, `unsubscribe <uri>`, `listen <uris>`. */
function tell(line: string): void {
  const { method, params } = JSON.parse(line) as { method?: string; params?: JsonObject };
  if (method === 'resources/subscribe' || method === 'resources/unsubscribe')
    console.error(`${method.slice('resources/'.length)} ${params?.uri}`);
  if (method !== 'subscriptions/listen') return;
  const filter = params?.notifications as { resourceSubscriptions?: string[] } | undefined;
  console.error(`listen ${filter?.resourceSubscriptions?.toSorted().join(' ') ?? 'to lists'}`);
}

process.stdin.on('data', eachLine(tell));
if (has('legacy')) void changingServer().connect(new StdioServerTransport());
else {
  const maxSubscriptions = Number(flagValue('streams') ?? 1_024);
  serveStdio(changingServer, { maxSubscriptions, onerror: error => console.error(error.message) });
}
