import { createMCPClient } from '@ai-sdk/mcp';
import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { checkItem } from '../../../src/host/catalog/catalogItems';
import { bodyValue } from '../../../src/host/reading/answers';
import type { Note } from '../../../src/host/reading/carried';
import { answerTo, messagesOf } from '../../../src/host/reading/framing';
import { CATALOG_KINDS, type CatalogKind, listResult } from '../../../src/host/reading/lists';
import { PeerReader } from '../../../src/host/sdk/peerReader';
import type { Deviation } from './deviations';

/** Reads an answer, and returns all that was read. Rejects if there is nothing. */
export type ClientReading = (deviation: Deviation) => Promise<unknown>;

const INFO = { name: 'a', version: '1' };
const LIST = { 'resources/templates/list': 'resourceTemplates' } as Readonly<Record<string, CatalogKind>>;
const kindOf = (method: string) => LIST[method] ?? CATALOG_KINDS.find(kind => method === `${kind}/list`);

/** As the host does: the body for what it is, the answer to the request, and the reader of its method. */
export async function readByHost({ method, body }: Deviation, note: Note = () => {}): Promise<unknown> {
  const reader = new PeerReader((_, ...how) => note(...how));
  const id = 7;
  reader.sending({ jsonrpc: '2.0', id, method });
  const [message] = messagesOf(bodyValue(body(id)), note).map(one => answerTo(id, one));
  if (!message || !('result' in message) || message.id !== id) throw new Error('no answer');
  if (method === 'initialize') return reader.handshake(message);
  if (method === 'tools/call') return reader.call(message.result);
  const kind = kindOf(method);
  const schema = kind ? listResult(kind) : reader.resultOf(method, {})!;
  const read = await schema['~standard'].validate(message.result);
  if (read.issues) throw new Error(read.issues[0]!.message);
  if (!kind) return read.value;
  return (read.value as { items: readonly unknown[] }).items.map(item => {
    const { item: made, problem, notes = [] } = checkItem(kind, item);
    for (const one of notes) note(...one);
    if (problem) note(`${kind}[]`);
    return made;
  });
}

const HANDSHAKE = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: {}, prompts: {}, resources: {} },
  serverInfo: INFO,
};

/** A server over HTTP that gives one answer, and good ones to what comes before. It needs no network. */
function serverOf({ method: deviant, type, body }: Deviation): typeof fetch {
  return async (_, init) => {
    if (init?.method !== 'POST') return new Response(null, { status: 405 });
    const { id, method } = JSON.parse(String(init.body)) as { id?: unknown; method: string };
    if (id === undefined) return new Response(null, { status: 202 });
    if (method === deviant) return new Response(body(id), { headers: { 'content-type': type } });
    const good = method === 'initialize' ? { result: HANDSHAKE } : { error: { code: -32601, message: 'not found' } };
    const answer = JSON.stringify({ jsonrpc: '2.0', id, ...good });
    return new Response(answer, { headers: { 'content-type': 'application/json' } });
  };
}

const URL_OF_SERVER = new URL('http://localhost/mcp');
const PARAMS = { name: 'a', uri: 'a:b' };
const TIMEOUT_MS = 5_000;

type Official = Pick<Client2, 'close' | 'getServerVersion' | 'getInstructions'> & {
  callTool(params: { name: string }, ...more: never[]): Promise<unknown>;
};

/** What each of both official clients offers for a method. */
async function askedOf(client: Client1 | Client2, method: string, options: object): Promise<unknown> {
  const timed = [options] as never[];
  switch (method) {
    case 'initialize':
      return [client.getServerVersion(), client.getInstructions()];
    case 'tools/call':
      return client instanceof Client1
        ? client.callTool(PARAMS, undefined, options)
        : (client as Official).callTool(PARAMS, ...timed);
    case 'tools/list':
      return client.listTools({}, options);
    case 'prompts/list':
      return client.listPrompts({}, options);
    case 'prompts/get':
      return client.getPrompt(PARAMS, options);
    case 'resources/list':
      return client.listResources({}, options);
    case 'resources/templates/list':
      return client.listResourceTemplates({}, options);
    default:
      return client.readResource(PARAMS, options);
  }
}

const readByOfficial =
  (connected: (fetch: typeof globalThis.fetch, options: object) => Promise<Client1 | Client2>): ClientReading =>
  async deviation => {
    const options = { timeout: TIMEOUT_MS };
    const client = await connected(serverOf(deviation), options);
    try {
      return await askedOf(client, deviation.method, options);
    } finally {
      await client.close();
    }
  };

const readByAi: ClientReading = async deviation => {
  const client = await createMCPClient({
    transport: { type: 'http', url: URL_OF_SERVER.href, fetch: serverOf(deviation) },
    protocolVersionDiscovery: false,
    initializationOptions: { timeout: TIMEOUT_MS },
    onUncaughtError: () => {},
  });
  const options = { timeout: TIMEOUT_MS };
  try {
    switch (deviation.method) {
      case 'initialize':
        return client.initializeResult;
      case 'tools/call':
        return await client.callTool({ name: 'a', options });
      case 'tools/list':
        return await client.listTools({ options });
      case 'prompts/list':
        return await client.listPrompts({ options });
      case 'prompts/get':
        return await client.getPrompt({ name: 'a', options });
      case 'resources/list':
        return await client.listResources({ options });
      case 'resources/templates/list':
        return await client.listResourceTemplates({ options });
      default:
        return await client.readResource({ uri: 'a:b', options });
    }
  } finally {
    await client.close();
  }
};

/** Other clients, as they come from npm. */
export const OTHERS: Readonly<Record<string, ClientReading>> = {
  'SDK 2': readByOfficial(async (fetch, options) => {
    const client = new Client2(INFO);
    await client.connect(new Transport2(URL_OF_SERVER, { fetch }), options);
    return client;
  }),
  'SDK 1': readByOfficial(async (fetch, options) => {
    const client = new Client1(INFO);
    await client.connect(new Transport1(URL_OF_SERVER, { fetch }), options);
    return client;
  }),
  'AI SDK': readByAi,
};
