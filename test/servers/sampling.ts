// Asks for sampling whatever it is told to, unchecked by any SDK, over stdio.
//   node out/servers/sampling.js [--modern]     legacy: pushed requests; modern: `input_required` results
//
// Tools: `ask` {params}, or {json} for a person to type, asks once, `flood` {params, count} asks that often at once and counts the answers by code (legacy),
// `cancel` cancels what is open (legacy), `die` ends the process.
import { createInterface } from 'node:readline';

type Json = Record<string, unknown>;
interface Message {
  id?: number | string;
  method?: string;
  params?: Json & { name?: string; arguments?: Json; inputResponses?: Json };
  result?: Json;
  error?: { code: number; message: string };
}

const isModern = process.argv.includes('--modern');
const cacheable = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
const capabilities = { tools: {} };
const open = new Map<string, (answer: Message) => void>();
let count = 0;

const send = (message: Json) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const text = (value: unknown) => ({ content: [{ type: 'text', text: JSON.stringify(value) }], resultType: 'complete' });

function ask(params: unknown): Promise<Message> {
  const id = `ask-${++count}`;
  send({ id, method: 'sampling/createMessage', params });
  return new Promise(resolve => open.set(id, resolve));
}

async function call({ name, arguments: args = {}, inputResponses }: NonNullable<Message['params']>): Promise<Json> {
  const params = typeof args.json === 'string' ? JSON.parse(args.json) : args.params;
  switch (name) {
    case 'ask': {
      if (!isModern) {
        const { result, error } = await ask(params);
        return text(result ?? { error });
      }
      if (inputResponses) return text(inputResponses.answer);
      const answer = { method: 'sampling/createMessage', params };
      return { resultType: 'input_required', inputRequests: { answer } };
    }
    case 'flood': {
      const codes: Record<string, number> = {};
      const answers = Array.from({ length: Number(args.count) }, () => ask(params));
      for (const { error } of await Promise.all(answers)) {
        const code = error?.code ?? 'answered';
        codes[code] = (codes[code] ?? 0) + 1;
      }
      return text(codes);
    }
    case 'cancel': {
      const cancelled = [...open.keys()];
      for (const requestId of cancelled) send({ method: 'notifications/cancelled', params: { requestId } });
      for (const [id, resolve] of open) {
        open.delete(id);
        resolve({ error: { code: 0, message: 'cancelled' } });
      }
      return text(cancelled);
    }
    default:
      process.exit(1);
  }
}

async function answer({ id, method, params = {} }: Message): Promise<void> {
  const tools = ['ask', 'flood', 'cancel', 'die'].map(name => {
    const properties = name === 'ask' ? { json: { type: 'string' } } : {};
    return { name, inputSchema: { type: 'object', properties } };
  });
  const serverInfo = { name: 'sampling', version: '1.0.0' };
  if (method === 'server/discover' && isModern) {
    send({ id, result: { ...cacheable, supportedVersions: ['2026-07-28'], capabilities, serverInfo } });
  } else if (method === 'initialize' && !isModern) {
    send({ id, result: { protocolVersion: '2025-11-25', capabilities, serverInfo } });
  } else if (method === 'tools/list') send({ id, result: { ...cacheable, tools } });
  else if (method === 'tools/call') send({ id, result: await call(params) });
  else if (method === 'ping') send({ id, result: {} });
  else send({ id, error: { code: -32601, message: 'Method not found' } });
}

createInterface({ input: process.stdin }).on('line', line => {
  const message = JSON.parse(line) as Message;
  if (message.method !== undefined) {
    if (message.id !== undefined) void answer(message);
    return;
  }
  const id = String(message.id);
  open.get(id)?.(message);
  open.delete(id);
});
process.stdin.on('end', () => process.exit(0));
