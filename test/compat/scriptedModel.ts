// A model on this machine for agents that have no account: it calls tools in their order, each once, then says that it is done.
// It speaks as much of the four providers' languages as the agents ask for.
import * as http from 'node:http';
import type { AddressInfo } from 'node:net';

const DONE = 'done';
const CALL = 'call';

interface Asked {
  readonly path: string;
  readonly body: string;
  /** The name of the tool to call, as the agent calls it; undefined: all have been called, or it is not offered. */
  readonly tool: string | undefined;
  /** Differs for each call of a conversation. */
  readonly call: string;
}

/** Events of a stream: with their names where the language has them. */
type Events = readonly { readonly type?: string; readonly [member: string]: unknown }[];

export class ScriptedModel {
  /** What was asked, without bodies. */
  readonly asked: string[] = [];
  /** What the agent has told the model of each call, the last time that it asked. */
  told: readonly unknown[] = [];
  readonly #server = http.createServer((request, response) => void this.#answer(request, response));

  /** @param tools how the names of the tools to call end, as agents write them. */
  constructor(private readonly tools: readonly string[] = ['one__count']) {}

  async listen(): Promise<string> {
    await new Promise<void>(resolve => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise(resolve => this.#server.close(resolve));
  }

  async #answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const [path, body] = [request.url ?? '', Buffer.concat(chunks).toString('utf8')];
    const told = resultsIn(body);
    if (told.length > 0) this.told = told;
    const tool = toolIn(body, this.tools[told.length]);
    this.asked.push(`${request.method} ${path} ${tool ?? ''}`);
    const events = eventsFor({ path, body, tool, call: `${CALL}_${told.length}` });
    if (!events) {
      response.writeHead(404).end('{}');
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of events)
      response.write(`${event.type ? `event: ${event.type}\n` : ''}data: ${JSON.stringify(event)}\n\n`);
    response.end(path.includes('chat/completions') ? 'data: [DONE]\n\n' : '');
  }
}

/** The tool as it is offered: agents put the name of the server before it. */
function toolIn(body: string, end: string | undefined): string | undefined {
  return end === undefined ? undefined : new RegExp(`"name":\\s*"([\\w-]*${end})"`).exec(body)?.[1];
}

interface SaidParts {
  readonly type?: string;
  readonly role?: string;
  readonly content?: unknown;
  readonly output?: unknown;
  readonly parts?: readonly { readonly functionResponse?: unknown }[];
}

/** What the results of calls are in a request, in each of the languages. */
function resultsIn(body: string): unknown[] {
  const { messages, input, contents } = Object(parsed(body)) as Record<'messages' | 'input' | 'contents', SaidParts[]>;
  return [
    ...(messages ?? []).flatMap(({ role, content }) =>
      role === 'tool'
        ? [content]
        : (Array.isArray(content) ? (content as SaidParts[]) : [])
            .filter(({ type }) => type === 'tool_result')
            .map(part => part.content),
    ),
    ...(Array.isArray(input) ? input : [])
      .filter(({ type }) => type === 'function_call_output')
      .map(({ output }) => output),
    ...(contents ?? []).flatMap(({ parts = [] }) => parts.flatMap(part => part.functionResponse ?? [])),
  ];
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function eventsFor({ path, body, tool, call }: Asked): Events | undefined {
  if (path.includes('/messages') && !path.includes('count_tokens')) return anthropic(tool, call);
  if (path.includes('/responses')) return responses(tool, call, namespaceIn(body, tool));
  if (path.includes('/chat/completions')) return completions(tool, call);
  return path.includes('GenerateContent') || path.includes('generateContent') ? gemini(tool) : undefined;
}

const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };

function anthropic(tool: string | undefined, call: string): Events {
  const block = tool ? { type: 'tool_use', id: call, name: tool, input: {} } : { type: 'text', text: '' };
  const delta = tool ? { type: 'input_json_delta', partial_json: '{}' } : { type: 'text_delta', text: DONE };
  const message = { id: 'm', type: 'message', role: 'assistant', model: 'scripted', content: [], stop_reason: null };
  return [
    { type: 'message_start', message: { ...message, stop_sequence: null, usage } },
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: tool ? 'tool_use' : 'end_turn', stop_sequence: null }, usage },
    { type: 'message_stop' },
  ];
}

/** Codex groups the tools of a server, and wants the group with a call. */
const namespaceIn = (body: string, tool: string | undefined) =>
  (JSON.parse(body) as { tools?: { type: string; name?: string; tools?: { name: string }[] }[] }).tools?.find(
    ({ type, tools }) => type === 'namespace' && tools?.some(({ name }) => name === tool),
  )?.name;

function responses(tool: string | undefined, call: string, namespace: string | undefined): Events {
  const text = { type: 'output_text', text: DONE, annotations: [] };
  const item = tool
    ? { type: 'function_call', id: 'f', call_id: call, name: tool, namespace, arguments: '{}', status: 'completed' }
    : { type: 'message', id: 'm', role: 'assistant', status: 'completed', content: [text] };
  return [
    { type: 'response.created', response: { id: 'r' } },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { id: 'r', usage, output: [item] } },
  ];
}

function completions(tool: string | undefined, id: string): Events {
  const call = { index: 0, id, type: 'function', function: { name: tool, arguments: '{}' } };
  const chunk = (delta: object, finish: string | null) => ({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'scripted',
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  return [
    chunk({ role: 'assistant', ...(tool ? { tool_calls: [call] } : { content: DONE }) }, null),
    chunk({}, tool ? 'tool_calls' : 'stop'),
  ];
}

function gemini(tool: string | undefined): Events {
  const part = tool ? { functionCall: { name: tool, args: {} } } : { text: DONE };
  return [
    {
      candidates: [{ index: 0, content: { role: 'model', parts: [part] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    },
  ];
}
