import { setTimeout as delay } from 'node:timers/promises';
import { type Json, type JsonObject, RpcError } from './messages';

/** What a handler may do while it works on one request. */
export interface Call {
  /** Aborted by `notifications/cancelled`; the request is then not answered. */
  readonly signal: AbortSignal;
  /** Headers of the HTTP request that brought the message, lower-cased; empty over stdio. */
  readonly headers: JsonObject;
  /** Sends `notifications/progress` if the client asked for it. */
  progress(progress: number, total: number, message: string): void;
  /** Sends `notifications/message` if the client's log level lets it through. */
  log(level: string, logger: string, data: Json): void;
}

export interface RawTool {
  definition: JsonObject & { name: string };
  /** The result of `tools/call`. */
  call(args: JsonObject, call: Call): Json | Promise<Json>;
}

export interface RawPrompt {
  definition: JsonObject & { name: string };
  /** The result of `prompts/get`. */
  get(args: JsonObject): Json;
}

export interface RawResource {
  definition: JsonObject & { uri: string };
  /** The result of `resources/read`. */
  read(): Json;
}

export interface RawTemplate {
  definition: JsonObject & { uriTemplate: string };
  /** The result of `resources/read` for a URI of this template, or undefined when it is not one. */
  read(uri: string): Json | undefined;
}

/** All that a raw server offers. Shared by the sessions of a process, and mutable: flags change it. */
export interface Offer {
  serverInfo: JsonObject;
  instructions?: string;
  capabilities: JsonObject;
  tools: RawTool[];
  prompts: RawPrompt[];
  resources: RawResource[];
  templates: RawTemplate[];
  /** Values for `completion/complete`, by argument name; those that start with what was typed are answered. */
  completions: Record<string, string[]>;
}

/** A `tools/call` result of one text. */
export const text = (value: string): JsonObject => ({ content: [{ type: 'text', text: value }] });

/** A tool that takes nothing and answers with its name. */
export function plainTool(name: string): RawTool {
  return { definition: { name, inputSchema: { type: 'object' } }, call: () => text(name) };
}

/** A text resource. */
export function textResource(uri: string, mimeType: string, body: string): RawResource {
  const name = uri.split('/').at(-1) ?? uri;
  return { definition: { uri, name, mimeType }, read: () => ({ contents: [{ uri, mimeType, text: body }] }) };
}

const echo: RawTool = {
  definition: {
    name: 'echo',
    title: 'Echo',
    // Characters of two and more bytes, so that a chunk boundary can fall inside one.
    description: 'Says it again, naïvely 🗣',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    annotations: { readOnlyHint: true },
  },
  call(args) {
    if (typeof args.text !== 'string') throw new RpcError(-32602, 'echo needs a text');
    return text(args.text);
  },
};

const wait: RawTool = {
  definition: {
    name: 'wait',
    title: 'Wait',
    description: 'Waits for `ms` milliseconds in `steps` steps, with progress before each. Can be cancelled',
    inputSchema: { type: 'object', properties: { ms: { type: 'number' }, steps: { type: 'integer' } } },
  },
  async call(args, { signal, progress }) {
    const ms = Number(args.ms ?? 0);
    const steps = Number(args.steps ?? 2);
    for (let step = 1; step <= steps; step++) {
      progress(step, steps, `step ${step} of ${steps}`);
      await delay(ms / steps, undefined, { signal });
    }
    return text(`waited ${ms} ms`);
  },
};

const log: RawTool = {
  definition: {
    name: 'log',
    title: 'Log',
    description: 'Sends one log message',
    inputSchema: { type: 'object', properties: { level: { type: 'string' }, logger: { type: 'string' }, text: {} } },
  },
  call(args, call) {
    call.log(String(args.level ?? 'info'), String(args.logger ?? 'log'), args.text ?? '');
    return text('logged');
  },
};

const userSays = (value: string): JsonObject => ({
  messages: [{ role: 'user', content: { type: 'text', text: value } }],
});

const greet: RawPrompt = {
  definition: {
    name: 'greet',
    title: 'Greet',
    description: 'Greets a person',
    arguments: [
      { name: 'name', description: 'Whom to greet', required: true },
      { name: 'language', description: 'In which language' },
    ],
  },
  get(args) {
    if (typeof args.name !== 'string') throw new RpcError(-32602, 'greet needs a name');
    return userSays(`Greet ${args.name} in ${args.language ?? 'English'}`);
  },
};

const hello: RawPrompt = {
  definition: { name: 'hello', title: 'Hello', description: 'Takes no arguments' },
  get: () => userSays('Hello'),
};

const item: RawTemplate = {
  definition: { uriTemplate: 'hostile://items/{id}', name: 'item', title: 'Item', mimeType: 'text/plain' },
  read(uri) {
    const id = /^hostile:\/\/items\/([^/]+)$/.exec(uri)?.[1];
    return id && { contents: [{ uri, mimeType: 'text/plain', text: `Item ${decodeURIComponent(id)}` }] };
  },
};

/** What a raw server offers when no flag says otherwise: a little of everything of the legacy era. */
export function ordinaryOffer(): Offer {
  return {
    serverInfo: { name: 'hostile', title: 'Hostile fixture', version: '1.0.0' },
    instructions: 'A fixture for tests.',
    capabilities: {
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { listChanged: true },
      logging: {},
      completions: {},
    },
    tools: [echo, wait, log],
    prompts: [greet, hello],
    resources: [
      textResource('hostile://notes/readme.md', 'text/markdown', '# Read me\n\nA note.\n'),
      textResource('hostile://notes/config.json', 'application/json', '{"a":1,"b":[true,null]}'),
    ],
    templates: [item],
    completions: { name: ['Ada', 'Alan', 'Grace'], language: ['English', 'French'], id: ['1', '2', '10'] },
  };
}
