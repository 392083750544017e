// The server of the transport benchmarks: as little as can be, so that what is measured is the client. Tools: `echo`,
// `large` (a text of `bytes`), `flood` (`count` log messages of all levels, or of `level`, then the answer), `storm` (`count`
// list_changed within a second, then the answer), `lists` (how often tools were listed), `crash`. With `--resources` it lists 100,000
// resources in 1,000 pages, with `--file` one of 10 MB; with `--endless`, each page of tools names
// a next one, with `--tools=N` there are N more. With `--times=FILE` it writes there when its process began and when its tools were listed, in
// milliseconds since 1970, and takes 400 ms to start, as real ones do.
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { largeText } from './largeText';

interface Message {
  id?: number | string;
  method?: string;
  params?: { name?: string; cursor?: string; arguments?: Record<string, number | string>; protocolVersion?: string };
}

const tools: object[] = ['echo', 'large', 'flood', 'storm', 'lists', 'crash'].map(name => ({
  name,
  inputSchema: { type: 'object' },
  // The editor's own client asks the person before any other.
  annotations: { readOnlyHint: true },
}));
const more = Number(process.argv.find(arg => arg.startsWith('--tools='))?.slice('--tools='.length) ?? 0);
const isEndless = process.argv.includes('--endless');
let toolLists = 0;
const began = Date.now() - process.uptime() * 1_000;
const times = process.argv.find(arg => arg.startsWith('--times='))?.slice('--times='.length);
const lists = process.argv.includes('--resources');
const file = process.argv.includes('--file')
  ? { uri: 'wire://large.txt', name: 'large.txt', mimeType: 'text/plain' }
  : undefined;
const [pages, pageSize] = [1_000, 100];
const allLevels = ['debug', 'info', 'notice', 'warning', 'error'];
let rest = '';

for (let i = 0; i < more; i++) tools.push(furtherTool(i));

if (times) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);

process.stdin.setEncoding('utf8');
process.stdin.on('data', (chunk: string) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop() ?? '';
  let answers = '';
  for (const line of lines) answers += answer(JSON.parse(line) as Message);
  if (answers) process.stdout.write(answers);
});
process.stdin.on('end', () => process.exit(0));

function answer({ id, method, params }: Message): string {
  if (id === undefined) return '';
  switch (method) {
    case 'initialize':
      return line({
        id,
        result: {
          protocolVersion: params?.protocolVersion,
          capabilities: { tools: { listChanged: true }, logging: {}, ...((lists || file) && { resources: {} }) },
          serverInfo: { name: 'wire', version: '1' },
        },
      });
    case 'logging/setLevel':
      return line({ id, result: {} });
    case 'tools/list':
      if (toolLists++ === 0 && times) writeFileSync(times, JSON.stringify({ began, listed: Date.now() }));
      return line({ id, result: { tools, ...(isEndless && { nextCursor: String(toolLists) }) } });
    case 'resources/list':
      return line({ id, result: file ? { resources: [file] } : page(Number(params?.cursor ?? 0)) });
    case 'resources/read':
      return line({ id, result: { contents: [{ ...file, text: large(10 * 1024 * 1024) }] } });
    case 'tools/call':
      return call(id, params?.name, params?.arguments ?? {});
    default:
      return line({ id, error: { code: -32601, message: 'Method not found' } });
  }
}

/** As large as those of real servers. */
function furtherTool(i: number) {
  const description = `Does thing ${i} of server ${process.pid}: ${'takes what it is given and looks it up. '.repeat(6)}`;
  const properties = { query: { type: 'string', description: `The query of tool ${i}` }, limit: { type: 'number' } };
  return {
    name: `tool_${i}`,
    description,
    inputSchema: { type: 'object', properties },
    annotations: { readOnlyHint: true },
  };
}

function call(id: number | string, name: string | undefined, args: Record<string, number | string>): string {
  if (name === 'flood') {
    void flood(id, Number(args.count), args.level === undefined ? allLevels : [String(args.level)]);
    return '';
  }
  if (name === 'storm') {
    void storm(id, Number(args.count));
    return '';
  }
  if (name === 'crash') process.exit(1);
  if (name === 'lists') return textResult(id, String(toolLists));
  return textResult(id, name === 'large' ? large(Number(args.bytes)) : String(args.text));
}

const textResult = (id: number | string, text: string) => line({ id, result: { content: [{ type: 'text', text }] } });

/** In folders of a thousand. The first resource says when its page was asked for. */
function page(number: number): object {
  const resources = Array.from({ length: pageSize }, (_, i) => {
    const index = number * pageSize + i;
    return {
      uri: `file:///data/folder-${Math.floor(index / 1_000)}/resource-${index}.txt`,
      name: `resource-${index}.txt`,
      description: index === 0 ? String(Date.now()) : `What is in resource ${index}`,
      mimeType: 'text/plain',
    };
  });
  return { resources, ...(number + 1 < pages && { nextCursor: String(number + 1) }) };
}

/** Made once for each size, so that the client waits for the pipe and not for this. */
const made = new Map<number, string>();
function large(bytes: number): string {
  const text = made.get(bytes) ?? largeText(bytes);
  made.set(bytes, text);
  return text;
}

async function flood(id: number | string, count: number, levels: readonly string[]): Promise<void> {
  for (let i = 0; i < count; ) {
    let part = '';
    for (const end = Math.min(count, i + 500); i < end; i++) {
      const params = { level: levels[i % levels.length], logger: 'flood', data: `message ${i} of a flood of messages` };
      part += line({ method: 'notifications/message', params });
    }
    if (!process.stdout.write(part)) await once(process.stdout, 'drain');
  }
  process.stdout.write(line({ id, result: { content: [] } }));
}

async function storm(id: number | string, count: number): Promise<void> {
  const started = performance.now();
  for (let sent = 0; sent < count; ) {
    const due = Math.min(count, Math.ceil(((performance.now() - started) / 1_000) * count));
    for (; sent < due; sent++) process.stdout.write(line({ method: 'notifications/tools/list_changed' }));
    await setTimeout(5);
  }
  process.stdout.write(line({ id, result: { content: [] } }));
}

function line(message: object): string {
  return `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
}
